"""Plans of teams: those of paper 004, none where none can be, and what is the same whatever the grid."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from window_world import box, window

from tetherlab import InputError
from tetherlab.planning.automata import FiniteAutomaton, join
from tetherlab.planning.cooperative import Agent, Costs, Planner, PlanStatus, Problem, Winch, plan
from tetherlab.planning.dual_ugv import DualUgvProblem, plan_dual_ugv, walking_ugv, wheeled_ugv
from tetherlab.planning.lifting import pull_over
from tetherlab.planning.team_models import assemble, paper_arm, paper_uav, paper_ugv
from tetherlab.planning.validator import validate

PAPER: list[FiniteAutomaton] = [paper_uav(), paper_ugv()]
OVER = "δ β d γ' f' f'"


def test_the_plan_of_the_paper() -> None:
    found = plan(window(), automata=PAPER)
    assert found.status is PlanStatus.SOLVED
    assert found.symbols == OVER
    assert [step.hinge for step in found.steps[4:]] == [(0.2, 0.2), (-1.1, 1.5)]
    assert found.cost == pytest.approx(sum(step.cost for step in found.steps))
    assert join(*PAPER).accepts([*found.labels, "κ"])
    assert (found.steps[0].source, found.steps[-1].target) == (1, 7)


def test_its_cost_by_hand() -> None:
    found = plan(window(), automata=PAPER)
    flight, hop = 16.0, math.dist((1.1, 0.0), (1.6, -1.2))
    carried = math.dist((1.6, -1.8), (0.4, 0.4)) + math.dist((0.4, 0.4), (-0.5, 0.7))
    carried += math.dist((-0.5, 0.7), (-1.1, 1.5))
    hoisted = math.dist((1.9, -1.9), (0.3, 0.3))
    lowered = math.dist((0.3, 0.3), (-1.1, 1.2)) + 1.2 + 1.9
    expected = [flight + 3 * hop, flight + 3 * 0.6, 1.0, flight + 3 * carried, 1 + hoisted, 1 + lowered]
    np.testing.assert_allclose([step.cost for step in found.steps], expected, rtol=1e-9)


@pytest.mark.parametrize("cells", [20, 27, 40, 80, 160])
def test_the_grid_does_not_change_the_plan(cells: int) -> None:
    found = plan(window(), automata=PAPER, cells=cells)
    assert found.symbols == OVER
    assert found.cost == pytest.approx(plan(window(), automata=PAPER, cells=20).cost, rel=1e-12)


def test_on_the_near_side_the_uav_stays_where_it_is() -> None:
    found = plan(window(goal=(0.6, -1.9)))
    assert found.symbols == "a" and found.cost == pytest.approx(1.0 + 1.3)


def test_a_uav_that_has_landed_beside_the_ugv_is_latched_at_once() -> None:
    problem = window(uav={"start": (1.6, -1.8)})
    found = plan(problem)
    assert found.symbols == "d γ' f' f'" and validate(problem, found) == []


@pytest.mark.parametrize(("above", "drives"), [(0.04, True), (0.06, False)])
def test_the_ground_may_be_below_the_goal_by_what_that_may_be_missed_by(above: float, drives: bool) -> None:
    problem = window(goal=(0.6, -1.9 + above))
    found = plan(problem, explain=False)
    assert (found.symbols == "a") is drives
    assert not drives or (validate(problem, found) == [] and found.steps[0].way[-1][1] == -1.9)


def test_costs_that_are_no_metres_are_not_judged() -> None:
    problem = window(costs=Costs(kind="paper"))
    found = plan(problem, automata=PAPER)
    assert found.symbols == OVER and validate(problem, found) == []


def test_beside_the_plumb_line_it_drives_on() -> None:
    found = plan(window(goal=(-1.7, -1.9)), automata=PAPER)
    assert found.symbols == f"{OVER} a'"
    np.testing.assert_allclose(found.steps[-1].way, [(-1.1, -1.9), (-1.7, -1.9)])


def test_three_agents() -> None:
    arm = Agent(name="arm", start=(-1.9, -1.6), reach=0.6)
    problem = window(goal=(-1.5, -1.9), ugv={"carry": True})
    problem = Problem(**{
        **{name: getattr(problem, name) for name in ("bounds", "obstacles", "perches", "goal")},
        "agents": [*problem.agents, arm], "object_at": (-1.9, -1.9), "object_into": "ugv",
    })  # fmt: skip
    automata = [paper_uav(), paper_ugv(with_arm=True), paper_arm()]
    assert plan(problem, automata=automata).symbols == f"{OVER} a' ζ η"
    # Without the arm nobody owns what it does, whatever the others know of it.
    assert plan(problem, automata=automata[:2]).status is PlanStatus.NO_PLAN


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"length": 4.0}, "tether of ugv is too short: 4 m, 4.54 m are needed"),
        ({"top": 2.0, "lintel": False}, "no way for uav"),
        ({"ugv": {"latch": False}}, "nobody can latch"),
        ({"uav": {"perch_force": 50.0}}, "does not hold enough"),
        ({"ugv": {"winch": Winch(length=7.0, force_max=86.6)}}, "over the corner (0.20, 0.20) it takes 87 N"),
        (
            {"ugv": {"winch": Winch(length=4.0, force_max=60.0)}},
            "the winch of ugv is too weak with 60 N, and its tether too short: 4 m, 4.54 m are needed: then",
        ),
        ({"uav": {"perch_force": None}}, "nobody can land and perch"),
        ({"uav": {"radius": 0.4}}, "no way for uav"),
        ({"perches": []}, "cannot drive"),
        ({"goal": (0.0, -1.0)}, "no room for ugv at its goal"),
    ],
)
def test_no_plan_and_the_reason(change: dict[str, Any], reason: str) -> None:
    found = plan(window(**change))
    assert found.status is PlanStatus.NO_PLAN and not found.steps
    assert any(reason in sentence for sentence in found.reasons), found.reasons


def test_a_winch_that_just_lifts_over_the_corner() -> None:
    """Beyond it the tether goes up by 45 deg. Rolling asks for 1.25 weights / sin 45, less than sliding."""
    needed = 5.0 * 9.80665 * 1.25 * math.sqrt(2.0)
    for force, has_plan in ((needed - 0.01, False), (needed + 0.01, True)):
        found = plan(window(ugv={"winch": Winch(length=7.0, force_max=force)}), explain=False)
        assert found.status.has_plan is has_plan


def test_what_it_takes_over_a_corner() -> None:
    corner = (0.0, 0.0)
    assert pull_over(corner, (0.0, 1.0)) == pytest.approx(1.0)  # straight up
    steep = math.radians(70.0)
    sliding = 1.0 / (math.sin(steep) - 0.3 * math.cos(steep))
    assert pull_over(corner, (-math.cos(steep), math.sin(steep))) == pytest.approx(sliding)
    assert pull_over(corner, (-math.sqrt(3.0), 1.0)) == pytest.approx(2.5)  # 30 deg: it rolls
    assert pull_over(corner, (-1.0, 0.0)) == math.inf


def test_a_tether_that_is_just_long_enough() -> None:
    needed = plan(window(), automata=PAPER).steps[3].tether
    assert needed is not None
    length = float(np.hypot(*np.diff(needed, axis=0).T).sum())
    assert plan(window(length=length + 1e-3), automata=PAPER).symbols == OVER
    assert plan(window(length=length - 1e-3), automata=PAPER).status is PlanStatus.NO_PLAN


def test_two_walls_have_two_hinges() -> None:
    problem = window(
        obstacles=[box(0.6, -2, 0.8, -0.4), box(-0.2, -2.0, 0.2, 0.2)], perches=[(-1.1, 1.5)], lintel=False
    )
    found = plan(problem, automata=PAPER)
    hinges = [step.hinge for step in found.steps if step.hinge is not None]
    assert hinges[-1] == (-1.1, 1.5) and all(hinge[1] >= -0.4 for hinge in hinges)


def test_no_time_is_not_no_plan() -> None:
    found = Planner(window()).plan(time_limit=1e-9)
    assert found.status in (PlanStatus.GAVE_UP, PlanStatus.IMPROVABLE, PlanStatus.SOLVED)
    assert found.status is not PlanStatus.NO_PLAN


def test_members_may_come_in_any_order() -> None:
    problem = window()
    swapped = window()
    object.__setattr__(swapped, "agents", list(reversed(problem.agents)))
    assert plan(problem).cost == pytest.approx(plan(swapped).cost)
    for order in itertools.permutations(PAPER):
        assert plan(problem, automata=list(order)).symbols == OVER


def test_a_mirrored_world_has_the_mirrored_plan() -> None:
    left = window(
        ugv={"start": (-1.9, -1.9)}, uav={"start": (-1.1, 0.0)}, goal=(1.1, -1.9), perches=[(1.1, 1.5)]
    )
    assert plan(left, automata=PAPER).cost == pytest.approx(plan(window(), automata=PAPER).cost)


def test_locations_grow_with_the_team_not_with_its_square() -> None:
    counts = []
    for size in range(1, 7):
        agents = [
            Agent(name=f"ugv_{k}", start=(0.0, 0.0), drive_slope=0.3) if k % 2 else
            Agent(name=f"uav_{k}", start=(0.0, 0.0), fly=True, land=True, perch_force=1.0)
            for k in range(size)
        ]  # fmt: skip
        counts.append(len(join(*assemble(agents)).locations))
    assert counts == [2 + sum(3 if k % 2 == 0 else 1 for k in range(n)) for n in range(1, 7)]


def test_costs_of_the_paper_can_be_had() -> None:
    from tetherlab.planning.cooperative import Costs

    found = plan(window(costs=Costs(kind="paper")), automata=PAPER, cells=20)
    assert found.status.has_plan and found.labels[:4] == ("δ", "β", "d", "γ'")


def test_the_dual_ugv_plan_of_the_paper() -> None:
    assert plan_dual_ugv().symbols == "r p c j i"
    assert plan_dual_ugv().cost == pytest.approx(
        math.dist((-1.0, 0.8), (-0.2, 0.0)) + math.dist((-0.2, 0.0), (1.5, 1.0)) + 3 * 0.5
    )
    alone = [walking_ugv(), wheeled_ugv()]
    assert all(5 not in automaton.reachable() for automaton in alone)
    assert join(*alone).reachable() == set(range(1, 9))


def test_dual_ugvs_that_stand_ready() -> None:
    """Aligned behind the walker, but the automaton asks for r and p first."""
    found = plan_dual_ugv(DualUgvProblem(wheeled=(-0.2, 0.0)))
    assert found.status.has_plan is (found.symbols != "")


def test_a_uav_with_a_goal_of_its_own_flies_there() -> None:
    problem = window(goal=(0.6, -1.9))
    problem.goal["uav"] = (1.5, 1.0)
    found = plan(problem)
    assert sorted(found.labels) == ["a", "δ"] and found.steps[found.labels.index("δ")].way[-1].tolist() == [
        1.5,
        1.0,
    ]


def test_an_arm_on_wheels_reaches_from_where_it_stands() -> None:
    """It must load before it drives off: from its goal it no longer reaches."""
    problem = Problem(
        bounds=(0.0, 0.0, 4.0, 4.0),
        agents=[
            Agent(name="loader", start=(1.0, 0.1), reach=1.0, drive_slope=0.3),
            Agent(name="cart", start=(1.5, 0.1), drive_slope=0.3, carry=True),
        ],
        goal={"loader": (3.0, 0.1)},
        object_at=(1.2, 0.1),
        object_into="cart",
    )
    found = plan(problem)
    assert found.symbols == "ζ η a:loader"
    np.testing.assert_allclose(found.steps[1].way, [(1.2, 0.1), (1.5, 0.1)])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"carry": False}, "cart has no container"),
        ({"start": (3.0, 0.1)}, "cart is out of reach of arm at (3.00, 0.10), and has no goal within it"),
    ],
)
def test_why_nothing_is_loaded(change: dict[str, Any], reason: str) -> None:
    cart = {"name": "cart", "start": (1.5, 0.1), "drive_slope": 0.3, "carry": True, **change}
    found = plan(
        Problem(
            bounds=(0.0, 0.0, 4.0, 4.0),
            agents=[Agent(name="arm", start=(1.0, 0.5), reach=1.0), Agent(**cart)],
            goal={},
            object_at=(1.2, 0.1),
            object_into="cart",
        )
    )
    assert reason in found.reasons


@pytest.mark.parametrize("at", [(9.0, 0.0), (math.nan, 0.0)])
def test_an_object_is_in_the_plane(at: tuple[float, float]) -> None:
    with pytest.raises(InputError, match="object: "):
        window(object_at=at, object_into="ugv")
