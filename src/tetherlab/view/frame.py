"""One moment of a run, as it is drawn, by the names of what is there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
NOTHING = np.zeros((0, 3))


class Pose(NamedTuple):
    """Where something is and how it is turned."""

    position: Vector  # [m], (3,)
    wxyz: Vector  # body to world, (4,)


@dataclass(frozen=True, kw_only=True)
class Strand:
    """A tether at one moment."""

    points: Vector = field(default_factory=lambda: NOTHING)  # from its start to its end [m], (n, 3)
    tension: Vector = field(default_factory=lambda: np.zeros(0))  # at them [N], (n,)
    contacts: Vector = field(default_factory=lambda: NOTHING)  # where it touches something [m], (k, 3)
    length: float | None = None  # that is out [m]


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What is seen at one moment; what is not known is missing."""

    time: float  # [s]
    poses: dict[str, Pose] = field(default_factory=dict)  # of the frames of robots and bodies
    tethers: dict[str, Strand] = field(default_factory=dict)
    targets: dict[str, Vector] = field(default_factory=dict)  # where they should be now [m], (3,)
    decks: dict[str, Vector] = field(default_factory=dict)  # roll and pitch on their rover [rad], (2,)
    thrusts: dict[str, Vector] = field(default_factory=dict)  # left and right, of hanging robots [N], (2,)
    idle: frozenset[str] = frozenset()  # drones whose rotors stand still

    @property
    def tension_max(self) -> float:
        """Anywhere in any tether [N]."""
        return max((float(s.tension.max(initial=0.0)) for s in self.tethers.values()), default=0.0)
