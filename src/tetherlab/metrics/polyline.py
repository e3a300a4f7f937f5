"""How far points are from a line of straight pieces."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


def distance_to_polyline(points: Array, line: Array) -> Array:
    """Distance of each point (n, 3) to the nearest point of a line through (m, 3), (n,) [m]."""
    return _distances(np.ascontiguousarray(points), np.ascontiguousarray(line))


@njit(cache=True, nogil=True)
def _distances(points, line):
    result = np.empty(len(points))
    for i in range(len(points)):
        result[i] = distance_to_line(points[i], line)
    return result


@njit(cache=True, nogil=True)
def distance_to_line(point, line):
    """Distance of one point (3,) to a line (m, 3) [m]."""
    nearest = math.inf
    for j in range(max(len(line) - 1, 1)):
        k = min(j + 1, len(line) - 1)
        toward = square_length = 0.0
        for axis in range(3):
            step = line[k, axis] - line[j, axis]
            toward += step * (point[axis] - line[j, axis])
            square_length += step * step
        fraction = min(max(toward / square_length, 0.0), 1.0) if square_length > 0.0 else 0.0
        square = 0.0
        for axis in range(3):
            gap = line[j, axis] + fraction * (line[k, axis] - line[j, axis]) - point[axis]
            square += gap * gap
        nearest = min(nearest, square)
    return math.sqrt(nearest)
