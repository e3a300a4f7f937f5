"""How far the tether is from the curve in which it would hang at rest, free of obstacles.

The curve goes through the tether's two ends and has the paid-out length. Where this is shorter than their
distance, since a real tether stretches, the curve is the straight line between them.
"""

import math

import numpy as np

from tetherlab.contracts.columns import STATION_COUNT
from tetherlab.contracts.log import Log
from tetherlab.math.kernel import njit
from tetherlab.metrics.polyline import square_to_piece
from tetherlab.metrics.read import Array, MissingError, at_times, stations
from tetherlab.tether.catenary_batch import solve_many

PIECES = 4  # straight pieces of the curve between two stations: within 0.002 % of the length at 20 % slack
PART = 8  # twice as many pieces are looked at or skipped together
RATE_MAX = 10.0  # moments per second that are looked at: from one to the next the mean does not change


def nearest_error(log: Log) -> float:
    """Mean distance of stations to the nearest point of the curve [% of the length]; the paper's measure."""
    return _mean_error(log, matched=False)


def matched_error(log: Log) -> float:
    """Mean distance of stations to the points of the curve at equal arc length [% of the length]."""
    return _mean_error(log, matched=True)


def _mean_error(log: Log, *, matched: bool) -> float:
    errors = []
    for time, points in stations(log):
        every = max(1, math.floor(len(time) / (RATE_MAX * (time[-1] - time[0]) + 1.0)))
        time, points = time[::every], points[::every]
        length = at_times(log, "winch", ("length_m",), time)[:, 0]
        known = length > 0.0  # not where the winch's record is missing
        errors.append(_relative_errors(points[known], length[known], matched))
    found = np.concatenate(errors)
    if not len(found):
        raise MissingError("the tables 'tether' and 'winch' have no time in common")
    return float(100.0 * np.mean(found))


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
        curve = curves[i]
        for k in range(points.shape[1]):
            x, y, z = points[i, k, 0], points[i, k, 1], points[i, k, 2]
            result[i, k] = math.sqrt(_square_distance(curve, x, y, z, piece[i], k * PIECES))
    return result


@njit(cache=True, nogil=True)
def _square_distance(curve, x, y, z, piece, guess):
    """Of a point to a curve whose points are `piece` apart along it [m]; guess: one of them near by.

    Parts of the curve, and pieces of them, are skipped where all of it is farther than what was found.
    """
    count = len(curve)
    best = square_to_piece(curve, min(guess, count - 2), x, y, z)
    for middle in range(PART, count + PART - 1, 2 * PART):
        first, last = middle - PART, min(middle + PART, count - 1)
        # No point of this part is farther from its middle than half of its length.
        reach = math.sqrt(best) + 1.001 * PART * piece
        if _to_point(curve, min(middle, last), x, y, z) >= reach * reach:
            continue
        for k in range(first, last):
            reach = math.sqrt(best) + 1.001 * piece
            if _to_point(curve, k, x, y, z) < reach * reach:
                best = min(best, square_to_piece(curve, k, x, y, z))
    return best


@njit(cache=True, nogil=True)
def _to_point(curve, k, x, y, z):
    """Squared distance to a point of the curve."""
    return (curve[k, 0] - x) ** 2 + (curve[k, 1] - y) ** 2 + (curve[k, 2] - z) ** 2
