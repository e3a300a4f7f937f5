"""A hanging tether that partly lies on the ground: when it touches, how it lies, and what its ends feel."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tetherlab.contracts.errors import InputError
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.catenary_grounded import GroundedCatenary, solve_grounded
from tetherlab.tether.catenary_status import CatenaryStatus

DENSITY = 0.022  # [kg/m]
WEIGHT = DENSITY * 9.80665
EPSILON = np.finfo(float).eps


def decades(low, high):
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


heights = st.one_of(st.just(0.0), decades(-5.0, 2.0))


@st.composite
def tethers(draw):
    """(base, end, length) over the ground at zero."""
    span, yaw = draw(decades(-5.0, 3.0)), draw(st.floats(-math.pi, math.pi))
    base = np.array((0.0, 0.0, draw(heights)))
    end = np.array((span * math.cos(yaw), span * math.sin(yaw), draw(heights)))
    return base, end, math.dist(base, end) * (1.0 + draw(decades(-9.0, 1.0)))


@settings(deadline=None, max_examples=300)
@given(tethers())
def test_the_tether_never_dips_below_the_ground_and_keeps_its_length(tether):
    base, end, length = tether
    curve = GroundedCatenary.between(base, end, length)
    points = curve.sample(801)
    assert points[:, 2].min() >= -1e-13 * length
    assert np.array_equal(points[0], base)
    assert np.array_equal(points[-1], end)
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert chords.max() <= length / 800 * (1 + 1e-9) + 1e-14 * np.abs(points).max()
    # A fold hides at most the chord in which it happens; loose tether is drawn shorter than it is.
    assert chords.sum() + curve.loose_length >= length * (1 - 4 / 800)


@settings(deadline=None)
@given(tethers())
def test_it_is_the_free_catenary_until_it_touches(tether):
    base, end, length = tether
    free = Catenary.between(base, end, length)
    curve = GroundedCatenary.between(base, end, length)
    if free.lowest_point[2] >= 0.0:
        assert curve.contact is None
        assert np.array_equal(curve.sample(9), free.sample(9))
        assert curve.status is free.status
        assert curve.parameter == free.parameter
        assert np.array_equal(curve.lowest_point, free.lowest_point)
    else:
        assert curve.contact is not None
        # The ground carries weight, so both ends carry less.
        assert curve.tension(0.0, 1.0, 1.0) <= free.tension(0.0, 1.0, 1.0) * (1 + 1e-9)
        assert curve.tension(length, 1.0, 1.0) <= free.tension(length, 1.0, 1.0) * (1 + 1e-9)


@settings(deadline=None)
@given(tethers())
def test_the_hanging_pieces_are_catenaries_that_touch_level(tether):
    base, end, length = tether
    curve = GroundedCatenary.between(base, end, length)
    if curve.contact is None:
        return
    first, last = curve.contact
    a = curve.parameter
    assert 0.0 <= first <= last <= length * (1 + 1e-15)
    # Tension grows by the weight of the height: T = w (a + z).
    assert curve.tension(0.0, 1.0, 1.0) == pytest.approx(a + base[2], rel=1e-12)
    assert curve.tension(length, 1.0, 1.0) == pytest.approx(a + end[2], rel=1e-9)
    assert curve.tension(0.5 * (first + last), 1.0, 1.0) == a
    assert curve.lowest_arc_length == 0.5 * (first + last)
    assert curve.lowest_point[2] == pytest.approx(0.0, abs=1e-15 * length)
    if a > 1e-6 * length:
        for foot in (first, last):
            assert abs(curve.tangent(min(foot, length))[2]) <= 1e-6


@pytest.mark.parametrize(("base_height", "end_height"), [(1.0, 1.0), (0.5, 3.0), (4.0, 0.2)])
def test_nothing_jumps_when_the_vertex_touches_the_ground(base_height, end_height):
    a = 2.0
    runs = [a * math.acosh(1 + height / a) for height in (base_height, end_height)]
    arcs = [math.sqrt(height * (height + 2 * a)) for height in (base_height, end_height)]
    base, end, length = (0, 0, base_height), (sum(runs), 0, end_height), sum(arcs)
    above = GroundedCatenary.between(base, end, length - 1e-9)
    below = GroundedCatenary.between(base, end, length + 1e-9)
    assert above.contact is None
    assert below.contact is not None
    assert below.contact == pytest.approx((arcs[0], arcs[0]), abs=1e-8)
    assert below.parameter == pytest.approx(a, rel=1e-8)
    assert above.parameter == pytest.approx(a, rel=1e-8)
    assert np.allclose(above.sample(41), below.sample(41), rtol=0, atol=1e-8)
    forces = [np.array(curve.end_forces(DENSITY)) for curve in (above, below)]
    assert np.allclose(forces[0], forces[1], rtol=0, atol=1e-8)


def test_more_tether_slackens_the_hanging_pieces_at_the_known_rate():
    base, end, length, step = (0, 0, 1.0), (5, 0, 2.0), 6.5, 1e-5
    curve = GroundedCatenary.between(base, end, length)
    assert curve.contact is not None and curve.loose_length == 0.0
    # Each piece takes a (sinh(v) − v) more than its run, with height = a (cosh(v) − 1).
    turns = [math.acosh(1 + height / curve.parameter) for height in (1.0, 2.0)]
    rate = 1.0 / sum(2 * math.tanh(v / 2) - v for v in turns)
    longer, shorter = (GroundedCatenary.between(base, end, length + side * step) for side in (1, -1))
    assert (longer.parameter - shorter.parameter) / (2 * step) == pytest.approx(rate, rel=1e-7)


@pytest.mark.parametrize(("base_height", "end_height"), [(2.3, 0.011), (1.0, 1.0), (0.0, 5.0), (1e-4, 80.0)])
def test_the_hanging_pieces_take_up_any_excess(base_height, end_height):
    total = base_height + end_height
    shares = (*np.logspace(-9, -0.01, 40), *(1.0 - np.logspace(-12, -2, 40)))
    for excess in total * np.array(shares):
        a = solve_grounded(base_height, end_height, excess)
        taken = sum(
            math.sqrt(height * (height + 2 * a)) - 2 * a * math.asinh(math.sqrt(0.5 * height / a))
            for height in (base_height, end_height)
        )
        # Arc minus run is a difference of numbers as large as sqrt(a height).
        rounding = 8 * EPSILON * math.sqrt(total * (total + 2 * a))
        assert taken == pytest.approx(excess, rel=1e-13, abs=rounding)


def test_a_known_layout_is_found_again():
    a, heights, resting = 1.5, (0.8, 2.5), 3.0
    runs = [a * math.acosh(1 + height / a) for height in heights]
    arcs = [math.sqrt(height * (height + 2 * a)) for height in heights]
    base = np.array((1.0, 2.0, 10.8))
    end = np.array((1.0, 2.0 + sum(runs) + resting, 12.5))
    curve = GroundedCatenary.between(base, end, sum(arcs) + resting, ground_height=10.0)
    assert curve.parameter == pytest.approx(a, rel=1e-12)
    assert curve.contact == pytest.approx((arcs[0], arcs[0] + resting), rel=1e-12)
    assert curve.loose_length == 0.0
    assert np.allclose(curve.position(arcs[0]), (1, 2 + runs[0], 10), atol=1e-12)
    assert np.allclose(curve.position(arcs[0] + resting), (1, 2 + runs[0] + resting, 10), atol=1e-12)
    forces = curve.end_forces(DENSITY)
    assert np.allclose(forces.on_base, WEIGHT * np.array((0, a, -arcs[0])), atol=1e-13)
    assert np.allclose(forces.on_end, WEIGHT * np.array((0, -a, -arcs[1])), atol=1e-13)


def test_swapping_the_ends_mirrors_the_curve():
    curve = GroundedCatenary.between((0, 0, 1), (4, 3, 2), 7.0)
    swapped = GroundedCatenary.between((4, 3, 2), (0, 0, 1), 7.0)
    assert curve.contact is not None
    assert np.allclose(curve.sample(30), swapped.sample(30)[::-1], rtol=0, atol=1e-13)
    assert swapped.contact == pytest.approx((7 - curve.contact[1], 7 - curve.contact[0]), rel=1e-13)


def test_a_loose_tether_hangs_straight_down_at_both_ends():
    curve = GroundedCatenary.between((0, 0, 1), (4, 0, 2), 9.0)
    assert curve.loose_length == pytest.approx(2.0)
    assert curve.horizontal_tension(DENSITY) == 0.0
    assert curve.contact == pytest.approx((1.0, 7.0))
    assert np.allclose(
        curve.position([0.5, 1.0, 4.0, 7.0, 8.0]), [(0, 0, 0.5), (0, 0, 0), (2, 0, 0), (4, 0, 0), (4, 0, 1)]
    )
    assert np.allclose(curve.end_forces(DENSITY).on_end, (0, 0, -2 * WEIGHT))
    # No jump where the tether becomes loose.
    barely = GroundedCatenary.between((0, 0, 1), (4, 0, 2), 7.0 - 1e-9)
    assert barely.loose_length == 0.0
    assert np.allclose(
        barely.sample(50), GroundedCatenary.between((0, 0, 1), (4, 0, 2), 7.0).sample(50), atol=1e-7
    )


@pytest.mark.parametrize("length", [4.0, 4.5, 12.0])
def test_both_ends_on_the_ground_leave_the_tether_lying(length):
    curve = GroundedCatenary.between((0, 0, 0), (4, 0, 0), length)
    assert np.array_equal(curve.sample(9)[:, 2], np.zeros(9))
    if length > 4.0:
        assert curve.contact == (0.0, length)
        assert curve.tension(1.0, DENSITY) == 0.0
    else:
        assert curve.status is CatenaryStatus.TAUT
        assert curve.tension(1.0, DENSITY) == math.inf


def test_ends_above_each_other_drop_their_slack_on_the_ground():
    curve = GroundedCatenary.between((1, 1, 0.5), (1, 1, 3.0), 6.0)
    assert curve.contact == pytest.approx((0.5, 3.0))
    assert curve.loose_length == pytest.approx(2.5)
    assert np.allclose(curve.position(2.0), (1, 1, 0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ((0, 0, -0.5), (4, 0, 2), 6.0),
            "base must be at or above the ground: it is at -0.5 m, ground_height is 0 m",
        ),
        (
            ((0, 0, 3), (4, 0, 2), 6.0, 2.5),
            "end must be at or above the ground: it is at 2 m, ground_height is 2.5 m",
        ),
        (((0, 0, 3), (4, 0, 2), 1.0), "length must be at least the distance"),
        (((0, 0, 3), (4, 0, 2), 6.0, math.nan), "ground_height must be finite, got nan"),
    ],
)
def test_bad_input_gets_one_clear_sentence(arguments, message):
    with pytest.raises(InputError) as error:
        GroundedCatenary.between(*arguments)
    assert message in str(error.value)
