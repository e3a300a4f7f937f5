"""The world as it is, at the places that sensors look at."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class TetherTruth:
    """Base, tether and drone. SI, in the world frame W unless it says body. Sensors copy what they keep."""

    time: float  # [s]
    length: float  # of tether that is out [m]
    tangent_base_W: Vector  # unit, along base -> end, (3,)
    tangent_end_W: Vector  # unit, along base -> end, (3,)
    tension_base: float  # [N]
    tension_end: float  # [N]
    rotation_base: Vector  # R_WP of the base, (3, 3)
    rotation: Vector  # R_WB of the drone, (3, 3)
    base: Vector  # where the tether leaves the base [m], (3,)
    base_velocity: Vector  # [m/s], (3,)
    attachment: Vector  # where it is tied to the drone [m], (3,)
    velocity: Vector  # of the attachment [m/s], (3,)
    angular_velocity: Vector  # body frame of the drone [rad/s], (3,)


@dataclass(frozen=True, kw_only=True)
class Truth(TetherTruth):
    """With what the sensors of localisation ask for besides."""

    specific_force: Vector  # what an ideal accelerometer reads, body frame of the drone [m/s^2], (3,)
    thrust: float  # of the rotors along the drone's z axis [N]
    altitude: float  # of the drone above the ground [m]
