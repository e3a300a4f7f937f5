"""A tether pulled taut among obstacles: its line, where it bends, and the hinges a robot can swing from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.polygon import cross
from tetherlab.planning.words import Word, holes_of, word_of

Array = NDArray[np.float64]

LEVEL = 1e-9  # a pull that points down by less than this share of the tension is level


class Bend(NamedTuple):
    """A corner that a taut tether bends round."""

    point: tuple[float, float]  # [m]
    turn: float  # positive to the left as one goes from the start to the anchor [rad]
    upper: bool  # the tether lies on the corner and presses it down


@dataclass(frozen=True, eq=False)
class TautTether:
    """The shortest curve of its homotopy class."""

    points: Array  # from the start over the bends to the anchor [m], (n, 2)
    length: float  # [m]
    signature: Word  # see `words.py`
    bends: tuple[Bend, ...]  # in order from the start

    @property
    def hinges(self) -> Array:
        """Upper corners that it bends at, in order from the start, then the anchor [m], (k, 2)."""
        upper = [bend.point for bend in self.bends if bend.upper]
        return np.array([*upper, tuple(self.points[-1])])


def taut_tether(world: PlanarWorld, points: Array) -> TautTether:
    """Of a line that is known to be taut."""
    along = np.diff(points, axis=0)
    lengths = np.hypot(along[:, 0], along[:, 1])
    turns = np.arctan2(cross(along[:-1], along[1:]), (along[:-1] * along[1:]).sum(axis=1))
    # The corner feels the tension along both pieces; their sum points into the obstacle.
    with np.errstate(invalid="ignore"):
        rise = along[:, 1] / lengths
    presses = rise[1:] - rise[:-1] < -LEVEL
    bends = tuple(
        Bend((float(x), float(z)), float(turn), bool(upper))
        for (x, z), turn, upper in zip(points[1:-1], turns, presses, strict=True)
    )
    return TautTether(points, math.fsum(lengths), word_of(holes_of(world), points), bends)
