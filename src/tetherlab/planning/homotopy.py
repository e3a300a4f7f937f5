"""How a tether can be threaded among obstacles: one taut tether for each homotopy class, shortest first.

In each class there is exactly one taut line. So all lines that bend round corners, and nowhere else, are
followed from the start, by A* over their last piece. The way left to the anchor is known exactly but for the
rule about windings, so hardly any step of the search is in vain.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.pulling import taut
from tetherlab.planning.taut_tether import Bend, TautTether, taut_tether
from tetherlab.planning.to_anchor import Array, ToAnchor
from tetherlab.planning.words import inverse, reduced, signature

__all__ = [
    "Bend",
    "Ended",
    "TautTether",
    "TautTethers",
    "inverse",
    "reduced",
    "shortest_first",
    "signature",
    "taut",
    "taut_tethers",
]

WORK_MAX = 1_000_000  # pieces followed before a search is given up
ROUNDING = 1e-12  # share by which a sum of lengths or turns may miss a limit that it meets

to_anchor = lru_cache(maxsize=16)(ToAnchor)


class Ended(Enum):
    """Why a search for classes ended."""

    ALL = "every class within the length was found"
    COUNT = "count_max classes were found, and there are more"
    WORK = "given up after work_max steps, there may be more classes"


@dataclass(frozen=True)
class TautTethers:
    """The shortest classes, in order of length."""

    tethers: tuple[TautTether, ...]
    ended: Ended

    def __len__(self) -> int:
        return len(self.tethers)

    def __iter__(self) -> Iterator[TautTether]:
        return iter(self.tethers)

    def __getitem__(self, k: int) -> TautTether:
        return self.tethers[k]


@check.known_arguments
def taut_tethers(
    world: PlanarWorld,
    start: ArrayLike,
    anchor: ArrayLike,
    *,
    length_max: float = math.inf,  # [m]
    count_max: int = 1000,
    windings: float = 1.0,
    work_max: int = WORK_MAX,
) -> TautTethers:
    """One taut tether for each class that is no longer than `length_max`, at most `count_max`.

    Classes that wrap are left out: those that turn to the same side by more than `windings` full turns
    without a bend to the other side between.
    """
    if count_max < 1:
        raise InputError(f"count_max must be at least 1, got {count_max!r}")
    search = shortest_first(world, start, anchor, length_max=length_max, windings=windings, work_max=work_max)
    found: list[TautTether] = []
    ended = Ended.COUNT
    while len(found) <= count_max:
        try:
            found.append(next(search))
        except StopIteration as stop:
            ended = stop.value
            break
    kept = sorted(found[:count_max], key=lambda tether: tether.length)
    return TautTethers(tuple(kept), ended)


def shortest_first(
    world: PlanarWorld,
    start: ArrayLike,
    anchor: ArrayLike,
    *,
    length_max: float = math.inf,
    windings: float = 1.0,
    work_max: int = WORK_MAX,
) -> Generator[TautTether, None, Ended]:
    """The classes of `taut_tethers` one by one, each found when it is asked for."""
    start, anchor = check.array("start", start, (2,)), check.array("anchor", anchor, (2,))
    for name, point in (("start", start), ("anchor", anchor)):
        if not world.free(point[None])[0]:
            raise InputError(f"{name} ({point[0]:g}, {point[1]:g}) is not free")
    if math.isnan(length_max) or length_max < 0.0:
        raise InputError(f"length_max must be >= 0, got {length_max!r}")
    turn_max = 2.0 * math.pi * check.non_negative("windings", windings) * (1.0 + ROUNDING)
    return _search(world, start, anchor, length_max * (1.0 + ROUNDING), turn_max, work_max)


def _search(
    world: PlanarWorld, start: Array, anchor: Array, length_max: float, turn_max: float, work_max: int
) -> Generator[TautTether, None, Ended]:
    """A line so far is its last piece and the line before it."""
    ways = to_anchor(world, (float(anchor[0]), float(anchor[1])))
    first: list[tuple[float, int, float, float, Any]] = []
    if world.visible(start, anchor):
        first.append((math.hypot(*(anchor - start)), ways.END, 0.0, 0.0, None))
    for corner, length, piece, to_go, turn in ways.first_pieces(start):
        first.append((length + to_go, piece, length, turn, (corner, None)))
    queue = [(way[0], n, *way[1:]) for n, way in enumerate(first) if way[0] <= length_max]
    queue = [way for way in queue if abs(way[4]) <= turn_max]
    heapq.heapify(queue)
    number = len(first)
    for _ in range(work_max):
        if not queue:
            return Ended.ALL
        _, _, piece, gone, turned, line = heapq.heappop(queue)
        if piece == ways.END or ways.head[piece] == ways.END:
            yield _tether(world, start, anchor, ways, line)
            continue
        gone += ways.length[piece]
        line = (ways.head[piece], line)
        for following, turn in ways.following(piece):
            run = turned + turn if turned * turn > 0.0 else turn
            total = gone + ways.to_go[following]
            if total > length_max:
                break  # they are sorted
            if abs(run) <= turn_max:
                number += 1
                heapq.heappush(queue, (total, number, following, gone, run, line))
    return Ended.WORK if queue else Ended.ALL


def _tether(world: PlanarWorld, start: Array, anchor: Array, ways: ToAnchor, line: Any) -> TautTether:
    points = [anchor]
    while line is not None:
        points.append(ways.corners.points[line[0]])
        line = line[1]
    return taut_tether(world, np.array([*points, start][::-1]))
