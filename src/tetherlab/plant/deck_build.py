"""What rides on a rover as shapes of the world, and how a rover stands on the ground at the start."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.vehicles.dish import dish_sphere, stand_height
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec
from tetherlab.world import World, shapes

Vector = NDArray[np.float64]
DECK, CHASSIS = "deck", "chassis"
UNEVEN = 5e-3  # ground that differs by more under its wheels makes a rover lean [m]
ABOVE, BELOW = 0.5, 1.0  # from where to where the ground is looked for, from the rover's origin [m]


def turned(yaw: float) -> Vector:
    """R_WB of a level body, (3, 3)."""
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def lean_on_ground(world: World, rover: RoverSpec, place: Vector, yaw: float) -> tuple[Vector, Vector]:
    """Origin of a rover on the plane that fits best under its wheels [m], (3,), and how it leans, (3, 3).

    That is R_WB of a rover without yaw; none where the ground is level, or where there is none.
    """
    level = turned(yaw)
    under = rover.wheel_positions[:, :2]
    starts = place + np.column_stack([under, np.full(len(under), ABOVE)]) @ level.T
    ranges = world.raycast(starts, (0.0, 0.0, -1.0), ABOVE + BELOW)
    heights = starts[:, 2] - ranges - place[2]
    if np.any(ranges >= ABOVE + BELOW) or np.ptp(heights) < UNEVEN or len(under) < 3:
        return place, np.eye(3)
    rises, *_ = np.linalg.lstsq(np.column_stack([np.ones(len(under)), under]), heights, rcond=None)
    ahead = np.array((1.0, 0.0, rises[1])) / math.hypot(1.0, rises[1])
    up = np.array((-rises[1], -rises[2], 1.0)) / math.hypot(rises[1], rises[2], 1.0)
    lean = np.column_stack([ahead, np.cross(up, ahead), up])
    return place + np.array((0.0, 0.0, rises[0])), level @ lean @ level.T


def stand_on(quadrotor: QuadrotorSpec, rover: RoverSpec) -> Vector:
    """Where the drone's centre is when it stands on the middle of the deck, rover frame [m], (3,)."""
    if rover.deck_lower is None or rover.deck_upper is None:
        return np.zeros(3)
    middle = 0.5 * (rover.deck_lower + rover.deck_upper)
    height = rover.deck_upper[2] + stand_height(quadrotor.feet, rover.depression)
    return np.array([middle[0], middle[1], height])


def leaning_quaternion(lean: Vector, yaw: float) -> tuple[float, float, float, float]:
    """Of a body that has turned by a yaw and then leans, wxyz."""
    w, x, y, z = quaternion_from_matrix(lean)
    c, s = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
    return w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s


def carried_shapes(rover: RoverSpec, prefix: str = "") -> list[shapes.Shape]:
    """Platform and chassis of a rover, round its centre of mass; their names begin with the prefix."""
    parts: list[shapes.Shape] = []
    if rover.deck_lower is not None and rover.deck_upper is not None:
        parts.append(
            _deck(rover, rover.deck_lower - rover.center_of_mass, rover.deck_upper - rover.center_of_mass)
        )
    if rover.chassis_lower is not None and rover.chassis_upper is not None:
        lower, upper = rover.chassis_lower - rover.center_of_mass, rover.chassis_upper - rover.center_of_mass
        parts.append(shapes.Box(lower=lower, upper=upper, name=CHASSIS))
    return [replace(part, name=f"{prefix}_{part.name}") for part in parts] if prefix else parts


def with_deck(world: World, rover: RoverSpec, place: Vector, lean: Vector, yaw: float) -> World:
    """The world with what rides on the rover: platform and chassis; their origin is its centre of mass."""
    parts = carried_shapes(rover)
    team = world.with_objects(parts) if parts else world
    centre = place + lean @ turned(yaw) @ rover.center_of_mass
    for part in parts:
        team.place(part.name, position=centre, rotation_wxyz=leaning_quaternion(lean, yaw))
    return team


def _deck(rover: RoverSpec, lower: Vector, upper: Vector) -> shapes.Shape:
    """A box, with its depression if it has one."""
    if rover.depression is None:
        return shapes.Box(lower=lower, upper=upper, name=DECK, friction=rover.deck_friction)
    _, rim, depth = rover.depression
    height, radius = dish_sphere(rover.depression)
    middle = 0.5 * (lower + upper)
    bottom = upper[2] - depth
    ball = shapes.Sphere(center=(middle[0], middle[1], bottom + height), radius=radius)
    # The ball ends at the floor.
    below = shapes.Box(
        lower=(middle[0] - rim, middle[1] - rim, bottom - radius),
        upper=(middle[0] + rim, middle[1] + rim, bottom),
    )
    return shapes.Difference(
        shape=shapes.Box(lower=lower, upper=upper),
        minus=shapes.Difference(shape=ball, minus=below),
        name=DECK,
        friction=rover.deck_friction,
    )
