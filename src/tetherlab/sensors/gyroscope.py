"""The gyroscope of AVOCADO's flight controller."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tetherlab.contracts import check
from tetherlab.sensors.avocado_truth import AvocadoTruth
from tetherlab.sensors.readings import AvocadoReading
from tetherlab.sensors.sensor import Sensor, Timing

TIME = 3  # place of the state: time of the last sample [s]; before it the biases


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class GyroscopeSpec(Timing):
    """Section III of paper 001 names the flight controller, HGLRC Zeus F722, and no figure: all assumed.

    Its own loop runs at 4 kHz (appendix A); what it passes on to the computer does not.
    """

    rate_hz: float = 200.0
    delay: float = 0.004  # [s]
    noise: float = 0.005  # standard deviation of one sample [rad/s]
    bias: float = 0.002  # standard deviation of the bias at the start [rad/s]
    bias_walk: float = 0.00002  # of the bias after a second, growing as √t [rad/s/√s]
    rate_max: float = 2000.0 * math.pi / 180.0  # range, to both sides [rad/s]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("noise", "bias", "bias_walk"):
            check.non_negative(name, getattr(self, name))
        check.positive("rate_max", self.rate_max)


class Gyroscope(Sensor[GyroscopeSpec, AvocadoTruth]):
    """Rates about the axes of the body."""

    axes = ("x", "y", "z")
    unit = "rad/s"

    def __init__(self, spec: GyroscopeSpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        self.low, self.high = [-spec.rate_max] * 3, [spec.rate_max] * 3
        self.state = np.append(spec.bias * self.generator.standard_normal(3), -math.inf)

    def values(self, truth: AvocadoTruth) -> list[float]:
        """[rad/s]."""
        spec, state = self.spec, self.state
        normals = self.generator.standard_normal(6)
        if state[TIME] > -math.inf:
            state[:TIME] += spec.bias_walk * math.sqrt(truth.time - state[TIME]) * normals[:3]
        state[TIME] = truth.time
        values: list[float] = (truth.angular_velocity + state[:TIME] + spec.noise * normals[3:]).tolist()
        return values

    def message(self, truth: AvocadoTruth, values: list[float], saturated: tuple[str, ...]) -> AvocadoReading:
        """A rate."""
        return AvocadoReading(truth.time, angular_velocity=np.array(values), saturated=saturated)
