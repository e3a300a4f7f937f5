"""The study of paper 004: what it counts, what a general planner needs, and that its crowds are crowded."""

import itertools
import math
import sys
from pathlib import Path
from typing import Any

import pytest

from tetherlab.contracts.extras import what_is_missing
from tetherlab.planning.automata import Event, FiniteAutomaton, join
from tetherlab.planning.plan import Plan, PlanStatus, Step
from tetherlab.planning.validator import validate
from tetherlab.studies import (
    cooperative_carried_out,
    cooperative_general,
    cooperative_pictures,
    cooperative_plans,
    cooperative_speed,
)
from tetherlab.studies.cooperative_general import general_plan
from tetherlab.studies.cooperative_plans import NAMES, agreeing, case
from tetherlab.studies.rows import Row, published

sys.path.insert(0, str(Path(__file__).parents[2]))  # `validation` is not part of the package

from validation import cooperative as judged
from validation.planned_worlds import FAULT, UNFOUND, Judged

PLANS = {"over_the_wall": "δ β d γ' f' f'", "with_an_arm": "δ β d γ' f' f' a' ζ η", "dual_ugv": "r p c j i"}
needs_general = pytest.mark.skipif(bool(what_is_missing("study")), reason="no general planner is installed")


def told(rows: list[Row]) -> dict[str, Row]:
    return {row.quantity: row for row in rows}


def test_rows_of_the_plans() -> None:
    found: list[Row] = []
    cooperative_plans.run(published("cooperative"), found.append)
    rows = told(found)
    for quantity, value in {
        "UAV and UGV: labels as printed": 6,
        "UAV and UGV: locations of the join": 10,
        "UAV and UGV: events of the join": 23,
        "UAV and UGV: cells": 400,
        "two UGVs: labels as printed": 5,
        "two UGVs: locations of the join": 8,
        "two UGVs: events of the join": 14,
    }.items():
        assert (rows[quantity].paper, rows[quantity].here) == (value, value), quantity
    assert rows[f"UAV, UGV and arm: {cooperative_plans.DRAWN}"].here == 9
    assert rows["UAV, UGV and arm: steps"].note.endswith(f"{PLANS['with_an_arm']}.")
    for who in ("UAV and UGV", "UAV, UGV and arm"):
        assert rows[f"{who}: grids with the same plan, of 4"].here == 4
    assert all(row.note for row in found if row.differs)


def test_labels_agree_from_the_first_on() -> None:
    steps = tuple(Step(label, "", None, 0.0, "") for label in ("a", "b", "c"))  # type: ignore[arg-type]
    plan = Plan(PlanStatus.SOLVED, steps)
    assert [agreeing(plan, text) for text in ("a b c", "a x c", "x b c", "a b c d", "a b")] == [3, 1, 0, 3, 1]


@needs_general
@pytest.mark.parametrize("name", NAMES)
def test_a_general_planner_needs_join_and_plane(name: str) -> None:
    members, moves = case(name)
    team: Any = join(*members)
    assert all(general_plan(member, moves).labels is None for member in members if member.initial)
    assert general_plan(team).labels == ("a",)
    found = general_plan(team, moves).labels
    assert found is not None and " ".join(found) == PLANS[name]


@needs_general
def test_a_general_planner_fires_no_borrowed_label() -> None:
    for labels, plan in ((["x"], ("x",)), ([], None)):
        events = [Event(1, "x", 2)]
        robot = FiniteAutomaton(locations=[1, 2], events=events, initial=1, final=2, labels=labels)
        assert general_plan(robot).labels == plan


def test_without_a_general_planner_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetherlab.contracts.extras.find_spec", lambda name: None)
    rows: list[Row] = []
    said: list[str] = []
    cooperative_general.run(rows.append, said.append)
    assert rows == [] and "not installed" in said[0]


