"""A planner of one team in one world: automata, cells and transitions are made once, for many searches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from tetherlab.contracts import check
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.automata.joined import join
from tetherlab.planning.cells import Cells
from tetherlab.planning.plan import Plan
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.problem import Problem
from tetherlab.planning.solve import TransitionTable, solve
from tetherlab.planning.supercells import Supercells
from tetherlab.planning.team import Team
from tetherlab.planning.team_models import END, assemble
from tetherlab.planning.team_moves import TeamMoves

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
