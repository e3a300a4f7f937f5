"""Steps of a plan side by side: who does not need the other need not wait (paper 004 leaves this open).

A plan is a list of turns. Two steps must keep their order if they share a robot, or if the way or tether of
one comes near that of the other; all others may overlap.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.planning.plan import Plan, Step
from tetherlab.planning.polygon import distance_to_piece, pieces_meet
from tetherlab.planning.problem import Problem
from tetherlab.planning.ways import length_of

Curve = NDArray[np.float64]
SPEEDS: Mapping[str, float] = {"δ": 0.8, "β": 0.3, "γ'": 0.5, "f'": 0.25, "r'": 0.25}  # [m/s]
DRIVING = 0.5  # of all others [m/s]
PAUSE = 2.0  # of each action: to start, to stop, to hook [s]


class Slot(NamedTuple):
    """When a step is carried out."""

    step: Step
    start: float  # [s]
    end: float  # [s]


class Schedule(NamedTuple):
    """All steps, in the order of the plan."""

    slots: tuple[Slot, ...]

    @property
    def duration(self) -> float:
        """Until all is done [s]."""
        return max((slot.end for slot in self.slots), default=0.0)

    @property
    def in_turns(self) -> float:
        """The same if nobody ever moved beside another [s]."""
        return sum(slot.end - slot.start for slot in self.slots)


def schedule(problem: Problem, plan: Plan, clearance: float = 0.1) -> Schedule:
    """Start each step as soon as those that it must wait for are done.

    clearance: beside the radii, that ways of two robots keep from each other [m].
    """
    check.non_negative("clearance", clearance)
    slots: list[Slot] = []
    for number, step in enumerate(plan.steps):
        start = 0.0
        for earlier in range(number):
            if _ordered(problem, plan.steps[earlier], step, clearance):
                start = max(start, slots[earlier].end)
        slots.append(Slot(step, start, start + duration(step)))
    return Schedule(tuple(slots))


def duration(step: Step) -> float:
    """Of a step [s]."""
    return PAUSE + length_of(step.way) / SPEEDS.get(step.label.partition(":")[0], DRIVING)


def _ordered(problem: Problem, first: Step, second: Step, clearance: float) -> bool:
    """Whether one must wait for the other."""
    if _robots(first) & _robots(second):
        return True
    apart = clearance + problem.agent(first.agent).radius + problem.agent(second.agent).radius
    return any(_distance(a, b) < apart for a in _swept(first) for b in _swept(second))


def _robots(step: Step) -> set[str]:
    return {name for name in (step.agent, step.partner) if name}


def _swept(step: Step) -> list[Curve]:
    """What a step moves through: its way, and its tether."""
    return [step.way, *([] if step.tether is None else [step.tether])]


def _distance(a: Curve, b: Curve) -> float:
    """Least distance of two polylines in the plane [m]."""
    nearest = np.inf
    for p, q in pairwise(a):
        for r, s in pairwise(b):
            if pieces_meet(p, q, r, s):
                return 0.0
            ends = ((p, r, s), (q, r, s), (r, p, q), (s, p, q))
            nearest = min(nearest, *(distance_to_piece(*three) for three in ends))
    return float(nearest)
