"""How far it is to the anchor along a taut tether, from each piece of its way."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.polygon import cross
from tetherlab.planning.visibility import bends, corners, pieces, pieces_from

Array = NDArray[np.float64]


class ToAnchor:
    """Pieces from corner to corner and to the anchor, and the shortest taut way to it from each."""

    END = -1  # as the head of a piece: the anchor

    def __init__(self, world: PlanarWorld, anchor: tuple[float, float]) -> None:
        self.world = world
        self.corners = corners(world)
        between = pieces(world)
        last, side = pieces_from(world, np.array(anchor))
        self.tail = np.concatenate((between.tail, last))
        self.head = np.concatenate((between.head, np.full(len(last), self.END)))
        self.along = np.concatenate((between.along, np.array(anchor) - self.corners.points[last]))
        self.side_tail = np.concatenate((between.side_tail, -side))
        self.side_head = np.concatenate((between.side_head, np.zeros(len(last), dtype=np.int64)))
        self.length = np.hypot(self.along[:, 0], self.along[:, 1])
        self.to_go = self._to_go()  # with the piece itself, inf if no taut way leads on [m]
        self._out = self._sorted_by_corner()
        self._following: dict[int, list[tuple[int, float]]] = {}

    def _to_go(self) -> Array:
        """Dijkstra from the anchor: the first piece to be settled that can follow another settles it."""
        to_go = np.full(len(self.head), math.inf)
        pending = {
            (corner, side): np.flatnonzero((self.head == corner) & (self.side_head == side))
            for corner in range(len(self.corners.points))
            for side in (1, -1)
        }
        ends = np.flatnonzero(self.head == self.END)
        to_go[ends] = self.length[ends]
        queue = [(float(to_go[piece]), int(piece)) for piece in ends]
        heapq.heapify(queue)
        while queue:
            beyond, piece = heapq.heappop(queue)
            key = int(self.tail[piece]), int(self.side_tail[piece])
            before = pending[key]
            if len(before) == 0:
                continue
            joined = bends(key[1], self.along[before], self.along[piece])
            pending[key] = before[~joined]
            for k in before[joined]:
                to_go[k] = self.length[k] + beyond
                heapq.heappush(queue, (float(to_go[k]), int(k)))
        return to_go

    def _sorted_by_corner(self) -> dict[tuple[int, int], NDArray[np.int64]]:
        """Pieces that leave a corner with the solid on one side, shortest way to the anchor first."""
        out: dict[tuple[int, int], list[int]] = {}
        for k in np.argsort(self.to_go, kind="stable"):
            if math.isfinite(self.to_go[k]):
                out.setdefault((int(self.tail[k]), int(self.side_tail[k])), []).append(int(k))
        return {key: np.array(value) for key, value in out.items()}

    def following(self, piece: int) -> list[tuple[int, float]]:
        """Pieces that can follow, shortest way first, and by how much the tether turns there [rad]."""
        if piece not in self._following:
            corner, side = int(self.head[piece]), int(self.side_head[piece])
            self._following[piece] = self._after(corner, side, self.along[piece])
        return self._following[piece]

    def first_pieces(self, start: Array) -> Iterator[tuple[int, float, int, float, float]]:
        """From a start to a corner and on: corner, distance, the next piece, its way to go, the turn."""
        reached, sides = pieces_from(self.world, start)
        for corner, side in zip(reached, sides, strict=True):
            along = self.corners.points[corner] - start
            for piece, turn in self._after(int(corner), int(side), along):
                yield int(corner), math.hypot(*along), piece, float(self.to_go[piece]), turn

    def _after(self, corner: int, side: int, before: Array) -> list[tuple[int, float]]:
        out = self._out.get((corner, side))
        if out is None:
            return []
        out = out[bends(side, before, self.along[out])]
        along = self.along[out]
        turns = np.arctan2(cross(before, along), along @ before)
        return list(zip(out.tolist(), turns.tolist(), strict=True))
