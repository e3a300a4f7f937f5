"""Where a hanging tether ends, from the force at its base, with derivatives.

The force over the weight per length is (a, sigma): level and upright, both lengths [m]. The curve is known
by these two numbers and its length, so tension and slope at the base alone tell where it ends.
"""

import math

import numpy as np

from tetherlab.math.kernel import njit
from tetherlab.tether.catenary_kernel import advance, turn


@njit(cache=True)
def end_from_force(length, azimuth, a, sigma):
    """(run, rise [m], end (3,) [m], Jacobian (3, 4)) by length, azimuth, a, sigma; a >= 0.

    With u the growth of asinh(sigma/a) over the length, and tangents (c, s) at base and end, run = a u and
    d(run, rise)/d(a, sigma) = [[u − (s1 − s0), c1 − c0], [c1 − c0, s1 − s0]]. The differences are taken by
    the turn between the tangents, so that a taut tether keeps their digits. All are NaN for a tether that
    leaves straight down and comes up again (a = 0 > sigma): its sideways growth has no bound.
    """
    end, jacobian = np.full(3, math.nan), np.full((3, 4), math.nan)
    top = sigma + length
    if not (a > 0.0 or (a == 0.0 and (sigma > 0.0 or top < 0.0))):
        return math.nan, math.nan, end, jacobian
    run, rise = advance(a, sigma, 0.0, length)
    growth = turn(a, sigma, length)
    half = 0.5 * math.atan2(a * length, a * a + sigma * top)
    mean = math.atan2(sigma, a) + half
    level, upright = -2.0 * math.sin(mean) * math.sin(half), 2.0 * math.cos(mean) * math.sin(half)
    size = math.hypot(a, top)
    c, s = math.cos(azimuth), math.sin(azimuth)
    end[0], end[1], end[2] = run * c, run * s, rise
    by_run = (a / size, 0.0, growth - upright, level)
    by_rise = (top / size, 0.0, level, upright)
    for j in range(4):
        jacobian[0, j], jacobian[1, j], jacobian[2, j] = by_run[j] * c, by_run[j] * s, by_rise[j]
    jacobian[0, 1], jacobian[1, 1] = -end[1], end[0]
    return run, rise, end, jacobian
