"""How long plans take: the window world on a fine grid, crowded worlds, and what a larger team adds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tetherlab.planning.abilities import abilities
from tetherlab.planning.automata.joined import join
from tetherlab.planning.cooperative import Planner
from tetherlab.planning.dual_ugv import plan_dual_ugv
from tetherlab.planning.problem import Agent, Box, Point, Problem, Winch
from tetherlab.planning.team_models import assemble
from tetherlab.planning.validator import validate
from tetherlab.studies.cooperative_plans import NAMES, STUDY, planner_of
from tetherlab.studies.rows import Row

Add = Callable[[Row], None]
FINE = 160  # cells along a side
SEARCHES, SETUPS = 20, 5
TEAMS = range(1, 7)
CROWDED, BOXES = 10, 10  # worlds, and boxes that float in each
WIDE, TALL, WALL = 4.0, 5.0, (-0.2, 0.0, 0.2, 2.0)  # half the width, the height, the wall [m]
APART = 0.4  # of boxes from each other, the wall, the border and the robots [m]


def run(add: Add, say: Callable[[str], None] = lambda text: None) -> None:
    """Medians, after everything is compiled."""
    planner_of("with_an_arm").plan()
    for name, who in NAMES.items():
        if name == "dual_ugv":
            found = [plan_dual_ugv() for _ in range(SEARCHES)]
            setups = [plan.setup_time for plan in found]
            where = who
        else:
            planners = [planner_of(name, FINE) for _ in range(SETUPS)]
            setups = [planner.setup_time for planner in planners]
            found = [planners[0].plan() for _ in range(SEARCHES)]
            where = f"{who}, {FINE} x {FINE} cells"
        searches = [plan.search_time for plan in found]
        add(
            Row(
                STUDY, f"{where}: set-up, median of {len(setups)}", "ms", None, 1e3 * float(np.median(setups))
            )
        )
        add(
            Row(STUDY, f"{where}: search, median of {SEARCHES}", "ms", None, 1e3 * float(np.median(searches)))
        )
        add(Row(STUDY, f"{where}: nodes expanded", "", None, found[0].expanded))
    _teams(add)
    _crowds(add, say)


def _teams(add: Add) -> None:
    """Locations of a join are those of its members together; of a product, those multiplied."""
    for size in TEAMS:
        agents = team(size)
        product = math.prod(2 + len(abilities(agent)) for agent in agents)
        count = len(join(*assemble(agents)).locations)
        note = "A UAV and a UGV have 5 and 7 locations of their own, start and end included, which all share."
        add(Row(STUDY, f"locations of a team of {size}", "", None, count, note))
        add(Row(STUDY, f"locations of a team of {size}, as a product", "", None, product, note))


def team(size: int) -> list[Agent]:
    """UAVs and UGVs in turn."""
    winch = Winch(length=5.0)
    return [
        Agent(name=f"ugv_{k}", start=(0.0, 0.0), drive_slope=0.3, winch=winch, latch=True)
        if k % 2
        else Agent(name=f"uav_{k}", start=(0.0, 0.0), fly=True, land=True, perch_force=100.0)
        for k in range(size)
    ]


class Crowded(NamedTuple):
    """What the plan of a crowded world came to."""

    solved: bool
    faults: list[str]
    duration: float  # of set-up and search [s]


def _crowds(add: Add, say: Callable[[str], None]) -> None:
    found = []
    for seed in range(CROWDED):
        say(f"crowded world {seed + 1} of {CROWDED}")
        found.append(crowd(seed))
    where = f"a wall and {BOXES} random boxes, {CROWDED} worlds"
    faults = "; ".join(fault for each in found for fault in each.faults)
    add(Row(STUDY, f"{where}: plans", "", None, sum(each.solved for each in found)))
    add(
        Row(
            STUDY,
            f"{where}: plans that the judge refuses",
            "",
            None,
            sum(bool(e.faults) for e in found),
            faults,
        )
    )
    add(Row(STUDY, f"{where}: set-up and search, slowest", "s", None, max(e.duration for e in found)))


def crowd(seed: int) -> Crowded:
    """Plan in one."""
    problem = crowded_problem(seed)
    begun = time.perf_counter()
    found = Planner(problem).plan()
    took = max(time.perf_counter() - begun, found.setup_time + found.search_time)
    return Crowded(found.status.has_plan, validate(problem, found) if found.status.has_plan else [], took)


def crowded_problem(seed: int) -> Problem:
    """The wall and boxes that float, so far apart that every robot passes between them."""
    random = np.random.default_rng([seed, 2024])
    side, low, hover, perch = 2.5, 0.1, 1.5, 4.2  # robots start on the right; the goal is below the perch
    keep_free = [(side, low, side, hover), (-side, low, -side, perch)]
    boxes: list[Box] = [WALL]
    while len(boxes) <= BOXES:
        x, z = random.uniform(-WIDE + 0.8, WIDE - 0.8), random.uniform(0.9, TALL - 0.8)
        half_x, half_z = random.uniform(0.1, 0.35, size=2)
        box = (float(x - half_x), float(z - half_z), float(x + half_x), float(z + half_z))
        if all(_gap(box, other) > APART for other in (*boxes, *keep_free)):
            boxes.append(box)
    ugv = Agent(
        name="ugv", start=(side, low), drive_slope=0.35, winch=Winch(length=12.0, force_max=150.0), latch=True
    )
    uav = Agent(
        name="uav", start=(side, hover), radius=0.15, mass=2.0, fly=True, land=True, perch_force=2000.0
    )
    return Problem(
        bounds=(-WIDE, 0.0, WIDE, TALL),
        obstacles=[_corners(box) for box in boxes],
        perches=[(-side, perch)],
        agents=[ugv, uav],
        goal={"ugv": (-side, low)},
        name=f"crowded, seed {seed}",
    )


def _gap(a: Box, b: Box) -> float:
    """Between two boxes [m]; also a point is one."""
    return math.hypot(max(a[0] - b[2], b[0] - a[2], 0.0), max(a[1] - b[3], b[1] - a[3], 0.0))


def _corners(box: Box) -> list[Point]:
    x_min, z_min, x_max, z_max = box
    return [(x_min, z_min), (x_max, z_min), (x_max, z_max), (x_min, z_max)]
