"""The drone's position by satellites. There are none on Mars."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tetherlab.contracts import check
from tetherlab.sensors.readings import GnssReading
from tetherlab.sensors.sensor import Sensor, Timing
from tetherlab.sensors.truth import Truth
from tetherlab.sensors.wander import wander

ERROR, TIME = slice(0, 3), 3  # places of the state: slow error [1], time of the last sample [s]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class GnssSpec(Timing):
    """A plain receiver without corrections; assumed."""

    rate_hz: float = 5.0
    delay: float = 0.1  # [s]
    noise: float = 0.3  # standard deviation of one sample, horizontal [m]
    wander: float = 1.5  # standard deviation of the slowly varying error, horizontal [m]
    wander_time: float = 300.0  # within which that is another one [s]
    vertical: float = 1.8  # by which both are worse in height [1]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("noise", "wander", "vertical"):
            check.non_negative(name, getattr(self, name))
        check.positive("wander_time", self.wander_time)


class Gnss(Sensor[GnssSpec, Truth]):
    """Of where the tether is tied to the drone."""

    axes = ("x", "y", "z")
    unit = "m"

    def __init__(self, spec: GnssSpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        self.state = np.array([0.0, 0.0, 0.0, -math.inf])
        self._scale = np.array([1.0, 1.0, spec.vertical])

    def values(self, truth: Truth) -> list[float]:
        """[m]."""
        spec, state = self.spec, self.state
        normals = self.generator.standard_normal(6)
        wander(state[ERROR], normals[:3], truth.time - float(state[TIME]), spec.wander, spec.wander_time)
        state[TIME] = truth.time
        read = truth.attachment + self._scale * (state[ERROR] + spec.noise * normals[3:])
        return [float(value) for value in read]

    def message(self, truth: Truth, values: list[float], saturated: tuple[str, ...]) -> GnssReading:
        """A position."""
        return GnssReading(truth.time, np.array(values))
