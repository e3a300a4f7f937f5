"""Long series with fewer points that look the same."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

POINTS = 1200  # of a line in a figure; it is about 600 pixels wide


def thin_series(time: Array, values: Array, points: int = POINTS) -> tuple[Array, Array]:
    """The lowest and the highest value of each stretch of time, (n,) each, so that no peak is lost."""
    if len(time) <= points:
        return time, values
    keep = telling_rows(values[:, None], points)
    return time[keep], values[keep]


def telling_rows(values: Array, points: int = POINTS) -> NDArray[np.intp]:
    """Which rows to keep of lines that share their times, (n, line_count): in order, at most `points`.

    Of each stretch those in which any line is lowest or highest, and both ends. NaN is neither, unless a
    stretch has nothing else.
    """
    count, lines = values.shape
    if count <= points:
        return np.arange(count)
    length = -(-count // max(1, (points - 2) // (2 * lines)))  # of a stretch
    stretches = -(-count // length)
    cut = np.full((stretches * length, lines), np.nan)
    cut[:count] = values
    cut = cut.reshape(stretches, length, lines)
    first = length * np.arange(stretches)[:, None]
    missing = np.isnan(cut)
    lowest = first + np.where(missing, np.inf, cut).argmin(axis=1)
    highest = first + np.where(missing, -np.inf, cut).argmax(axis=1)
    return np.unique(np.concatenate(([0, count - 1], lowest.ravel(), highest.ravel())))


def thin_path(path: Array, points: int = POINTS) -> Array:
    """Points of a path, (n, 3), spread evenly over its way, with both ends."""
    if len(path) <= points:
        return path
    way = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))))
    keep = np.searchsorted(way, np.linspace(0.0, way[-1], points))
    return path[np.unique([0, *np.minimum(keep, len(path) - 1), len(path) - 1])]
