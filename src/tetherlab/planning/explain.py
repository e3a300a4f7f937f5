"""Why there is no plan: limits are lifted one by one, and those without which there is one are named."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tetherlab.planning.abilities import abilities
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.plan import Plan
from tetherlab.planning.planner import Planner
from tetherlab.planning.problem import Agent, Problem, Winch
from tetherlab.planning.ways import length_of


def reasons(planner: Planner, cells: int, time_limit: float) -> tuple[str, ...]:
    """What would have to be otherwise: limits are lifted one by one, and those that help are named first.

    Guards that did not hold during the search follow; one of them may be all that is known.
    """
    problem = planner.problem
    found = _helpful(_limits(planner), cells, time_limit) or _helpful(_pairs(planner), cells, time_limit)
    said = [text for sentences in planner.team.refused.values() for text in sentences]
    for name, goal in problem.goal.items():
        agent = problem.agent(name)
        index = planner.team.cells.at(goal)
        if not planner.team.cells.room(agent.radius)[index]:
            said.insert(0, f"there is no room for {name} at its goal ({goal[0]:.2f}, {goal[1]:.2f})")
    return (*found, *dict.fromkeys(said))


def _helpful(limits: Iterable[Limit], cells: int, time_limit: float) -> list[str]:
    """Sentences about the limits without which there is a plan."""
    found = []
    for limit in limits:
        attempt = Planner(limit.without, automata=limit.automata, cells=cells).plan(time_limit)
        if attempt.status.has_plan:
            needed = f", {_longest(attempt, limit.winch_of):.2f} m are needed" if limit.winch_of else ""
            found.append(f"{limit.sentence}{needed}: then {attempt.symbols}")
    return found


class Limit(NamedTuple):
    """Something that may be why there is no plan, and the problem without it."""

    sentence: str
    without: Problem
    automata: Sequence[FiniteAutomaton] | None
    winch_of: str = ""  # whose tether it is about


def _limits(planner: Planner) -> Iterator[Limit]:
    """One by one."""
    problem, given = planner.problem, planner.members
    for index, agent in enumerate(problem.agents):

        def with_(changed: Agent, index: int = index) -> Problem:
            agents = [changed if i == index else other for i, other in enumerate(problem.agents)]
            return replace(problem, agents=agents)

        if agent.winch is not None:
            longer = with_(replace(agent, winch=replace(agent.winch, length=1e6)))
            sentence = f"the tether of {agent.name} is too short: {agent.winch.length:g} m"
            yield Limit(sentence, longer, given, agent.name)
            stronger = with_(replace(agent, winch=replace(agent.winch, force_max=math.inf)))
            yield Limit(
                f"the winch of {agent.name} is too weak: {agent.winch.force_max:g} N", stronger, given
            )
        if agent.perch_force is not None:
            sentence = f"{agent.name} does not hold enough at its perch: {agent.perch_force:g} N"
            yield Limit(sentence, with_(replace(agent, perch_force=math.inf)), given)
        if agent.winch is not None and not agent.latch:
            sentence = f"nobody can latch the tether (d): {agent.name} has a winch, but cannot latch"
            yield Limit(sentence, with_(replace(agent, latch=True)), None)
        if agent.fly and (agent.perch_force is None or not agent.land):
            able = replace(agent, perch_force=math.inf, land=True)
            sentence = f"nobody can land and perch (β, γ'): {agent.name} flies, but cannot"
            yield Limit(sentence, with_(able), None)
    missing = sorted(
        {e.label for e in planner.automaton.events if e.label is not None} - planner.automaton.labels
    )
    for label in missing:
        owner = FiniteAutomaton(locations=["nowhere"], events=[], initial=(), labels=[label], name="somebody")
        if any(label in abilities(agent) for agent in problem.agents):
            yield Limit(f"nobody owns the action {label}", problem, [*given, owner])


def _pairs(planner: Planner) -> Iterator[Limit]:
    """Two at once, where neither is the only one."""
    problem = planner.problem
    for index, agent in enumerate(problem.agents):
        if agent.winch is not None:
            free = replace(agent, winch=Winch(length=1e6))
            agents = [free if i == index else other for i, other in enumerate(problem.agents)]
            sentence = f"the winch of {agent.name} is too weak with {agent.winch.force_max:g} N, "
            sentence += f"and its tether too short: {agent.winch.length:g} m"
            yield Limit(sentence, replace(problem, agents=agents), planner.members, agent.name)


def _longest(found: Plan, owner: str) -> float:
    """Length of a robot's tether that a plan takes [m]."""
    steps = (step for step in found.steps if owner in (step.agent, step.partner))
    return max((length_of(step.tether) for step in steps if step.tether is not None), default=math.nan)
