"""Wind as compiled code sees it: a mean profile and a handful of gust modes.

The gusts are a sum of plane waves that the mean wind carries along (frozen turbulence):

    u(x, t) = sum_m a_m cos(k_m . (x - U t) + phi_m),   a_m at right angles to k_m, so that div u = 0.
"""

import math
from typing import NamedTuple

import numpy as np

from tetherlab.math.kernel import njit
from tetherlab.world.kernel import query, summing_query


class WindField(NamedTuple):
    """Everything that `wind_at` needs; one Numba type for every wind, also for none."""

    mean: np.ndarray  # (5,) velocity (3) [m/s] at the reference height [m] (0: at every height), exponent
    modes: np.ndarray  # (8, mode_count) k (3) [turns/m], -k.U [turns/s], phase [turns], a (3) [m/s]


@query
def _cosine_of_turns(p):
    """cos(2 pi p) to 1e-9, without branches, so that the compiler can do several at once."""
    # With r = 1/4 - |p| for |p| <= 1/2: cos(2 pi p) = sin(2 pi r), |r| <= 1/4, where the odd series is short.
    x = 2.0 * math.pi * (0.25 - abs(p - math.floor(p + 0.5)))
    s = x * x
    series = 1.0 / 362880.0 - s * (1.0 / 39916800.0 - s / 6227020800.0)
    return x * (1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 - s * (1.0 / 5040.0 - s * series))))


@summing_query
def wind_at(wind, x, y, z, t):
    """Velocity of the air (3 numbers) [m/s] at a point of the world [m] and a time [s]."""
    mean, modes = wind.mean, wind.modes
    wx, wy, wz = mean[0], mean[1], mean[2]
    if mean[3] > 0.0:
        profile = (max(z, 0.0) / mean[3]) ** mean[4]
        wx, wy, wz = profile * wx, profile * wy, profile * wz
    for m in range(modes.shape[1]):
        s = _cosine_of_turns(
            modes[0, m] * x + modes[1, m] * y + modes[2, m] * z + modes[3, m] * t + modes[4, m]
        )
        wx += s * modes[5, m]
        wy += s * modes[6, m]
        wz += s * modes[7, m]
    return wx, wy, wz


@njit(cache=True, nogil=True)
def winds(wind, points, times):
    """The wind at many points (n, 3) and times (n,), as (n, 3)."""
    result = np.empty((points.shape[0], 3))
    for i in range(points.shape[0]):
        wx, wy, wz = wind_at(wind, points[i, 0], points[i, 1], points[i, 2], times[i])
        result[i, 0], result[i, 1], result[i, 2] = wx, wy, wz
    return result
