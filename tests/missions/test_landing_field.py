"""The continuous field: its lines, why it always arrives, and that it never asks for more tether."""

import math

import numpy as np
import pytest
from landing_model import BASE, WEIGHT, Scene, cable, polar

import tetherlab as tl
from tetherlab.contracts.autonomy import TaskStatus
from tetherlab.missions.landing import LandingSettings
from tetherlab.missions.landing_field import LIFT_FAR, FieldLanding, landing_field, landing_lift

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


def fly_to_the_base(place, lift, step=0.001):
    """Ends of all steps along a straight tether, until the base is near, (n, 3)."""
    places = [place]
    while np.linalg.norm(place) > 0.05:
        middle = place + 0.5 * step * landing_field(place / np.linalg.norm(place), lift)
        place = place + step * landing_field(middle / np.linalg.norm(middle), lift)
        places.append(place)
    return np.array(places)


@pytest.mark.parametrize("lift", [0.5, 0.7, 1.0])
def test_it_has_one_speed_everywhere_and_turns_with_the_scene(random, lift):
    for _ in range(50):
        up = random.standard_normal(3)
        up /= np.linalg.norm(up)
        assert np.linalg.norm(landing_field(up, lift)) == pytest.approx(1.0)
        c, s = math.cos(1.1), math.sin(1.1)
        turn = np.array(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))
        assert landing_field(turn @ up, lift) == pytest.approx(turn @ landing_field(up, lift))


def test_it_is_continuous_in_all_that_it_looks_at(random):
    """Also over the vertical, where it goes straight up, and where one lift goes over into another."""
    step = 1e-6
    for elevation in np.radians((90.0, 70.0, 10.0, 0.0, -30.0, -60.0)):
        for length in (0.5, 1.0, 1.5, 2.0, 5.0):
            up = along(elevation)
            other = up + step * random.standard_normal(3)
            other /= np.linalg.norm(other)
            here = landing_field(up, landing_lift(length - 0.5 * step, 1.0))
            there = landing_field(other, landing_lift(length + 0.5 * step, 1.0))
            # No angle grows by more than 1 + lift; the lift by at most 1 per metre, of at most pi.
            assert np.linalg.norm(there - here) < 2.0 * np.linalg.norm(other - up) + math.pi * step


def test_near_the_base_its_lines_are_circles_that_end_upright():
    places = fly_to_the_base(5.0 * along(math.radians(25.0)), 1.0)
    radius = 0.5 * 5.0 / math.cos(math.radians(25.0))
    assert np.hypot(places[:, 0] - radius, places[:, 2]) == pytest.approx(
        np.full(len(places), radius), abs=1e-4
    )
    way = 0.001 * (len(places) - 1)
    assert way == pytest.approx(radius * (math.pi - 2.0 * math.radians(25.0)), abs=0.06)
    x, _, z = places[-1]
    assert x / z < 0.01


@pytest.mark.parametrize("degrees", [15.0, 50.0, 85.0])
def test_far_from_it_they_are_cardioids_that_are_hardly_longer_than_the_straight_way(degrees):
    lean = math.radians(90.0 - degrees)
    places = fly_to_the_base(8.0 * along(math.radians(degrees)), 0.5)
    distance = np.linalg.norm(places, axis=1)
    size = 8.0 / math.sin(0.5 * lean) ** 2
    leans = np.arctan2(places[:, 0], places[:, 2])
    assert distance == pytest.approx(size * np.sin(0.5 * leans) ** 2, abs=1e-3)
    left = 2.0 * distance[-1] / (1.0 + math.cos(0.5 * leans[-1]))
    way = 0.001 * (len(places) - 1) + left
    assert way == pytest.approx(2.0 * 8.0 / (1.0 + math.cos(0.5 * lean)), abs=2e-3)
    assert leans[-1] == pytest.approx(
        2.0 * math.asin(math.sin(0.5 * lean) * math.sqrt(distance[-1] / 8.0)), rel=1e-2
    )


def taut_by_its_weight(count=400):
    """Leans of the straight way to the base and of the tether, at a drone that is not below its base.

    With a tension at the base of the weight of all tether, leaving it with a slope of psi, the tether comes
    up at 45 degrees + psi/2: half way between its slope and the vertical.
    """
    psi = np.radians(np.linspace(-30.0, 89.9, count))
    level, tether = np.cos(psi), 0.25 * math.pi + 0.5 * psi
    x = level * (np.arcsinh(np.tan(tether)) - np.arcsinh(np.tan(psi)))
    z = np.hypot(level, 1.0 + np.sin(psi)) - 1.0
    return np.arctan2(x, z), 0.5 * math.pi - tether


