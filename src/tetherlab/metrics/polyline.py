"""How far points are from a line of straight pieces."""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import njit

Array = NDArray[np.float64]


def distance_to_polyline(points: Array, line: Array) -> Array:
    """Distance of each point (n, 3) to the nearest point of a line through (m, 3), (n,) [m]."""
    if len(line) == 1:
        line = np.concatenate((line, line))  # a piece without length
    return _distances(np.ascontiguousarray(points), np.ascontiguousarray(line))


@njit(cache=True, nogil=True)
def _distances(points, line):
    result = np.empty(len(points))
    for i in range(len(points)):
        nearest = math.inf
        for k in range(len(line) - 1):
            nearest = min(nearest, square_to_piece(line, k, points[i, 0], points[i, 1], points[i, 2]))
        result[i] = math.sqrt(nearest)
    return result


@njit(cache=True, nogil=True)
def square_to_piece(line, k, x, y, z):
    """Squared distance of a point to the straight piece after the line's point k [m^2]."""
    a0, a1, a2 = line[k, 0], line[k, 1], line[k, 2]
    d0, d1, d2 = line[k + 1, 0] - a0, line[k + 1, 1] - a1, line[k + 1, 2] - a2
    square = d0 * d0 + d1 * d1 + d2 * d2
    along = d0 * (x - a0) + d1 * (y - a1) + d2 * (z - a2)
    t = min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0
    return (a0 + t * d0 - x) ** 2 + (a1 + t * d1 - y) ** 2 + (a2 + t * d2 - z) ** 2
