"""Plans of random worlds against an exhaustive search and the judge of plans, who share no code with them."""

from typing import NamedTuple

from tetherlab.planning.cooperative import PlanStatus, plan
from tetherlab.planning.plan import Plan
from tetherlab.planning.problem import Problem
from tetherlab.planning.team_models import paper_uav, paper_ugv
from tetherlab.planning.validator import validate
from validation.exhaustive import solve
from validation.random_worlds import kind_of, random_problem

RELATIVE = 1e-6  # by which costs may differ
UNFOUND, UNREAL, COSTS_DIFFER, FAULT = "missed", "no plan exists", "costs differ", "the judge refuses it"


class Judged(NamedTuple):
    """One world."""

    seed: int
    kind: str
    solvable: bool  # by exhaustive search
    faults: tuple[str, ...]  # what is wrong with the planner's answer, beginning with one of the words above


def judge(seed: int) -> Judged:
    """Plan in the world of a seed."""
    problem = random_problem(seed)
    best = solve(problem)
    found = plan(problem, automata=[paper_uav(), paper_ugv()], explain=False)
    return Judged(seed, kind_of(seed), best is not None, tuple(verdict(problem, found, best)))


def verdict(problem: Problem, found: Plan, best: Plan | None) -> list[str]:
    """What is wrong with a plan beside the cheapest there is."""
    if not found.status.has_plan:
        told = found.status is PlanStatus.NO_PLAN
        return [] if best is None and told else [f"{UNFOUND}: {found.status.value}"]
    if best is None:
        return [f"{UNREAL}: {found.symbols}"]
    faults = [f"{FAULT}: {fault}" for fault in validate(problem, found)]
    if abs(best.cost - found.cost) > RELATIVE * best.cost:
        faults.append(
            f"{COSTS_DIFFER}: {found.symbols} {found.cost:.6f}, the cheapest {best.symbols} {best.cost:.6f}"
        )
    return faults
