"""In random worlds every plan passes the judge, costs what an exhaustive search finds, and none is missed."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from window_world import window

from tetherlab.planning.cooperative import Plan, PlanStatus, plan
from tetherlab.planning.team_models import paper_uav, paper_ugv

sys.path.insert(0, str(Path(__file__).parents[2]))  # `validation` is not part of the package

from validation.planned_worlds import COSTS_DIFFER, FAULT, UNFOUND, UNREAL, Judged, judge, verdict


def faults(first: int, last: int) -> list[Judged]:
    return [found for seed in range(first, last) if (found := judge(seed)).faults]


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_plans_of_random_worlds(first: int) -> None:
    assert not faults(first, first + 20)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(80, 1000, 92))
def test_plans_of_a_thousand_random_worlds(first: int) -> None:
    assert not faults(first, min(first + 92, 1000))


def test_the_verdict_sees_each_fault() -> None:
    """A plan that is missed, one that cannot be, one that is too dear, and one that the judge refuses."""
    problem = window()
    right = plan(problem, automata=[paper_uav(), paper_ugv()])
    none = Plan(PlanStatus.NO_PLAN)
    assert verdict(problem, right, right) == [] and verdict(problem, none, None) == []
    assert verdict(problem, none, right)[0].startswith(UNFOUND)
    assert verdict(problem, Plan(PlanStatus.GAVE_UP), None)[0].startswith(UNFOUND)
    assert verdict(problem, right, None)[0].startswith(UNREAL)
    assert verdict(problem, right, replace(right, cost=0.99 * right.cost))[0].startswith(COSTS_DIFFER)
    cut = replace(right, steps=right.steps[:-1])
    assert any(fault.startswith(FAULT) for fault in verdict(problem, cut, right))
