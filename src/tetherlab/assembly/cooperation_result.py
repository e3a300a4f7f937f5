"""What came of a cooperative plan, step by step."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.log import Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.planning.plan import Plan
from tetherlab.planning.problem import Point

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class CarriedOut:
    """A step, as it was planned and as it went. In metres and newtons of the plant."""

    label: str
    agent: str
    sentence: str  # of the plan
    planned: tuple[float, float]  # where it should end
    place: tuple[float, float]  # where it did
    length_planned: float  # of the taut tether after it; NaN: there is none
    length: float  # that was out
    tension_peak: float  # at the winch [N]
    perch_peak: float  # [N]
    start: float  # [s]
    end: float
    trouble: str = ""  # why it failed

    @property
    def error(self) -> float:
        """Between where it should have ended and where it did [m]."""
        return math.dist(self.planned, self.place)


@dataclass(frozen=True)
class Executed:
    """What came of a plan."""

    steps: tuple[CarriedOut, ...]
    plans: tuple[Plan, ...]  # the first, and those that were made after steps that failed
    errors: dict[str, float]  # distance of each agent from its goal in the end, in space [m]
    places: dict[str, Point]  # of all agents in the end, as the plan has them: where to plan from again
    tether: Vector | None  # as it lies then, from the ground robot on, as the plan has it, (n, 2)
    lift: float  # of the middle of the drone's disc above its centre of mass, which the log has [m]
    log: Log

    @property
    def succeeded(self) -> bool:
        """Whether every step was carried out, and all came to their goals."""
        return self.log.outcome is Outcome.COMPLETED

    def __str__(self) -> str:
        lines = [
            f"{s.label:>3}  {s.end - s.start:5.1f} s  off by {s.error:.2f} m  {s.trouble or s.sentence}"
            for s in self.steps
        ]
        lines += [f"{name} is {error:.3f} m from its goal" for name, error in self.errors.items()]
        return "\n".join([*lines, self.log.outcome_sentence])
