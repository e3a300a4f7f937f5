"""Robots of a scene: a packaged name, a file or a spec becomes a body with actuators and named sites."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.assembly.sites import ORIGIN, Body
from tetherlab.contracts import check
from tetherlab.contracts.bodies import RigidBody
from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.plant.deck_build import carried_shapes, lean_on_ground, leaning_quaternion
from tetherlab.scenario.avocado import HangingRobot
from tetherlab.scenario.parts import load_robot
from tetherlab.scenario.robots import GroundRobot, Quadrotor
from tetherlab.scenario.simulation import quadrotor_spec, rover_spec
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.build import FOOT_STIFFNESS
from tetherlab.vehicles.dish import stand_height
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec
from tetherlab.world import World

Vector = NDArray[np.float64]
HOOK, DECK, SPOOL = "hook", "deck", "spool"
Spec = QuadrotorSpec | RoverSpec | AvocadoRobotSpec
CLEAR = 1e-3  # between feet and what they stand on at the start [m]


@dataclass(frozen=True, kw_only=True)
class Robot(Body):
    """A body with actuators. Its frame is FLU; that of a ground robot begins on the ground."""

    kind: ClassVar[str] = "robot"
    spec: Spec
    yaw: float  # at the start [rad]
    stands: bool  # on another part at the start, with its rotors off
    thrust: float = 0.0  # of a hanging robot at the start, both motors [N]
    fails_at: tuple[float, float] = (math.inf, math.inf)  # its left and its right motor [s]

    @property
    def center_of_mass(self) -> Vector:
        """In the robot's frame [m], (3,)."""
        return center_of_mass(self.spec)

    @property
    def contact_stiffness(self) -> float:
        """Stiffness of each foot, tyre or sphere of a shell [N/m]."""
        if isinstance(self.spec, AvocadoRobotSpec):
            return self.spec.shell_stiffness
        return self.spec.tyre_stiffness if isinstance(self.spec, RoverSpec) else FOOT_STIFFNESS


def center_of_mass(spec: Spec) -> Vector:
    """In the robot's frame [m], (3,)."""
    return np.asarray(spec.center_of_mass, float) if isinstance(spec, RoverSpec) else np.zeros(3)


def hanging_spec(robot: Any, gravity: float) -> AvocadoRobotSpec:
    """The spec of a robot that hangs on its tether."""
    spec, _ = _described(robot, gravity)
    return check.instance("robot", spec, AvocadoRobotSpec)


def make_robot(
    robot: Any,
    name: str,
    position: ArrayLike | None,
    yaw: float,
    stands_at: Vector | None,
    world: World,
    *,
    rotation_wxyz: ArrayLike | None = None,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
) -> Robot:
    """A robot of a scene. stands_at: the point under its feet or wheels, in place of a position [m], (3,)."""
    spec, sites = _described(robot, float(world.gravity))
    yaw = check.number("yaw", yaw)
    if rotation_wxyz is not None and (isinstance(spec, RoverSpec) or stands_at is not None or yaw != 0.0):
        raise InputError(f"robot {name!r}: rotation_wxyz is for a robot that flies or hangs, in place of yaw")
    if isinstance(spec, AvocadoRobotSpec):
        if stands_at is not None:
            raise InputError(f"robot {name!r} hangs on its tether: give a position")
        return _hanging_robot(spec, sites, name, position, yaw, rotation_wxyz, velocity, angular_velocity)
    if stands_at is not None:
        lift = 0.0 if isinstance(spec, RoverSpec) else stand_height(spec.feet, None)
        place = stands_at + np.array((0.0, 0.0, lift + CLEAR))
    else:
        place = check.vector("position", position)
    lean = np.eye(3)
    if isinstance(spec, RoverSpec):
        if spec.leveller is not None:
            raise InputError(f"robot {name!r}: a levelled platform is not possible in a scene yet")
        if stands_at is None:
            place, lean = lean_on_ground(world, spec, place, yaw)
        wheels = np.insert(spec.wheel_positions, 3, spec.wheel_radius, axis=1)
        feet = np.vstack([wheels, np.asarray(spec.shell, float).reshape(-1, 4)])
        feet[:, :3] -= spec.center_of_mass
        shapes = tuple(carried_shapes(spec, name))
    else:
        feet, shapes = spec.feet, ()
    rotation = leaning_quaternion(lean, yaw) if rotation_wxyz is None else rotation_wxyz
    body = RigidBody(
        mass=spec.mass,
        inertia=spec.inertia,
        feet=feet,
        friction=spec.friction,
        rotation_wxyz=rotation,
        angular_velocity=angular_velocity,
    )
    return Robot(
        name=name,
        body=body,
        position=place + matrix_from_quaternion(body.rotation_wxyz) @ center_of_mass(spec),
        velocity=check.vector("velocity", velocity),
        shapes=shapes,
        spec=spec,
        sites=sites,
        yaw=yaw,
        stands=stands_at is not None,
    )


def _hanging_robot(
    spec: AvocadoRobotSpec,
    sites: Mapping[str, Vector],
    name: str,
    position: ArrayLike | None,
    yaw: float,
    rotation_wxyz: ArrayLike | None,
    velocity: ArrayLike,
    angular_velocity: ArrayLike,
) -> Robot:
    """A robot that hangs on a tether from its site `spool`; its origin is its centre of mass."""
    body = RigidBody(
        mass=spec.mass,
        inertia=spec.inertia_B,
        attachment=sites[SPOOL],
        rotation_wxyz=leaning_quaternion(np.eye(3), yaw) if rotation_wxyz is None else rotation_wxyz,
        angular_velocity=angular_velocity,
        feet=spec.shell,
        friction=spec.shell_friction,
    )
    return Robot(
        name=name,
        body=body,
        position=check.vector("position", position),
        velocity=check.vector("velocity", velocity),
        spec=spec,
        sites=sites,
        yaw=yaw,
        stands=False,
    )


def _described(robot: Any, gravity: float) -> tuple[Spec, dict[str, Vector]]:
    """Spec and sites of a name, a file or a spec."""
    spec: Spec
    named: Mapping[str, Any] = {}
    if isinstance(robot, (str, Path)):
        robot = load_robot(robot)
    if isinstance(robot, HangingRobot):
        return _described(robot.spec(gravity), gravity)
    if isinstance(robot, (Quadrotor, GroundRobot)):
        named = robot.sites
        spec = rover_spec(robot) if isinstance(robot, GroundRobot) else quadrotor_spec(robot)
    elif isinstance(robot, (QuadrotorSpec, RoverSpec, AvocadoRobotSpec)):
        spec = robot
    else:
        raise InputError(
            "robot must be a packaged name, a file, a QuadrotorSpec, a RoverSpec or an AvocadoRobotSpec, got "
            f"{check.shown(robot)}"
        )
    sites = {ORIGIN: np.zeros(3)}
    if isinstance(spec, QuadrotorSpec):
        sites[HOOK] = np.asarray(spec.attachment, float)
    elif isinstance(spec, AvocadoRobotSpec):
        sites[SPOOL] = np.array((0.0, 0.0, spec.mass_arm))
    elif spec.deck_lower is not None and spec.deck_upper is not None:
        middle = 0.5 * (spec.deck_lower + spec.deck_upper)
        sites[DECK] = np.array((middle[0], middle[1], spec.deck_upper[2]))
    return spec, sites | {key: np.array(place, float) for key, place in named.items()}
