"""Shortest ways of robots among obstacles, and the taut tethers they leave, each computed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tetherlab.planning.homotopy import TautTether, signature, taut, taut_tethers
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.problem import Point

Curve = NDArray[np.float64]
CLASSES = 8  # ways that differ, of a flight with a tether, the shortest of them


class Rooms:
    """The rooms of robots' centres by their radius."""

    def __init__(self, world: PlanarWorld) -> None:
        self.world = world
        self._rooms: dict[float, PlanarWorld] = {}
        self._ways: dict[tuple[float, Point, Point, int], tuple[Curve, ...]] = {}
        self._taut: dict[bytes, TautTether] = {}

    def of(self, radius: float) -> PlanarWorld:
        """Where the centre of a disc can be."""
        if radius not in self._rooms:
            self._rooms[radius] = self.world.inflated(radius)
        return self._rooms[radius]

    def shortest(self, radius: float, start: Point, end: Point) -> Curve | None:
        """The shortest way of a disc; None: there is none."""
        found = self._found(radius, start, end, 1)
        return found[0] if found else None

    def ways(self, radius: float, start: Point, end: Point) -> Iterable[Curve]:
        """One for each homotopy class, the shortest first."""
        return self._found(radius, start, end, CLASSES)

    def beside(self, radius: float, start: Point, end: Point, line: Sequence[Point]) -> Curve | None:
        """The shortest way of a disc on the same sides of all obstacles as a line from the start, or None.

        line: its last point is seen from the end of the way.
        """
        wanted = signature(self.world, np.array(line))
        for way in self._found(radius, start, end, CLASSES):
            if signature(self.world, np.array([*way.tolist(), line[-1]])) == wanted:
                return way
        return None

    def taut(self, curve: Curve) -> TautTether:
        """The tether that a robot leaves that went this way, pulled taut."""
        key = curve.tobytes()
        if key not in self._taut:
            self._taut[key] = taut(self.world, curve)
        return self._taut[key]

    def _found(self, radius: float, start: Point, end: Point, count: int) -> tuple[Curve, ...]:
        key = radius, start, end, count
        if key not in self._ways:
            room = self.of(radius)
            if room.free(np.array([start, end])).all():
                found = taut_tethers(room, start, end, count_max=count)
                self._ways[key] = tuple(tether.points for tether in found)
            else:
                self._ways[key] = ()
        return self._ways[key]


def length_of(curve: Curve) -> float:
    """Of a polyline [m]."""
    return float(np.hypot(*np.diff(curve, axis=0).T).sum())
