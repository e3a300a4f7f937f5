"""Take-off, straight flight and drives: when they are done, and when they are given up."""

import numpy as np
import pytest

from tetherlab.contracts.autonomy import Readings, TaskStatus
from tetherlab.missions.guards import Needs
from tetherlab.missions.tasks import Drive, Move, TakeOff

DT = 0.5


class Told:
    """A `Commander` that arrives so many steps after it was told where to."""

    def __init__(self, steps=3):
        self.steps, self.left, self.said = steps, 0, []

    def take_off(self, height):
        self.said.append(("take off", height))
        self.left = self.steps

    def drive_to(self, place):
        self.said.append(("drive", *place))
        self.left = self.steps

    def keep_tension(self, tension):
        self.said.append(("tension", tension))

    def fly(self, velocity_H, turn=0.0):
        self.said.append(("fly", *velocity_H))

    @property
    def arrived(self):
        self.left -= 1
        return self.left < 0


def go(task, commander, duration=60.0, **told):
    """Its last status, and when that was."""
    task.begin(Readings(time=10.0))
    for time in np.arange(10.0, 10.0 + duration, DT):
        status = task.step(Readings(time=float(time), **told), commander)
        if status is not TaskStatus.GOING_ON:
            break
    return status, float(time) - 10.0


def test_a_take_off_is_done_where_it_shall_be():
    commander = Told()
    status, _ = go(TakeOff(height=1.2, tension=4.0), commander)
    assert status is TaskStatus.DONE
    assert commander.said == [("tension", 4.0), ("take off", 1.2)]


def test_a_take_off_that_does_not_get_there_is_given_up():
    task = TakeOff(height=1.2, tension=4.0, patience=20.0)
    status, time = go(task, Told(steps=1000))
    assert (status, task.details) == (TaskStatus.FAILED, "not 1.2 m above the platform after 20 s")
    assert time == pytest.approx(20.0 + DT)


def test_who_misses_a_sensor_stays_on_the_ground():
    task, commander = TakeOff(height=1.2, tension=4.0, unready=Needs("odometry")), Told()
    status, time = go(task, commander, lost=("uwb", "odometry"))
    assert (status, task.details) == (TaskStatus.FAILED, "nothing from odometry")
    assert commander.said == [] and time < 5.0


def test_a_sensor_that_comes_back_in_time_does_not_matter():
    task, commander = TakeOff(height=1.2, tension=4.0, unready=Needs("odometry")), Told()
    task.begin(Readings(time=0.0))
    for time in (0.0, 1.0, 2.0):
        assert task.step(Readings(time=time, lost=("odometry",)), commander) is TaskStatus.GOING_ON
    task.step(Readings(time=2.5), commander)
    assert commander.said[-1] == ("take off", 1.2)


def test_a_move_takes_its_time_and_ends_at_rest():
    commander = Told()
    status, time = go(Move(velocity_H=(0.3, 0.0, 0.1), duration=4.0), commander)
    assert (status, time) == (TaskStatus.DONE, 4.0)
    assert commander.said[0] == ("fly", 0.3, 0.0, 0.1) and commander.said[-1] == ("fly", 0.0, 0.0, 0.0)


def test_a_drive_goes_from_place_to_place():
    commander = Told()
    status, _ = go(Drive(route=[[1.0, 2.0], [3.0, 4.0]], tension=2.0), commander)
    assert status is TaskStatus.DONE
    assert [said for said in commander.said if said[0] == "drive"] == [
        ("drive", 1.0, 2.0),
        ("drive", 3.0, 4.0),
    ]


def test_a_drive_that_is_stuck_says_where_to():
    task = Drive(route=[[1.0, 2.0], [3.0, 4.0]], tension=2.0, patience=30.0)
    status, _ = go(task, Told(steps=1000))
    assert (status, task.details) == (TaskStatus.FAILED, "(1.0, 2.0) m was not reached in 30 s")
