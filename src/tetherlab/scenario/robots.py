"""Robots: what a drone and a ground robot are made of. Frames are FLU.

A quadrotor's frame has its origin in the centre of mass. A ground robot's frame has its origin on the ground
between the wheels, so that its position is the point of the floor on which it stands.
"""

import math
from typing import Annotated, Literal, Self

import numpy as np
from annotated_types import Lt
from pydantic import Field, model_validator

from tetherlab.math.rigid_body import POINTS_MAX
from tetherlab.scenario.platform import Block, Platform
from tetherlab.scenario.problems import refuse
from tetherlab.scenario.quantity import (
    NOT_NEGATIVE,
    POSITIVE,
    NotNegativeVector,
    Number,
    PositiveVector,
    Unit,
    Vector,
)
from tetherlab.scenario.section import Section
from tetherlab.vehicles.quadrotor import ROTORS_MAX
from tetherlab.vehicles.rover import WHEELS_MAX


class Sphere(Section):
    """A part of a hull."""

    center: Annotated[Vector, Unit("m")] = Field(description="in the robot's frame")
    radius: Annotated[Number, POSITIVE, Unit("m")]


class Autopilot(Section):
    """The inner loops of a drone, from the wanted force to its rotors."""

    attitude_gain: Annotated[Number, POSITIVE, Unit("per_s2")] = Field(
        default=70.0, description="angular acceleration per error of roll and pitch"
    )
    rate_gain: Annotated[Number, POSITIVE, Unit("per_s")] = Field(
        default=14.0, description="angular acceleration per error of their rates"
    )
    yaw_gain: Annotated[Number, POSITIVE, Unit("per_s2")] = Field(default=8.0, description="the same for yaw")
    yaw_rate_gain: Annotated[Number, POSITIVE, Unit("per_s")] = 4.0
    tilt_max: Annotated[Number, POSITIVE, Lt(90.0), Unit("deg")] = 35.0


class Rotor(Section):
    """Where one rotor is and how it turns."""

    position: Annotated[Vector, Unit("m")] = Field(description="of the hub from the centre of mass")
    direction: Literal[1, -1] = Field(description="1: its drag turns the drone about +z, -1: about -z")


def require_possible_inertia(moments: tuple[float, float, float]) -> None:
    """No body has a moment larger than the sum of the other two."""
    if max(moments) > (sum(moments) - max(moments)) * (1.0 + 1e-9):
        told = f"no body has a moment larger than the sum of the other two, got {list(moments)}"
        refuse([(("inertia_kg_m2",), told)])


class Quadrotor(Section):
    """A drone with four rotors or more. Thrust and torque of a rotor grow with its speed squared."""

    type: Literal["quadrotor"]
    mass: Annotated[Number, POSITIVE, Unit("kg")]
    inertia: Annotated[PositiveVector, Unit("kg_m2")] = Field(description="about x, y and z")
    attachment: Annotated[Vector, Unit("m")] = Field(description="where the tether is tied")

    rotors: tuple[Rotor, ...] = Field(min_length=4, max_length=ROTORS_MAX)
    rotor_radius: Annotated[Number, POSITIVE, Unit("m")] = Field(description="of the disc")
    rotor_thrust_coefficient: Annotated[Number, POSITIVE, Unit("N_s2")] = Field(description="per (rad/s)^2")
    rotor_torque_coefficient: Annotated[Number, POSITIVE, Unit("N_m_s2")] = Field(description="per (rad/s)^2")
    rotor_speed_min: Annotated[Number, NOT_NEGATIVE, Unit("rad_per_s")] = 0.0
    rotor_speed_max: Annotated[Number, POSITIVE, Unit("rad_per_s")]
    rotor_time_constant: Annotated[Number, POSITIVE, Unit("s")] = Field(
        description="of the speed after a command"
    )

    drag_linear: Annotated[NotNegativeVector, Unit("N_s_per_m")] = Field(
        default=(0.0, 0.0, 0.0), description="force per airspeed along each body axis"
    )
    drag_area: Annotated[Number, NOT_NEGATIVE, Unit("m2")] = Field(
        default=0.0, description="drag coefficient times area"
    )

    sites: Annotated[dict[str, Vector], Unit("m")] = Field(
        default={}, description="named points of the frame, besides origin and hook"
    )

    feet: Annotated[tuple[Vector, ...], Unit("m")] = Field(
        min_length=3, max_length=POINTS_MAX, description="centres of the feet"
    )
    foot_radius: Annotated[Number, POSITIVE, Unit("m")] = 0.01
    foot_friction: Annotated[Number, NOT_NEGATIVE] = Field(default=0.6, description="Coulomb coefficient")
    hull: tuple[Sphere, ...] = Field(min_length=1, description="what must not touch anything")
    autopilot: Autopilot = Autopilot()

    @property
    def thrust_max(self) -> float:
        """Of all rotors together [N]."""
        return len(self.rotors) * self.rotor_thrust_coefficient * self.rotor_speed_max**2

    @model_validator(mode="after")
    def _can_fly(self) -> Self:
        require_possible_inertia(self.inertia)
        if self.rotor_speed_min >= self.rotor_speed_max:
            least, most = self.rotor_speed_min, self.rotor_speed_max
            told = f"must be below rotor_speed_max_rad_per_s, {most:g}, got {least:g}"
            refuse([(("rotor_speed_min_rad_per_s",), told)])
        self._require_steerable()
        return self

    def _require_steerable(self) -> None:
        """Thrust and the moments about all three axes can be chosen one by one."""
        arms = np.array([rotor.position[:2] for rotor in self.rotors])
        arms = arms / max(np.abs(arms).max(), 1e-9)
        spins = [rotor.direction for rotor in self.rotors]
        if np.linalg.matrix_rank(np.column_stack([np.ones(len(spins)), arms, spins]), tol=1e-6) < 4:
            told = (
                "they cannot turn the drone about all three axes: they must not stand on one line, "
                "and some must have direction 1 and some -1, not sorted by side"
            )
            refuse([(("rotors",), told)])


