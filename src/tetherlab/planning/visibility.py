"""The ways of a taut tether from corner to corner: straight pieces that graze the obstacle at both ends.

At a corner a taut tether bends round what is solid there, so the pieces before and after it leave the solid
on the same side, the side of the bend. Pieces that do not graze are of no use to it, and are left out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.planning import planar_kernel
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.polygon import ON, cross

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


class Corners(NamedTuple):
    """Where a tether can bend: what is solid there is narrower than a straight angle."""

    points: Array  # [m], (n, 2)
    cones: Array  # unit vectors along both borders of what is solid, (n, 2, 2)

    def side(self, corner: Integers, direction: Array) -> Integers:
        """Where the solid lies as seen along a direction (k, 2): +1 left, -1 right, 0 in the way."""
        aside = cross(direction[:, None, :], self.cones[corner])
        left, right = (aside >= -ON).all(axis=1), (aside <= ON).all(axis=1)
        return np.where(left, 1, np.where(right, -1, 0))


class Pieces(NamedTuple):
    """Straight free pieces from a tail to a head, one row each."""

    tail: Integers  # corner
    head: Integers  # corner
    along: Array  # from tail to head [m], (m, 2)
    side_tail: Integers  # where the solid lies at the tail: +1 left, -1 right
    side_head: Integers


@lru_cache(maxsize=32)
def corners(world: PlanarWorld) -> Corners:
    """Corners of obstacles, each place once."""
    count = len(world.sides.vertices) - 4  # not the border's
    borders = planar_kernel.cones(*world.sides, count).reshape(-1, 2, 2)
    points = world.sides.vertices[:count]
    kept: list[int] = []
    for k in np.flatnonzero(np.isfinite(borders[:, 0, 0])):
        if not (np.abs(points[kept] - points[k]).max(axis=1, initial=0.0) <= ON).any():
            kept.append(int(k))
    return Corners(points[kept], borders[kept])


@lru_cache(maxsize=32)
def pieces(world: PlanarWorld) -> Pieces:
    """Between corners, each in both directions."""
    places = corners(world)
    tail, head = np.triu_indices(len(places.points), 1)
    along = places.points[head] - places.points[tail]
    side_tail, side_head = places.side(tail, along), places.side(head, along)
    keep = (side_tail != 0) & (side_head != 0)
    tail, head = tail[keep], head[keep]
    seen = planar_kernel.pairs_seen(*world.sides, places.points[tail], places.points[head])
    tail, head = tail[seen], head[seen]
    along, side_tail, side_head = along[keep][seen], side_tail[keep][seen], side_head[keep][seen]
    return Pieces(
        np.concatenate((tail, head)),
        np.concatenate((head, tail)),
        np.concatenate((along, -along)),
        np.concatenate((side_tail, -side_head)),
        np.concatenate((side_head, -side_tail)),
    )


def pieces_from(world: PlanarWorld, point: Array) -> tuple[Integers, Integers]:
    """Corners that a taut tether from a point can go to, and on which side they are as it comes."""
    places = corners(world)
    along = places.points - point
    side = places.side(np.arange(len(along)), along)
    useful = np.flatnonzero((side != 0) & (np.hypot(along[:, 0], along[:, 1]) > ON))
    start = np.repeat(point[None], len(useful), axis=0)
    seen = planar_kernel.pairs_seen(*world.sides, start, places.points[useful])
    return useful[seen], side[useful[seen]]


def bends(side: Integers | int, before: Array, after: Array) -> NDArray[np.bool_]:
    """Whether the pieces before and after a corner bend round a solid on this side, and not only touch it."""
    chord = before + after
    return side * cross(before, after) > ON * np.hypot(chord[..., 0], chord[..., 1])
