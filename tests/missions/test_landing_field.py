"""The continuous field: its lines, why it always arrives, and that it never asks for more tether."""

import math

import numpy as np
import pytest
from landing_model import BASE, WEIGHT, Scene, cable, polar

import tetherlab as tl
from tetherlab.contracts.autonomy import TaskStatus
from tetherlab.missions.landing import LandingSettings
from tetherlab.missions.landing_field import FieldLanding, landing_field

PLACES = [(d, e) for d in (0.4, 1.5, 4.0, 8.0, 12.0) for e in (3.0, 15.0, 40.0, 65.0, 89.0)]


def along(elevation):
    """From the base along a tether of this elevation [rad], in the plane of x and z."""
    return np.array((math.cos(elevation), 0.0, math.sin(elevation)))


def test_the_cable_of_these_tests_is_that_of_the_package():
    for level, rise in ((11.5, 3.0), (3.0, 8.0), (11.9, 0.6)):
        length, elevation = cable(level, rise, 6.0)
        end = (level, 0.0, BASE + rise)
        twin = tl.GroundedCatenary.between((0.0, 0.0, BASE), end, length)
        step = np.diff(twin.sample(20_001), axis=0)[-1]
        assert math.atan2(step[2], step[0]) == pytest.approx(elevation, abs=1e-4)
        assert twin.tension(0.0, WEIGHT / 9.80665) == pytest.approx(6.0, rel=1e-6)
    assert twin.contact is not None  # the last one lies on the ground


def test_it_has_one_speed_everywhere_and_turns_with_the_scene(random):
    for _ in range(50):
        up = random.standard_normal(3)
        up /= np.linalg.norm(up)
        assert np.linalg.norm(landing_field(up)) == pytest.approx(1.0)
        c, s = math.cos(1.1), math.sin(1.1)
        turn = np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))
        assert landing_field(turn @ up) == pytest.approx(turn @ landing_field(up))


def test_its_lines_are_circles_that_end_upright_in_the_base():
    place = 5.0 * along(math.radians(25.0))
    radius = 0.5 * 5.0 / math.cos(math.radians(25.0))
    way = 0.0
    while np.linalg.norm(place) > 0.05:
        middle = place + 0.0005 * landing_field(place / np.linalg.norm(place))
        place = place + 0.001 * landing_field(middle / np.linalg.norm(middle))
        way += 0.001
        assert math.hypot(place[0] - radius, place[2]) == pytest.approx(radius, abs=1e-4)
    assert way == pytest.approx(radius * (math.pi - 2.0 * math.radians(25.0)), abs=0.06)
    assert place[0] / place[2] < 0.01


@pytest.mark.parametrize("tension", [4.6, 6.0, 12.0])
def test_the_cable_gets_shorter_all_the_way_by_at_least_the_sine_of_its_elevation(tension):
    """The proof of docs/theory/landing.md, on a sagging cable that may lie on the ground."""
    h = 1e-4
    for distance, degrees in PLACES:
        x, _, z = polar(distance, degrees, 0.0)
        length, elevation = cable(x, z, tension)
        way = landing_field(along(elevation))
        longer, _ = cable(x + h * way[0], z + h * way[2], tension)
        shorter, _ = cable(x - h * way[0], z - h * way[2], tension)
        assert (longer - shorter) / (2.0 * h) <= -math.sin(elevation) + 1e-6
        assert length > 0.0


def test_it_brings_the_drone_nearer_everywhere():
    for distance, degrees in PLACES:
        place = polar(distance, degrees, 0.0)
        _, elevation = cable(place[0], place[2], 6.0)
        way = landing_field(along(elevation))
        assert way @ place < 0.0
        assert way[0] <= 0.0


def test_below_its_base_it_goes_straight_up():
    assert landing_field(along(-0.3)) == pytest.approx((0.0, 0.0, 1.0))
    assert landing_field(along(1e-9)) == pytest.approx((0.0, 0.0, 1.0), abs=1e-8)


@pytest.mark.parametrize(("distance", "elevation"), [place for place in PLACES if place[0] > 1.0])
def test_it_lands_from_everywhere(distance, elevation):
    scene = Scene(polar(distance, elevation), noise=0.02, height_noise=0.02, seed=round(distance + elevation))
    task = FieldLanding()
    assert scene.land(task) is TaskStatus.DONE, task.details
    assert not scene.armed
    assert math.hypot(*scene.place[:2]) < 0.03
    moving = [i for i, speed in enumerate(scene.speeds) if speed.any()]
    lengths = np.array(scene.lengths[moving[0] :])
    assert np.diff(lengths).max() < 1e-3  # the drone lags behind what it is told


def test_it_comes_down_slower_where_it_is_low_but_passes_by_on_the_level():
    task = FieldLanding(LandingSettings(speed=0.2))
    scene = Scene((0.0, 0.0, 1.0))
    low = scene.read(height=0.25)
    assert task._wanted(along(0.5 * math.pi), low, 0.05) == pytest.approx((0.0, 0.0, -0.1), abs=1e-12)
    assert np.linalg.norm(task._wanted(along(0.25 * math.pi), low, 0.05)) == pytest.approx(0.2)
