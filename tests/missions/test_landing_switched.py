"""The switched field of paper 003: Table 1, its order of tests, its ramps and its guard of the tether."""

import math

import numpy as np
import pytest
from landing_model import Scene, polar

from tetherlab.contracts.autonomy import TaskStatus
from tetherlab.contracts.errors import InputError
from tetherlab.missions.landing_switched import Action, SwitchedLanding, SwitchedSettings

HALF = math.sqrt(0.5)


def direction(elevation, azimuth=0.0):
    """From the base along the tether, angles in degrees."""
    e, a = math.radians(elevation), math.radians(azimuth)
    return np.array((math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)))


def command(elevation, height, azimuth=0.0, **settings):
    """What it wants long after a switch [m/s]."""
    task = SwitchedLanding(SwitchedSettings(ramp_time=0.0, **settings))
    reading = Scene((0.0, 0.0, 3.0)).read(height=height, length=5.0)
    return task._wanted(direction(elevation, azimuth), reading, 0.05), task.action


@pytest.mark.parametrize(
    ("elevation", "height", "action", "level", "climb"),
    [
        (64.0, 3.0, Action.ASCENT, HALF, HALF),
        (66.0, 3.0, Action.APPROACH, 1.0, 0.0),
        (76.0, 3.0, Action.DESCENT, HALF, -HALF),
        (86.0, 3.0, Action.VERTICAL, 4.0 / 90.0, -1.0),
        (86.0, 0.4, Action.SETTLE, 4.0 / 90.0, -0.8),
        (90.0, 0.3, Action.SETTLE, 0.0, -0.6),
    ],
)
@pytest.mark.parametrize("azimuth", [0.0, 137.0])
def test_table_1(elevation, height, action, level, climb, azimuth):
    velocity, found = command(elevation, height, azimuth)
    assert found is action
    towards = -direction(0.0, azimuth)
    assert velocity == pytest.approx(0.15 * (level * towards + (0.0, 0.0, climb)), abs=1e-12)


@pytest.mark.parametrize("elevation", [20.0, 64.0, 70.0, 80.0])
def test_a_low_height_means_nothing_below_the_last_band(elevation):
    """Who tests the height first lands metres away."""
    _, action = command(elevation, height=0.1)
    assert action is not Action.SETTLE
    scene = Scene(polar(3.0, elevation))
    task = SwitchedLanding()
    task.begin(scene.read())
    for i in range(400):
        scene.tension = 6.0
        assert task.step(scene.read(time=0.05 * i, height=0.1), scene) is not TaskStatus.DONE
    assert scene.armed


def test_one_action_goes_over_to_the_next_on_a_ramp():
    scene = Scene(polar(4.0, 50.0))
    assert scene.land(SwitchedLanding(SwitchedSettings(ramp_time=2.0))) is TaskStatus.DONE
    change = np.linalg.norm(np.diff(np.array(scene.speeds[:-1]), axis=0), axis=1) / 0.05
    largest = 0.15 * math.sqrt(2.0) / 2.0  # from rest or from one row of the table to the next, in 2 s
    assert change.max() < largest + 0.02  # the rows themselves change a little while it flies


@pytest.mark.parametrize(("distance", "elevation"), [(11.8, 15.0), (11.8, 62.0), (6.0, 35.0), (2.0, 88.0)])
def test_it_lands_with_noise(distance, elevation):
    scene = Scene(polar(distance, elevation), noise=0.02, height_noise=0.02, seed=3)
    task = SwitchedLanding()
    assert scene.land(task) is TaskStatus.DONE, task.details
    assert math.hypot(*scene.place[:2]) < 0.06


def test_the_ascent_never_asks_for_more_tether_than_there_is():
    most = {}
    for name, length_max in (("short", 11.4), ("long", 15.0)):
        scene = Scene(polar(11.0, 46.0))
        task = SwitchedLanding(SwitchedSettings(length_max=length_max, length_margin=0.15, tension=10.0))
        assert scene.land(task) is TaskStatus.DONE
        moving = next(i for i, speed in enumerate(scene.speeds) if speed.any())
        most[name] = max(scene.lengths[moving:])
    assert most["long"] > 11.4  # so it would, if it could
    assert most["short"] < 11.4 - 0.14


def test_without_a_length_nothing_leads_outwards():
    task = SwitchedLanding(SwitchedSettings(ramp_time=0.0))
    reading = Scene((0.0, 0.0, 3.0)).read(length=math.nan)
    up = direction(60.0)
    assert task._wanted(up, reading, 0.05) @ up == pytest.approx(0.0, abs=1e-12)


def test_wrong_settings_are_refused():
    with pytest.raises(InputError, match="elevations must rise"):
        SwitchedSettings(elevations=(1.2, 1.1, 1.3))
    with pytest.raises(InputError, match="no field 'elevation'"):
        SwitchedSettings(elevation=1.0)
