"""A wall with a window, and a plan to get a rover over it, reckoned on paper (1 unit of the paper = 2 m)."""

from dataclasses import replace

import numpy as np

from tetherlab.planning.plan import Plan, PlanStatus, Step
from tetherlab.planning.problem import Agent, Problem, Winch

WALL = [(-0.2, -2.0), (0.2, -2.0), (0.2, 0.2), (-0.2, 0.2)]
LINTEL = [(-0.3, 0.9), (0.3, 0.9), (0.3, 1.3), (-0.3, 1.3)]
PERCH = (-1.1, 1.5)
DRONE = Agent(name="drone", start=(1.1, 0.0), radius=0.15, mass=1.5, fly=True, land=True, perch_force=60.0)
ROVER = Agent(
    name="rover", start=(1.9, -1.9), drive_slope=0.5, winch=Winch(length=7.0), latch=True, carry=True
)
ARM = Agent(name="arm", start=(-1.8, -1.9), reach=1.2)


def window_problem(drone=None, rover=None, **changes):
    team = (replace(DRONE, **(drone or {})), replace(ROVER, **(rover or {})))
    given = {
        "bounds": (-2.0, -2.0, 2.0, 2.0),
        "obstacles": (WALL, LINTEL),
        "perches": (PERCH,),
        "agents": team,
        "goal": {"rover": (-1.1, -1.9)},
    }
    return Problem(**(given | changes))


def step(label, agent, way, *, cost=None, tether=None, **more):
    """The cost is right if it is not given: 16 = twice the sum of the sides of the world."""
    way = np.array(way, dtype=float)
    metres = float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
    right = 16.0 + 3.0 * metres if agent == "drone" else 1.0 + metres
    return Step(
        label=label,
        agent=agent,
        way=way,
        cost=right if cost is None else cost,
        sentence="",
        tether=None if tether is None else np.array(tether, dtype=float),
        **more,
    )


def plan_of(steps, **more):
    given = {"status": PlanStatus.SOLVED, "steps": tuple(steps), "cost": sum(each.cost for each in steps)}
    return Plan(**(given | more))


def window_steps():
    """δ β d γ' f' f': beside the rover, through the window to the perch, up to the sill, then down."""
    return [
        step("δ", "drone", [(1.1, 0.0), (1.65, -1.25)], source=1, target=9),
        step("β", "drone", [(1.65, -1.25), (1.65, -1.85)], source=9, target=3),
        step("d", "rover", [(1.9, -1.9), (1.9, -1.9)], source=3, target=4, partner="drone"),
        step(
            "γ'",
            "drone",
            [(1.65, -1.85), (0.35, 0.35), (-0.45, 0.75), PERCH],
            tether=[(1.9, -1.9), (0.2, 0.2), PERCH],
            source=4,
            target=5,
        ),
        step(
            "f'",
            "rover",
            [(1.9, -1.9), (0.3, 0.3)],
            tether=[(0.3, 0.3), PERCH],
            hinge=(0.2, 0.2),
            source=5,
            target=7,
        ),
        step(
            "f'",
            "rover",
            [(0.3, 0.3), (-1.1, 1.25), (-1.1, -1.9)],
            tether=[(-1.1, -1.9), PERCH],
            hinge=PERCH,
            source=7,
            target=7,
        ),
    ]


# 3 flights at 16, metres of the drone at 3 each, 3 actions of the rover, its metres
WINDOW_COST = (
    48.0
    + 3.0 * (np.hypot(0.55, 1.25) + 0.6 + np.hypot(1.3, 2.2) + np.hypot(0.8, 0.4) + np.hypot(0.65, 0.75))
    + 3.0
    + np.hypot(1.6, 2.2)
    + np.hypot(1.4, 0.95)
    + 3.15
)
