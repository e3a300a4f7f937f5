"""The judge accepts plans that were reckoned on paper, and names step and fault of each that was spoiled."""

from dataclasses import replace

import numpy as np
import pytest
from window_on_paper import (
    ARM,
    DRONE,
    LINTEL,
    PERCH,
    ROVER,
    WALL,
    WINDOW_COST,
    plan_of,
    step,
    window_problem,
    window_steps,
)

from tetherlab.planning.plan import Plan, PlanStatus
from tetherlab.planning.problem import Winch
from tetherlab.planning.validator import validate
from tetherlab.planning.validator.flight import perch
from tetherlab.planning.validator.geometry import Plane
from tetherlab.planning.validator.hoist import follows
from tetherlab.planning.validator.team import Link, Team


def climb_steps():
    """δ β d γ' a' r' f': drives to the foot of the wall first, and goes up along it."""
    steps = window_steps()
    drive = step(
        "a'",
        "rover",
        [(1.9, -1.9), (0.3, -1.9)],
        tether=[(0.3, -1.9), (0.2, 0.2), PERCH],
        source=5,
        target=10,
    )
    climb = step(
        "r'",
        "rover",
        [(0.3, -1.9), (0.3, 0.3)],
        tether=[(0.3, 0.3), PERCH],
        hinge=(0.2, 0.2),
        source=10,
        target=6,
    )
    return [*steps[:4], drive, climb, replace(steps[5], source=6)]


def back_steps():
    """And down the same face again, so that the tether comes over the sill."""
    steps = climb_steps()[:6]
    down = step(
        "r'", "rover", [(0.3, 0.3), (0.3, -1.9)], tether=[(0.3, -1.9), (0.2, 0.2), PERCH], hinge=(0.2, 0.2)
    )
    return [*(replace(each, source=None, target=None) for each in steps), down]


def arm_steps():
    """The rover is lowered to the ground, drives to its goal, and gets the object."""
    lowered = window_steps()
    return [
        *lowered,
        step("a'", "rover", [(-1.1, -1.9), (-1.3, -1.9)], tether=[(-1.3, -1.9), PERCH], source=7, target=10),
        step("ζ", "arm", [(-1.8, -1.9), (-1.8, -1.0)], source=10, target=11),
        step("η", "arm", [(-1.8, -1.0), (-1.3, -1.9)], source=11, target=12),
    ]


LOW = (-1.1, -0.5)  # a perch below the sill


def low_steps():
    """The tether bends at both upper corners of the wall: δ β d γ' f' f' f'."""
    steps = window_steps()
    return [
        *steps[:3],
        step(
            "γ'",
            "drone",
            [(1.65, -1.85), (0.35, 0.35), (-0.35, 0.35), LOW],
            tether=[(1.9, -1.9), (0.2, 0.2), (-0.2, 0.2), LOW],
            source=4,
            target=5,
        ),
        replace(steps[4], tether=np.array([(0.3, 0.3), (-0.2, 0.2), LOW])),
        step(
            "f'",
            "rover",
            [(0.3, 0.3), (-0.3, 0.3)],
            tether=[(-0.3, 0.3), LOW],
            hinge=(-0.2, 0.2),
            source=7,
            target=7,
        ),
        step(
            "f'",
            "rover",
            [(-0.3, 0.3), (-1.1, -0.75), (-1.1, -1.9)],
            tether=[(-1.1, -1.9), LOW],
            hinge=LOW,
            source=7,
            target=7,
        ),
    ]


def arm_problem(**changes):
    given = {
        "agents": (DRONE, ROVER, ARM),
        "object_at": (-1.8, -1.0),
        "object_into": "rover",
        "goal": {"rover": (-1.3, -1.9)},
    }
    return window_problem(**(given | changes))


def named(steps):
    """As in teams where a label has several owners."""
    return [
        replace(each, label=f"{each.label}:{each.agent}", source=f"s{i}", target=f"s{i + 1}")
        for i, each in enumerate(steps)
    ]


