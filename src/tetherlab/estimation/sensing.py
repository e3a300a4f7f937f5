"""What an estimator knows beforehand: the tether, the gravity, the ground, and how good its sensors are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError


@dataclass(frozen=True, kw_only=True)
class SensorNoise:
    """Standard deviations. The angles and the length are those of Table II of paper 002."""

    azimuth: float = 0.0005  # at the base [rad]
    elevation_base: float = 0.0096  # [rad]
    elevation_end: float = 0.026  # [rad]
    azimuth_end: float = 0.026  # at the drone [rad]; the paper senses it no further
    length: float = 0.003  # [m]
    tension: float = 0.1  # [N]
    specific_force: float = 0.05  # of one sample of the accelerometer [m/s^2]
    angular_velocity: float = 0.005  # of one sample of the gyroscope [rad/s]
    attitude: float = 0.01  # roll and pitch of the autopilot [rad]
    thrust: float = 0.2  # [N]
    altitude: float = 0.03  # [m]

    def __post_init__(self) -> None:
        for name in vars(self):
            check.non_negative(name, getattr(self, name))

    @property
    def catenary_covariance(self) -> NDArray[np.float64]:
        """Of (length, azimuth, elevation_base, elevation_end), (4, 4)."""
        return np.diag([self.length**2, self.azimuth**2, self.elevation_base**2, self.elevation_end**2])


@dataclass(frozen=True, kw_only=True)
class Sensing:
    """Settings that all estimators share."""

    linear_density: float = 0.022  # of the tether [kg/m]
    axial_stiffness: float = math.inf  # of the tether, EA [N]; only the filter accounts for its stretch
    gravity: float = 9.80665  # [m/s^2]
    drone_mass: float = math.nan  # [kg]; for methods by thrust, and the filter when its IMU fails
    ground: float = -math.inf  # height of the ground near the base [m]; unknown: no tether reaches it
    friction: float = 0.029  # force at which an angle sensor begins to move [N]
    noise: SensorNoise = SensorNoise()
    angle_bias: float = 0.0  # that calibration leaves of each angle, standard deviation [rad]

    def __post_init__(self) -> None:
        check.positive("linear_density", self.linear_density)
        check.positive("gravity", self.gravity)
        if not self.axial_stiffness > 0.0:
            raise InputError(f"axial_stiffness must be > 0, got {self.axial_stiffness!r}")
        check.non_negative("friction", self.friction)
        if not math.isnan(self.drone_mass):
            check.positive("drone_mass", self.drone_mass)
        check.non_negative("angle_bias", self.angle_bias)

    @property
    def catenary_covariance(self) -> NDArray[np.float64]:
        """Of length, azimuth, elevations at base and end, by noise and by what calibration leaves, (4, 4)."""
        return self.noise.catenary_covariance + self.angle_bias**2 * np.diag([0.0, 1.0, 1.0, 1.0])

    @property
    def weight(self) -> float:
        """Of the tether [N/m]."""
        return self.linear_density * self.gravity
