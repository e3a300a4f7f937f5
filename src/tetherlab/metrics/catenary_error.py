"""How far the tether is from the curve in which it would hang at rest, free of obstacles.

The curve goes through the tether's two ends and has the paid-out length. Where this is shorter than their
distance, since a real tether stretches, the curve is the straight line between them.
"""

import math

import numpy as np
from numba import njit

from tetherlab.contracts.columns import STATION_COUNT
from tetherlab.contracts.log import Log
from tetherlab.metrics.polyline import distance_to_line
from tetherlab.metrics.read import Array, MissingError, at_times, stations
from tetherlab.tether.catenary_batch import solve_many

PIECES = 4  # straight pieces of the curve between two stations: within 0.002 % of the length at 20 % slack
PART = 8  # twice as many pieces are looked at or skipped together
ROWS_AT_ONCE = 2000  # 8 MB of curves


def nearest_error(log: Log) -> float:
    """Mean distance of stations to the nearest point of the curve [% of the length]; the paper's measure."""
    return _mean_error(log, matched=False)


def matched_error(log: Log) -> float:
    """Mean distance of stations to the points of the curve at equal arc length [% of the length]."""
    return _mean_error(log, matched=True)


def _mean_error(log: Log, *, matched: bool) -> float:
    time, points = stations(log)
    length = at_times(log, "winch", ("length_m",), time)[:, 0]
    known = length > 0.0  # not where the winch's record is missing
    if not known.any():
        raise MissingError("the tables 'tether' and 'winch' have no time in common")
    points, length = points[known], length[known]
    errors = [
        _relative_errors(points[i : i + ROWS_AT_ONCE], length[i : i + ROWS_AT_ONCE], matched)
        for i in range(0, len(points), ROWS_AT_ONCE)
    ]
    return float(100.0 * np.mean(np.concatenate(errors)))


def _relative_errors(points: Array, length: Array, matched: bool) -> Array:
    """Mean error of each row over its length, (n,)."""
    base, end = points[:, 0], points[:, -1]
    enough = np.maximum(length, np.linalg.norm(end - base, axis=1))
    curves = solve_many(base, end, enough)
    if matched:
        distances = np.linalg.norm(points - curves.sample(STATION_COUNT), axis=2)
    else:
        count = PIECES * (STATION_COUNT - 1)
        distances = _nearest_distances(np.ascontiguousarray(points), curves.sample(count + 1), enough / count)
    return distances.mean(axis=1) / length


@njit(cache=True, nogil=True)
def _nearest_distances(points, curves, piece):
    result = np.empty(points.shape[:2])
    for i in range(points.shape[0]):
        for k in range(points.shape[1]):
            result[i, k] = _distance_to_curve(points[i, k], curves[i], piece[i], k * PIECES)
    return result


@njit(cache=True, nogil=True)
def _distance_to_curve(point, curve, piece, guess):
    """As `distance_to_line`, but parts of the curve that are farther than what is near `guess` are skipped.

    piece: length of curve between two of its points [m].
    """
    count = len(curve)
    first, last = max(guess - PART, 0), min(guess + PART, count - 1)
    best = distance_to_line(point, curve[first : last + 1])
    for middle in range(PART, count + PART - 1, 2 * PART):
        first, last = middle - PART, min(middle + PART, count - 1)
        if last <= first or (first >= guess - PART and last <= guess + PART):
            continue
        # No point of this part is farther from its middle than half of its length.
        center, square = min(middle, count - 1), 0.0
        for axis in range(3):
            square += (point[axis] - curve[center, axis]) ** 2
        if math.sqrt(square) - 1.001 * PART * piece < best:
            best = min(best, distance_to_line(point, curve[first : last + 1]))
    return best