def test_crowded_worlds_are_crowded_and_planned() -> None:
    for seed in range(3):
        problem = cooperative_speed.crowded_problem(seed)
        boxes = [(*polygon[0], *polygon[2]) for polygon in problem.obstacles]
        assert len(boxes) == 11 and problem.obstacles != cooperative_speed.crowded_problem(seed + 1).obstacles
        for (a, b, c, d), (e, f, g, h) in itertools.combinations(boxes, 2):
            assert math.hypot(max(a - g, e - c, 0.0), max(b - h, f - d, 0.0)) > 0.4
    found = cooperative_speed.crowd(0)
    assert found.solved and not found.faults and found.duration > 0.0


def test_locations_grow_by_what_each_member_can_do() -> None:
    rows: list[Row] = []
    cooperative_speed._teams(rows.append)
    sizes = [row.here for row in rows if "product" not in row.quantity]
    assert sizes == [5, 11, 14, 20, 23, 29]
    assert [row.here for row in rows if "product" in row.quantity][-1] == (5 * 8) ** 3


def test_all_figures_have_a_caption() -> None:
    names: list[str] = []
    cooperative_pictures.run(lambda name, figure: names.append(name))
    carried_out = [name for name in judged.CAPTIONS if name.endswith("_carried_out")]
    assert sorted([*names, *carried_out]) == sorted(judged.CAPTIONS)


def test_plans_of_the_study_pass_the_judge() -> None:
    for name in ("over_the_wall", "with_an_arm"):
        planner = cooperative_plans.planner_of(name)
        assert validate(planner.problem, planner.plan()) == []


def test_promises_judge_the_rows_they_name() -> None:
    def met(quantity: str, value: float) -> bool | None:
        promise = judged.promise(quantity)
        return None if promise is None else promise(quantity, "", value, "").met

    assert met("UAV and UGV: labels as printed", 6.0) and not met("UAV and UGV: labels as printed", 5.0)
    assert not met(f"UAV, UGV and arm: {cooperative_plans.DRAWN}", 8.0)
    assert met("UAV and UGV: steps", 1.0) is None
    assert not met("two UGVs: search, median of 20", 5.1)
    assert not met("UAV and UGV, 160 x 160 cells: set-up, median of 5", 1001.0)
    assert met("locations of a team of 3", 14.0) and not met("locations of a team of 3", 175.0)
    assert met("locations of a team of 3, as a product", 175.0) is None
    where = "a wall and 10 random boxes, 10 worlds"
    assert not met(f"{where}: plans", 9.0) and not met(f"{where}: set-up and search, slowest", 11.0)
    assert not met("general planner, two UGVs: plans of single robots", 1.0)


def test_random_worlds_that_go_wrong_are_counted() -> None:
    worlds = [
        Judged(0, "drive", True, ()),
        Judged(1, "hoist", True, (f"{FAULT}: it falls", f"{FAULT}: twice")),
        Judged(2, "no latch", False, ()),
        Judged(3, "hoist", True, (f"{UNFOUND}: no plan exists",)),
    ]
    rows = judged.world_rows(worlds)
    assert rows[0].measured == "3" and rows[0].note == "drive 1, hoist 2"
    assert [(row.measured, row.met) for row in rows[1:]] == [
        ("1.00", False), ("0", True), ("1.00", False), ("0", True)
    ]  # fmt: skip
    assert rows[1].note == "seeds 1"


def test_the_plans_of_the_paper_are_carried_out() -> None:
    found: list[Row] = []
    logs: dict[str, Any] = {}
    drawn: list[str] = []
    cooperative_carried_out.run(
        found.append, lambda text: None, logs.__setitem__, lambda name, figure: drawn.append(name)
    )
    assert set(drawn) <= set(judged.CAPTIONS)
    rows = told(found)
    for who, steps in judged.STEPS.items():
        assert rows[f"{who}: {cooperative_carried_out.CARRIED_OUT}"].here == steps
    for who in ("UAV and UGV", "UAV, UGV and arm"):
        assert rows[f"{who}: {cooperative_carried_out.OFF}"].here < 0.1
    assert set(logs) == {"over_the_wall", "with_an_arm"}
