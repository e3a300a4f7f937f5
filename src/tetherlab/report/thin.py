"""Long series with fewer points that look the same."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

POINTS = 1200  # of a line in a figure; it is about 600 pixels wide


def thin_series(time: Array, values: Array, points: int = POINTS) -> tuple[Array, Array]:
    """The lowest and the highest value of each stretch of time, (n,) each, so that no peak is lost."""
    if len(time) <= points:
        return time, values
    stretches = np.array_split(np.arange(len(time)), points // 2 - 1)
    extremes = [part[values[part].argmin()] for part in stretches]
    extremes += [part[values[part].argmax()] for part in stretches]
    keep = np.unique([0, *extremes, len(time) - 1])
    return time[keep], values[keep]


def thin_path(path: Array, points: int = POINTS) -> Array:
    """Points of a path, (n, 3), spread evenly over its way, with both ends."""
    if len(path) <= points:
        return path
    way = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))))
    keep = np.searchsorted(way, np.linspace(0.0, way[-1], points))
    return path[np.unique([0, *np.minimum(keep, len(path) - 1), len(path) - 1])]
