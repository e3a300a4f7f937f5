"""What two height maps of one face differ by without any change: maps bend, by centimetres over metres.

Where the second map is shifted by (δu, δv, δn), it lies higher by

    d = δn − h_u δu − h_v δv,

with h_u, h_v the slopes of the relief. Within windows this is fitted to all cells, so robustly that a
piece that fell off does not matter, and taken away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates

Array = NDArray[np.float64]
ROUNDS = 6
TUKEY = 4.685  # standard deviations beyond which a cell is not listened to
SHIFT_DEVIATION = 0.03  # to the side, expected beforehand: where the wall is flat nothing tells it [m]
NORMAL = 1.4826  # standard deviation over median absolute deviation
SHARE_MIN = 0.1  # of a window that must be seen


def take_away(difference: Array, slope_u: Array, slope_v: Array, window: int) -> tuple[Array, Array]:
    """The difference without local shifts, and its local standard deviation [m], shape of the maps.

    slope_u, slope_v: of the first map. window: half its width [cells]. NaN where a map has nothing.
    """
    step = max(window // 2, 1)
    rows, columns = (np.arange(0, size - 1 + step, step) for size in difference.shape)
    fits = np.full((len(rows), len(columns), 4), np.nan)
    known = np.isfinite(difference) & np.isfinite(slope_u) & np.isfinite(slope_v)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            part = (
                slice(max(row - window, 0), row + window + 1),
                slice(max(column - window, 0), column + window + 1),
            )
            seen = known[part]
            if seen.mean() > SHARE_MIN and seen.sum() > 20:
                A = np.stack([np.ones(int(seen.sum())), -slope_u[part][seen], -slope_v[part][seen]], axis=1)
                fits[i, j] = _fit(A, difference[part][seen])
    fields = _spread(fits, difference.shape, step)
    shift = fields[0] - slope_u * fields[1] - slope_v * fields[2]
    return difference - shift, fields[3]


def _fit(A: Array, d: Array) -> Array:
    """δn, δu, δv and the standard deviation of what is left [m], (4,)."""
    shift = np.array([np.median(d), 0.0, 0.0])
    deviation = 0.0
    for _ in range(ROUNDS):
        left = d - A @ shift
        deviation = max(NORMAL * float(np.median(np.abs(left))), 1e-6)
        weights = np.maximum(1.0 - (left / (TUKEY * deviation)) ** 2, 0.0) ** 2
        information = (A * weights[:, None]).T @ A
        information[[1, 2], [1, 2]] += (deviation / SHIFT_DEVIATION) ** 2
        shift = np.linalg.solve(information, A.T @ (weights * d))
    return np.array([*shift, deviation])


def _spread(fits: Array, shape: tuple[int, ...], step: int) -> Array:
    """Values between the windows' middles, bilinear; where a window says nothing, those of its nearest."""
    if not np.isfinite(fits).any():
        return np.full((4, *shape), np.nan)
    good = np.argwhere(np.isfinite(fits[..., 0]))
    for i, j in np.argwhere(~np.isfinite(fits[..., 0])):
        nearest = good[np.abs(good - (i, j)).sum(axis=1).argmin()]
        fits[i, j] = fits[tuple(nearest)]
    places = np.meshgrid(*(np.arange(size) / step for size in shape), indexing="ij")
    return np.stack([map_coordinates(fits[..., k], places, order=1, mode="nearest") for k in range(4)])
