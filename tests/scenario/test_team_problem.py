"""Problems of teams from files: packaged ones are planned, wrong ones are answered in a sentence."""

import re
from pathlib import Path

import pytest

from tetherlab import InputError
from tetherlab.planning.cooperative import plan
from tetherlab.planning.validator import validate
from tetherlab.scenario.library import packaged
from tetherlab.scenario.team_problem import TeamProblem

PLANS = {"over_the_wall": "δ β d γ' f' f'", "with_an_arm": "δ β d γ' f' f' a' ζ η"}


def test_every_packaged_problem_has_its_plan() -> None:
    assert set(packaged("plans")) == set(PLANS)


@pytest.mark.parametrize("name", PLANS)
def test_packaged_problems_are_solved(name: str) -> None:
    given = TeamProblem.load(name)
    found = plan(given.problem, automata=given.automata, cells=given.search.cells)
    assert found.symbols == PLANS[name]
    assert not validate(given.problem, found)


def written(name: str = "over_the_wall") -> str:
    return packaged("plans")[name].read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("latch: {}", "latsch: {}", "Did you mean 'latch'"),
        ("length_m: 7", "length: 7", "Write 'length_m', in m"),
        ("ugv: {at_m", "rover: {at_m", "no agent 'rover'"),
        ("box_m: [-0.2, -2, 0.2, 0.2]", "box_m: [-0.2, -2, 0.2]", "box_m"),
        ("radius_m: 0.1\n", "radius_m: -0.1\n", "radius_m: must be > 0"),
        ("start_m: [1.9, -1.9]", "start_m: [9, -1.9]", "outside of the bounds"),
        ("winch: {length_m: 7, force_max_N: 150}", "carry: {}", "has none: give it a winch"),
        ("      fly: {}\n", "", "can neither drive nor fly"),
        ("model: paper", "model: papers", "model"),
        ("start_m: [1.9, -1.9]", "start_m: [0, -1]", "agents.ugv.start_m: its disc of 0.1 m at"),
        ("[[-1.1, 1.5]]", "[[-1.1, 1.5], [0, 0]]", "perches_m\\[1\\]: there is no room"),
        ("box_m: [-0.2, -2, 0.2, 0.2]", "polygon_m: [[0, 0], [1, 1], [1, 0], [0, 1]]", "has no area"),
    ],
)
def test_wrong_files_are_answered_in_a_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "wrong.yaml"
    text = written()
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=said) as error:
        TeamProblem.load(str(path))
    assert "wrong.yaml" in str(error.value) and len(str(error.value).splitlines()) <= 3


def test_an_ability_with_nothing_behind_it_is_one(tmp_path: Path) -> None:
    path = tmp_path / "bare.yaml"
    path.write_text(written().replace("fly: {}", "fly:").replace("drive: {slope_max_deg: 20}", "drive:"))
    uav, ugv = (TeamProblem.load(str(path)).problem.agent(name) for name in ("uav", "ugv"))
    assert uav.fly and ugv.drive_slope is not None


def test_the_problem_that_the_page_shows_is_that_of_the_example() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "planning.md").read_text(encoding="utf-8")
    shown = re.search(r"^```yaml\n(.*?)^```", page, re.M | re.S)
    assert shown is not None
    path = root / "examples" / "06_cooperative" / "two_walls.yaml"
    assert shown[1] == path.read_text(encoding="utf-8")
    assert plan(TeamProblem.load(path).problem).symbols == "δ β d γ' f' f' a'"