RIGHT = {
    "through the window": (window_problem(), window_steps()),
    "along the wall": (window_problem(), climb_steps()),
    "and back": (window_problem(goal={"rover": (0.3, -1.9)}), back_steps()),
    "with an arm": (arm_problem(), arm_steps()),
    "over both corners": (
        window_problem(perches=(LOW,), drone={"perch_force": 70.0}),
        low_steps(),
    ),
    "labels with names": (window_problem(), named(window_steps())),
    "driving only": (
        window_problem(goal={"rover": (0.5, -1.9)}),
        [step("a", "rover", [(1.9, -1.9), (0.5, -1.9)], source=1, target=2)],
    ),
    "drone to its own goal": (
        window_problem(goal={"drone": (1.0, 1.5)}),
        [step("δ", "drone", [(1.1, 0.0), (1.0, 1.5)])],
    ),
    "nothing to do": (window_problem(goal={"rover": (1.9, -1.9)}), []),
}


@pytest.mark.parametrize("case", RIGHT)
def test_a_right_plan_has_no_faults(case):
    problem, steps = RIGHT[case]
    assert validate(problem, plan_of(steps)) == []


def test_the_cost_reckoned_on_paper_is_the_plans():
    assert plan_of(window_steps()).cost == pytest.approx(WINDOW_COST, abs=1e-12)


def test_the_world_seen_in_a_mirror_is_judged_the_same():
    def flip(points):
        return None if points is None else np.array(points) * (-1.0, 1.0)

    def tuples(points):
        return [(-x, z) for x, z in points]

    problem = window_problem(
        obstacles=[tuples(each) for each in window_problem().obstacles],
        perches=tuples([PERCH]),
        agents=[replace(each, start=(-each.start[0], each.start[1])) for each in (DRONE, ROVER)],
        goal={"rover": (1.1, -1.9)},
    )
    steps = [
        replace(
            each,
            way=flip(each.way),
            tether=flip(each.tether),
            hinge=None if each.hinge is None else (-each.hinge[0], each.hinge[1]),
        )
        for each in window_steps()
    ]
    assert validate(problem, plan_of(steps)) == []


def test_no_plan_is_not_judged_unless_it_has_steps():
    assert validate(window_problem(), Plan(status=PlanStatus.NO_PLAN)) == []
    faults = validate(window_problem(), plan_of(window_steps(), status=PlanStatus.NO_PLAN))
    assert faults == ["the plan has 6 steps, but says: no plan exists"]


def without(i):
    steps = window_steps()
    del steps[i]
    return steps


def swapped(i, j):
    steps = window_steps()
    steps[i], steps[j] = steps[j], steps[i]
    return steps


def changed(i, steps=None, **changes):
    """One step otherwise; a changed way costs what it should."""
    steps = steps or window_steps()
    if "way" in changes:
        old = steps[i]
        changes = {"cost": step(old.label, old.agent, changes["way"]).cost} | changes
        changes["way"] = np.array(changes["way"], dtype=float)
    if changes.get("tether") is not None:
        changes["tether"] = np.array(changes["tether"], dtype=float)
    steps[i] = replace(steps[i], **changes)
    return steps


def landed_at(x):
    """The drone beside the rover, but somewhere else."""
    steps = changed(0, way=[(1.1, 0.0), (x, -1.25)])
    steps = changed(1, steps, way=[(x, -1.25), (x, -1.85)])
    return changed(3, steps, way=[(x, -1.85), (0.35, 0.35), (-0.45, 0.75), PERCH])


