"""Two ground robots that become one (paper 004, section 6).

A walker that cannot turn is joined by magnets to a wheeled robot, driven to a switch, and flips it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tetherlab.contracts import check
from tetherlab.planning.automata.event import Event
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.automata.joined import join
from tetherlab.planning.plan import Plan
from tetherlab.planning.problem import Point, place
from tetherlab.planning.search import Move
from tetherlab.planning.solve import TransitionTable, solve
from tetherlab.planning.team_models import END

NEAR = 1e-6  # of equal places [m]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class DualUgvProblem:
    """On the floor, seen from above. The walker starts at the origin and looks along x."""

    wheeled: Point = (-1.0, 0.8)  # where the wheeled robot starts [m]
    heading: float = 0.0  # of it [rad]
    switch: Point = (1.5, 1.0)  # where the joined robot must be to flip it [m]
    gap: float = 0.2  # behind the walker, from which the magnets pull [m]
    fixed_cost: float = 0.5  # of an action that goes nowhere

    def __post_init__(self) -> None:
        place("wheeled", self.wheeled)
        place("switch", self.switch)
        check.number("heading", self.heading)
        check.positive("gap", self.gap)
        check.non_negative("fixed_cost", self.fixed_cost)


class DualState(NamedTuple):
    """Of both robots."""

    wheeled: Point  # [m]
    aligned: bool  # looks along x
    walker: Point  # [m]
    joined: bool = False  # by magnets, with the legs off the floor
    flipped: bool = False  # the switch


class DualUgvMoves:
    """`Activities` of both. As printed, the guards of i and j can never hold, and κ forgets the switch."""

    def __init__(self, problem: DualUgvProblem) -> None:
        self.problem = problem

    def start(self) -> DualState:
        """As the problem says."""
        aligned = abs(math.remainder(self.problem.heading, math.tau)) < NEAR
        return DualState(self.problem.wheeled, aligned, (0.0, 0.0))

    def finished(self, state: DualState) -> bool:
        """The switch was flipped."""
        return state.flipped

    def at_least(self, state: DualState) -> float:
        """The straight way of the joined robot to the switch, and flipping it."""
        if state.flipped:
            return 0.0
        return math.dist(state.wheeled, self.problem.switch) * state.joined + self.problem.fixed_cost

    def moves(self, label: str, state: DualState) -> Iterator[Move]:
        """Of one label."""
        do = {"r": self._r, "p": self._p, "c": self._c, "a": self._a, "j": self._j, "i": self._i}
        yield from do[label](state) if label in do else ()

    def _r(self, state: DualState) -> Iterator[Move]:
        """The wheeled robot drives behind the walker."""
        behind = (state.walker[0] - self.problem.gap, state.walker[1])
        if not state.joined and math.dist(behind, state.wheeled) > NEAR:
            after = state._replace(wheeled=behind, aligned=False)
            yield self._gone("wheeled", state.wheeled, behind, after, "drives behind the walking robot")

    def _p(self, state: DualState) -> Iterator[Move]:
        """It turns until its magnets face the walker."""
        if not state.joined and self._behind(state) and not state.aligned:
            yield self._stays("wheeled", state.wheeled, state._replace(aligned=True), "turns towards it")

    def _c(self, state: DualState) -> Iterator[Move]:
        """The magnets join, and the walker lifts its legs."""
        if not state.joined and self._behind(state) and state.aligned:
            after = state._replace(joined=True)
            yield self._stays("walking", state.walker, after, "is joined by the magnets and lifts its legs")

    def _a(self, state: DualState) -> Iterator[Move]:
        """The walker goes along its line, to where it is nearest to the switch."""
        ahead = (self.problem.switch[0], state.walker[1])
        if not state.joined and math.dist(ahead, state.walker) > NEAR:
            yield self._gone("walking", state.walker, ahead, state._replace(walker=ahead), "walks ahead")

    def _j(self, state: DualState) -> Iterator[Move]:
        """Both drive to the switch."""
        there = self.problem.switch
        if state.joined and math.dist(there, state.wheeled) > NEAR:
            after = state._replace(wheeled=there, walker=(there[0] + self.problem.gap, there[1]))
            yield self._gone("wheeled", state.wheeled, there, after, "drives both to the switch")

    def _i(self, state: DualState) -> Iterator[Move]:
        """The lifted legs flip the switch."""
        if state.joined and math.dist(self.problem.switch, state.wheeled) <= NEAR and not state.flipped:
            yield self._stays("walking", state.walker, state._replace(flipped=True), "flips the switch")

    def _behind(self, state: DualState) -> bool:
        behind = (state.walker[0] - self.problem.gap, state.walker[1])
        return math.dist(behind, state.wheeled) <= NEAR

    def _gone(self, agent: str, start: Point, end: Point, after: DualState, words: str) -> Move:
        return Move(after, math.dist(start, end), _details(agent, [start, end], words))

    def _stays(self, agent: str, at: Point, after: DualState, words: str) -> Move:
        return Move(after, self.problem.fixed_cost, _details(agent, [at, at], words))


def _details(agent: str, way: list[Point], words: str) -> dict[str, Any]:
    return {"agent": agent, "way": np.array(way), "sentence": f"the {agent} robot {words}"}


def walking_ugv() -> FiniteAutomaton:
    """The walker of section 6.1."""
    return FiniteAutomaton(
        name="walking UGV",
        locations=[1, 2, 3, 4, 5, 6, 7, 8],
        events=[
            Event(1, "a", 3), Event(2, "a", 3), Event(4, "c", 5), Event(5, "j", 6), Event(5, "i", 7),
            Event(7, "j", 6), Event(6, "i", 7), Event(3, END, 8), Event(6, END, 8), Event(7, END, 8),
        ],
        initial=1,
        final=8,
        labels=["a", "c", "i", "j", END],
    )  # fmt: skip


def wheeled_ugv() -> FiniteAutomaton:
    """The wheeled robot of section 6.1."""
    return FiniteAutomaton(
        name="wheeled UGV",
        locations=[1, 2, 3, 4, 5, 6, 7, 8],
        events=[
            Event(1, "r", 2), Event(3, "r", 2), Event(2, "p", 4), Event(5, "j", 6), Event(5, "i", 7),
            Event(7, "j", 6), Event(6, "i", 7), Event(2, END, 8), Event(6, END, 8), Event(7, END, 8),
        ],
        initial=1,
        final=8,
        labels=["r", "p", "i", "j", END],
    )  # fmt: skip


def plan_dual_ugv(problem: DualUgvProblem | None = None, *, time_limit: float = 60.0) -> Plan:
    """How both flip the switch."""
    begun = time.perf_counter()
    table = TransitionTable(join(walking_ugv(), wheeled_ugv()), DualUgvMoves(problem or DualUgvProblem()))
    table.fill()
    return solve(table, end=END, time_limit=time_limit, setup_time=time.perf_counter() - begun)
