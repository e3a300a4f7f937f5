"""A ground robot that pulls itself up its own tether: a barrel of a hull on four wheels, a winch inside it.

The tether leaves the middle of the hull, through a bail that swings about an axle there, a little above the
centre of mass: whatever the hull leans on, the robot hangs upright in the end. All numbers are assumed.
"""

import math

import numpy as np

from tetherlab.vehicles.spec import RoverSpec, WinchSpec

STANDARD_GRAVITY = 9.80665
HULL = 0.95  # radius of the hull, of the robot's: its wheels stand out below
WHEEL = 0.35  # radius of a wheel
AXLE, TRACK = 0.3, 0.6  # of the wheels, ahead of the middle and beside it
BROAD = 0.75  # where the two balls that stand for the barrel are, beside the middle
DEEP = 0.25  # centre of mass below the middle
FRICTION = 0.3  # of hull and tyres


def climber_spec(radius: float, mass: float, friction: float = FRICTION) -> RoverSpec:
    """One that fits into a disc of this radius [m], but for a twentieth of it at the wheels; mass [kg]."""
    wheels = np.array([(x * AXLE, y * TRACK, WHEEL) for x in (1, -1) for y in (1, -1)])
    hull = np.array([(0.0, y * BROAD, 1.0, HULL) for y in (1, -1)]) * radius
    return RoverSpec(
        mass=mass,
        inertia=mass * radius**2 * np.array([0.5, 0.3, 0.5]),
        center_of_mass=np.array([0.0, 0.0, (1.0 - DEEP) * radius]),
        wheel_positions=wheels * radius,
        wheel_radius=WHEEL * radius,
        wheel_inertia=2e-3 * mass * radius**2,
        wheel_speed_max=1.0 / (WHEEL * radius),
        wheel_torque_max=0.2 * mass * STANDARD_GRAVITY * WHEEL * radius,
        steers=False,
        friction=friction,
        tyre_stiffness=2e3 * mass * STANDARD_GRAVITY / (2.0 * radius),
        hull=hull,
        shell=hull,
    )


def climber_winch(
    radius: float, force_max: float, speed_max: float, length: float, diameter: float
) -> WinchSpec:
    """A winch that fits into it, for a tether of a length and diameter [m].

    It pulls with `force_max` [N] with all of the tether on the drum, with a little more else, as fast as
    `speed_max` [m/s].
    """
    drum, gear = 0.15 * radius, 40.0
    full = math.sqrt(drum**2 + length * diameter**2 / (math.pi * radius)) + 0.5 * diameter
    return WinchSpec(
        exit=np.array([0.0, 0.0, radius]),
        drum_radius=drum,
        drum_width=radius,
        drum_inertia=0.5 * 0.2 * drum**2,
        rotor_inertia=2e-6,
        gear_ratio=gear,
        torque_max=force_max * full / gear,
        motor_speed_max=1.2 * speed_max * gear / drum,
        speed_max=speed_max,
        acceleration_max=1.5,
        tension_gain=0.06,
        tension_filter=0.005,
    )
