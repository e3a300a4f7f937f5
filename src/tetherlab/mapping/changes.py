"""Places where more of a wall is gone, or added, than noise can explain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label, uniform_filter

from tetherlab.contracts import check
from tetherlab.mapping.face import FacePlane, Lattice

Array = NDArray[np.float64]
TOUCHING = np.ones((3, 3), int)  # cells that share a corner belong together


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class ChangeSpec:
    """What counts as a change."""

    cell: float = 0.04  # of the lattice [m]
    window: float = 1.0  # half of that within which maps may be shifted to each other [m]
    depth_min: float = 0.03  # [m]
    doubt: float = 5.0  # standard deviations of noise below which nothing is believed
    area_min: float = 0.015  # [m^2]

    def __post_init__(self) -> None:
        for name in vars(self):
            check.positive(name, getattr(self, name))


class Change(NamedTuple):
    """A piece that is gone, or one that was not there."""

    position: Array  # of its middle, on the first map's surface [m], (3,)
    depth: float  # the most that is gone along the face's normal [m]; < 0: added
    width: float  # of a disc as large as where half of its depth is gone [m]
    area: float  # over the face [m^2]
    volume: float  # [m^3]; < 0: added


def find_changes(
    lost: Array, deviation: Array, heights: Array, face: FacePlane, lattice: Lattice, spec: ChangeSpec
) -> tuple[Change, ...]:
    """Changes, the largest volume first.

    lost, deviation: how much is gone, and how much of that noise may be [m]. heights: of the first map [m].
    All of the lattice's shape, NaN where nothing was seen.
    """
    smooth = mean_of_neighbours(lost)
    limit = np.maximum(spec.doubt * np.nan_to_num(deviation, nan=np.inf), spec.depth_min)
    found = []
    for side in (1.0, -1.0):
        # A change is sure somewhere, and reaches as far as it is likely.
        sure = np.nan_to_num(side * smooth) > limit
        regions, count = label(np.nan_to_num(side * smooth) > 0.5 * limit, TOUCHING)
        sizes = np.bincount(regions.ravel(), minlength=count + 1) * spec.cell**2
        surely = np.bincount(regions.ravel(), sure.ravel(), count + 1) * spec.cell**2
        for region in range(1, count + 1):
            if sizes[region] >= spec.area_min and surely[region] >= 0.5 * spec.area_min:
                cells = np.argwhere(regions == region)
                depth = float(np.max(side * smooth[tuple(cells.T)]))
                found.append(
                    _describe(cells, side * depth, smooth, mean_of_neighbours(heights), face, lattice)
                )
    return tuple(sorted(found, key=lambda change: -abs(change.volume)))


def mean_of_neighbours(values: Array) -> Array:
    """Mean of three by three cells, as far as they are known; NaN where fewer than half of them are."""
    known = np.isfinite(values)
    total = uniform_filter(np.where(known, values, 0.0), 3, mode="constant")
    share = uniform_filter(known.astype(float), 3, mode="constant")
    return np.where(share > 0.5, total / np.maximum(share, 1e-9), np.nan)


def _describe(
    cells: NDArray[np.intp], depth: float, lost: Array, heights: Array, face: FacePlane, lattice: Lattice
) -> Change:
    here = tuple(cells.T)
    amounts = lost[here]
    weights = np.abs(amounts) / np.abs(amounts).sum()
    u, v = np.array(lattice.corner) + (weights @ cells + 0.5) * lattice.cell
    middle = np.array([[u, v, float(np.nanmedian(heights[here]))]])
    cell = lattice.cell**2
    half = cell * float(np.sum(amounts / depth > 0.5))
    width = 2.0 * math.sqrt(half / math.pi)
    return Change(face.outside(middle)[0], depth, width, cell * len(cells), cell * float(amounts.sum()))
