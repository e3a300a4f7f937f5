"""How the link of an angle sensor follows its tether."""

import math

import numpy as np
import pytest

from tetherlab.contracts.measurement import unit_vector
from tetherlab.sensors.link import BASE, DRONE, follow_tether, pull_link

F = 0.029  # [N]

STOPS = (-math.inf, math.inf, -0.25 * math.pi, 1.25 * math.pi)  # of azimuth, and elevation [rad]


def follow(link, azimuth, elevation, tension, *, half_weight=0.0, side=BASE, rotation=None, friction=F):
    rotation = np.eye(3) if rotation is None else rotation
    follow_tether(
        link, unit_vector(azimuth, elevation), tension, half_weight, side, rotation, friction, *STOPS
    )
    return link[0], link[1]


def test_elevation_is_a_play_of_half_width_asin_of_friction_over_tension():
    play = math.asin(F / 2.0)
    link = np.zeros(3)
    assert follow(link, 0.0, 0.5, 2.0)[1] == pytest.approx(0.5)  # the first pull sets it
    # a loop by hand: up, further up, a little back (rests), far back, up again
    assert follow(link, 0.0, 0.5 + 0.9 * play, 2.0)[1] == pytest.approx(0.5)
    assert follow(link, 0.0, 0.7, 2.0)[1] == pytest.approx(0.7 - play)
    assert follow(link, 0.0, 0.7 - 1.9 * play, 2.0)[1] == pytest.approx(0.7 - play)
    assert follow(link, 0.0, 0.3, 2.0)[1] == pytest.approx(0.3 + play)
    assert follow(link, 0.0, 0.3 + 1.9 * play, 2.0)[1] == pytest.approx(0.3 + play)
    assert follow(link, 0.0, 0.9, 2.0)[1] == pytest.approx(0.9 - play)
    assert link[0] == 0.0


def test_azimuth_lags_more_the_steeper_the_tether_is():
    for elevation in (0.0, 0.7, 1.3):
        link = np.zeros(3)
        follow(link, 0.2, elevation, 1.5)
        azimuth, _ = follow(link, 0.9, elevation, 1.5)
        assert 0.9 - azimuth == pytest.approx(math.asin(F / (1.5 * math.cos(elevation))))


def test_the_lag_shrinks_when_the_tension_grows():
    link = np.zeros(3)
    follow(link, 0.0, 0.5, 0.1)
    assert follow(link, 0.0, 0.9, 0.1)[1] == pytest.approx(0.9 - math.asin(F / 0.1))
    assert follow(link, 0.0, 0.9, 5.0)[1] == pytest.approx(0.9 - math.asin(F / 5.0))


def test_below_the_friction_it_sticks_and_above_it_comes_back():
    link = np.zeros(3)
    follow(link, 0.4, 0.5, 3.5)
    for tension in (0.0, 0.5 * F, 0.999 * F):
        for azimuth, elevation in ((0.4, 1.2), (1.8, 0.6), (0.4, 2.5)):  # far off, and across
            assert follow(link, azimuth, elevation, tension) == pytest.approx((0.4, 0.5))
    azimuth, elevation = follow(link, 1.0, 1.2, 3.5)
    assert (azimuth, elevation) == pytest.approx((1.0, 1.2), abs=0.03)


def test_no_path_leaves_the_tether_further_behind_than_friction_allows(random):
    link = np.zeros(3)
    azimuth, elevation = 0.0, 0.6
    for _ in range(2000):
        azimuth += 0.05 * random.normal()
        elevation = min(max(elevation + 0.05 * random.normal(), -0.3), 1.2)
        tension = random.uniform(0.5, 5.0)
        a, e = follow(link, azimuth, elevation, tension)
        assert abs(azimuth - a) <= math.asin(F / (tension * math.cos(elevation))) + 1e-12
        # seen from the plane of the link, which may be behind in azimuth, the tether is a little steeper
        seen = math.atan2(math.sin(elevation), math.cos(elevation) * math.cos(azimuth - a))
        across = math.hypot(math.sin(elevation), math.cos(elevation) * math.cos(azimuth - a))
        assert abs(seen - e) <= math.asin(F / (tension * across)) + 1e-12


