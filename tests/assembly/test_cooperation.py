"""Plans carried out in the plant, from the planner to the robot that stands at its goal."""

import math
from dataclasses import replace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.cooperation import Execution, carry_out
from tetherlab.planning.cooperative import Agent, Plan, PlanStatus, Problem, Step, Winch, plan


def box(x0, z0, x1, z1):
    return [(x0, z0), (x1, z0), (x1, z1), (x0, z1)]


WALL, LINTEL = box(-0.2, -2.0, 0.2, 0.2), box(-0.3, 0.9, 0.3, 1.3)


def team(obstacles, *, perch=(-1.1, 1.5), start=(1.0, -1.9), goal=(-1.1, -1.9), holds=400.0, pulls=150.0):
    """The paper's two, in a plane of its size."""
    ugv = Agent(
        name="ugv", start=start, drive_slope=0.3, winch=Winch(length=8.0, force_max=pulls), latch=True
    )
    uav = Agent(name="uav", start=(1.5, -0.5), radius=0.2, mass=0.75, fly=True, land=True, perch_force=holds)
    return Problem(
        bounds=(-2.0, -2.0, 2.0, 2.0),
        obstacles=obstacles,
        perches=[perch],
        agents=[ugv, uav],
        goal={"ugv": goal},
    )


@pytest.fixture(scope="module")
def over_the_wall():
    problem = team([WALL, LINTEL])
    found = plan(problem, explain=False)
    return problem, found, carry_out(problem, found)


def test_the_papers_plan_brings_the_ugv_over_the_wall(over_the_wall):
    _, found, done = over_the_wall
    assert found.symbols == "δ β d γ' f' f'"
    assert done.succeeded and done.log.outcome is tl.Outcome.COMPLETED
    assert done.errors["ugv"] < 0.10
    assert done.places["ugv"] == pytest.approx((-1.1, -1.9), abs=0.05)
    assert done.log["uav"]["clearance_m"].min() > 0.0
    assert np.abs(done.log["ugv"]["y_m"]).max() < 0.05  # the plane is that of the plan


def test_every_step_ends_about_where_the_plan_has_it(over_the_wall):
    _, _, done = over_the_wall
    fly, land, latched, perched, corner, goal = done.steps
    for step in (fly, land, latched, perched, goal):
        assert step.error < 0.06
    assert corner.error < 0.13  # it leans on the corner, not on the point beside it
    for step in (perched, corner, goal):
        assert step.length == pytest.approx(step.length_planned, abs=0.15)
    assert corner.tension_peak > 5.0 * 9.80665
    assert goal.perch_peak < 400.0
    assert [event.kind for event in done.log.events if event.kind != "step"] == [
        "latch",
        "perch",
        "free",
        "outcome",
    ]


def test_without_damping_it_comes_down_beside_its_goal(over_the_wall):
    """As the errata of the paper say of its second f'."""
    problem, found, _ = over_the_wall
    done = carry_out(problem, found, Execution(damped=False))
    assert not done.succeeded and done.errors["ugv"] > 0.2
    assert "m from its goal after all steps, 0.05 m are allowed" in done.log.outcome_sentence


def test_a_ledge_and_a_drive_on_it():
    problem = team([box(-2.0, -2.0, -0.2, -0.5)], perch=(-0.8, 1.0), goal=(-1.2, -0.4))
    found = plan(problem, explain=False)
    done = carry_out(problem, found)
    assert found.symbols.endswith("f' a'") and done.succeeded
    assert done.errors["ugv"] < 0.05


@pytest.mark.parametrize(
    ("obstacles", "perch"),
    [
        ([[(-0.4, -2.0), (0.4, -2.0), (0.4, -1.2), (0.1, -1.2), (0.1, -0.3), (-0.4, -0.3)]], (-1.1, 1.2)),
        ([[(-0.2, -2.0), (0.2, -2.0), (0.1, -0.2), (-0.1, -0.2)]], (-1.1, 1.3)),
        ([box(-0.2, -2.0, 0.2, -0.6), box(-0.8, -2.0, -0.6, -1.2)], (-1.3, 1.0)),
    ],
    ids=["step before a wall", "oblique wall", "two walls"],
)
def test_walls_of_other_shapes(obstacles, perch):
    problem = team(obstacles, perch=perch, goal=(perch[0], -1.9), pulls=100.0)
    done = carry_out(problem, plan(problem, explain=False))
    assert done.succeeded, done.log.outcome_sentence


