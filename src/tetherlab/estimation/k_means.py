"""Centres of a cloud of points by k-means: seeded k-means++ to begin with, then Lloyd's steps."""

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError

Array = NDArray[np.float64]
CHUNK = 8192  # rows of distances that are held at once


def k_means(points: Array, count: int, *, seed: int = 0, steps: int = 30) -> Array:
    """Centres, (count, d), of points, (n, d); fewer if fewer points differ. The same seed, the same centres.

    Ends early when the mean squared distance to the nearest centre falls by less than a thousandth.
    """
    points = check.array("points", points, (None, None))
    if not 1 <= count <= len(points):
        raise InputError(f"count must be from 1 to the number of points, {len(points)}, got {count}")
    centres = _spread(points, count, np.random.default_rng(seed))
    last = np.inf
    for _ in range(steps):
        nearest, square = assign(points, centres)
        if square.mean() >= 0.999 * last:
            break
        last = square.mean()
        sizes = np.bincount(nearest, minlength=len(centres))
        for axis in range(points.shape[1]):
            sums = np.bincount(nearest, points[:, axis], len(centres))
            centres[:, axis] = np.where(sizes > 0, sums / np.maximum(sizes, 1), centres[:, axis])
    return centres


def assign(points: Array, centres: Array) -> tuple[NDArray[np.intp], Array]:
    """The nearest centre of each point, (n,), and the square of the distance to it, (n,)."""
    nearest, square = np.empty(len(points), np.intp), np.empty(len(points))
    lengths = (centres * centres).sum(1)
    for first in range(0, len(points), CHUNK):
        rows = points[first : first + CHUNK]
        # |p - c|² less |p|², which is the same for all centres
        part = lengths - 2.0 * rows @ centres.T
        nearest[first : first + CHUNK] = part.argmin(1)
        square[first : first + CHUNK] = part.min(1) + (rows * rows).sum(1)
    return nearest, np.maximum(square, 0.0)


def _spread(points: Array, count: int, random: np.random.Generator) -> Array:
    """k-means++: each further centre is a point drawn by its squared distance to those before it."""
    centres = points[random.integers(len(points))][None]
    square = ((points - centres[0]) ** 2).sum(1)
    while len(centres) < count and square.max() > 0.0:
        heap = np.cumsum(square)
        drawn = np.searchsorted(heap, random.random() * heap[-1], side="right")
        new = points[min(int(drawn), len(points) - 1)]
        centres = np.vstack((centres, new))
        square = np.minimum(square, ((points - new) ** 2).sum(1))
    return centres
