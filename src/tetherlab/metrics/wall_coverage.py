"""How much of a wall was seen, how often, and where it was not: its face in cells, and pictures of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label

Vector = NDArray[np.float64]


class Face(NamedTuple):
    """The plane of a wall that is to be seen: a rectangle from one of its lower corners."""

    corner: Vector  # [m], (3,)
    along: Vector  # unit, level, (3,)
    up: Vector  # unit, (3,)
    width: float  # [m]
    height: float  # [m]

    def coordinates(self, points: Vector) -> Vector:
        """Along and up of points of the world [m], (n, 2)."""
        away = points - self.corner
        return np.stack([away @ self.along, away @ self.up], axis=-1)


@dataclass(frozen=True)
class Hole:
    """A part that was not seen."""

    center: tuple[float, float]  # along and up [m]
    area: float  # [m^2]


class WallCoverage:
    """Pictures of a wall, one after the other, counted in cells."""

    def __init__(self, face: Face, *, cell: float = 0.1) -> None:
        """cell: side of a cell [m]."""
        self.face, self.cell = face, cell
        self.shape = tuple(max(1, round(side / cell)) for side in (face.width, face.height))
        self.pictures = np.zeros(self.shape, np.int64)  # that show each cell
        self._rows: dict[int, NDArray[np.bool_]] = {}  # by row, the cells that it shows

    def add(self, points: Vector, row: int) -> None:
        """A picture: points of the wall that it shows [m], (n, 3), world frame, taken in some row."""
        along, up = self.face.coordinates(points[np.isfinite(points).all(axis=1)]).T
        inside = (along >= 0.0) & (along < self.face.width) & (up >= 0.0) & (up < self.face.height)
        i = (along[inside] * (self.shape[0] / self.face.width)).astype(int)
        j = (up[inside] * (self.shape[1] / self.face.height)).astype(int)
        shown = np.zeros(self.shape, bool)
        shown[np.minimum(i, self.shape[0] - 1), np.minimum(j, self.shape[1] - 1)] = True
        self.pictures += shown
        self._rows.setdefault(row, np.zeros(self.shape, bool))
        self._rows[row] |= shown

    @property
    def seen_share(self) -> float:
        """Of the wall that at least one picture shows."""
        return float((self.pictures > 0).mean())

    @property
    def overlap(self) -> Vector:
        """Of each row and the next, share of what the smaller of both shows, (rows - 1,)."""
        cells = [self._rows[row] for row in sorted(self._rows)]
        shares = [
            (lower & upper).sum() / max(1, min(lower.sum(), upper.sum())) for lower, upper in pairwise(cells)
        ]
        return np.array(shares, float)

    def holes(self) -> list[Hole]:
        """Connected parts that no picture shows, the largest first."""
        parts, count = label(self.pictures == 0)
        area = self.face.width * self.face.height / self.pictures.size
        holes = []
        for index in range(1, count + 1):
            i, j = np.nonzero(parts == index)
            center = ((i.mean() + 0.5) / self.shape[0], (j.mean() + 0.5) / self.shape[1])
            holes.append(
                Hole((center[0] * self.face.width, center[1] * self.face.height), float(len(i) * area))
            )
        return sorted(holes, key=lambda hole: -hole.area)
