"""Vehicles and winches as a user describes them. SI; positions in the vehicle's own frame.

The origin of a drone is its centre of mass. The origin of a rover lies on the ground, below its middle.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class QuadrotorSpec:
    """A multirotor."""

    mass: float  # [kg]
    inertia: Vector  # principal moments [kg m^2], (3,)
    attachment: Vector  # where the tether is tied [m], (3,)
    rotor_positions: Vector  # [m], (n, 3)
    rotor_directions: Vector  # +1: its drag turns the drone about +z, (n,)
    rotor_radius: float  # of the disc [m]
    thrust_coefficient: float  # [N s^2]
    torque_coefficient: float  # [N m s^2]
    speed_min: float  # [rad/s]
    speed_max: float  # [rad/s]
    time_constant: float  # [s]
    drag_linear: Vector  # body axes [N s/m], (3,)
    drag_area: float  # drag coefficient times area [m^2]
    feet: Vector  # x, y, z, radius of the spheres on which it stands [m], (n, 4)
    hull: Vector  # spheres that must not touch anything [m], (n, 4)
    friction: float = 0.6  # of the feet
    attitude_gain: float = 70.0  # [1/s^2]
    rate_gain: float = 14.0  # [1/s]
    yaw_gain: float = 8.0
    yaw_rate_gain: float = 4.0
    tilt_max: float = 0.6  # [rad]

    @property
    def thrust_max(self) -> float:
        """Of all rotors [N]."""
        return len(self.rotor_positions) * self.thrust_coefficient * self.speed_max**2


@dataclass(frozen=True, kw_only=True)
class LevellerSpec:
    """What keeps a deck level: universal joint, two linear actuators, accelerometer, a loop for each axis.

    Positions are in the rover's frame, with the deck parallel to the rover.
    """

    joint: Vector  # universal joint [m], (3,)
    actuator_tops: Vector  # where they hold the deck [m], (2, 3)
    actuator_feet: Vector  # where they stand on the rover [m], (2, 3)
    length_min: float  # of an actuator with no stroke, from foot to top [m]
    stroke_max: float  # [m]
    speed_max: float  # without load [m/s]
    speed_loaded: float  # against force_max, as a share of speed_max
    force_max: float  # that an actuator moves against [N]
    mass: float  # of what turns, part of the rover's [kg]
    center: Vector  # its centre of mass [m], (3,)
    sensor: Vector  # accelerometer [m], (3,)
    time_constant: float = 0.05  # of an actuator's speed after a command [s]
    rate_hz: float = 50.0  # of the loops
    filter_time: float = 0.2  # of the low-pass behind the accelerometer [s]
    noise: float = 0.04  # of a sample of it, standard deviation [m/s^2]
    bias: Vector = field(default_factory=lambda: np.zeros(3))  # [m/s^2], (3,)
    gain: float = 1.0  # rate per angle [1/s]
    integral_gain: float = 0.05  # [1/s^2]
    rate_gain: float = 0.1
    dead_band: float = 0.0035  # angle below which an axis rests [rad]


@dataclass(frozen=True, kw_only=True)
class RoverSpec:
    """A ground robot on wheels."""

    mass: float  # [kg]
    inertia: Vector  # about the centre of mass, principal moments [kg m^2], (3,)
    center_of_mass: Vector  # [m], (3,)
    wheel_positions: Vector  # of the hubs [m], (n, 3)
    wheel_radius: float  # [m]
    wheel_inertia: float  # about the axle, motor and gear included [kg m^2]
    wheel_speed_max: float  # [rad/s]
    wheel_torque_max: float  # [N m]
    steers: bool  # each wheel steers; False: differential drive
    steering_angle_max: float = 1.75  # to each side [rad]
    steering_rate_max: float = 2.0  # [rad/s]
    rolling_resistance: float = 0.015
    friction: float = 0.8  # of the tyres
    tyre_stiffness: float = 6e4  # [N/m]
    hull: Vector = field(default_factory=lambda: np.zeros((0, 4)))  # spheres that must not touch anything
    shell: Vector = field(default_factory=lambda: np.zeros((0, 4)))  # spheres that may, besides the wheels
    deck_lower: Vector | None = None  # corners of the landing platform [m], (3,)
    deck_upper: Vector | None = None
    deck_friction: float = 0.8
    depression: Vector | None = None  # in its middle: radius of floor and rim, depth [m], (3,)
    chassis_lower: Vector | None = (
        None  # corners of what the tether may also touch, fixed to the rover [m], (3,)
    )
    chassis_upper: Vector | None = None
    leveller: LevellerSpec | None = None  # None: the deck is fixed to the rover


@dataclass(frozen=True, kw_only=True)
class WinchSpec:
    """Motor, gear and drum."""

    exit: Vector  # where the tether leaves, rover frame [m], (3,)
    drum_radius: float  # bare [m]
    drum_width: float  # [m]
    drum_inertia: float  # [kg m^2]
    rotor_inertia: float  # of the motor [kg m^2]
    gear_ratio: float
    torque_max: float  # of the motor [N m]
    motor_speed_max: float  # [rad/s]
    speed_max: float  # of the tether [m/s]
    acceleration_max: float  # [m/s^2]
    friction_torque: float = 0.0  # at the drum [N m]
    encoder_counts: int = 0  # per turn of the drum; 0: exact
    length_gain: float = 8.0  # [1/s]
    tension_gain: float = 0.02  # [m/s/N]
    tension_filter: float = 0.05  # [s]
