"""What a planner answers: steps with their ways and what each costs, or why there are none."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from tetherlab.planning.problem import Point

Curve = NDArray[np.float64]  # (n, 2): x, z [m]


class PlanStatus(Enum):
    """How the search ended; `value` is the sentence."""

    SOLVED = "a plan of least cost was found"
    IMPROVABLE = "a plan was found, but the time was over before it was shown to be the cheapest"
    NO_PLAN = "no plan exists"
    GAVE_UP = "the time was over before a plan was found"

    @property
    def has_plan(self) -> bool:
        """Whether there is one to be carried out."""
        return self in (PlanStatus.SOLVED, PlanStatus.IMPROVABLE)


@dataclass(frozen=True, eq=False)
class Step:
    """One action of one agent; all others wait."""

    label: str
    agent: str
    way: Curve  # of the agent's centre, (n, 2) [m]
    cost: float  # in metres of driving
    sentence: str  # what happens, in words
    source: object = None  # location of the automaton before
    target: object = None  # and after
    tether: Curve | None = None  # taut, from the ground robot to what holds it, after the step, (n, 2) [m]
    hinge: Point | None = None  # from which it hangs meanwhile [m]
    partner: str = ""  # whom it works with


@dataclass(frozen=True, eq=False)
class Plan:
    """Steps in their order."""

    status: PlanStatus
    steps: tuple[Step, ...] = ()
    cost: float = float("nan")  # of all steps
    reasons: tuple[str, ...] = ()  # why there is none, the most telling first
    expanded: int = 0  # nodes that the search looked at
    search_time: float = 0.0  # [s]
    setup_time: float = 0.0  # [s]
    counts: dict[str, int] = field(default_factory=dict)  # of cells, supercells, transitions, ...

    @property
    def labels(self) -> tuple[str, ...]:
        """The plan in symbols."""
        return tuple(step.label for step in self.steps)

    @property
    def symbols(self) -> str:
        """The same in one line."""
        return " ".join(self.labels)

    def __str__(self) -> str:
        if not self.status.has_plan:
            return "\n".join([self.status.value, *(f"- {reason}" for reason in self.reasons)])
        lines = [f"{self.symbols}   (cost {self.cost:.2f} m)"]
        lines += [f"{i}. {step.label}  {step.sentence}" for i, step in enumerate(self.steps, 1)]
        return "\n".join(lines)
