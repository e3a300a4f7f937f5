"""The exhaustive solver against worlds whose answer is known by hand, and against the judge of plans."""

import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from window_on_paper import WINDOW_COST, window_problem

from tetherlab.planning.problem import Agent, Costs, Problem, Winch
from tetherlab.planning.validator import validate

sys.path.insert(0, str(Path(__file__).parents[2]))  # `validation` is not part of the package

from validation.box_world import BoxWorld, length
from validation.exhaustive import solve
from validation.random_worlds import KINDS, kind_of, random_problem

FLIGHT = 5.0


def wall_problem(
    *,
    wall=1.0,
    lintel=None,
    perch=(-1.5, 3.0),
    goal=-1.5,
    tether=9.0,
    winch_force=100.0,
    perch_force=60.0,
    latch=True,
):
    """A wall in the middle; the drone hovers where it will land on the rover's left. All radii are 0.1 m."""
    boxes = [(-0.2, 0.0, 0.2, wall), *([lintel] if lintel else [])]
    winch = Winch(length=tether, force_max=winch_force)
    return Problem(
        bounds=(-3.0, 0.0, 3.0, 4.0),
        obstacles=[[(a, b), (c, b), (c, d), (a, d)] for a, b, c, d in boxes],
        perches=[perch],
        agents=[
            Agent(name="drone", start=(1.3, 0.7), mass=1.0, fly=True, land=True, perch_force=perch_force),
            Agent(name="rover", start=(1.5, 0.1), mass=5.0, drive_slope=0.5, winch=winch, latch=latch),
        ],
        goal={"rover": (goal, 0.1)},
        costs=Costs(flight=FLIGHT),
    )


# three flights, of which δ is no metre long and β 0.6 m, and d
BEFORE = 3.0 * FLIGHT + 3.0 * 0.6 + 1.0
# in sight of each other: straight to the perch, straight to 0.2 m below it, and down
STRAIGHT = BEFORE + 3.0 * math.hypot(2.8, 2.9) + 1.0 + math.hypot(3.0, 2.7) + 2.7


def test_driving_costs_an_action_and_its_metres():
    plan = solve(wall_problem(goal=0.5))
    assert plan.labels == ("a",)
    assert plan.cost == pytest.approx(1.0 + 1.0)


def test_a_perch_in_sight_takes_one_hoist():
    plan = solve(wall_problem())
    assert plan.labels == ("δ", "β", "d", "γ'", "f'")
    assert plan.cost == pytest.approx(STRAIGHT)


def test_a_goal_beside_the_plumb_line_is_driven_to():
    plan = solve(wall_problem(goal=-2.2))
    assert plan.labels == ("δ", "β", "d", "γ'", "f'", "a'")
    assert plan.cost == pytest.approx(STRAIGHT + 1.0 + 0.7)


def test_a_low_perch_makes_hinges_of_both_corners():
    plan = solve(wall_problem(perch=(-1.5, 0.5), winch_force=math.inf))
    assert solve(wall_problem(perch=(-1.5, 0.5), winch_force=1e4)) is None  # along the top it is not lifted
    assert plan.labels == ("δ", "β", "d", "γ'", "f'", "f'", "f'")
    assert [step.hinge for step in plan.steps[4:]] == [(0.2, 1.0), (-0.2, 1.0), (-1.5, 0.5)]
    flown = math.hypot(1.0, 1.0) + 0.6 + math.hypot(1.2, 0.6)
    hoisted = math.hypot(1.2, 1.0) + 0.6 + math.hypot(1.2, 0.8) + 0.2
    assert plan.cost == pytest.approx(BEFORE + 3.0 * flown + 3.0 + hoisted)


def test_the_window_of_the_paper():
    plan = solve(window_problem())
    assert plan.labels == ("δ", "β", "d", "γ'", "f'", "f'")
    assert plan.cost == pytest.approx(WINDOW_COST)


