"""A* over (location of the automaton, state of the team), first greedily, then down to the least cost."""

from __future__ import annotations

import heapq
import time
from collections.abc import Hashable, Iterable
from typing import Any, NamedTuple, Protocol

from tetherlab.planning.automata.event import Location
from tetherlab.planning.automata.finite import FiniteAutomaton

GREED = (5.0, 1.0)  # weights of what is left, in the order in which they are tried
CHECK_EVERY = 16  # nodes between two looks at the clock


class Move(NamedTuple):
    """Where an activity may lead."""

    state: Hashable
    cost: float
    details: dict[str, Any]  # of the step: way, sentence, ...


class Activities(Protocol):
    """What labels do to a team; the continuous half of a join of hybrid automata."""

    def start(self) -> Hashable:
        """State of the team."""

    def moves(self, label: str, state: Any) -> Iterable[Move]:
        """All that a label may do there: none, if its guard does not hold."""

    def finished(self, state: Any) -> bool:
        """Whether the goal is reached."""

    def at_least(self, state: Any) -> float:
        """What is left to be paid, never too much."""


class Found(NamedTuple):
    """What a search came to."""

    way: list[tuple[str, Location, Location, Move]] | None  # label, from, to, move
    cost: float
    proven: bool  # the cheapest, or, without a way, that there is none
    expanded: int


class _OutOfTime(Exception):
    pass


def search(
    automaton: FiniteAutomaton,
    activities: Activities,
    *,
    end: str,
    time_limit: float,
    greed: Iterable[float] = GREED,
) -> Found:
    """The cheapest way to the goal; `end` is the label that says it is reached, and moves nobody.

    A way that was found while greed was high is kept if the time ends before the cheapest is known.
    """
    deadline = time.perf_counter() + time_limit
    best, cost, expanded = None, float("inf"), 0
    for weight in greed:
        try:
            way, price, more = _a_star(automaton, activities, end, weight, cost, deadline)
        except _OutOfTime:
            return Found(best, cost, False, expanded)
        expanded += more
        if way is None and best is None:
            return Found(None, cost, True, expanded)
        if way is not None:
            best, cost = way, price
    return Found(best, cost, True, expanded)


def _a_star(
    automaton: FiniteAutomaton,
    activities: Activities,
    end: str,
    weight: float,
    cost_max: float,
    deadline: float,
) -> tuple[list[tuple[str, Location, Location, Move]] | None, float, int]:
    """The way, its cost, and how many nodes were looked at; None: none is cheaper than cost_max."""
    first = activities.start()
    nodes: dict[Hashable, tuple[float, Any]] = {}  # cost so far, and how it came there
    queue: list[tuple[float, int, float, Location, Any]] = []
    for number, location in enumerate(sorted(automaton.initial, key=str)):
        nodes[location, first] = (0.0, None)
        queue.append((weight * activities.at_least(first), number, 0.0, location, first))
    heapq.heapify(queue)
    number, expanded, done = len(queue), 0, set()
    while queue:
        _, _, so_far, location, state = heapq.heappop(queue)
        node = (location, state)
        if node in done:
            continue
        done.add(node)
        expanded += 1
        if expanded % CHECK_EVERY == 0 and time.perf_counter() > deadline:
            raise _OutOfTime
        for event in automaton.events_from(location):
            if event.label == end:
                if activities.finished(state):
                    return _way(nodes, node), so_far, expanded
                continue
            if event.label is None:
                continue
            for move in activities.moves(event.label, state):
                after, price = (event.target, move.state), so_far + move.cost
                known = nodes.get(after)
                if price >= cost_max or (known is not None and known[0] <= price):
                    continue
                done.discard(after)  # greed may have come there on a dearer way
                nodes[after] = (price, (event.label, location, event.target, move, node))
                number += 1
                left = activities.at_least(move.state)
                heapq.heappush(queue, (price + weight * left, number, price, event.target, move.state))
    return None, float("inf"), expanded


def _way(
    nodes: dict[Hashable, tuple[float, Any]], node: Hashable
) -> list[tuple[str, Location, Location, Move]]:
    way = []
    while nodes[node][1] is not None:
        label, source, target, move, node = nodes[node][1]
        way.append((label, source, target, move))
    return way[::-1]
