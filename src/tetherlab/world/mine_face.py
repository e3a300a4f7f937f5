"""The faces of mine pillars as they truly are: where, how large, how high at each point, what fell off."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.world.shapes import Relief

Vector = NDArray[np.float64]
# outward normals
SIDES = {
    "east": (1.0, 0.0),
    "north": (0.0, 1.0),
    "west": (-1.0, 0.0),
    "south": (0.0, -1.0),
}


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Spall:
    """A patch of rock that has fallen off a pillar."""

    pillar: str  # name of the pillar
    side: str  # of the pillar: east, north, west or south
    along: float  # place of its middle in the face: from the left edge [m]
    up: float  # and from the floor [m]
    width: float  # where half of its depth is gone [m]
    depth: float  # [m]

    def __post_init__(self) -> None:
        if self.side not in SIDES:
            raise InputError(f"side must be one of {', '.join(SIDES)}, got {self.side!r}")
        for name in ("along", "up"):
            object.__setattr__(self, name, check.number(name, getattr(self, name)))
        for name in ("width", "depth"):
            object.__setattr__(self, name, check.positive(name, getattr(self, name)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Face:
    """One side of a pillar, as seen from in front of it: u to the right, v up, h towards the viewer."""

    pillar: str
    side: str
    corner: Vector  # lower left corner of the undisturbed face, on the mean floor [m], (3,)
    along: Vector  # unit, to the right, (3,)
    up: Vector  # unit, (3,)
    normal: Vector  # unit, out of the rock, (3,)
    width: float  # [m]
    height: float  # from the mean floor to the mean ceiling [m]
    relief: Relief = field(repr=False)  # the rock itself; it goes on beyond the edges
    margin: Vector = field(repr=False)  # of the rock beyond the left edge and below the floor [m], (2,)
    spalls: tuple[Spall, ...] = ()

    def surface(self, u: Any, v: Any) -> Vector:
        """How far the rock stands out of the undisturbed face [m], for u and v of any one shape [m]."""
        return self.relief.surface(np.asarray(u) + self.margin[0], np.asarray(v) + self.margin[1])

    def points(self, u: Any, v: Any) -> Vector:
        """Points of the true surface, in the world [m], (..., 3)."""
        u, v = np.broadcast_arrays(np.asarray(u, float), np.asarray(v, float))
        h = self.surface(u, v)
        return self.corner + u[..., None] * self.along + v[..., None] * self.up + h[..., None] * self.normal

    def in_face(self, points: Any) -> Vector:
        """Points of the world as (u, v, height above the undisturbed face) [m], (..., 3)."""
        return (np.asarray(points) - self.corner) @ np.stack([self.along, self.up, self.normal], axis=1)