def test_a_drone_that_does_not_fit_through_the_window_goes_over_the_lintel():
    problem = window_problem(bounds=(-2.0, -2.0, 2.0, 3.0), drone={"radius": 0.36, "start": (1.1, 0.0)})
    problem = replace(problem, latch_reach=1.0)
    assert (0.3, 1.3) in [tuple(point) for point in solve(problem).steps[3].tether]
    assert solve(replace(problem, bounds=(-2.0, -2.0, 2.0, 2.0))) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"tether": 4.15},  # straight to the perch are hypot(3, 2.9) = 4.173 m
        {"wall": 4.0},
        {"latch": False},
        {"perch_force": 49.0},  # it weighs 49.03 N
        {"winch_force": 80.4},  # over the wall at 49.6 deg: 1.25 m g / sin = 80.44 N
        {"lintel": (-0.3, 1.15, 0.3, 4.0)},  # a slit of 0.15 m for a drone of 0.2 m
        {"perch": (1.5, 3.0)},  # on the near side
        {"perch": (0.05, 3.0)},  # above the wall: lowered onto it
    ],
)
def test_no_plan(changes):
    assert solve(wall_problem()) is not None
    assert solve(wall_problem(**changes)) is None


def test_limits_that_are_just_enough():
    enough = wall_problem(tether=4.18, perch_force=49.04, winch_force=80.5, lintel=(-0.3, 1.25, 0.3, 4.0))
    assert solve(replace(enough, obstacles=enough.obstacles[:1])).cost == pytest.approx(STRAIGHT)
    # Through the slit the tether bends, so that the perch needs to hold more, and the tether to be longer.
    assert solve(enough) is None
    assert solve(wall_problem(lintel=(-0.3, 1.25, 0.3, 4.0), winch_force=math.inf)) is not None


def test_two_shortest_ways_around_a_box():
    world = BoxWorld((-9.0, -9.0, 9.0, 9.0), [[(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]])
    ways = sorted(world.paths((-2.0, 0.0), (2.0, 0.0), 0.0), key=length)
    over = ((-2.0, 0.0), (-1.0, 1.0), (1.0, 1.0), (2.0, 0.0))
    assert set(ways[:2]) == {over, tuple((x, -z) for x, z in over)}
    assert len({world.word(way) for way in ways}) == len(ways)


@pytest.mark.parametrize("seed", range(3 * len(KINDS)))
def test_its_plans_of_random_worlds_pass_the_judge(seed):
    problem = random_problem(seed)
    plan = solve(problem)
    assert plan is None or validate(problem, plan) == []
    if kind_of(seed) in ("wall to the ceiling", "no latch"):
        assert plan is None
    if kind_of(seed) == "drive":
        assert plan.labels == ("a",)


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_a_mirror_changes_nothing_and_a_longer_tether_never_costs_more(seed):
    problem = random_problem(seed)
    mirrored = replace(
        problem,
        obstacles=[[(-x, z) for x, z in polygon] for polygon in problem.obstacles],
        perches=[(-x, z) for x, z in problem.perches],
        agents=[replace(agent, start=(-agent.start[0], agent.start[1])) for agent in problem.agents],
        goal={name: (-x, z) for name, (x, z) in problem.goal.items()},
    )
    drone, rover = problem.agents
    longer = replace(rover, winch=replace(rover.winch, length=rover.winch.length + 1.0))
    here, there, relaxed = (
        math.inf if plan is None else plan.cost
        for plan in map(solve, (problem, mirrored, replace(problem, agents=(drone, longer))))
    )
    assert there == pytest.approx(here)
    assert relaxed <= here + 1e-9


def test_worlds_follow_from_their_seeds_and_are_mixed():
    assert random_problem(7) == random_problem(7)
    answers = {seed: solve(random_problem(seed)) is not None for seed in range(100, 140)}
    assert 10 <= sum(answers.values()) <= 36
