"""`tetherlab plan`: words, symbols, numbers, a picture, and why there is no plan."""

import json
from pathlib import Path

import pytest

from tetherlab.apps.cli import app
from tetherlab.scenario.library import packaged


def run(*words: str) -> int:
    try:
        app(list(words), result_action="return_value")
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_it_says_the_plan_and_draws_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "plan.svg"
    assert run("plan", "over_the_wall", "--picture", str(picture)) == 0
    said = capsys.readouterr().out
    assert (
        said.startswith("plan: δ β d γ' f' f'\ncost: 77.55 m")
        and "f'  ugv swings" in said
        and "takes about" in said
    )
    assert picture.read_text(encoding="utf-8").startswith("<?xml")


def test_it_carries_the_plan_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "done.svg"
    assert run("plan", "over_the_wall", "--carry-out", "--picture", str(picture)) == 0
    said = capsys.readouterr().out
    assert "all 6 steps were carried out" in said and "m from its goal" in said
    assert picture.read_text(encoding="utf-8").startswith("<?xml")


def test_a_plan_that_fails_in_the_plant_is_a_failure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = packaged("plans")["over_the_wall"].read_text(encoding="utf-8")
    path = tmp_path / "weak.yaml"
    path.write_text(text.replace("perch: {force_max_N: 400}", "perch: {force_max_N: 75}"), encoding="utf-8")
    assert run("plan", str(path), "--carry-out") == 1
    assert "the drone holds 75 N" in capsys.readouterr().out


def test_numbers_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("plan", "over_the_wall", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["counts"]["cells"] == 1600 and found["counts"]["transitions"] == 11
    assert found["status"] == "solved" and len(found["steps"]) == 6
    assert found["steps"][4]["hinge_m"] == [0.2, 0.2]


def test_why_there_is_none(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = packaged("plans")["over_the_wall"].read_text(encoding="utf-8")
    path = tmp_path / "short.yaml"
    path.write_text(text.replace("length_m: 7", "length_m: 4"), encoding="utf-8")
    assert run("plan", str(path)) == 1
    assert "--explain" in capsys.readouterr().out
    assert run("plan", str(path), "--explain") == 1
    assert "the tether of ugv is too short: 4 m, 4.54 m are needed" in capsys.readouterr().out


def test_a_team_that_is_there_already_does_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = packaged("plans")["over_the_wall"].read_text(encoding="utf-8")
    path = tmp_path / "there.yaml"
    start = text.partition("start_m: ")[2].partition("]")[0] + "]"
    path.write_text(text.partition("goal:")[0] + f"goal:\n  ugv: {{at_m: {start}}}\n", encoding="utf-8")
    assert run("plan", str(path)) == 0
    assert "plan: nothing is to be done" in capsys.readouterr().out


def test_costs_of_the_paper_are_no_metres(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "paper.yaml"
    text = packaged("plans")["over_the_wall"].read_text(encoding="utf-8")
    path.write_text(text + "costs: {kind: paper}\n", encoding="utf-8")
    assert run("plan", str(path)) == 0
    said = capsys.readouterr().out
    assert "of paper 004" in said and " m]" not in said and "m of driving" not in said
