"""A face of a wall as a height map over its own plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.errors import InputError

Array = NDArray[np.float64]
UP = np.array([0.0, 0.0, 1.0])
SIDEWAYS = 0.6  # largest vertical part of a normal that belongs to a wall
FEW, SHARE_MIN = 100, 0.1  # points, and share of all, that make a wall
ACROSS = 0.3  # least share of a normal along the face's: what is steeper is floor, ceiling or another face
SPREAD_MAX = 0.15  # of heights in one cell: beyond it two surfaces lie over each other there [m]


class FacePlane(NamedTuple):
    """A plane along a wall: its axes are to the side (u), up along the wall (v) and out of it (n)."""

    origin: Array  # [m], (3,)
    axes: Array  # R_WF: u, v, n as columns, (3, 3)

    @classmethod
    def of(cls, cloud: Cloud) -> FacePlane:
        """The plane that most of a cloud looks out of to the side; floor and ceiling do not count."""
        sideways = np.abs(cloud.normals[:, 2]) < SIDEWAYS
        if sideways.sum() < max(FEW, SHARE_MIN * len(sideways)):
            raise InputError("the cloud looks up or down: a face of a wall looks to the side")
        n = np.median(cloud.normals[sideways], axis=0)
        u = np.cross(UP, n)
        n, u = n / np.linalg.norm(n), u / np.linalg.norm(u)
        return cls(np.median(cloud.points[sideways], axis=0), np.stack([u, np.cross(n, u), n], axis=1))

    def inside(self, points: Array) -> Array:
        """u, v, n [m], (n, 3)."""
        return (points - self.origin) @ self.axes

    def outside(self, points: Array) -> Array:
        """The reverse: world [m], (n, 3)."""
        return points @ self.axes.T + self.origin


@dataclass(frozen=True)
class Lattice:
    """Cells of a face."""

    corner: tuple[float, float]  # least u and v [m]
    shape: tuple[int, int]  # along u and v
    cell: float  # [m]

    @classmethod
    def over(cls, places: Array, cell: float) -> Lattice:
        """Cells that hold all places u, v (n, 2) [m]."""
        low = np.floor(places.min(axis=0) / cell)
        shape = np.floor(places.max(axis=0) / cell) - low + 1
        return cls((float(low[0] * cell), float(low[1] * cell)), (int(shape[0]), int(shape[1])), cell)


def height_map(cloud: Cloud, face: FacePlane, lattice: Lattice) -> Array:
    """Median height over the face [m], shape of the lattice; NaN where nothing was seen, or two surfaces."""
    outward = cloud.normals @ face.axes[:, 2] > ACROSS
    places = face.inside(cloud.points[outward])
    index = np.floor((places[:, :2] - np.array(lattice.corner)) / lattice.cell).astype(np.int64)
    good = ((index >= 0) & (index < np.array(lattice.shape))).all(axis=1)
    key, height = index[good, 0] * lattice.shape[1] + index[good, 1], places[good, 2]
    order = np.lexsort((height, key))
    key, height = key[order], height[order]
    cells, first, count = np.unique(key, return_index=True, return_counts=True)
    heights = np.full(lattice.shape[0] * lattice.shape[1], np.nan)
    middle = 0.5 * (height[first + (count - 1) // 2] + height[first + count // 2])
    heights[cells] = np.where(height[first + count - 1] - height[first] < SPREAD_MAX, middle, np.nan)
    return heights.reshape(lattice.shape)
