"""The distance between base and drone, by the travel time of radio pulses (ultra-wide band)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tetherlab.contracts import check
from tetherlab.sensors.readings import RangeReading
from tetherlab.sensors.sensor import Sensor, Timing
from tetherlab.sensors.truth import Truth


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class UwbSpec(Timing):
    """A pair of radio modules in sight of each other; assumed."""

    rate_hz: float = 50.0
    delay: float = 0.01  # [s]
    noise: float = 0.05  # standard deviation of one sample [m]
    offset: float = 0.0  # constant error, as of the antennas' delays [m]
    range_max: float = 60.0  # [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        check.non_negative("noise", self.noise)
        check.number("offset", self.offset)
        check.positive("range_max", self.range_max)


class Uwb(Sensor[UwbSpec, Truth]):
    """From where the tether leaves the base to where it is tied to the drone."""

    unit = "m"

    def __init__(self, spec: UwbSpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        self.high = [spec.range_max]

    def values(self, truth: Truth) -> list[float]:
        """[m]."""
        spec = self.spec
        distance = math.dist(truth.attachment, truth.base)
        return [distance + spec.offset + spec.noise * float(self.generator.standard_normal())]

    def message(self, truth: Truth, values: list[float], saturated: tuple[str, ...]) -> RangeReading:
        """A distance."""
        return RangeReading(truth.time, values[0], saturated)
