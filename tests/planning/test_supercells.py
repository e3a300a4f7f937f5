"""Supercells and transitions are counted as they can be counted by hand in the wall with a window."""

import pytest
from window_world import window

from tetherlab.planning.cooperative import Planner, plan
from tetherlab.planning.supercells import Activity, Supercells
from tetherlab.planning.team_models import paper_uav, paper_ugv

PAPER = [paper_uav(), paper_ugv()]
SILL, PERCH = (0.2, 0.2), (-1.1, 1.5)


def found(cells: int = 40, **changes: object) -> Supercells:
    planner = Planner(window(**changes), automata=PAPER, cells=cells)  # type: ignore[arg-type]
    return Supercells(planner.team, planner.table)


@pytest.mark.parametrize("cells", [20, 40, 80])
def test_supercells_of_the_wall_with_a_window(cells: int) -> None:
    supercells = found(cells)
    counts = {activity: int(numbers.max()) + 1 for activity, numbers in supercells.parts.items()}
    ground = dict.fromkeys(
        [Activity(label, "ugv") for label in ("a", "d", "a'")], 4
    )  # floor, floor, two tops
    air = {Activity("δ", "uav"): 1, Activity("γ'", "uav"): 1, Activity("β", "uav"): 4}
    hung = {Activity("f'", "ugv", hinge): 1 for hinge in (SILL, PERCH)}
    climbed = {Activity("r'", "ugv", hinge): 1 for hinge in (SILL,)}
    assert counts == ground | air | hung | climbed
    assert supercells.counts()["supercells"] == 12 + 6 + 3 + 2
    assert supercells.counts()["cells"] == cells**2


def test_transitions_by_hand() -> None:
    """Start δ; δ β, β d, d γ'; γ' to the sill or a', a' to it by f' or r'; the perch; κ.

    The perch is hardly higher than the lintel: no winch of this strength pulls anybody over that.
    """
    assert found().counts()["transitions"] == 1 + 3 + 2 + 2 + 2 + 1
    assert found().counts()["entered"] == 4 + 1 + 2 + 1 + 1


def test_on_the_near_side_it_drives_and_is_done() -> None:
    counts = Planner(window(goal=(0.6, -1.9)), automata=PAPER).counts
    assert counts["entered"] >= 2 and counts["transitions"] > 11


def test_a_plan_tells_them() -> None:
    counts = plan(window(), automata=PAPER, cells=20).counts
    assert set(counts) == {"cells", "supercells", "entered", "transitions", "steps"}
    assert counts["cells"] == 400