class GroundRobot(Section):
    """A robot on wheels with a winch and a platform on top."""

    type: Literal["ground_robot"]
    mass: Annotated[Number, POSITIVE, Unit("kg")]
    inertia: Annotated[PositiveVector, Unit("kg_m2")] = Field(
        description="about x, y and z through the centre of mass"
    )
    center_of_mass: Annotated[Vector, Unit("m")]

    drive: Literal["four_wheel_steer", "differential"]
    wheels: Annotated[tuple[Vector, ...], Unit("m")] = Field(
        min_length=2,
        max_length=WHEELS_MAX,
        description="centres of the wheels; a differential drive has its left wheels at y > 0",
    )
    wheel_radius: Annotated[Number, POSITIVE, Unit("m")]
    wheel_inertia: Annotated[Number, POSITIVE, Unit("kg_m2")] = Field(
        description="of each wheel about its axle, with motor and gear"
    )
    wheel_speed_max: Annotated[Number, POSITIVE, Unit("rad_per_s")]
    wheel_torque_max: Annotated[Number, POSITIVE, Unit("N_m")] = Field(description="of each wheel")
    steering_angle_max: Annotated[Number, NOT_NEGATIVE, Unit("deg")] = Field(
        default=0.0, description="to each side"
    )
    steering_rate_max: Annotated[Number, NOT_NEGATIVE, Unit("deg_per_s")] = 0.0

    sites: Annotated[dict[str, Vector], Unit("m")] = Field(
        default={}, description="named points of the frame, besides origin and deck"
    )

    tyre_friction: Annotated[Number, POSITIVE] = Field(description="Coulomb coefficient")
    tyre_stiffness: Annotated[Number, POSITIVE, Unit("N_per_m")] = Field(
        description="of each wheel, vertical"
    )
    rolling_resistance: Annotated[Number, NOT_NEGATIVE] = Field(
        default=0.0, description="force over load of a wheel"
    )

    hull: tuple[Sphere, ...] = Field(min_length=1, description="what must not touch anything")
    platform: Platform
    chassis: Block | None = Field(
        default=None, description="what else the tether and the drone may touch, fixed to the robot"
    )

    @model_validator(mode="after")
    def _can_drive(self) -> Self:
        require_possible_inertia(self.inertia)
        steers = self.steering_angle_max > 0.0 and self.steering_rate_max > 0.0
        if self.drive == "four_wheel_steer" and not (steers and len(self.wheels) == 4):
            told = (
                "four_wheel_steer needs four wheels, "
                "and a steering_angle_max_deg and a steering_rate_max_deg_per_s above 0"
            )
            refuse([(("drive",), told)])
        sides = {math.copysign(1.0, y) for _, y, _ in self.wheels if y != 0.0}
        if self.drive == "differential" and len(sides) < 2:
            refuse([(("wheels_m",), "a differential drive needs some at y > 0 and some at y < 0")])
        return self
