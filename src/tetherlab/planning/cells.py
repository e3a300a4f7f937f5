"""The plane in square cells, which of them a robot can be in, and which it can drive between: supercells."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import njit
from tetherlab.planning import planar_kernel
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.problem import Point

Mask = NDArray[np.bool_]
Labels = NDArray[np.int64]  # supercell of each cell, -1: none
STEEP = 1e-6  # by which the cosine of a slope may be rounded
ROUNDING = 1e-9  # [m]


class Cells:
    """Rows from the bottom to the top, columns from left to right; `count` of them along the longer side."""

    def __init__(self, world: PlanarWorld, count: int) -> None:
        if not (isinstance(count, int) and count >= 2):
            raise InputError(f"cells must be a whole number >= 2, got {count!r}")
        x_min, z_min, x_max, z_max = world.bounds
        self.world = world
        self.size = max(x_max - x_min, z_max - z_min) / count  # [m]
        self.columns = max(1, math.ceil((x_max - x_min) / self.size - ROUNDING))
        self.rows = max(1, math.ceil((z_max - z_min) / self.size - ROUNDING))
        x = x_min + self.size * (np.arange(self.columns) + 0.5)
        z = z_min + self.size * (np.arange(self.rows) + 0.5)
        self.centres = np.stack([axis.ravel() for axis in np.meshgrid(x, z)], axis=1)  # [m], (n, 2)
        self._free, self._room = world.free(self.centres), world.clearance(self.centres)

    def __len__(self) -> int:
        return len(self.centres)

    def at(self, place: Point) -> int:
        """The cell that holds a place."""
        x_min, z_min = self.world.bounds[:2]
        column = min(max(int((place[0] - x_min) / self.size), 0), self.columns - 1)
        row = min(max(int((place[1] - z_min) / self.size), 0), self.rows - 1)
        return row * self.columns + column

    def room(self, radius: float) -> Mask:
        """Cells in which a disc fits somewhere."""
        return self._free & (self._room >= radius - 0.5 * self.size - ROUNDING)

    def ground(self, radius: float, slope: float) -> Mask:
        """Those of them in which it stands on ground that is no steeper [rad]."""
        reach = radius + 0.5 * self.size + ROUNDING
        vertices, after = self.world.sides[:2]
        return self.room(radius) & _standing(vertices, after, self.centres, reach, math.cos(slope) - STEEP)

    def seeing(self, hinge: Point) -> Mask:
        """Cells from which a straight tether leads to a hinge."""
        return self._free & _seeing(*self.world.sides, self.centres, hinge[0], hinge[1])

    def supercells(self, mask: Mask) -> Labels:
        """Cells of a mask that hang together, numbered; two neighbours do if nothing is between them."""
        numbers = np.full(len(self), -1)
        chosen = np.flatnonzero(mask)
        if len(chosen) == 0:
            return numbers
        tails, heads = _neighbours(*self.world.sides, self.centres, mask, self.rows, self.columns)
        links = coo_matrix((np.ones(len(tails)), (tails, heads)), shape=(len(self), len(self)))
        _, found = connected_components(links, directed=False)
        numbers[chosen] = np.unique(found[chosen], return_inverse=True)[1]
        return numbers


@njit(cache=True, nogil=True)
def _standing(vertices, after, centres, reach, upright):
    """Whether a side within reach is below each centre, seen at most so far off the vertical (its cosine)."""
    found = np.zeros(len(centres), dtype=np.bool_)
    for i in range(len(centres)):
        x, z = centres[i]
        for k in range(len(vertices)):
            a, b = vertices[k], vertices[after[k]]
            d_x, d_z = b[0] - a[0], b[1] - a[1]
            if d_x >= 0.0:
                continue  # it does not look up: nothing stands on it, nor on its ends alone
            share = ((x - a[0]) * d_x + (z - a[1]) * d_z) / (d_x * d_x + d_z * d_z)
            share = min(max(share, 0.0), 1.0)
            away_x, down = x - (a[0] + share * d_x), z - (a[1] + share * d_z)
            away = math.sqrt(away_x * away_x + down * down)
            near = away <= reach
            if away < ROUNDING:  # on the side itself
                away, down = math.sqrt(d_x * d_x + d_z * d_z), -d_x
            if near and down >= upright * away:
                found[i] = True
                break
    return found


@njit(cache=True, nogil=True)
def _seeing(vertices, after, before, offsets, centres, x, z):
    found = np.empty(len(centres), dtype=np.bool_)
    for i in range(len(centres)):
        found[i] = planar_kernel.sees(vertices, after, before, offsets, centres[i, 0], centres[i, 1], x, z)
    return found


@njit(cache=True, nogil=True)
def _neighbours(vertices, after, before, offsets, centres, mask, rows, columns):
    """Pairs of cells of the mask that touch, also at a corner, and see each other."""
    tails, heads = np.empty(4 * len(centres), dtype=np.int64), np.empty(4 * len(centres), dtype=np.int64)
    count = 0
    for row in range(rows):
        for column in range(columns):
            i = row * columns + column
            if not mask[i]:
                continue
            for down, right in ((0, 1), (1, -1), (1, 0), (1, 1)):
                if not (row + down < rows and 0 <= column + right < columns):
                    continue
                j = i + down * columns + right
                if mask[j] and planar_kernel.sees(
                    vertices,
                    after,
                    before,
                    offsets,
                    centres[i, 0],
                    centres[i, 1],
                    centres[j, 0],
                    centres[j, 1],
                ):
                    tails[count], heads[count] = i, j
                    count += 1
    return tails[:count], heads[:count]
