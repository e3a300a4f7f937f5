"""Figures 3 and 5 to 8 of paper 004 redrawn, and the supercells of its window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tetherlab.planning.automata import Event, FiniteAutomaton
from tetherlab.planning.homotopy import taut_tethers
from tetherlab.planning.supercells import Supercells
from tetherlab.report.automaton_figure import draw_automata
from tetherlab.report.homotopy_figure import draw_tethers
from tetherlab.report.plan_figure import draw_plan
from tetherlab.report.supercell_figure import draw_supercells
from tetherlab.studies.cooperative_plans import case, planner_of


def run(picture: Callable[[str, Any], None]) -> None:
    """Automata with their joins, classes of tethers, supercells, plans."""
    picture("minimal_join", draw_automata(minimal_example()))
    picture("uav_ugv_join", draw_automata(case("over_the_wall").members))
    picture("arm_join", draw_automata(case("with_an_arm").members))
    picture("dual_ugv_join", draw_automata(case("dual_ugv").members))
    planner = planner_of("over_the_wall")
    problem, team = planner.problem, planner.team
    ugv = problem.agent("ugv")
    assert ugv.winch is not None
    tethers = taut_tethers(
        team.world, ugv.start, problem.perches[0], length_max=ugv.winch.length, windings=0.5
    )
    picture("classes", draw_tethers(team.world, list(tethers), team.cells))
    picture("supercells", draw_supercells(Supercells(team, planner.table)))
    picture("plan", draw_plan(problem, planner.plan()))
    with_arm = planner_of("with_an_arm")
    picture("arm_plan", draw_plan(with_arm.problem, with_arm.plan()))


def minimal_example() -> list[FiniteAutomaton]:
    """Figure 3: 4 and 5 need b of the first robot, then d and e of the second."""
    first = FiniteAutomaton(
        name="first",
        locations=[1, 2, 3, 6],
        events=[Event(1, "a", 2), Event(1, "b", 3), Event(2, None, 6)],
        initial=1,
        final=6,
        labels={"a", "b"},
    )
    second = FiniteAutomaton(
        name="second",
        locations=[1, 2, 3, 4, 5, 6],
        events=[Event(1, "c", 2), Event(3, "d", 4), Event(4, "e", 5), Event(2, None, 6), Event(5, None, 6)],
        initial=1,
        final=6,
        labels={"c", "d", "e"},
    )
    return [first, second]