STEP = [(1.4, -2.0), (1.7, -2.0), (1.7, -1.6), (1.4, -1.6)]
LONG = [(1.65, -1.85), (0.45, 1.45), PERCH]  # over the lintel
SPOILED = {
    # what is done to the plan: problem, steps, the step, and the fault that must be named
    "landing is missing": (
        window_problem(),
        without(1),
        "step 2, d",
        "drone has not landed",
    ),
    "latching is missing": (window_problem(), without(2), "step 3, γ'", "drone is not latched"),
    "first hoist is missing": (window_problem(), without(4), "step 5, f'", "starts 2.72 m away"),
    "last hoist is missing": (window_problem(), window_steps()[:5], "at the end", "away from its goal"),
    "perches before latching": (window_problem(), swapped(2, 3), "step 3, γ'", "drone is not latched"),
    "hoists in the wrong order": (window_problem(), swapped(4, 5), "step 5, f'", "the hinge is (0.2, 0.2)"),
    "flight through the wall": (
        window_problem(),
        changed(3, way=[(1.65, -1.85), PERCH]),
        "step 4, γ'",
        "drone is 0 m from an obstacle",
    ),
    "flight too near to the sill": (
        window_problem(),
        changed(3, way=[(1.65, -1.85), (0.25, 0.3), (-0.45, 0.75), PERCH]),
        "step 4, γ'",
        "its radius is 0.15 m",
    ),
    "flight with a detour": (
        window_problem(),
        changed(0, way=[(1.1, 0.0), (1.8, 0.0), (1.65, -1.25)]),
        "step 1, δ",
        "bends at (1.8, 0) around nothing",
    ),
    "flight out of the world": (
        window_problem(),
        changed(0, way=[(1.1, 0.0), (2.5, 0.0), (1.65, -1.25)]),
        "step 1, δ",
        "drone is 0 m from an obstacle",
    ),
    "tether too long for the winch": (
        window_problem(rover={"winch": Winch(length=4.5)}),
        window_steps(),
        "step 4, γ'",
        "the tether is 4.54 m long, the winch holds 4.5 m",
    ),
    "tether through the lintel": (
        window_problem(),
        changed(3, tether=[(1.9, -1.9), (0.0, 1.1), PERCH]),
        "step 4, γ'",
        "the tether goes through an obstacle",
    ),
    "tether under the wall": (
        window_problem(),
        changed(3, tether=[(1.9, -1.9), (0.2, -2.0), (-0.2, -2.0), PERCH]),
        "step 4, γ'",
        "the tether goes through an obstacle at (0, -2)",
    ),
    "tether of another class": (
        window_problem(),
        changed(3, tether=[(1.9, -1.9), (0.3, 1.3), PERCH]),
        "step 4, γ'",
        "the other side",
    ),
    "flight of another class": (window_problem(), changed(3, way=LONG), "step 4, γ'", "the other side"),
    "slack tether": (
        window_problem(),
        changed(3, tether=[(1.9, -1.9), (0.4, 0.4), (-1.1, 1.5)]),
        "step 4, γ'",
        "not taut, it bends at (0.4, 0.4)",
    ),
    "tether that ends in the air": (
        window_problem(),
        changed(3, tether=[(1.9, -1.9), (0.2, 0.2), (-1.0, 1.4)]),
        "step 4, γ'",
        "the tether ends 0.141 m away",
    ),
    "no tether told": (window_problem(), changed(3, tether=None), "step 4, γ'", "how the tether lies"),
    "hinge at another corner": (
        window_problem(),
        changed(4, hinge=(-0.2, 0.2)),
        "step 5, f'",
        "the hinge is (0.2, 0.2), not (-0.2, 0.2)",
    ),
    "hinge at the perch too early": (window_problem(), changed(4, hinge=PERCH), "step 5, f'", "the hinge is"),
    "no hinge": (window_problem(), changed(5, hinge=None), "step 6, f'", "names no hinge"),
    "teleport": (
        window_problem(),
        changed(4, way=[(1.0, -1.9), (0.3, 0.3)]),
        "step 5, f'",
        "rover starts 0.9 m away from where it is",
    ),
    "wrong cost of a step": (window_problem(), changed(4, cost=3.0), "step 5, f'", "says that it costs 3"),
    "flight at the price of driving": (window_problem(), changed(1, cost=1.6), "step 2, β", "costs 17.8"),
    "drone drives": (window_problem(), changed(4, agent="drone"), "step 5, f'", "does not own this label"),
    "rover flies": (window_problem(), changed(0, agent="rover"), "step 1, δ", "does not own this label"),
    "rover that cannot latch": (
        window_problem(rover={"latch": False}),
        window_steps(),
        "step 3, d",
        "rover does not own this label",
    ),
    "drone that cannot perch": (
        window_problem(drone={"perch_force": None}),
        window_steps(),
        "step 4, γ'",
        "drone does not own this label",
    ),
    "drone that cannot land": (
        window_problem(drone={"land": False}),
        window_steps(),
        "step 2, β",
        "drone does not own this label",
    ),
    "somebody else's label": (window_problem(), changed(4, label="f':drone"), "step 5, f'", "is drone's"),
    "unknown label": (window_problem(), changed(4, label="x"), "step 5, x", "no such label"),
    "unknown agent": (window_problem(), changed(4, agent="crane"), "step 5, f'", "nobody is called 'crane'"),
    "latched from afar": (window_problem(), landed_at(1.2), "step 3, d", "latch_reach is 0.6 m"),
    "landed from afar": (window_problem(), landed_at(1.2), "step 2, β", "no landing spot"),
    "landed on the rover": (window_problem(), landed_at(1.8), "step 2, β", "no landing spot"),
    "latched without touching": (window_problem(), landed_at(1.5), "step 3, d", "they touch at 0.25 m"),
    "landed beside where it was": (
        window_problem(),
        changed(1, way=[(1.65, -1.25), (1.5, -1.85)]),
        "step 2, β",
        "straight down",
    ),
    "waypoint too high": (
        window_problem(),
        changed(0, way=[(1.1, 0.0), (1.65, -0.8)]),
        "step 1, δ",
        "the waypoint is 1.05 m above the spot",
    ),
    "waypoint too low": (
        window_problem(),
        changed(0, way=[(1.1, 0.0), (1.65, -1.6)]),
        "step 1, δ",
        "the waypoint is 0.25 m above the spot",
    ),
    "waypoint nowhere": (
        window_problem(),
        changed(0, way=[(1.1, 0.0), (1.0, 1.0)]),
        "step 1, δ",
        "no landing",
    ),
    "flies free with the tether": (
        window_problem(),
        [*window_steps()[:3], step("δ", "drone", [(1.65, -1.85), (1.65, -1.25)])],
        "step 4, δ",
        "it holds the tether of rover",
    ),
    "lands twice": (
        window_problem(),
        [*window_steps()[:2], step("β", "drone", [(1.65, -1.85), (1.65, -1.85)])],
        "step 3, β",
        "drone is not in the air",
    ),
    "landing ends above the ground": (
        window_problem(),
        changed(1, way=[(1.65, -1.25), (1.65, -1.7)]),
        "step 2, β",
        "no flat ground below (1.65, -1.7)",
    ),
    "latches twice": (
        window_problem(),
        [*window_steps()[:3], window_steps()[2]],
        "step 4, d",
        "rover is latched already",
    ),
    "latches what stands on a step": (
        window_problem(obstacles=(WALL, LINTEL, STEP)),
        changed(1, changed(0, way=[(1.1, 0.0), (1.65, -0.85)]), way=[(1.65, -0.85), (1.65, -1.45)]),
        "step 3, d",
        "drone stands 0.4 m higher or lower",
    ),
    "drives about before it latches": (
        window_problem(),
        changed(2, way=[(1.9, -1.9), (1.6, -1.9), (1.9, -1.9)]),
        "step 3, d",
        "drives 0.6 m, though drone is 0.25 m away",
    ),
    "perch that is none": (
        window_problem(perches=((-1.0, 1.7),)),
        window_steps(),
        "step 4, γ'",
        "is no perch, the nearest is 0.224 m away",
    ),
    "perch too weak": (
        window_problem(drone={"perch_force": 49.5}),
        window_steps(),
        "step 5, f'",
        "drone holds 49.5 N",
    ),
    "winch too weak": (
        window_problem(rover={"winch": Winch(length=7.0, force_max=86.0)}),
        window_steps(),
        "step 5, f'",
        "it takes 86.68 N to lift rover, its winch pulls 86 N",
    ),
    "goal missed": (window_problem(goal={"rover": (-1.3, -1.9)}), window_steps(), "at the end", "0.2 m away"),
    "corner not reached": (
        window_problem(),
        changed(4, way=[(1.9, -1.9), (0.4, 0.1)], tether=[(0.4, 0.1), (0.2, 0.2), PERCH]),
        "step 5, f'",
        "away from beside the corner (0.2, 0.2)",
    ),
    "hoisted through the sill": (
        window_problem(),
        changed(4, way=[(1.9, -1.9), (0.2, 0.2)]),
        "step 5, f'",
        "rover is 0 m from an obstacle",
    ),
    "hoisted around the lintel": (
        window_problem(),
        changed(5, way=[(0.3, 0.3), (0.4, 0.8), (0.4, 1.4), (-0.4, 1.4), (-1.1, 1.25), (-1.1, -1.9)]),
        "step 6, f'",
        "on the other side than the tether",
    ),
    "hoisted to the sill from behind": (
        window_problem(),
        changed(4, way=[(1.9, -1.9), (0.4, 1.4), (-0.4, 1.4), (-0.4, 0.8), (0.3, 0.3)]),
        "step 5, f'",
        "the way passes an obstacle on the other side",
    ),
    "lowered beside the plumb line": (
        window_problem(),
        changed(
            5,
            way=[(0.3, 0.3), (-1.1, 1.25), (-1.2, 1.2), (-1.2, -1.9), (-1.1, -1.9)],
        ),
        "step 6, f'",
        "0.1 m beside the plumb line",
    ),
    "lowered at a slant": (
        window_problem(),
        changed(5, way=[(0.3, 0.3), (-0.45, 0.7), (-1.1, -1.9)]),
        "step 6, f'",
        "does not come up to (-1.1, 1.25)",
    ),
    "hoisted into the drone": (
        window_problem(),
        changed(5, way=[(0.3, 0.3), (-1.1, 1.45), (-1.1, -1.9)]),
        "step 6, f'",
        "does not come up to (-1.1, 1.25)",
    ),
    "left hanging": (
        window_problem(goal={"rover": (-1.1, -1.9)}),
        changed(5, way=[(0.3, 0.3), (-1.1, 1.25), (-1.1, -1.0)], tether=[(-1.1, -1.0), PERCH]),
        "step 6, f'",
        "is left hanging",
    ),
    "driven up a wall": (
        window_problem(),
        changed(5, climb_steps(), label="a'"),
        "step 6, a'",
        "drives at (0.3, -1.",
    ),
    "driven too steeply": (
        window_problem(goal={"rover": (1.0, -1.4)}),
        [step("a", "rover", [(1.9, -1.9), (1.5, -1.9), (1.0, -1.4)])],
        "step 1, a",
        "there is no ground below",
    ),
    "driven without its tether": (
        window_problem(),
        changed(4, climb_steps(), label="a"),
        "step 5, a",
        "rover is linked to drone",
    ),
    "driven with a tether that it has not": (
        window_problem(goal={"rover": (0.5, -1.9)}),
        [step("a'", "rover", [(1.9, -1.9), (0.5, -1.9)], tether=[(0.5, -1.9), (1.1, 0.0)])],
        "step 1, a'",
        "rover has no anchored tether",
    ),
    "climbed away from the face": (
        window_problem(),
        changed(4, label="r'", target=6),
        "step 5, r'",
        "does not stay at a steep face",
    ),
    "climbed along what is flat": (
        window_problem(perches=(LOW,)),
        changed(5, low_steps(), label="r'", target=6),
        "step 6, r'",
        "does not stay at a steep face",
    ),
    "climbed down half": (
        window_problem(),
        changed(6, back_steps(), way=[(0.3, 0.3), (0.3, -1.0)], tether=[(0.3, -1.0), (0.2, 0.2), PERCH]),
        "step 7, r'",
        "does not end on ground on which it can drive",
    ),
    "climbed half": (
        window_problem(),
        changed(5, climb_steps(), way=[(0.3, -1.9), (0.3, -0.5)], tether=[(0.3, -0.5), (0.2, 0.2), PERCH]),
        "step 6, r'",
        "away from beside the corner",
    ),
    "no such event": (
        window_problem(),
        changed(3, target=6),
        "step 4, γ'",
        "event leads from 4 to 6",
    ),
    "broken chain": (window_problem(), changed(4, source=10), "step 5, f'", "the step before it led to 5"),
    "does not start at the start": (
        window_problem(),
        changed(0, source=3),
        "step 1, δ",
        "starts at location 3",
    ),
    "ends where there is no end": (
        window_problem(goal={"rover": (1.9, -1.9)}),
        window_steps()[:3],
        "step 3, d",
        "has no κ",
    ),
    "way of wrong shape": (
        window_problem(),
        [replace(window_steps()[0], way=np.zeros(3))],
        "step 1, δ",
        "shape (3,)",
    ),
    "object forgotten": (arm_problem(), arm_steps()[:-1], "at the end", "not in the container of rover"),
    "placed before picked": (
        arm_problem(),
        [*arm_steps()[:7], arm_steps()[8], arm_steps()[7]],
        "step 8, η",
        "nothing was picked",
    ),
    "gripper beside the object": (
        arm_problem(),
        changed(7, arm_steps(), way=[(-1.8, -1.9), (-1.7, -1.0)]),
        "step 8, ζ",
        "the gripper ends 0.1 m away",
    ),
    "picked twice": (
        arm_problem(),
        [*arm_steps()[:8], arm_steps()[7]],
        "step 9, ζ",
        "the object was picked already",
    ),
    "arm while the rover hangs": (
        arm_problem(agents=(DRONE, ROVER, replace(ARM, start=(0.8, 0.3)))),
        [*window_steps()[:5], step("ζ", "arm", [(0.8, 0.3), (-1.8, -1.0)])],
        "step 6, ζ",
        "rover does not stand on its ground",
    ),
    "arm too short": (
        arm_problem(agents=(DRONE, ROVER, replace(ARM, reach=0.4))),
        arm_steps(),
        "step 8, ζ",
        "which reaches 0.4 m",
    ),
    "no container": (
        arm_problem(agents=(DRONE, replace(ROVER, carry=False), ARM)),
        arm_steps(),
        "step 9, η",
        "rover has no container",
    ),
    "picked without an arm": (
        arm_problem(),
        [*arm_steps()[:7], replace(arm_steps()[7], agent="rover")],
        "step 8, ζ",
        "rover does not own this label",
    ),
}


