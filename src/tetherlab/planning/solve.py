"""From automata and activities to a plan: the transition table, the search over it, and what it came to."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

from tetherlab.planning.automata.event import Event, Location
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.plan import Plan, PlanStatus, Step
from tetherlab.planning.search import Activities, Found, Move, search

NODES_MAX = 2000  # of the table that is made before a search; more are added when they are asked for


class Transition(NamedTuple):
    """A step that can be taken."""

    event: Event
    state: Any  # of the team before
    move: Move


class TransitionTable:
    """`Activities` that are computed once: where each label leads from each state."""

    def __init__(self, automaton: FiniteAutomaton, activities: Activities) -> None:
        self.automaton, self.activities = automaton, activities
        self._moves: dict[tuple[str, Hashable], list[Move]] = {}

    def start(self) -> Hashable:
        """State of the team."""
        return self.activities.start()

    def moves(self, label: str, state: Any) -> list[Move]:
        """All that a label may do there."""
        key = label, state
        if key not in self._moves:
            self._moves[key] = list(self.activities.moves(label, state))
        return self._moves[key]

    def finished(self, state: Any) -> bool:
        """Whether the goal is reached."""
        return self.activities.finished(state)

    def at_least(self, state: Any) -> float:
        """What is left to be paid, never too much."""
        return self.activities.at_least(state)

    def fill(self, nodes_max: int = NODES_MAX) -> None:
        """Look ahead, breadth first, from the start."""
        for _ in self.walk(nodes_max):
            pass

    def walk(self, nodes_max: int = NODES_MAX) -> Iterator[Transition]:
        """All that can happen, breadth first from the start, until so many nodes are known."""
        first = [(location, self.start()) for location in sorted(self.automaton.initial, key=str)]
        seen: set[tuple[Location, Hashable]] = set(first)
        queue = deque(first)
        while queue and len(seen) < nodes_max:
            location, state = queue.popleft()
            for event in self.automaton.events_from(location):
                for move in self.moves(event.label, state) if event.label is not None else ():
                    yield Transition(event, state, move)
                    after = (event.target, move.state)
                    if after not in seen:
                        seen.add(after)
                        queue.append(after)

    @property
    def transitions(self) -> int:
        """How many it holds."""
        return sum(len(moves) for moves in self._moves.values())


def solve(table: TransitionTable, *, end: str, time_limit: float, setup_time: float) -> Plan:
    """The cheapest plan, or the best that was found within a time [s]."""
    begun = time.perf_counter()
    found = search(table.automaton, table, end=end, time_limit=time_limit)
    return _plan(found, time.perf_counter() - begun, setup_time)


def _plan(found: Found, search_time: float, setup_time: float) -> Plan:
    times: dict[str, Any] = {
        "expanded": found.expanded, "search_time": search_time, "setup_time": setup_time
    }  # fmt: skip
    if found.way is None:
        return Plan(PlanStatus.NO_PLAN if found.proven else PlanStatus.GAVE_UP, **times)
    steps = tuple(
        Step(label=label, source=source, target=target, cost=move.cost, **move.details)
        for label, source, target, move in found.way
    )
    status = PlanStatus.SOLVED if found.proven else PlanStatus.IMPROVABLE
    return Plan(status, steps, found.cost, **times)
