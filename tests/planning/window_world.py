"""The wall with a window of paper 004, section 5, in metres, and what may be changed of it."""

import math
from typing import Any

from tetherlab.planning.cooperative import Agent, Problem, Winch
from tetherlab.planning.problem import Point

Corners = list[Point]
LINTEL = (-0.3, 0.9, 0.3, 1.3)


def box(x_min: float, z_min: float, x_max: float, z_max: float) -> Corners:
    return [(x_min, z_min), (x_max, z_min), (x_max, z_max), (x_min, z_max)]


def window(
    *,
    length: float = 7.0,
    top: float = 0.2,
    lintel: bool = True,
    goal: Point = (-1.1, -1.9),
    ugv: dict[str, Any] | None = None,
    uav: dict[str, Any] | None = None,
    **more: Any,
) -> Problem:
    """A wall up to `top`, a UGV on its right, a UAV above it, one perch on its left."""
    ground = Agent(
        **{
            "name": "ugv", "start": (1.9, -1.9), "drive_slope": math.radians(20.0), "latch": True,
            "winch": Winch(length=length, force_max=150.0), **(ugv or {}),
        }
    )  # fmt: skip
    air = Agent(
        **{
            "name": "uav", "start": (1.1, 0.0), "radius": 0.2, "mass": 2.0, "fly": True, "land": True,
            "perch_force": 400.0, **(uav or {}),
        }
    )  # fmt: skip
    return Problem(
        **{
            "bounds": (-2.0, -2.0, 2.0, 2.0),
            "obstacles": [box(-0.2, -2.0, 0.2, top), *([box(*LINTEL)] if lintel else [])],
            "perches": [(-1.1, 1.5)], "agents": [ground, air], "goal": {"ugv": goal}, **more,
        }
    )  # fmt: skip
