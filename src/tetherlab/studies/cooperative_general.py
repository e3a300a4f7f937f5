"""The same tasks for a general task planner: what it finds with the join, without it, and without the plane.

The peers of paper 004, GRSTAPS and hybrid optimal control by convex relaxation, come as no package; in their
place stands unified-planning with pyperplan, which knows facts and actions but no plane, forces or costs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple

from tetherlab.contracts.extras import what_is_missing
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.automata.joined import join
from tetherlab.planning.dual_ugv import plan_dual_ugv
from tetherlab.planning.search import Activities
from tetherlab.planning.solve import TransitionTable
from tetherlab.planning.team_models import END
from tetherlab.studies.cooperative_plans import NAMES, STUDY, case, planner_of
from tetherlab.studies.rows import Row

ALONE = "Each robot's automaton, with the plane: the labels that it needs are dormant."
FLAT = "The join without the plane: {}, which leads to no goal."
TOLD = "The join, and all steps that guards license as facts: {}. The fewest steps, not the least cost."
PEER = (
    "pyperplan, in place of GRSTAPS and hybrid optimal control, the paper's peers, which come as no package."
)


class Encoded(NamedTuple):
    """An action for a planner that knows nothing but facts."""

    label: str
    before: frozenset[Hashable]  # facts that must hold
    after: frozenset[Hashable]  # facts that hold then, in place of those


class General(NamedTuple):
    """What the general planner came to."""

    labels: tuple[str, ...] | None  # None: it found no plan
    duration: float  # [s]


def run(add: Callable[[Row], None], say: Callable[[str], None] = lambda text: None) -> None:
    """Each team in three ways."""
    if sentence := what_is_missing("study"):
        say(sentence)
        return
    for name, who in NAMES.items():
        members, moves = case(name)
        team: FiniteAutomaton = join(*members)
        ours = _ours(name)
        alone = [general_plan(member, moves) for member in members if member.initial]
        count = sum(each.labels is not None for each in alone)
        add(Row(STUDY, f"general planner, {who}: plans of single robots", "", None, count, ALONE))
        flat, told = general_plan(team), general_plan(team, moves)
        same = int(flat.labels == ours)
        words = FLAT.format(_text(flat))
        add(Row(STUDY, f"general planner, {who}: the same plan by the join alone", "", None, same, words))
        same = int(told.labels == ours)
        words = TOLD.format(_text(told))
        add(Row(STUDY, f"general planner, {who}: the same plan by join and plane", "", None, same, words))
        add(Row(STUDY, f"general planner, {who}: time", "ms", None, 1e3 * told.duration, PEER))


def general_plan(automaton: FiniteAutomaton, moves: Activities | None = None) -> General:
    """The plan of fewest steps; without `moves` every event can be fired wherever the team is."""
    from unified_planning.engines import PlanGenerationResultStatus as Status
    from unified_planning.shortcuts import (
        Fluent,
        InstantaneousAction,
        OneshotPlanner,
        Problem,
        get_environment,
    )

    get_environment().credits_stream = None
    actions = list(_graph(automaton) if moves is None else _told(automaton, moves))
    first = _facts(sorted(automaton.initial, key=str)[0], None if moves is None else moves.start())
    goals = [("location", place) for place in automaton.final]
    known = {fact for action in actions for fact in action.before | action.after} | first | set(goals)
    problem = Problem("team")
    fluents = {}
    for number, fact in enumerate(sorted(known, key=repr)):
        fluents[fact] = Fluent(f"fact_{number}")
        problem.add_fluent(fluents[fact], default_initial_value=fact in first)
    for number, action in enumerate(actions):
        made = InstantaneousAction(f"step_{number}")
        for fact in action.before:
            made.add_precondition(fluents[fact])
        for fact in action.before - action.after:
            made.add_effect(fluents[fact], False)
        for fact in action.after - action.before:
            made.add_effect(fluents[fact], True)
        problem.add_action(made)
    for goal in goals:
        problem.add_goal(fluents[goal])
    begun = time.perf_counter()
    with OneshotPlanner(name="pyperplan", params={"search": "bfs"}) as planner:
        result = planner.solve(problem)
    took = time.perf_counter() - begun
    if result.plan is None:
        assert result.status in (Status.UNSOLVABLE_PROVEN, Status.UNSOLVABLE_INCOMPLETELY), result.status
        return General(None, took)
    fired = [actions[int(step.action.name.removeprefix("step_"))].label for step in result.plan.actions]
    return General(tuple(label for label in fired if label != END), took)


def _graph(automaton: FiniteAutomaton) -> Iterator[Encoded]:
    """Events as they are drawn."""
    for event in automaton.events:
        if automaton.can_fire(event) and event.label is not None:
            yield Encoded(event.label, _facts(event.source, None), _facts(event.target, None))


def _told(automaton: FiniteAutomaton, moves: Activities) -> Iterator[Encoded]:
    """Steps that guards license, from all that can be come to."""
    table = TransitionTable(automaton, moves)
    nodes = {(location, moves.start()): None for location in automaton.initial}
    for event, state, move in table.walk():
        nodes[event.target, move.state] = None
        yield Encoded(str(event.label), _facts(event.source, state), _facts(event.target, move.state))
    for location, state in nodes:
        for event in automaton.events_from(location):
            if event.label == END and moves.finished(state):
                yield Encoded(END, _facts(location, state), _facts(event.target, state))


def _facts(location: Hashable, state: Any) -> frozenset[Hashable]:
    """A location, and each part of a team's state, as facts that hold or not."""
    facts: set[Hashable] = {("location", location)}
    for name, value in () if state is None else state._asdict().items():
        parts = value if isinstance(value, tuple) else (value,)
        facts |= {(name, number, part) for number, part in enumerate(parts)}
    return frozenset(facts)


def _ours(name: str) -> tuple[str, ...]:
    return (plan_dual_ugv() if name == "dual_ugv" else planner_of(name).plan()).labels


def _text(found: General) -> str:
    return "no plan" if found.labels is None else " ".join(found.labels)
