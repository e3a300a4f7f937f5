"""Plans of a team that works hand in hand: found by A*, or shown not to exist, with the reason."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from tetherlab.contracts import check
from tetherlab.planning.abilities import abilities
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.automata.joined import join
from tetherlab.planning.cells import Cells
from tetherlab.planning.plan import Plan, PlanStatus, Step
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.problem import Agent, Costs, Held, Problem, Winch
from tetherlab.planning.solve import TransitionTable, solve
from tetherlab.planning.supercells import Supercells
from tetherlab.planning.team import Team
from tetherlab.planning.team_models import END, assemble
from tetherlab.planning.team_moves import TeamMoves
from tetherlab.planning.ways import length_of

__all__ = ["Agent", "Costs", "Held", "Plan", "PlanStatus", "Planner", "Problem", "Step", "Winch", "plan"]

CELLS = 40  # along the longer side of the plane
TIME_LIMIT = 60.0  # [s]


class Planner:
    """Of one world and team: set up once, it searches as often as it is asked."""

    def __init__(
        self, problem: Problem, *, automata: Sequence[FiniteAutomaton] | None = None, cells: int = CELLS
    ) -> None:
        """automata: of the members, if they shall not be assembled from what each can do."""
        begun = time.perf_counter()
        check.instance("problem", problem, Problem)
        self.problem = problem
        self.members = list(automata) if automata is not None else assemble(problem.agents)
        self.automaton: FiniteAutomaton = join(*self.members)
        world = PlanarWorld(problem.bounds, list(problem.obstacles))
        self.team = Team(problem, world, Cells(world, cells))
        for agent in problem.agents:
            self.team.supercells(agent)
            self.team.rooms.of(agent.radius)
        self.table = TransitionTable(self.automaton, TeamMoves(self.team))
        self.table.fill()
        self.setup_time = time.perf_counter() - begun  # [s]

    def plan(self, time_limit: float = TIME_LIMIT) -> Plan:
        """The cheapest plan, or the best that was found within a time [s]."""
        check.positive("time_limit", time_limit)
        found = solve(self.table, end=END, time_limit=time_limit, setup_time=self.setup_time)
        return replace(found, counts=self.counts)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Of cells, supercells and transitions; they belong to no measured time."""
        return Supercells(self.team, self.table).counts()


def plan(
    problem: Problem,
    *,
    automata: Sequence[FiniteAutomaton] | None = None,
    cells: int = CELLS,
    time_limit: float = TIME_LIMIT,
    explain: bool = True,
) -> Plan:
    """Plan for a team. If no plan exists, `reasons` say why, unless they are not asked for."""
    planner = Planner(problem, automata=automata, cells=cells)
    found = planner.plan(time_limit)
    if found.status is PlanStatus.NO_PLAN and explain:
        return replace(found, reasons=_reasons(planner, cells, time_limit))
    return found


def _reasons(planner: Planner, cells: int, time_limit: float) -> tuple[str, ...]:
    """What would have to be otherwise: limits are lifted one by one, and those that help are named first.

    Guards that did not hold during the search follow; one of them may be all that is known.
    """
    problem, found = planner.problem, []
    for sentence, relaxed, automata in _relaxed(planner):
        attempt = Planner(relaxed, automata=automata, cells=cells).plan(time_limit)
        if attempt.status.has_plan:
            found.append(f"{sentence}: then {attempt.symbols}")
    said = [text for sentences in planner.team.refused.values() for text in sentences]
    for name, goal in problem.goal.items():
        agent = problem.agent(name)
        index = planner.team.cells.at(goal)
        if not planner.team.cells.room(agent.radius)[index]:
            said.insert(0, f"there is no room for {name} at its goal ({goal[0]:.2f}, {goal[1]:.2f})")
    return (*found, *dict.fromkeys(said))


def _relaxed(planner: Planner) -> list[tuple[str, Problem, Sequence[FiniteAutomaton] | None]]:
    """Each limit lifted: a sentence, and the problem without it."""
    problem, given = planner.problem, planner.members
    relaxed: list[tuple[str, Problem, Sequence[FiniteAutomaton] | None]] = []
    for index, agent in enumerate(problem.agents):
        others = [a for i, a in enumerate(problem.agents) if i != index]

        def with_(changed: Agent, others: list[Agent] = others) -> Problem:
            return replace(problem, agents=[*others, changed])

        if agent.winch is not None:
            longer = replace(agent.winch, length=1e6)
            need = Planner(with_(replace(agent, winch=longer)), automata=given).plan()
            length = max((_longest(step) for step in need.steps), default=math.nan)
            held = f"{agent.winch.length:g} m, {length:.2f} m are needed"
            sentence = f"the tether of {agent.name} is too short: {held}"
            relaxed.append((sentence, with_(replace(agent, winch=longer)), given))
            strong = replace(agent.winch, force_max=math.inf)
            sentence = f"the winch of {agent.name} is too weak: {agent.winch.force_max:g} N"
            relaxed.append((sentence, with_(replace(agent, winch=strong)), given))
        if agent.perch_force is not None:
            sentence = f"{agent.name} does not hold enough at its perch: {agent.perch_force:g} N"
            relaxed.append((sentence, with_(replace(agent, perch_force=math.inf)), given))
        if agent.winch is not None and not agent.latch:
            sentence = f"nobody can latch the tether (d): {agent.name} has a winch, but cannot latch"
            relaxed.append((sentence, with_(replace(agent, latch=True)), None))
        if agent.fly and (agent.perch_force is None or not agent.land):
            able = replace(agent, perch_force=math.inf, land=True)
            sentence = f"nobody can land and perch (β, γ'): {agent.name} flies, but cannot"
            relaxed.append((sentence, with_(able), None))
    missing = sorted(
        {e.label for e in planner.automaton.events if e.label is not None} - planner.automaton.labels
    )
    for label in missing:
        owner = FiniteAutomaton(locations=["nowhere"], events=[], initial=(), labels=[label], name="somebody")
        if any(label in abilities(agent) for agent in problem.agents):
            relaxed.append((f"nobody owns the action {label}", problem, [*given, owner]))
    return relaxed


def _longest(step: Step) -> float:
    return 0.0 if step.tether is None else length_of(step.tether)
