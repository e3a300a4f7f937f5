"""A plan as a file: what is read is what was written, and what is wrong is answered in a sentence."""

from pathlib import Path

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.runs import load_scenario, make_simulation
from tetherlab.planning.cooperative import Plan, PlanStatus, plan
from tetherlab.planning.validator import validate
from tetherlab.scenario.team_plan import TeamPlan
from tetherlab.scenario.team_problem import TeamProblem

TWO_WALLS = Path(__file__).parents[2] / "examples" / "06_cooperative" / "two_walls.yaml"
PROBLEMS = ["over_the_wall", "with_an_arm", str(TWO_WALLS)]


def planned(name: str) -> tuple[TeamProblem, Plan]:
    given = TeamProblem.load(name)
    return given, plan(given.problem, automata=given.automata, cells=given.search.cells)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("plan") / "plan.yaml"
    TeamPlan.of(*planned("over_the_wall")).save(path)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_is_read_is_what_was_found(name: str, tmp_path: Path) -> None:
    given, found = planned(name)
    written = TeamPlan.of(given, found)
    written.save(tmp_path / "plan.yaml")
    read = load_scenario(tmp_path / "plan.yaml")
    assert isinstance(read, TeamPlan) and read == written
    assert read.problem == given.problem and read.assumed == given.assumed
    assert read.plan.status is found.status and read.plan.cost == pytest.approx(found.cost, abs=1e-6)
    for before, after in zip(found.steps, read.plan.steps, strict=True):
        assert (after.label, after.agent, after.partner) == (before.label, before.agent, before.partner)
        assert after.sentence == before.sentence and after.cost == pytest.approx(before.cost, abs=1e-6)
        np.testing.assert_allclose(after.way, before.way, atol=1e-6)
        assert (after.tether is None) == (before.tether is None)
        if before.tether is not None:
            np.testing.assert_allclose(after.tether, before.tether, atol=1e-6)
        assert (after.hinge is None) == (before.hinge is None)
        if before.hinge is not None:
            assert after.hinge == pytest.approx(before.hinge, abs=1e-6)
    assert validate(read.problem, read.plan) == []


def test_limits_that_are_not_given_stay_none(tmp_path: Path) -> None:
    """A winch of any force is written without one, and read as such."""
    path = tmp_path / "strong.yaml"
    path.write_text(TWO_WALLS.read_text(encoding="utf-8").replace(", force_max_N: 160", ""), encoding="utf-8")
    given, found = planned(str(path))
    TeamPlan.of(given, found).save(tmp_path / "plan.yaml")
    assert TeamPlan.load(tmp_path / "plan.yaml").problem == given.problem


def test_people_can_read_it(text: str) -> None:
    assert text.startswith("schema: 1\ndescription: A UGV gets over a wall")
    assert "- label: γ'\n  agent: uav\n  partner: ugv\n  sentence: uav carries the tether" in text
    assert "  - [0.3, 0.3]\n" in text  # not 0.30000000000000004


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  partner: ugv", "  patner: ugv", r"steps\[0\].patner: unknown key. Did you mean 'partner'"),
        ("  way_m:", "  way:", r"steps\[0\].way: unknown key. Write 'way_m', in m"),
        ("  agent: uav", "  agent: uaf", r"line \d+: steps\[0\].agent: no agent 'uaf'. Did you mean 'uav'"),
        ("- label: δ", "- label: f'", r"steps\[0\].label: uav cannot do \"f'\". It can: δ, β, γ'"),
        ("  - [1.6, -1.2]", "  - [1.6]", r"steps\[0\].way_m"),
        ("status: solved", "status: no_plan", "status: must be 'solved' or 'improvable', got 'no_plan'"),
        ("  damped: true", "  damped: maybe", "execution.damped: must be true or false"),
        ("  speed_m_per_s: 0.5", "  speed_m_per_s: 0", "execution.speed_m_per_s: must be > 0"),
        ("    start_m: [1.9, -1.9]", "    start_m: [9, -1.9]", "outside of the bounds"),
    ],
)
def test_wrong_files_are_answered_in_a_sentence(
    text: str, tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = tmp_path / "wrong.yaml"
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(tl.InputError, match=said) as error:
        load_scenario(path)
    assert "wrong.yaml" in str(error.value) and len(str(error.value).splitlines()) <= 2


def test_a_problem_is_no_plan_and_a_plan_no_problem(text: str, tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(tl.InputError, match=r"a plan, since it has 'steps': `tetherlab run .*plan.yaml`"):
        TeamProblem.load(path)
    with pytest.raises(tl.InputError, match=r"a plan of a team, since it has a section 'plane': use tl.run"):
        tl.Simulation(path)
    with pytest.raises(tl.InputError, match=r"`tetherlab plan .*two_walls.yaml --out plan.yaml`"):
        make_simulation(TWO_WALLS)
    with pytest.raises(tl.InputError, match=r"no scenario .* `tetherlab plan over_the_wall --out plan.yaml`"):
        make_simulation("over_the_wall")


def test_no_plan_is_not_written() -> None:
    with pytest.raises(tl.InputError, match="there is no plan to write: no plan exists"):
        TeamPlan.of(TeamProblem.load("over_the_wall"), Plan(PlanStatus.NO_PLAN))
