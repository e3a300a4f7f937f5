"""The hanging curve from its length and end slopes: stable when taut, ordinary across the vertical."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tetherlab.contracts.errors import InputError
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.catenary_status import CatenaryStatus

azimuths = st.floats(-math.pi, math.pi)
elevations = st.floats(-89.99, 89.99)
turns = st.floats(-9.0, 2.2).map(lambda exponent: 10.0**exponent)
degrees = math.radians


def elevation(tangent, heading):
    return math.atan2(tangent[2], np.dot(tangent[:2], heading))


@settings(deadline=None)
@given(st.floats(0.01, 1e3), azimuths, elevations, turns)
def test_the_curve_has_the_slopes_it_was_made_from(length, azimuth, low, turn):
    high = low + turn
    assume(high <= 89.99)
    curve = Catenary.from_angles(length, azimuth, degrees(low), degrees(high))
    heading = (math.cos(azimuth), math.sin(azimuth))
    assert elevation(curve.tangent(0.0), heading) == pytest.approx(degrees(low), abs=1e-14)
    # The vertical force at the end is that at the base plus the weight; a light end sees their rounding.
    rounding = 1e-15 * length / curve.tension(length, 1.0, 1.0)
    assert elevation(curve.tangent(length), heading) == pytest.approx(degrees(high), abs=1e-14 + rounding)
    last = curve.position(np.nextafter(length, 0.0))
    assert np.allclose(last, curve.end, rtol=0, atol=1e-14 * length)


@settings(deadline=None)
@given(st.floats(0.01, 1e3), azimuths, elevations, turns)
def test_between_finds_the_same_curve_again(length, azimuth, low, turn):
    high = low + turn
    assume(high <= 89.99)
    curve = Catenary.from_angles(length, azimuth, degrees(low), degrees(high))
    again = Catenary.between((0, 0, 0), curve.end, length)
    # Sag goes with the square root of the slack, so rounding of the end alone may move it by 1e-8.
    assert np.allclose(again.sample(9), curve.sample(9), rtol=0, atol=5e-8 * length)
    slack = length / math.hypot(*curve.end) - 1
    if slack > 1e-9:
        # The rounding of the end, a few epsilon, is seen through the slack.
        assert again.parameter == pytest.approx(curve.parameter, rel=2e-15 / slack + 1e-11)


@settings(deadline=None)
@given(azimuths, st.floats(-85, 85), st.floats(1.0, 150.0))
def test_the_printed_closed_form_agrees_where_it_is_well_conditioned(azimuth, low, turn):
    assume(low + turn < 85)
    length, base_slope, end_slope = 4.0, degrees(low), degrees(low + turn)
    a = length / (math.tan(end_slope) - math.tan(base_slope))
    b = -a * math.asinh(math.tan(base_slope))
    c = -a * math.cosh(b / a)
    run = b + a * math.asinh(math.tan(end_slope))
    rise = a * math.cosh((run - b) / a) + c
    expected = (run * math.cos(azimuth), run * math.sin(azimuth), rise)
    curve = Catenary.from_angles(length, azimuth, base_slope, end_slope)
    assert np.allclose(curve.end, expected, rtol=0, atol=1e-11)
    assert curve.parameter == pytest.approx(a, rel=1e-11)


@pytest.mark.parametrize("slope", [-89.0, -30.0, 0.0, 45.0, 89.0])
def test_equal_slopes_are_a_straight_line(slope):
    curve = Catenary.from_angles(5.0, 0.7, degrees(slope), degrees(slope), base=(1, 2, 3))
    level = math.cos(degrees(slope))
    direction = np.array((level * math.cos(0.7), level * math.sin(0.7), math.sin(degrees(slope))))
    assert curve.status is CatenaryStatus.TAUT
    assert np.allclose(curve.end, np.array((1, 2, 3)) + 5 * direction, rtol=1e-15)
    assert np.allclose(curve.sample(5) - (1, 2, 3), np.outer(np.linspace(0, 5, 5), direction), atol=1e-14)
    assert curve.tension(2.0, 0.022) == math.inf


def test_nearly_equal_slopes_still_know_the_tension():
    for turn in (1e-6, 1e-9, 1e-12):
        curve = Catenary.from_angles(5.0, 0.0, 0.0, turn)
        # Level at the base, T sin(turn) = weight at the end.
        assert curve.tension(5.0, 1.0, 1.0) == pytest.approx(5.0 / math.sin(turn), rel=1e-12)


@pytest.mark.parametrize(("low", "high"), [(90.5, 90.2), (100.0, 95.0), (135.0, 95.0), (-120.0, 170.0)])
def test_beyond_the_vertical_the_tether_leans_against_its_azimuth(low, high):
    beyond = Catenary.from_angles(10.0, 0.3, degrees(low), degrees(high))
    plain = Catenary.from_angles(
        10.0,
        0.3 + math.pi,
        math.pi - degrees(low) if low > 0 else -math.pi - degrees(low),
        degrees(180 - high),
    )
    assert np.allclose(beyond.end, plain.end, rtol=0, atol=1e-13)
    assert np.allclose(beyond.sample(7), plain.sample(7), rtol=0, atol=1e-13)
    assert beyond.parameter == pytest.approx(plain.parameter, rel=1e-12)


@settings(deadline=None)
@given(azimuths, st.floats(88.0, 92.0), st.floats(88.0, 92.0), st.sampled_from((1.0, -1.0)))
def test_a_drone_straight_above_or_below_its_base_is_an_ordinary_case(azimuth, low, high, up):
    curve = Catenary.from_angles(10.0, azimuth, up * degrees(low), up * degrees(high))
    assert np.allclose(curve.end, (0, 0, up * 10), rtol=0, atol=10 * degrees(2.0))
    assert np.isfinite(curve.sample(5)).all()


@settings(deadline=None, max_examples=300)
@given(azimuths, st.floats(80.0, 92.0), st.floats(88.0, 92.0), azimuths)
def test_the_end_moves_continuously_across_the_vertical(azimuth, low, high, direction):
    change = 1e-7
    pairs = (
        (degrees(low), degrees(high)),
        (degrees(low) + change * math.cos(direction), degrees(high) + change * math.sin(direction)),
    )
    ends = []
    for pair in pairs:
        try:
            ends.append(Catenary.from_angles(1.0, azimuth, *pair).end)
        except InputError:
            assume(False)
    # The slope is not bounded at the vertical, but grows with a logarithm only.
    assert np.linalg.norm(ends[0] - ends[1]) < 40 * change


def test_one_slope_past_the_vertical_is_taken_as_vertical():
    curve = Catenary.from_angles(10.0, 0.3, degrees(45), degrees(91))
    assert np.array_equal(curve.end, (0, 0, 10))
    assert curve.tension(0.0, 1.0, 1.0) == 0.0
    assert curve.tension(10.0, 1.0, 1.0) == 10.0
    hanging = Catenary.from_angles(10.0, 0.3, degrees(-91), degrees(30))
    assert np.array_equal(hanging.end, (0, 0, -10))
    assert hanging.tension(0.0, 1.0, 1.0) == 10.0


def test_slopes_exchanged_by_noise_leave_the_end_where_it_was():
    right = Catenary.from_angles(10.0, 0.3, degrees(40), degrees(42))
    noisy = Catenary.from_angles(10.0, 0.3, degrees(42), degrees(40))
    assert np.allclose(noisy.end, right.end, rtol=1e-15)
    with pytest.raises(InputError, match="only turns upwards"):
        Catenary.from_angles(10.0, 0.3, degrees(42), degrees(40), angle_tolerance=degrees(1))


@pytest.mark.parametrize(
    ("low", "high", "status"),
    [
        (60, 30, CatenaryStatus.ARCHED),
        (10, -10, CatenaryStatus.ARCHED),
        (90, 30, CatenaryStatus.ARCHED),
        (100, 170, CatenaryStatus.ARCHED),
        (45, 135, CatenaryStatus.CROSSED),
        (80, 100, CatenaryStatus.CROSSED),
        (-100, 80, CatenaryStatus.CROSSED),
        (-90, 90, CatenaryStatus.UNDECIDED),
        (-90.5, 89.5, CatenaryStatus.UNDECIDED),
        (-89.5, 90.5, CatenaryStatus.UNDECIDED),
    ],
)
def test_a_pair_that_no_hanging_tether_has_is_refused_with_its_sentence(low, high, status):
    with pytest.raises(InputError) as error:
        Catenary.from_angles(10.0, 0.3, degrees(low), degrees(high))
    assert str(error.value).startswith(status.value)
    assert f"elevation_base={degrees(low):.6g} rad" in str(error.value)
    with pytest.raises(InputError) as error:
        Catenary.end_from_angles(10.0, 0.3, degrees(low), degrees(high))
    assert str(error.value).startswith(status.value)


def assert_jacobian_matches(arguments, step, tolerance):
    end, jacobian = Catenary.end_from_angles(*arguments)
    assert np.allclose(end, Catenary.from_angles(*arguments).end, rtol=0, atol=1e-14 * arguments[0])
    for column in range(4):
        places, ends = [], []
        for sign in (1.0, -1.0):
            moved = list(arguments)
            moved[column] += sign * step
            places.append(moved[column])
            ends.append(Catenary.end_from_angles(*moved)[0])
        measured = (ends[0] - ends[1]) / (places[0] - places[1])
        assert np.allclose(jacobian[:, column], measured, rtol=0, atol=tolerance * arguments[0])


@settings(deadline=None)
@given(st.floats(0.5, 50.0), azimuths, st.floats(-85, 85), st.floats(-0.5, 150.0))
def test_the_jacobian_matches_central_differences(length, azimuth, low, turn):
    assume(-85 < low + turn < 85)
    assert_jacobian_matches((length, azimuth, degrees(low), degrees(low + turn)), 1e-5, 1e-7)


@pytest.mark.parametrize("low", [-89.0, 0.0, 50.0, 89.0, 95.0])
@pytest.mark.parametrize("turn", [0.0, 1e-12, 1e-6, 1e-3])
def test_the_jacobian_is_stable_when_taut(low, turn):
    side = -1.0 if low > 90 else 1.0
    assert_jacobian_matches((3.0, 0.4, degrees(low), degrees(low) + side * turn), 1e-6, 1e-7)


@pytest.mark.parametrize("pair", [(89.0, 89.5), (91.0, 90.3), (90.5, 90.01), (60.0, 91.0), (-91.0, 30.0)])
def test_the_jacobian_holds_near_and_past_the_vertical(pair):
    assert_jacobian_matches((3.0, -2.0, degrees(pair[0]), degrees(pair[1])), 1e-8, 1e-6)


@settings(deadline=None)
@given(azimuths, elevations, turns)
def test_tangents_and_angles_give_the_same_curve(azimuth, low, turn):
    high = low + turn
    assume(high <= 89.99)

    def tangent(slope):
        level = math.cos(degrees(slope))
        return np.array((level * math.cos(azimuth), level * math.sin(azimuth), math.sin(degrees(slope))))

    angles = Catenary.from_angles(7.0, azimuth, degrees(low), degrees(high), base=(1, 1, 1))
    tangents = Catenary.from_tangents(7.0, 3.0 * tangent(low), 0.1 * tangent(high), base=(1, 1, 1))
    assert np.allclose(tangents.end, angles.end, rtol=0, atol=1e-12)
    back = Catenary.from_tangents(7.0, angles.tangent(0.0), angles.tangent(7.0), base=(1, 1, 1))
    assert np.allclose(back.end, angles.end, rtol=0, atol=1e-12)


def test_vertical_tangents_need_no_azimuth():
    up = Catenary.from_tangents(4.0, (0, 0, 1), (0, 0, 2))
    assert np.array_equal(up.end, (0, 0, 4))
    assert up.tension(4.0, 1.0, 1.0) == 4.0
    down = Catenary.from_tangents(4.0, (0, 0, -1), (0, 0, -2))
    assert np.array_equal(down.end, (0, 0, -4))
    noisy = Catenary.from_tangents(4.0, (0.01, 0.0, 1.0), (0.0, -0.01, 1.0))
    assert np.allclose(noisy.end, (0, 0, 4), atol=0.04)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Catenary.from_angles(0.0, 0, 0, 1), "length must be > 0, got 0"),
        (lambda: Catenary.from_angles(1.0, math.inf, 0, 1), "azimuth must be finite, got inf"),
        (
            lambda: Catenary.from_angles(1.0, 0, 45, 60),
            "elevation_base must be between -pi and pi (radians), got 45",
        ),
        (lambda: Catenary.from_angles(1.0, 0, 0, 1, base=(1, 2)), "base must have shape (3,), got (2,)"),
        (lambda: Catenary.from_angles(1.0, 0, 0, 1, angle_tolerance=-1), "angle_tolerance must be >= 0"),
        (lambda: Catenary.from_tangents(1.0, (0, 0, 0), (1, 0, 0)), "tangent_base must point somewhere"),
        (lambda: Catenary.from_tangents(1.0, (1, 0, 0), (0, 1, 1)), "must lie in one vertical plane"),
    ],
)
def test_bad_input_gets_one_clear_sentence(call, message):
    with pytest.raises(InputError) as error:
        call()
    assert message in str(error.value)
