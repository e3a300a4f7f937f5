"""Whether the team can be where it should be, asked before anything moves.

A target is refused if the drone or the ground robot would be inside an obstacle, or if the tether, all of it
or as much as the target asks for, is too short for the straight line between them. Nothing is said about the
way from one target to the next.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.scenario.problems import KeyPath
from tetherlab.world import World, shapes

if TYPE_CHECKING:
    from tetherlab.scenario.scenario import Scenario

FROM_EXIT = "from the exit of the winch"
FLOOR_ABOVE = 0.5  # the floor is looked for from this height above a target of the ground robot downwards [m]
FLOOR_BELOW = 2.0  # and so far below that [m]


def unreachable_targets(scenario: Scenario) -> Iterator[tuple[KeyPath, str]]:
    """What is wrong with the start and with each target, with its place."""
    targets = scenario.mission.targets
    where: list[KeyPath] = [("mission", "targets", index) for index in range(len(targets))]
    uav = np.array([scenario.uav_start, *(target.uav for target in targets)])
    ugv = np.array([scenario.ugv.start, *(target.ugv for target in targets)])
    floor = floor_below(scenario, ugv)
    ugv[:, 2] = np.where(np.isnan(floor), ugv[:, 2], floor)
    if scenario.uav.on_platform:
        uav[0, 2] += ugv[0, 2] - scenario.ugv.start[2]

    depth = -uav_clearance(scenario, uav)
    for path, value in zip([("uav", "start_m"), *((*path, "uav_m") for path in where)], depth, strict=True):
        if value > 0.0 and not (path == ("uav", "start_m") and scenario.uav.on_platform):
            yield path, f"the drone would be {value:.2f} m inside an obstacle"
    if not scenario.uav.on_platform:
        overlap = -rover_clearance(scenario, uav[0], ugv[0])
        if overlap > 0.0:
            told = f"the drone would be {overlap:.2f} m inside the ground robot"
            yield ("uav", "start_m"), f"{told}; move it away, or start it on its deck with uav.on_platform"

    depth = -ugv_clearance(scenario, ugv)
    paths = [("ugv", "start_m"), *((*path, "ugv_m") for path in where)]
    for path, height, value in zip(paths, floor, depth, strict=True):
        if math.isnan(height):
            yield path, "there is no floor to stand on"
        elif value > 0.0:
            yield path, f"the ground robot would be {value:.2f} m inside an obstacle"

    robot = scenario.uav.robot
    weight = robot.mass * scenario.world.gravity
    if robot.thrust_max <= weight:
        told = f"its rotors lift {robot.thrust_max:.1f} N together, it weighs {weight:.1f} N"
        yield ("uav", "robot", "mass_kg"), f"the drone cannot lift itself and a tether: {told}"

    fastest = getattr(scenario.ugv.controller, "speed_max", math.inf)
    speed = scenario.mission.ugv_speed
    if speed > fastest:
        allowed = f"at most ugv.controller.speed_max_m_per_s, {fastest:g}"
        yield ("mission", "ugv_speed_m_per_s"), f"must be {allowed}, got {speed:g}"

    tied = uav + turned(scenario.uav.robot.attachment, scenario.uav.yaw)
    distance = np.linalg.norm(tied - winch_exit(scenario, ugv), axis=1)
    paid_out, length = scenario.tether.paid_out, scenario.tether.length
    if distance[0] > paid_out:
        start: KeyPath = ("uav", "on_platform" if scenario.uav.on_platform else "start_m")
        yield (
            start,
            f"the drone starts {distance[0]:.2f} m {FROM_EXIT}, but tether.paid_out_m is {paid_out:g}",
        )
    planned = planned_slack(scenario) * distance[1:] + getattr(scenario.winch.rule, "margin", 0.0)
    for path, value, wanted in zip(where, distance[1:], planned, strict=True):
        told = f"the drone would be {value:.2f} m {FROM_EXIT}, but"
        if value > length:
            yield (*path, "uav_m"), f"{told} the tether has {length:g} m"
        elif scenario.winch.rule.type == "from_trajectory" and wanted < value:
            yield (*path, "length_m"), f"{told} this length lets out {wanted:.2f} m"


def planned_slack(scenario: Scenario) -> NDArray[np.float64]:
    """Length over distance of each target, as it was planned, NaN where a target gives no length (n,)."""
    planned = getattr(scenario.winch.rule, "planned_exit", None)
    exit_point = turned(planned or scenario.tether_exit, scenario.ugv.yaw)
    # A file's own exit belongs to its own drone, a point.
    tied = np.zeros(3) if planned else turned(scenario.uav.robot.attachment, scenario.uav.yaw)
    targets = scenario.mission.targets
    lengths = np.array([math.nan if target.length is None else target.length for target in targets])
    uav, ugv = (
        np.array([getattr(target, name) for target in targets]).reshape(-1, 3) for name in ("uav", "ugv")
    )
    apart = np.linalg.norm(uav + tied - (ugv + exit_point), axis=1)
    return lengths / np.maximum(apart, 1e-6)


def turned(vector: Any, yaw: float) -> NDArray[np.float64]:
    """A vector of a level body in the axes of the world."""
    x, y, z = vector
    return np.array([math.cos(yaw) * x - math.sin(yaw) * y, math.sin(yaw) * x + math.cos(yaw) * y, z])


def uav_clearance(scenario: Scenario, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Smallest distance of the level drone's hull to the world at each position (n, 3) [m], (n,)."""
    uav = scenario.uav
    parts = [
        scenario.world.distance(positions + turned(part.center, uav.yaw)) - part.radius
        for part in uav.robot.hull
    ]
    return np.min(parts, axis=0)


def ugv_clearance(scenario: Scenario, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same for the ground robot with its hull drawn in to its vertical axis, whatever its heading."""
    parts = [
        scenario.world.distance(positions + np.array([0.0, 0.0, part.center[2]])) - part.radius
        for part in scenario.ugv.robot.hull
    ]
    return np.min(parts, axis=0)


def rover_clearance(scenario: Scenario, uav: NDArray[np.float64], ugv: NDArray[np.float64]) -> float:
    """Smallest distance of the level drone's hull to platform and chassis of the level ground robot [m]."""
    robot, hull = scenario.ugv.robot, scenario.uav.robot.hull
    deck, depression = robot.platform, robot.platform.depression
    top = np.array(deck.upper) - np.array((0.0, 0.0, 0.0 if depression is None else depression.depth))
    boxes = [shapes.Box(lower=deck.lower, upper=top, name="platform")]
    if robot.chassis is not None:
        boxes.append(shapes.Box(lower=robot.chassis.lower, upper=robot.chassis.upper, name="chassis"))
    parts = [turned(uav + turned(part.center, scenario.uav.yaw) - ugv, -scenario.ugv.yaw) for part in hull]
    return float(np.min(World(boxes).distance(np.array(parts)) - [part.radius for part in hull]))


def winch_exit(scenario: Scenario, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where the tether leaves the winch of a robot at each position with its first heading (n, 3)."""
    return positions + turned(scenario.tether_exit, scenario.ugv.yaw)


def floor_below(scenario: Scenario, positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Height of the floor near each position (n,) [m], NaN where there is none."""
    above = positions + np.array([0.0, 0.0, FLOOR_ABOVE])
    reach = FLOOR_ABOVE + FLOOR_BELOW
    ranges = scenario.world.raycast(above, np.array([0.0, 0.0, -1.0]), reach)
    return np.where(ranges < reach, above[:, 2] - ranges, np.nan)
