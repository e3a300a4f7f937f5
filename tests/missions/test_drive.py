"""The rover drives from place to place, and the drone does not leave it without the sensors that it needs."""

import numpy as np
import pytest

from tetherlab.contracts.autonomy import Readings, TaskStatus
from tetherlab.missions.guards import Needs
from tetherlab.missions.tasks import Drive


class Rover:
    """Is wherever it is told to be."""

    arrived = True

    def __init__(self):
        self.places = []

    def keep_tension(self, tension):
        pass

    def drive_to(self, place):
        self.places.append(tuple(place))


def driven(lost, until=20.0):
    """Status, time and place of a drive; lost: from a time [s] to the sensors that are silent then."""
    task, rover = Drive(route=np.array([[1, 0], [2, 0]]), tension=4.0, needs=Needs("odometry")), Rover()
    task.begin(Readings(time=0.0))
    for time in np.arange(0.0, until, 0.05):
        status = task.step(Readings(time=time, lost=lost(time)), rover)
        if status is not TaskStatus.GOING_ON:
            return status, time, task.details, rover
    return status, time, task.details, rover


def test_it_drives_to_each_place():
    status, _, details, rover = driven(lambda time: ("lidar",))
    assert status is TaskStatus.DONE and details == "2 places"
    assert rover.places == [(1.0, 0.0), (2.0, 0.0)]


def test_it_waits_for_a_sensor_that_comes_back():
    status, time, _, _ = driven(lambda time: ("odometry",) if time < 3.0 else ())
    assert status is TaskStatus.DONE and time == pytest.approx(3.0, abs=0.06)


def test_it_gives_up_without_one():
    status, time, details, _ = driven(lambda time: ("odometry",))
    assert status is TaskStatus.FAILED and time == pytest.approx(5.1, abs=0.1)
    assert details == "nothing from odometry"
