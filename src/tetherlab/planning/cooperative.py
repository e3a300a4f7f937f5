"""Plans of a team that works hand in hand: found by A*, or shown not to exist, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.explain import reasons
from tetherlab.planning.plan import Plan, PlanStatus, Step
from tetherlab.planning.planner import CELLS, TIME_LIMIT, Planner
from tetherlab.planning.problem import Agent, Costs, Held, Problem, Winch

__all__ = ["Agent", "Costs", "Held", "Plan", "PlanStatus", "Planner", "Problem", "Step", "Winch", "plan"]


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
        return replace(found, reasons=reasons(planner, cells, time_limit))
    return found
