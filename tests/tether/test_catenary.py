"""The hanging curve between two points: closed forms, symmetries, limits, and what it refuses."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tetherlab.contracts.errors import InputError
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.catenary_kernel import log_sinhc, solve_log_sinhc
from tetherlab.tether.catenary_status import CatenaryStatus

WEIGHT = 0.022 * 9.80665  # of 22 g/m [N/m]
EPSILON = np.finfo(float).eps

scales = st.floats(-3.0, 3.0).map(lambda exponent: 10.0**exponent)
slacks = st.floats(-12.0, 2.0).map(lambda exponent: 10.0**exponent)
azimuths = st.floats(-math.pi, math.pi)
# Steep directions need their own decades: a uniform angle never comes within 1e-9 of the vertical.
steepness = st.one_of(
    st.floats(-math.pi / 2, math.pi / 2),
    st.floats(-12.0, -1.0).map(lambda exponent: math.pi / 2 - 10.0**exponent),
    st.floats(-12.0, -1.0).map(lambda exponent: -math.pi / 2 + 10.0**exponent),
)


@st.composite
def tethers(draw):
    """(end, length) of a tether from the origin: any direction, size and slack."""
    azimuth, elevation, distance = draw(azimuths), draw(steepness), draw(scales)
    level = distance * math.cos(elevation)
    end = np.array((level * math.cos(azimuth), level * math.sin(azimuth), distance * math.sin(elevation)))
    return end, math.hypot(*end) * (1.0 + draw(slacks))


def forces_by_bisection(end, length):
    """(a, sigma_base) from 40 decimal digits of arithmetic and the plainest of all methods."""
    with localcontext() as context:
        context.prec = 40
        x, y, rise = (Decimal(float(value)) for value in end)
        span = (x * x + y * y).sqrt()
        wanted = ((Decimal(length) ** 2 - rise * rise).sqrt() / span).ln()
        low, high = Decimal("1e-15"), Decimal(2000)
        for _ in range(120):
            b = (low * high).sqrt()
            value = ((b.exp() - (-b).exp()) / (2 * b)).ln()
            low, high = (b, high) if value < wanted else (low, b)
        coth = (b.exp() + (-b).exp()) / (b.exp() - (-b).exp())
        return float(span / (2 * b)), float((rise * coth - Decimal(length)) / 2)


@settings(deadline=None)
@given(tethers())
def test_the_curve_reaches_its_end_with_the_given_length(tether):
    end, length = tether
    curve = Catenary.between((0, 0, 0), end, length)
    # `position` returns the end itself at s = length; one step before, it follows the formula.
    last = curve.position(np.nextafter(length, 0.0))
    assert np.abs(last - end).max() <= 1e-14 * length
    assert np.array_equal(curve.position(length), end)
    assert np.array_equal(curve.position(0.0), (0.0, 0.0, 0.0))


@settings(deadline=None, max_examples=60)
@given(tethers())
def test_the_parameter_agrees_with_a_bisection_in_forty_digits(tether):
    end, length = tether
    curve = Catenary.between((0, 0, 0), end, length)
    assert curve.parameter == pytest.approx(forces_by_bisection(end, length)[0], rel=1e-14)


@pytest.mark.parametrize("slack", [1e-3, 1e-6, 1e-9, 1e-12])
def test_near_taut_the_parameter_keeps_all_its_digits(slack):
    end = np.array((3.1, -2.2, 1.7))
    length = math.hypot(*end) * (1.0 + slack)
    expected, _ = forces_by_bisection(end, length)
    assert Catenary.between((0, 0, 0), end, length).parameter == pytest.approx(expected, rel=4e-15)


@pytest.mark.parametrize("rise", [10.0, -10.0])
@pytest.mark.parametrize("extra", [1e-3, 1e-6, 1e-9])
def test_the_slack_end_of_a_steep_tether_keeps_its_small_tension(rise, extra):
    end = np.array((1e-7, 0.0, rise))
    length = 10.0 + extra
    a, sigma_base = forces_by_bisection(end, length)
    sigma_end = sigma_base + length
    expected = min(math.hypot(a, sigma_base), math.hypot(a, sigma_end))
    curve = Catenary.between((0, 0, 0), end, length)
    rounding = 4 * EPSILON * length if rise < 0 else 0.0  # sigma at the end is the sum of two large numbers
    slack_end = 0.0 if rise > 0 else length
    assert curve.tension(slack_end, 1.0, 1.0) == pytest.approx(expected, rel=1e-12, abs=rounding)


def test_the_root_is_exact_over_the_whole_range():
    # Beyond 2.5e-16 the target is what a taut band leaves; at 250 the span is 1e-100 of the length.
    for target in np.logspace(-17, 2.4, 3000):
        b = solve_log_sinhc(target)
        assert abs(log_sinhc(b) - target) <= 8 * EPSILON * target


@pytest.mark.parametrize("a", [0.01, 0.3, 2.0, 50.0, 1e4])
def test_a_level_span_follows_the_textbook(a):
    half = 2.0
    curve = Catenary.between((-half, 0, 5), (half, 0, 5), 2 * a * math.sinh(half / a))
    assert curve.parameter == pytest.approx(a, rel=1e-6 if a > 1e3 else 1e-12)
    if a < 1e3:
        points = curve.sample(31)
        expected = 5 + a * (np.cosh(points[:, 0] / a) - math.cosh(half / a))
        assert np.allclose(points[:, 2], expected, rtol=0, atol=1e-12 * curve.length)
        assert np.allclose(curve.lowest_point, (0, 0, expected.min()), atol=1e-12 * curve.length)


@settings(deadline=None, max_examples=50)
@given(tethers(), st.integers(2, 40))
def test_samples_are_equally_spaced_in_arc_length(tether, count):
    end, length = tether
    curve = Catenary.between((0, 0, 0), end, length)
    points = curve.sample(count)
    assert points.shape == (count, 3)
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert chords.max() <= length / (count - 1) * (1 + 1e-12)
    # A chord of arc d is shorter by at most d³/24a², which bounds what the fine polygon may miss.
    fine = curve.sample(100 * (count - 1) + 1)
    measured = np.linalg.norm(np.diff(fine, axis=0), axis=1).reshape(count - 1, 100).sum(axis=1)
    missing = length / (count - 1) - measured
    step = length / (100 * (count - 1))
    assert missing.min() >= -1e-12 * length
    assert missing.max() <= min(100 * step**3 / (24 * curve.parameter**2), 2 * step) + 1e-12 * length


def test_sampled_chords_add_up_to_the_length():
    curve = Catenary.between((1, 2, 3), (4, -2, 5), 8.0)
    points = curve.sample(200_001)
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert chords.sum() == pytest.approx(8.0, rel=1e-9)
    assert np.ptp(chords) < 1e-9 * chords.mean()


@settings(deadline=None)
@given(tethers())
def test_tension_is_the_horizontal_one_times_cosh_and_grows_with_height(tether):
    end, length = tether
    curve = Catenary.between((0, 0, 0), end, length)
    arcs = np.linspace(0.0, length, 9)
    tension = curve.tension(arcs, 0.022)
    height = curve.position(arcs)[:, 2]
    assert np.allclose(np.diff(tension), WEIGHT * np.diff(height), rtol=0, atol=1e-13 * tension.max())
    level = np.linalg.norm(curve.tangent(arcs)[:, :2], axis=1)
    assert np.allclose(tension * level, curve.horizontal_tension(0.022), rtol=1e-12)
    assert tension[0] == curve.tension(0.0, 0.022)


def test_tension_follows_the_hyperbolic_cosine():
    curve = Catenary.between((0, 0, 0), (6, 0, 2), 8.0)
    a, points = curve.parameter, curve.sample(21)
    from_vertex = points[:, 0] - curve.lowest_point[0]
    expected = curve.horizontal_tension(0.022) * np.cosh(from_vertex / a)
    assert np.allclose(curve.tension(np.linspace(0, 8, 21), 0.022), expected, rtol=1e-13)
    assert curve.tension(3.0, 0.022, gravity=1.62) == pytest.approx(
        curve.tension(3.0, 0.022) * 1.62 / 9.80665
    )


@settings(deadline=None, max_examples=50)
@given(tethers(), azimuths, scales)
def test_swap_mirror_turn_shift_and_scale_carry_the_curve_along(tether, yaw, scale):
    end, length = tether
    curve = Catenary.between((0, 0, 0), end, length)
    points, near = curve.sample(7), 1e-9 * length
    swapped = Catenary.between(end, (0, 0, 0), length).sample(7)[::-1]
    assert np.allclose(swapped, points, rtol=0, atol=near)
    mirrored = Catenary.between((0, 0, 0), end * (1, -1, 1), length).sample(7)
    assert np.allclose(mirrored, points * (1, -1, 1), rtol=0, atol=near)
    scaled = Catenary.between((0, 0, 0), end * scale, length * scale)
    if length > (1 + 1e-6) * math.hypot(*end):
        # Near taut the rounding of the turned and scaled end is itself a change of the slack.
        c, s = math.cos(yaw), math.sin(yaw)
        turn = np.array(((c, -s, 0), (s, c, 0), (0, 0, 1)))
        turned = Catenary.between((0, 0, 0), turn @ end, length).sample(7)
        assert np.allclose(turned, points @ turn.T, rtol=0, atol=near)
        assert scaled.parameter == pytest.approx(scale * curve.parameter, rel=1e-8)
        shift = length * np.array((3.0, -2.0, 1.0))
        shifted = Catenary.between(shift, shift + end, length).sample(7)
        assert np.allclose(shifted, points + shift, rtol=0, atol=near)


@settings(deadline=None)
@given(tethers())
def test_the_lowest_point_is_below_every_other(tether):
    end, length = tether
    curve = Catenary.between((0, 0, 0), end, length)
    assert curve.lowest_point[2] <= curve.sample(101)[:, 2].min() + 1e-15 * length
    level = curve.tangent(curve.lowest_arc_length)[2]
    if 0.0 < curve.lowest_arc_length < length:
        tension = curve.tension(curve.lowest_arc_length, 1.0, 1.0)
        assert abs(level) * tension <= 4 * EPSILON * length


def test_the_lowest_point_is_an_end_when_the_vertex_lies_outside():
    rising = Catenary.between((0, 0, 0), (3, 0, 4), 5.01)
    assert np.array_equal(rising.lowest_point, (0, 0, 0))
    falling = Catenary.between((0, 0, 4), (3, 0, 0), 5.01)
    assert np.array_equal(falling.lowest_point, (3, 0, 0))
    taut = Catenary.between((0, 0, 4), (3, 0, 0), 5.0)
    assert np.array_equal(taut.lowest_point, (3, 0, 0))


@settings(deadline=None)
@given(tethers(), st.floats(0.0, 1.0))
def test_the_tangent_is_the_slope_of_the_position(tether, share):
    end, length = tether
    curve = Catenary.between((0, 0, 0), end, length)
    sharpness = curve.parameter  # radius of curvature at the vertex
    step = min(1e-4 * sharpness, 1e-3 * length)
    s = step + share * (length - 2 * step)
    tangent = curve.tangent(s)
    assert np.linalg.norm(tangent) == pytest.approx(1.0, rel=1e-14)
    if step > 1e-6 * length:
        slope = (curve.position(s + step) - curve.position(s - step)) / (2 * step)
        assert np.allclose(slope, tangent, rtol=0, atol=1e-7)


@pytest.mark.parametrize("rise", [4.0, -4.0, 0.0])
def test_ends_above_each_other_hang_in_two_vertical_legs(rise):
    curve = Catenary.between((1, 2, 3), (1, 2, 3 + rise), 10.0)
    down = (10.0 - rise) / 2
    assert curve.status is CatenaryStatus.OK
    assert curve.lowest_arc_length == down
    assert np.array_equal(curve.lowest_point, (1, 2, 3 - down))
    assert curve.tension(0.0, 0.022) == pytest.approx(WEIGHT * down)
    assert curve.tension(10.0, 0.022) == pytest.approx(WEIGHT * (10 - down))
    assert curve.tension(down, 0.022) == 0.0
    assert np.array_equal(curve.tangent(0.0), (0, 0, -1))
    assert np.array_equal(curve.tangent(10.0), (0, 0, 1))
    assert np.array_equal(curve.sample(11)[:, :2], np.tile((1.0, 2.0), (11, 1)))
    assert np.linalg.norm(curve.tangent(down)) == 1.0


@pytest.mark.parametrize(("rise", "free_end"), [(5.0, 0.0), (-5.0, 5.0)])
def test_a_vertical_tether_without_slack_hangs_from_its_upper_end(rise, free_end):
    curve = Catenary.between((0, 0, 0), (0, 0, rise), 5.0)
    assert curve.status is CatenaryStatus.OK
    assert curve.tension(free_end, 0.022) == 0.0
    assert curve.tension(5.0 - free_end, 0.022) == pytest.approx(5 * WEIGHT)
    assert np.allclose(curve.sample(6)[:, 2], np.linspace(0, rise, 6))
    # A span within rounding, as cos(pi/2) leaves it, is no reason for an infinite tension.
    noisy = Catenary.between((0, 0, 0), (5 * math.cos(math.pi / 2), 0, rise), 5.0)
    assert noisy.status is CatenaryStatus.OK
    assert noisy.tension(5.0 - free_end, 0.022) == pytest.approx(5 * WEIGHT)


@pytest.mark.parametrize("rise", [4.0, -4.0, 0.0])
def test_the_curve_approaches_two_legs_as_the_span_shrinks(rise):
    limit = Catenary.between((0, 0, 0), (0, 0, rise), 10.0)
    gaps = []
    for span in (1e-1, 1e-3, 1e-6, 1e-30, 1e-90, 1e-250):
        curve = Catenary.between((0, 0, 0), (span, 0, rise), 10.0)
        gap = np.abs(curve.sample(41) - limit.sample(41)).max()
        gaps.append(max(gap, abs(curve.tension(0.0, 1.0, 1.0) - limit.tension(0.0, 1.0, 1.0))))
        assert gap <= 2 * span + 1e-14
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] <= 1e-14


@pytest.mark.parametrize("end", [(3, 0, 4), (-3, 4, 0), (1e-3, 2e-3, -2e-3), (0.1, 0.2, 0.3)])
def test_a_length_equal_to_the_distance_is_a_straight_line_of_infinite_tension(end):
    distance = float(np.linalg.norm(end))
    for length in (distance, np.nextafter(distance, 0), np.nextafter(distance, 9)):
        curve = Catenary.between((0, 0, 0), end, length)
        assert curve.status is CatenaryStatus.TAUT
        assert np.allclose(curve.sample(5), np.outer(np.linspace(0, 1, 5), end), rtol=1e-15, atol=0)
        assert curve.tension(0.5 * length, 0.022) == math.inf
        assert curve.horizontal_tension(0.022) == math.inf
        assert np.allclose(curve.tangent([0.0, length]), np.array(end) / distance, rtol=1e-15)
        with pytest.raises(InputError, match=r"taut tether .* ElasticCatenary"):
            curve.end_forces(0.022)
        with pytest.raises(InputError, match=r"taut tether .* ElasticCatenary"):
            curve.end_force_derivatives(0.022)


def test_a_hundredfold_length_is_nearly_two_legs():
    curve = Catenary.between((0, 0, 0), (1, 0, 0), 100.0)
    assert curve.lowest_point[2] == pytest.approx(-50.0, rel=0.01)
    assert curve.tension(0.0, 1.0, 1.0) == pytest.approx(50.0, rel=0.01)


def test_a_curve_cannot_be_changed_behind_its_back():
    end = np.array((6.0, 0.0, 2.0))
    curve = Catenary.between((0, 0, 0), end, 8.0)
    end[:] = 0.0
    assert np.array_equal(curve.end, (6, 0, 2))
    with pytest.raises(ValueError, match="read-only"):
        curve.end[0] = 1.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: Catenary.between((0, 0, 0), (3, 0, 4), 4.9),
            "length is 4.9 m, the distance is 5 m; pay out 0.1 m more",
        ),
        (lambda: Catenary.between((0, 0), (3, 0, 4), 6), "base must have shape (3,), got (2,)"),
        (lambda: Catenary.between((0, 0, 0), (3, math.nan, 4), 6), "end must be finite, got nan at end[1]"),
        (lambda: Catenary.between((0, 0, 0), (3, 0, 4), 0.0), "length must be > 0, got 0"),
        (lambda: Catenary.between((0, 0, 0), (3, 0, 4), "6"), "length must be a number, got '6'"),
        (lambda: Catenary.between((0, 0, 0), (1e200, 0, 0), 1e201), "must be below 1e100 m"),
        (lambda: Catenary.between((0, 0, 0), (3, 0, 4), 6).sample(1), "n must be a whole number >= 2"),
        (lambda: Catenary.between((0, 0, 0), (3, 0, 4), 6).sample(5.0), "n must be a whole number >= 2"),
        (
            lambda: Catenary.between((0, 0, 0), (3, 0, 4), 6).position(6.1),
            "s must be between 0 and the length 6 m, got 6.1",
        ),
        (
            lambda: Catenary.between((0, 0, 0), (3, 0, 4), 6).tension([-0.1, 1.0], 0.022),
            "s must be between 0 and the length 6 m, got -0.1",
        ),
        (
            lambda: Catenary.between((0, 0, 0), (3, 0, 4), 6).tension(1.0, -0.022),
            "linear_density must be > 0, got -0.022",
        ),
        (
            lambda: Catenary.between((0, 0, 0), (3, 0, 4), 6).end_forces(0.022, gravity=0.0),
            "gravity must be > 0, got 0",
        ),
    ],
)
def test_bad_input_gets_one_clear_sentence(call, message):
    with pytest.raises(InputError) as error:
        call()
    assert message in str(error.value)
