"""The hanging curve from its length and its two end slopes, as compiled leaves.

A slope is a unit tangent (horizontal, vertical) along base -> end, so nothing happens at 90 degrees.
Measured slopes of a nearly straight or nearly vertical tether are often a little outside what a hanging
tether can have; within a tolerance they are moved back inside, continuously, and beyond it they are refused
by a status.
"""

import math

import numpy as np

from tetherlab.math.kernel import njit
from tetherlab.tether.catenary_kernel import EPSILON, advance
from tetherlab.tether.catenary_status import ARCHED, CROSSED, OK, TAUT, UNDECIDED

# Two hanging legs share the length by the ratio of the tangents' horizontal parts; smaller ones say nothing.
LEGS_BAND = 1e-9


@njit(cache=True)
def solve_from_slopes(length, cos_base, sin_base, cos_end, sin_end, sin_turn, tolerance):
    """(status, side, a, sigma_base, run, rise) of the tether with these unit tangents in its plane.

    `sin_turn` is the sine of the angle from the base tangent to the end tangent. `side` is −1 when the tether
    leans against the plane's horizontal direction; `run` is counted along the side it leans to.
    """
    side = 1.0
    if cos_base + cos_end < 0.0:
        side, cos_base, cos_end, sin_turn = -1.0, -cos_base, -cos_end, -sin_turn

    nothing = (side, math.nan, math.nan, math.nan, math.nan)
    folded = sin_base < 0.0 < sin_end
    if folded and max(abs(cos_base), abs(cos_end)) <= LEGS_BAND:
        return (UNDECIDED, *nothing)
    if min(cos_base, cos_end) < 0.0:
        # One tangent is past the vertical. Horizontal balance then leaves only a vertical tether.
        if folded and max(cos_base, cos_end) <= math.sin(tolerance):
            return (UNDECIDED, *nothing)
        if cos_base < 0.0:
            if math.atan2(-cos_base, abs(sin_base)) > tolerance:
                return (CROSSED, *nothing)
            cos_base, sin_base = 0.0, math.copysign(1.0, sin_base)
        else:
            if math.atan2(-cos_end, abs(sin_end)) > tolerance:
                return (CROSSED, *nothing)
            cos_end, sin_end = 0.0, math.copysign(1.0, sin_end)
        sin_turn = cos_base * sin_end - sin_base * cos_end

    if sin_turn < 0.0:
        # The tether seems to arch. Exchanging the slopes leaves its end where it was.
        if math.atan2(-sin_turn, cos_base * cos_end + sin_base * sin_end) > tolerance:
            return (ARCHED, *nothing)
        cos_base, sin_base, cos_end, sin_end = cos_end, sin_end, cos_base, sin_base
        sin_turn = -sin_turn

    if sin_turn <= 4.0 * EPSILON:
        sigma_base = 0.0 if sin_base >= 0.0 else -length
        if cos_base + cos_end <= 8.0 * EPSILON:
            return OK, side, 0.0, sigma_base, 0.0, math.copysign(length, sin_base)
        half = 0.5 * length
        return TAUT, side, math.inf, sigma_base, half * (cos_base + cos_end), half * (sin_base + sin_end)

    # Balance of forces over weight per length: T0 cos0 = T1 cos1 = a and T1 sin1 − T0 sin0 = length.
    tension_base = length * cos_end / sin_turn
    a = tension_base * cos_base
    sigma_base = tension_base * sin_base
    run, rise = advance(a, sigma_base, 0.0, length)
    return OK, side, a, sigma_base, run, rise


@njit(cache=True)
def _shortening(x):
    """G(x) = (1 − x²) atanh(x)/x and its slope, for |x| < 1."""
    if abs(x) < 0.1:
        # G = 1 − Σ 2 x^2n/((2n − 1)(2n + 1))
        square = x * x
        value, slope, power = 1.0, 0.0, 1.0
        for n in range(1, 9):
            weight = 2.0 / ((2.0 * n - 1.0) * (2.0 * n + 1.0))
            slope -= 2.0 * n * weight * power * x
            power *= square
            value -= weight * power
        return value, slope
    ratio = math.atanh(x) / x
    value = (1.0 - x) * (1.0 + x) * ratio
    return value, (1.0 - value) / x - 2.0 * x * ratio


@njit(cache=True)
def end_from_elevations(length, azimuth, elevation_base, elevation_end, tolerance):
    """(status, end (3,) [m], Jacobian (3, 4)) by length, azimuth, elevation_base, elevation_end.

    With m the mean and h half the difference of the elevations and x = sin(h)/cos(m):
    run = L cos(m)/cos(h) G(x), rise = L sin(m)/cos(h). The tether hangs when 0 <= x < 1; G is even, so the
    formula holds for slopes exchanged by noise too, and beyond |x| = 1 the tether is vertical and stays so.
    """
    end = np.full(3, math.nan)
    jacobian = np.full((3, 4), math.nan)
    status, side, _, _, run, rise = solve_from_slopes(
        length,
        math.cos(elevation_base),
        math.sin(elevation_base),
        math.cos(elevation_end),
        math.sin(elevation_end),
        math.sin(elevation_end - elevation_base),
        tolerance,
    )
    if status != OK and status != TAUT:
        return status, end, jacobian
    run *= side
    cos_azimuth, sin_azimuth = math.cos(azimuth), math.sin(azimuth)
    end[0], end[1], end[2] = run * cos_azimuth, run * sin_azimuth, rise

    mean = 0.5 * (elevation_base + elevation_end)
    half = 0.5 * (elevation_end - elevation_base)
    cos_mean, sin_mean = math.cos(mean), math.sin(mean)
    cos_half, sin_half = math.cos(half), math.sin(half)
    run_by_mean, run_by_half, rise_by_mean, rise_by_half = 0.0, 0.0, 0.0, 0.0
    if abs(sin_half) < abs(cos_mean):
        x = sin_half / cos_mean
        value, slope = _shortening(x)
        run_by_mean = length * sin_mean / cos_half * (x * slope - value)
        run_by_half = length * (cos_mean * sin_half / (cos_half * cos_half) * value + slope)
        rise_by_mean = length * cos_mean / cos_half
        rise_by_half = length * sin_mean * sin_half / (cos_half * cos_half)

    by_angle = (0.5 * (run_by_mean - run_by_half), 0.5 * (run_by_mean + run_by_half))
    jacobian[0, 0], jacobian[1, 0], jacobian[2, 0] = end[0] / length, end[1] / length, rise / length
    jacobian[0, 1], jacobian[1, 1], jacobian[2, 1] = -end[1], end[0], 0.0
    for i in range(2):
        jacobian[0, 2 + i] = by_angle[i] * cos_azimuth
        jacobian[1, 2 + i] = by_angle[i] * sin_azimuth
    jacobian[2, 2] = 0.5 * (rise_by_mean - rise_by_half)
    jacobian[2, 3] = 0.5 * (rise_by_mean + rise_by_half)
    return status, end, jacobian