def test_a_tether_that_is_as_tight_as_it_is_heavy_cannot_pull_it_below_the_straight_way():
    straight, tether = taut_by_its_weight()
    assert straight[0] == pytest.approx(0.5 * math.pi)  # as high as its base: the worst place
    ways = np.array([landing_field(along(0.5 * math.pi - lean), LIFT_FAR) for lean in tether])
    above = np.arctan2(-ways[:, 0], -ways[:, 2]) - straight
    assert above[0] == pytest.approx(0.0, abs=1e-9)
    assert above[1:].min() > 0.0


@pytest.mark.parametrize(
    ("distance", "elevation"), [(1.0, 10.0), (1.5, 5.0), (1.5, 30.0), (4.0, 5.0), (12.0, 15.0)]
)
def test_its_ring_clears_the_edge_of_the_platform(distance, elevation):
    """Oxpecker's ring of 0.23 m, 0.19 m below the attachment, and Rhino's deck, 0.05 m above the exit."""
    scene = Scene(polar(distance, elevation), lag=0.3)
    assert scene.land(FieldLanding()) is TaskStatus.DONE
    x, y, z = np.array(scene.path).T
    aside = np.hypot(x, y)
    over_deck = (aside < math.hypot(0.45, 0.45) + 0.23) & (aside > 0.34 - 0.23)  # and not in its depression
    assert over_deck.sum() > 10
    assert z[over_deck].min() - 0.19 - 0.05 > 0.03


@pytest.mark.parametrize("lift", [0.5, 1.0])
@pytest.mark.parametrize("tension", [4.6, 6.0, 12.0])
def test_the_cable_gets_shorter_all_the_way(tension, lift):
    """The proof of docs/theory/landing.md, on a sagging cable that may lie on the ground."""
    h = 1e-4
    for distance, degrees in PLACES:
        x, _, z = polar(distance, degrees, 0.0)
        length, elevation = cable(x, z, tension)
        way = landing_field(along(elevation), lift)
        longer, _ = cable(x + h * way[0], z + h * way[2], tension)
        shorter, _ = cable(x - h * way[0], z - h * way[2], tension)
        assert (longer - shorter) / (2.0 * h) <= -math.cos(lift * (0.5 * math.pi - elevation)) + 1e-6
        assert length > 0.0


@pytest.mark.parametrize("tension", [4.6, 6.0])
def test_it_brings_the_drone_nearer_everywhere_and_not_lower_as_seen_from_the_base(tension):
    for distance, degrees in PLACES:
        place = polar(distance, degrees, 0.0)
        length, elevation = cable(place[0], place[2], tension)
        way = landing_field(along(elevation), landing_lift(length, 1.0))
        assert way @ place < 0.0
        assert way[0] <= 0.0
        rises = place[0] * way[2] - place[2] * way[0]
        assert rises > 0.0


def test_below_its_base_it_goes_up():
    for lift, straight_from in ((1.0, 0.0), (0.5, -30.0)):
        for lower in (0.0, 10.0, 50.0):
            way = landing_field(along(math.radians(straight_from - lower)), lift)
            assert way == pytest.approx((0.0, 0.0, 1.0), abs=1e-12)
    assert landing_field(along(0.0), 0.5) == pytest.approx((-math.sqrt(0.5), 0.0, math.sqrt(0.5)))


def test_who_does_not_know_the_length_flies_as_if_it_were_near():
    assert landing_lift(math.nan, 1.0) == landing_lift(0.3, 1.0) == 1.0
    assert [landing_lift(length, 1.0) for length in (1.0, 1.25, 2.0, 9.0)] == [1.0, 0.8, 0.5, 0.5]


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
    low = scene.read(height=0.25, length=0.9)
    assert task._wanted(along(0.5 * math.pi), low, 0.05) == pytest.approx((0.0, 0.0, -0.1), abs=1e-12)
    assert np.linalg.norm(task._wanted(along(0.25 * math.pi), low, 0.05)) == pytest.approx(0.2)