@pytest.mark.parametrize("case", SPOILED)
def test_a_spoiled_plan_is_rejected_with_step_and_fault(case):
    problem, steps, where, fault = SPOILED[case]
    faults = validate(problem, plan_of(steps))
    assert any(each.startswith(where) and fault in each for each in faults), faults


def test_a_wrong_sum_is_rejected():
    faults = validate(window_problem(), plan_of(window_steps(), cost=70.0))
    assert [fault for fault in faults if fault.startswith("the plan says that it costs 70")] == faults
    assert faults


def test_a_perch_that_holds_without_friction_may_not_hold_with_it():
    """The tether turns by atan(17 / 21) - 45 deg backwards at the sill, which is 6.0 deg."""
    turned = np.pi / 4 - np.arctan2(1.7, 2.1)
    pull = 5.0 * 9.80665 * np.exp(0.2 * turned)
    for force, is_right in ((pull - 0.01, False), (pull + 0.01, True)):
        assert (
            validate(window_problem(drone={"perch_force": force}), plan_of(window_steps())) == []
        ) is is_right


def test_a_perch_is_for_one():
    problem = window_problem(agents=(DRONE, ROVER, replace(DRONE, name="kite", start=(-1.1, 0.0))))
    team = Team.at_start(problem, Plane(problem.bounds, problem.obstacles), 0.1)
    team.places |= {"kite": np.array(PERCH), "drone": np.array((1.65, -1.85))}
    team.modes |= {"kite": "perched", "drone": "ground"}
    team.links["rover"] = Link("drone")
    assert perch(team, DRONE, window_steps()[3]) == ["somebody is perched there"]