def test_a_perch_that_does_not_hold_is_told_with_where_all_are():
    problem = team([WALL], holds=70.0)
    done = carry_out(problem, plan(problem, explain=False))
    assert not done.succeeded and done.log.outcome is tl.Outcome.PERCH_LOST
    assert done.steps[-1].label == "f'" and "the drone holds 70 N" in done.steps[-1].trouble
    x, z = done.places["ugv"]
    assert x > 0.2 and z < 0.0 and done.tether is not None
    again = replace(problem, agents=[replace(a, start=done.places[a.name]) for a in problem.agents])
    assert again.agent("ugv").start == done.places["ugv"]  # from there it can be planned anew


def test_a_winch_that_stalls_is_told_and_is_not_planned_with():
    """At 45 deg it takes 1.25 / sin 45 = 1.77 weights, 87 N, to roll over the corner."""
    weak = team([WALL], pulls=75.0)
    found = plan(team([WALL]), explain=False)
    done = carry_out(weak, found)
    assert done.log.outcome is tl.Outcome.BROKEN_OFF
    assert "N and can with" in done.steps[-1].trouble
    assert not plan(weak, explain=False).status.has_plan
    strong = carry_out(team([WALL], pulls=90.0), found)
    assert strong.succeeded, strong.log.outcome_sentence


def test_a_drone_that_is_led_into_a_wall_collides():
    problem = team([WALL])
    into = Step("δ", "uav", np.array([(1.5, -0.5), (0.0, -0.5)]), 0.0, "uav flies into the wall")
    done = carry_out(problem, Plan(PlanStatus.SOLVED, (into,)), Execution(speed=1.0))
    assert done.log.outcome is tl.Outcome.COLLISION
    assert done.places["uav"][0] == pytest.approx(0.2 + 0.2, abs=0.1)


def test_what_cannot_be_carried_out_is_said():
    problem = team([WALL])
    with pytest.raises(tl.InputError, match="nothing to carry out: no plan exists"):
        carry_out(problem, Plan(PlanStatus.NO_PLAN))
    lonely = replace(problem, agents=[problem.agent("ugv")], goal={"ugv": (1.2, -1.9)})
    with pytest.raises(tl.InputError, match="one ground robot with a winch and one that flies, got 1 and 0"):
        carry_out(lonely, Plan(PlanStatus.SOLVED))
    small = replace(problem, agents=[problem.agent("ugv"), replace(problem.agent("uav"), radius=0.15)])
    with pytest.raises(tl.InputError, match="from the middle of its disc, whose radius is"):
        carry_out(small, Plan(PlanStatus.SOLVED))
    cart = Agent(name="cart", start=(1.5, -1.9), drive_slope=0.3)
    with pytest.raises(tl.InputError, match="nobody in the plant stands for cart"):
        carry_out(replace(problem, agents=[*problem.agents, cart]), Plan(PlanStatus.SOLVED))
    arm = Step("ζ", "ugv", np.array([(1.0, -1.9)]), 0.0, "it picks something up")
    done = carry_out(problem, Plan(PlanStatus.SOLVED, (arm,)), Execution(replans=0))
    assert "nobody in the plant can do ζ" in done.log.outcome_sentence
    assert math.isnan(done.steps[0].length)


def loading(reach=0.6):
    """The UGV stands where an arm shall load it."""
    arm = Agent(name="arm", start=(-1.9, -1.6), reach=reach)
    ugv = replace(team([]).agent("ugv"), start=(-1.5, -1.9), carry=True)
    problem = replace(
        team([]), agents=[ugv, team([]).agent("uav"), arm], goal={}, object_at=(-1.9, -1.9), object_into="ugv"
    )
    return problem, plan(problem, explain=False)


def test_an_arm_loads_the_ugv_where_it_stands():
    problem, found = loading()
    assert found.symbols == "ζ η"
    done = carry_out(problem, found)
    assert done.succeeded, done.log.outcome_sentence
    pick, put = done.steps
    assert pick.error < 0.02 and put.error < 0.02
    assert put.end - put.start > 0.5  # joints take their time


def test_an_arm_that_does_not_reach_the_true_place_says_so():
    """The plan has the UGV at x = -1.5; it physically stands 0.2 m further on."""
    problem, found = loading()
    ugv, uav, arm = problem.agents
    moved = replace(problem, agents=[replace(ugv, start=(-1.3, -1.9)), uav, arm])
    done = carry_out(moved, found)
    assert done.log.outcome is tl.Outcome.BROKEN_OFF
    assert (
        done.steps[-1].label == "η"
        and "ugv is 0.67 m from arm, which reaches 0.6 m" in done.steps[-1].trouble
    )
