"""Accelerometer and gyroscope of the drone, and what its autopilot thinks of the rotors' thrust."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.measurement import Measurement
from tetherlab.math.kernel import njit
from tetherlab.sensors.sensor import Sensor, Timing
from tetherlab.sensors.truth import Truth

Vector = NDArray[np.float64]
TIME = 6  # place of the state: time of the last sample [s]; before it the biases


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class ImuSpec(Timing):
    """Values of a low-cost MEMS sensor between running rotors; assumed."""

    rate_hz: float = 200.0
    force_noise: float = 0.05  # standard deviation of one sample of the accelerometer [m/s^2]
    force_bias: float = 0.05  # standard deviation of its bias at the start [m/s^2]
    force_bias_walk: float = 0.0005  # of the bias after a second, growing as √t [m/s^2/√s]
    force_max: float = 16.0 * 9.80665  # range, to both sides [m/s^2]
    rate_noise: float = 0.005  # standard deviation of one sample of the gyroscope [rad/s]
    rate_bias: float = 0.002  # [rad/s]
    rate_bias_walk: float = 0.00002  # [rad/s/√s]
    rate_max: float = 2000.0 * math.pi / 180.0  # [rad/s]
    thrust_noise: float = 0.2  # standard deviation of one estimate of the thrust [N]
    thrust_scale_error: float = 0.0  # share by which it is estimated too high [1]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in (
            "force_noise",
            "force_bias",
            "force_bias_walk",
            "rate_noise",
            "rate_bias",
            "rate_bias_walk",
            "thrust_noise",
        ):
            check.non_negative(name, getattr(self, name))
        check.positive("force_max", self.force_max)
        check.positive("rate_max", self.rate_max)
        check.number("thrust_scale_error", self.thrust_scale_error)


class Imu(Sensor[ImuSpec, Truth]):
    """Both in the body frame of the drone; the attitude that the autopilot believes in goes along."""

    axes = (
        "specific_force_x",
        "specific_force_y",
        "specific_force_z",
        "angular_velocity_x",
        "angular_velocity_y",
        "angular_velocity_z",
        "thrust",
    )

    def __init__(self, spec: ImuSpec, name: str, seed: int, attitude: Callable[[Truth], Vector]) -> None:
        super().__init__(spec, name, seed)
        self.high = [spec.force_max] * 3 + [spec.rate_max] * 3 + [math.inf]
        self.low = [-value for value in self.high]
        self._attitude = attitude
        self._walk = np.array([spec.force_bias_walk] * 3 + [spec.rate_bias_walk] * 3)
        self._noise = np.array([spec.force_noise] * 3 + [spec.rate_noise] * 3 + [spec.thrust_noise])
        self._true = np.empty(7)
        start = np.array([spec.force_bias] * 3 + [spec.rate_bias] * 3)
        self.state = np.append(start * self.generator.standard_normal(6), -math.inf)

    def values(self, truth: Truth) -> list[float]:
        """Specific force [m/s^2], angular velocity [rad/s], thrust [N]."""
        spec, state = self.spec, self.state
        true = self._true
        true[:3] = truth.specific_force
        true[3:6] = truth.angular_velocity
        true[6] = truth.thrust * (1.0 + spec.thrust_scale_error)
        normals = self.generator.standard_normal(13)
        values: list[float] = _read(state, normals, float(truth.time), self._walk, self._noise, true).tolist()
        return values

    def message(self, truth: Truth, values: list[float], saturated: tuple[str, ...]) -> Measurement:
        """All of it."""
        both = np.array(values[:6])
        return Measurement(
            time=truth.time,
            specific_force=both[:3],
            angular_velocity=both[3:],
            thrust=values[6],
            rotation=self._attitude(truth),
            saturated=saturated,
        )


@njit(cache=True)
def _read(state, normals, time, walk, noise, true):
    """Move the biases on to a time [s], and add them and noise to what is true, (7,)."""
    elapsed = time - state[TIME]
    state[TIME] = time
    read = true + noise * normals[:7]
    for i in range(TIME):
        if elapsed < math.inf:
            state[i] += math.sqrt(elapsed) * walk[i] * normals[7 + i]
        read[i] += state[i]
    return read