@pytest.mark.parametrize(("fall", "is_steep"), [(0.3, False), (2.0, True)])
def test_a_face_that_one_can_drive_on_is_not_climbed(fall, is_steep):
    corner, foot = np.array((0.0, 0.0)), np.array((1.0, -fall))
    normal = np.array((fall, 1.0)) / np.hypot(1.0, fall)
    way = np.array([foot, corner]) + ROVER.radius * normal
    assert follows(ROVER, way, corner, foot, 0.1) is is_steep


def test_a_rope_that_goes_around_and_back_is_of_no_class():
    """The word of a way and its way back cancels; once around a box does not, nor does a commutator."""
    plane = Plane((-9.0, -9.0, 9.0, 9.0), [_box(-3.0), _box(3.0)])
    base = (0.0, -5.0)
    left = [base, (-5.0, -5.0), (-5.0, 5.0), (0.0, 5.0), base]
    right = [base, (5.0, -5.0), (5.0, 5.0), (0.0, 5.0), base]
    assert plane.word(np.array([*left, *left[::-1]])) == ()
    assert plane.word(np.array(left)) != ()
    assert plane.word(np.array([*left, *right, *left[::-1], *right[::-1]])) != ()


def _box(x):
    return [(x - 1.0, -1.0), (x + 1.0, -1.0), (x + 1.0, 1.0), (x - 1.0, 1.0)]


@pytest.mark.parametrize("lift", [np.sqrt(1.16), 1.4])  # of a disc on the ramp; of a square around it
@pytest.mark.parametrize(("slope", "is_right"), [(0.5, True), (0.3, False)])
def test_a_ramp_of_22_degrees_is_driven_up_by_who_can(lift, slope, is_right):
    ramp = [(-1.0, -2.0), (1.0, -2.0), (1.0, -1.2)]
    x = -1.0 - 0.1 * (lift - 1.0) / 0.4  # where it leaves the floor
    top = (0.9, -1.24 + 0.1 * lift)
    problem = window_problem(
        obstacles=[ramp], rover={"start": (-1.8, -1.9), "drive_slope": slope}, goal={"rover": top}
    )
    faults = validate(problem, plan_of([step("a", "rover", [(-1.8, -1.9), (x, -1.9), top])]))
    assert (faults == []) is is_right
    assert is_right or "no ground below of less than 17.2 deg" in faults[0]
