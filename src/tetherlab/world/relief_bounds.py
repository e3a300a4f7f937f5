"""What the distance to a height map must know beforehand: how steep and how curved it is, tile by tile.

All follows from the control heights: slopes of a quadratic B-spline are means of their first differences,
and curvatures means of their second ones, so the largest difference round a point bounds both.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter

from tetherlab.world.relief import TILE

Grid = NDArray[np.float32]


def stored_relief(heights: Grid, spacing: float) -> Grid:
    """Everything that `relief.py` reads of a height map, one after the other."""
    bordered = with_border(heights)
    return np.concatenate([bordered.ravel(), tile_limits(bordered, spacing).ravel()])


def with_border(heights: Grid) -> Grid:
    """The heights with one more sample on each side, in line with the two next to it: planes stay planes."""
    rows = np.concatenate([2 * heights[:1] - heights[1:2], heights, 2 * heights[-1:] - heights[-2:-1]])
    return np.concatenate([2 * rows[:, :1] - rows[:, 1:2], rows, 2 * rows[:, -1:] - rows[:, -2:-1]], axis=1)


def surface_heights(heights: Grid, spacing: float, u: Any, v: Any) -> NDArray[np.float64]:
    """The spline over points of the rectangle [m], for u and v of any one shape."""
    a, shares_a = _shares(u, spacing, heights.shape[0])
    b, shares_b = _shares(v, spacing, heights.shape[1])
    bordered = with_border(heights)
    return sum(
        shares_a[i] * shares_b[j] * bordered[a + i, b + j].astype(np.float64)
        for i in range(3)
        for j in range(3)
    )


def _shares(u: Any, spacing: float, count: int) -> tuple[Any, tuple[Any, Any, Any]]:
    """The first of three samples that a point is a mean of, and their shares."""
    u = np.clip(np.asarray(u, np.float64) / spacing, 0.0, count - 1.0)
    nearest = np.floor(u + 0.5).astype(np.int64)
    t = u - nearest
    return nearest, (0.5 * (0.5 - t) ** 2, 0.75 - t**2, 0.5 * (0.5 + t) ** 2)


def tile_limits(bordered: Grid, spacing: float) -> Grid:
    """Cosine of the steepest slope and smallest radius of curvature [m] at all corners of tiles."""
    counts = np.array(bordered.shape) - 2
    along, across = (_around(np.diff(bordered, axis=axis)) ** 2 for axis in (0, 1))
    steepest2 = _near_corners(along[:, :-1] + across[:-1], counts) / spacing**2
    bent = [np.abs(np.diff(bordered, 2, axis=axis)) for axis in (0, 1)]
    twisted = np.abs(np.diff(np.diff(bordered, axis=0), axis=1))
    bend = np.maximum(*(_near_corners(values, counts) for values in bent))
    curvature = (bend + _near_corners(twisted, counts)) / spacing**2
    radius = np.minimum(1.0 / np.maximum(curvature, 1e-9), TILE * spacing)
    limits = np.stack([1.0 / np.sqrt(1.0 + steepest2), radius], axis=-1)
    return np.nextafter(limits.astype(np.float32), np.float32(0.0))


def _around(differences: Grid) -> Grid:
    """The largest magnitude of all neighbours that have a share in a point."""
    return maximum_filter(np.abs(differences), size=3, mode="nearest")


def _near_corners(values: Grid, counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The largest within two tiles of each corner of the tiles, and a little more."""
    tiles = (counts + TILE - 2) // TILE
    whole = -np.array(values.shape) % TILE
    blocks = np.pad(values, [(0, int(n)) for n in whole], mode="edge")
    blocks = blocks.reshape(blocks.shape[0] // TILE, TILE, -1, TILE).max(axis=(1, 3))
    # Corner k is reached by what lies in blocks k - 3 to k + 2: a filter of six, centred at its fourth.
    wide = np.pad(
        blocks, [(3, int(n) + 4) for n in tiles + 1 - np.minimum(blocks.shape, tiles + 1)], mode="edge"
    )
    largest = maximum_filter(wide, size=6, mode="nearest")
    return largest[3 : 4 + tiles[0], 3 : 4 + tiles[1]].astype(np.float64)
