"""A smooth error of a gimbal's readings: what calibration of one axis after the other leaves behind.

Each axis errs by a sum of low harmonics of azimuth and elevation whose coefficients come from a seed, with a
root mean square of 1 over the workspace: all azimuths, elevations from 0 to 90 degrees. The seed belongs to
the hardware, not to the run: flights with the same sensors have the same field.
"""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import njit

TERMS = 5  # of each angle: 1, cos, sin, cos of twice, sin of twice
ELEVATION_MAX = 0.5 * math.pi  # of the workspace, from 0 [rad]


def make_field(seed: int) -> NDArray[np.float64]:
    """Coefficients of the errors of (azimuth, elevation), (2, 5, 5): by harmonics of one and the other."""
    generator = np.random.default_rng(seed)
    field = generator.normal(size=(2, TERMS, TERMS))
    field[:, 0, 0] = 0.0  # a constant is an offset
    # Higher harmonics are smaller, as those of eccentric bearings and bent potentiometers are.
    falling = np.array([1.0, 0.7, 0.7, 0.35, 0.35])
    field *= falling[:, None] * falling
    for axis in field:
        axis /= math.sqrt(_mean_square(axis))
    return field


def _mean_square(axis: NDArray[np.float64]) -> float:
    """Over the workspace. Harmonics of a whole turn are orthogonal; those of a quarter turn are summed."""
    places, weights = np.polynomial.legendre.leggauss(20)
    elevation = 0.5 * ELEVATION_MAX * (places + 1.0)
    waves = np.stack(
        [np.ones(20), np.cos(elevation), np.sin(elevation), np.cos(2 * elevation), np.sin(2 * elevation)]
    )
    by_elevation = axis @ waves  # (5, 20)
    return float(np.array([1.0, 0.5, 0.5, 0.5, 0.5]) @ by_elevation**2 @ weights) / 2.0


@njit(cache=True)
def bias_at(field, axis, azimuth, elevation):
    """The error of an axis (0: azimuth, 1: elevation) at these angles of the gimbal [1]."""
    ca, sa = math.cos(azimuth), math.sin(azimuth)
    ce, se = math.cos(elevation), math.sin(elevation)
    by_azimuth = (1.0, ca, sa, ca * ca - sa * sa, 2.0 * ca * sa)
    by_elevation = (1.0, ce, se, ce * ce - se * se, 2.0 * ce * se)
    total = 0.0
    for i in range(TERMS):
        for j in range(TERMS):
            total += field[axis, i, j] * by_azimuth[i] * by_elevation[j]
    return total