@pytest.mark.parametrize(("side", "sign"), [(BASE, -1.0), (DRONE, 1.0)])
def test_without_friction_the_link_balances_pull_and_weight(side, sign):
    """Torque about the elevation axis, by hand: T sin(e_t - e) + sign m g cos(e)/2 = 0."""
    half_weight, tension, slope = 0.3, 2.0, 0.7
    link = np.zeros(3)
    _, e = follow(link, 0.5, slope, tension, half_weight=half_weight, side=side, friction=0.0)
    assert tension * math.sin(slope - e) + sign * half_weight * math.cos(e) == pytest.approx(0.0, abs=1e-12)
    small = 1e-4
    link = np.zeros(3)
    _, e = follow(link, 0.5, slope, tension, half_weight=small, side=side, friction=0.0)
    assert (e - slope) == pytest.approx(sign * small * math.cos(slope) / tension, rel=1e-3)


def test_over_the_top_the_elevation_passes_90_degrees():
    link = np.zeros(3)
    azimuths = []
    for elevation in np.linspace(1.2, 1.9, 71):
        a, e = follow(link, 0.4, elevation, 3.5)
        azimuths.append(a)
        assert abs(e - elevation) <= math.asin(F / 3.5) + 1e-12
    np.testing.assert_allclose(azimuths, 0.4, atol=1e-12)


def test_a_jump_to_the_other_side_needs_no_whole_turn():
    link = np.zeros(3)
    follow(link, 3.0, 0.5, 3.5, friction=0.0)
    assert follow(link, -3.0, 0.5, 3.5, friction=0.0)[0] == pytest.approx(2 * math.pi - 3.0)


def test_with_nothing_to_pull_along_the_vertical_the_azimuth_stays():
    link = np.array([0.3, 1.2, 1.0])
    pull_link(link, 0.0, 0.0, 3.0, 0.0, *STOPS)
    assert link.tolist() == pytest.approx([0.3, 0.5 * math.pi, 1.0])


def test_a_link_does_not_swing_through_below_its_stops():
    """A slack tether that falls from one side to the other below must not wind the link by a whole turn."""
    link = np.zeros(3)
    for degrees in (60.0, 0.0, -60.0, -90.0, -120.0, -170.0, 120.0, 60.0):
        angle = math.radians(degrees)
        pull_link(link, 3.0 * math.cos(angle), 0.0, 3.0 * math.sin(angle), 0.0, *STOPS)
        assert STOPS[2] <= link[1] <= STOPS[3]
    assert math.cos(link[0]) * math.cos(link[1]) == pytest.approx(math.cos(math.radians(60.0)))
    assert math.sin(link[1]) == pytest.approx(math.sin(math.radians(60.0)))


LYING = (-2.4, 2.4, -1.8, 1.8)  # stops of one that lies, and points straight up at (0, 0) [rad]


@pytest.mark.parametrize("slack", [(-3.0, 0.1, 0.0), (-1.0, 0.0, 2.8), (-2.0, -0.5, -2.0)])
def test_a_link_that_hung_down_comes_up_the_right_way(slack):
    """Turned over, its second axis would end before it pointed up: it would stay at its stop for good."""
    link = np.zeros(3)
    pull_link(link, *slack, 0.0, *LYING)
    for angle in np.linspace(1.5, 0.2, 20):  # the tether tightens and rises on the other side
        pull_link(link, 3.0 * math.cos(angle), 0.3, -3.0 * math.sin(angle), F, *LYING)
    assert link[1] == pytest.approx(-0.2, abs=0.02)
    assert link[0] == pytest.approx(math.atan2(0.3, 3.0 * math.cos(0.2)), abs=0.02)


def test_stops_of_the_azimuth_hold():
    link = np.zeros(3)
    for angle in np.linspace(0.0, 2.9, 30):
        pull_link(link, 3.0 * math.cos(angle), 3.0 * math.sin(angle), 0.3, 0.0, *LYING)
        assert -2.4 <= link[0] <= 2.4
    assert link[0] == pytest.approx(2.4)
