"""In random worlds every plan passes the judge, costs what an exhaustive search finds, and none is missed."""

import pytest
from exhaustive import solve
from random_worlds import kind_of, random_problem

from tetherlab.planning.cooperative import PlanStatus, plan
from tetherlab.planning.team_models import paper_uav, paper_ugv
from tetherlab.planning.validator import validate


def judge(seed: int) -> str:
    """What is wrong with the plan of a world, or nothing."""
    problem = random_problem(seed)
    best, found = solve(problem), plan(problem, automata=[paper_uav(), paper_ugv()], explain=False)
    if (best is None) != (found.status is PlanStatus.NO_PLAN):
        return f"{seed}, {kind_of(seed)}: {found.status.value}, exhaustive: {best and best.symbols}"
    if best is None:
        return ""
    if abs(best.cost - found.cost) > 1e-6 * best.cost:
        return (
            f"{seed}, {kind_of(seed)}: {found.symbols} {found.cost}, exhaustive: {best.symbols} {best.cost}"
        )
    return "; ".join(validate(problem, found))


@pytest.mark.parametrize("first", range(0, 80, 20))
def test_plans_of_random_worlds(first: int) -> None:
    assert not [fault for seed in range(first, first + 20) if (fault := judge(seed))]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(80, 1000, 92))
def test_plans_of_a_thousand_random_worlds(first: int) -> None:
    assert not [fault for seed in range(first, min(first + 92, 1000)) if (fault := judge(seed))]
