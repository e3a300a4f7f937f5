"""What it takes to pull a robot over corners, by hand."""

import math
from dataclasses import replace

import pytest

from tetherlab.planning.cooperative import Agent, Problem, Winch, plan
from tetherlab.planning.lifting import pull_over, pull_past
from tetherlab.planning.validator import validate


def box(x0, z0, x1, z1):
    return [(x0, z0), (x1, z0), (x1, z1), (x0, z1)]


def two_walls(force):
    """A low wall below the straight tether, and a high one that is below it as well."""
    winch = Winch(length=14.0, force_max=force)
    ugv = Agent(name="ugv", start=(1.0, 0.1), mass=5.0, drive_slope=0.3, winch=winch, latch=True)
    uav = Agent(name="uav", start=(0.5, 1.5), radius=0.2, fly=True, land=True, perch_force=400.0)
    return Problem(
        bounds=(0.0, 0.0, 8.0, 5.0),
        obstacles=[box(2.5, 0.0, 2.8, 0.6), box(5.0, 0.0, 5.3, 2.2)],
        perches=[(6.5, 3.0)],
        agents=[ugv, uav],
        goal={"ugv": (6.5, 0.1)},
    )


def test_a_steep_tether_rolls_it_over_and_a_level_one_never():
    assert pull_over((0.0, 0.0), (0.0, 1.0)) == pytest.approx(1.0)  # straight up it slides
    assert pull_over((0.0, 0.0), (-1.0, 1.0)) == pytest.approx(1.25 * math.sqrt(2.0))
    assert pull_over((0.0, 0.0), (-1.0, 0.0)) == math.inf


def test_only_corners_below_the_tether_and_above_the_ground_count():
    line = [(0.0, 0.1), (4.0, 4.1)]
    assert pull_past([(2.0, 0.0)], line, 0.0) == 1.0  # of the ground
    assert pull_past([(2.0, 3.0)], line, 0.0) == 1.0  # above the tether
    assert pull_past([(5.0, 1.0)], line, 0.0) == 1.0  # beyond the hinge
    slope = math.atan2(3.1, 2.0)
    expected = min(1.25 / math.sin(slope), 1.0 / (math.sin(slope) - 0.3 * math.cos(slope)))
    assert pull_past([(2.0, 1.0)], line, 0.0) == pytest.approx(expected)
    mirrored = [(-x, z) for x, z in line]
    assert pull_past([(-2.0, 1.0)], mirrored, 0.0) == pytest.approx(expected)


def test_planner_and_judge_ask_for_the_same_force():
    steepest = 1.25 * 5.0 * 9.80665 / math.sin(math.atan2(3.0 - 2.2, 6.5 - 5.0))  # over the high wall
    enough, weak = two_walls(1.001 * steepest), two_walls(0.999 * steepest)
    found = plan(enough, explain=False)
    assert found.symbols == "δ β d γ' f'" and validate(enough, found) == []
    assert not plan(weak, explain=False).status.has_plan
    faults = validate(weak, found)
    assert len(faults) == 1 and "to lift ugv, its winch pulls" in faults[0]
    low = replace(weak, obstacles=weak.obstacles[:1])
    assert plan(low, explain=False).status.has_plan  # the low wall asks for less
