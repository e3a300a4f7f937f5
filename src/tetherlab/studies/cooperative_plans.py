"""Plans of the teams of paper 004: over a wall with a window, with an arm, and two robots that become one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.automata.joined import join
from tetherlab.planning.cooperative import Planner
from tetherlab.planning.dual_ugv import DualUgvMoves, DualUgvProblem, plan_dual_ugv, walking_ugv, wheeled_ugv
from tetherlab.planning.plan import Plan
from tetherlab.planning.search import Activities
from tetherlab.scenario.team_problem import TeamProblem
from tetherlab.studies.rows import Row

STUDY = "cooperative"
Add = Callable[[Row], None]
GRIDS = (20, 40, 80, 160)  # cells along a side; the paper has 20
NAMES = {
    "over_the_wall": "UAV and UGV",
    "with_an_arm": "UAV, UGV and arm",
    "dual_ugv": "two UGVs",
}
FROM_FIGURE = "δ β d γ' f' f' a' ζ η"  # of the team with an arm: section 5.3 and Figure 8, where ζ follows a'
DRAWN = "labels as Figure 8 has them"
SUPERCELLS = (
    "Counted here: parts of the plane in which each label can go on (also the tops of wall and lintel are "
    "ground), one for each hinge, the start and the goal. The paper does not list its 13; another row has "
    "those that are ever entered."
)
TRANSITIONS = (
    "Counted here: pairs of supercells with a step between them that the team can come to. The paper counts "
    "what its join licenses, does not list it, and prints no sizes of obstacles."
)


class Case(NamedTuple):
    """A team with its task."""

    members: list[FiniteAutomaton]
    moves: Activities


def case(name: str, cells: int = GRIDS[0]) -> Case:
    """By its name in `NAMES`."""
    if name == "dual_ugv":
        return Case([walking_ugv(), wheeled_ugv()], DualUgvMoves(DualUgvProblem()))
    planner = planner_of(name, cells)
    return Case(planner.members, planner.table)


def planner_of(name: str, cells: int = GRIDS[0]) -> Planner:
    """Of a packaged problem."""
    given = TeamProblem.load(name)
    return Planner(given.problem, automata=given.automata, cells=cells)


def run(paper: Mapping[str, Any], add: Add) -> None:
    """Of all three, with what is printed beside it."""
    for name in NAMES:
        planner = None if name == "dual_ugv" else planner_of(name)
        found = plan_dual_ugv() if planner is None else planner.plan()
        _plan_rows(name, paper[name], found, add)
        members = case(name).members
        _join_rows(name, paper[name], members, add)
        if planner is not None:
            _count_rows(name, paper[name], found.counts, add)
            _grid_rows(name, found, add)


def agreeing(found: Plan, printed: str) -> int:
    """Labels that agree, from the first on, less those that are too many."""
    count = -max(0, len(found.labels) - len(printed.split()))
    for label, other in zip(found.labels, printed.split(), strict=False):
        if label != other:
            break
        count += 1
    return count


def _plan_rows(name: str, paper: Mapping[str, Any], found: Plan, add: Add) -> None:
    who, told = NAMES[name], f"{NAMES[name]}: {found.symbols or found.status.value}."
    printed = paper.get("plan")
    if printed is None:
        add(Row(STUDY, f"{who}: {DRAWN}", "", None, agreeing(found, FROM_FIGURE), told))
    else:
        add(Row(STUDY, f"{who}: labels as printed", "", len(printed.split()), agreeing(found, printed), told))
    add(Row(STUDY, f"{who}: steps", "", None, len(found.steps), told))
    add(Row(STUDY, f"{who}: cost", "m", None, found.cost))


def _join_rows(name: str, paper: Mapping[str, Any], members: list[FiniteAutomaton], add: Add) -> None:
    team: FiniteAutomaton = join(*members)
    values = {"locations": len(team.locations), "events": len(team.events)}
    for what, here in values.items():
        add(Row(STUDY, f"{NAMES[name]}: {what} of the join", "", paper.get(what), here))
    dormant = sum(len(member.dormant_events()) for member in members)
    add(Row(STUDY, f"{NAMES[name]}: events that no member can fire alone", "", None, dormant))


def _count_rows(name: str, paper: Mapping[str, Any], counts: Mapping[str, int], add: Add) -> None:
    notes = {"supercells": SUPERCELLS, "transitions": TRANSITIONS}
    for what in ("cells", "supercells", "transitions"):
        printed = paper.get(what)
        note = notes.get(what, "") if printed is not None else ""
        add(Row(STUDY, f"{NAMES[name]}: {what}", "", printed, counts[what], note))
    add(Row(STUDY, f"{NAMES[name]}: supercells that are entered", "", None, counts["entered"]))


def _grid_rows(name: str, first: Plan, add: Add) -> None:
    """How many grids give the same labels at the same cost."""
    found = [planner_of(name, cells).plan() for cells in GRIDS]
    same = [plan for plan in found if plan.labels == first.labels and abs(plan.cost - first.cost) < 1e-9]
    told = f"Grids of {', '.join(map(str, GRIDS))} cells a side."
    add(Row(STUDY, f"{NAMES[name]}: grids with the same plan, of {len(GRIDS)}", "", None, len(same), told))
