"""Height above the ground, by sound."""

from __future__ import annotations

from dataclasses import dataclass

from tetherlab.contracts import check
from tetherlab.contracts.measurement import Measurement
from tetherlab.sensors.sensor import Message, Sensor, Timing, check_range
from tetherlab.sensors.truth import Truth


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class AltimeterSpec(Timing):
    """A small sonar that hears the ground straight below; assumed."""

    rate_hz: float = 20.0
    delay: float = 0.02  # [s]
    noise: float = 0.02  # standard deviation of one sample [m]
    offset: float = 0.0  # constant error [m]
    offset_deviation: float = 0.0  # of a constant error that each run draws anew [m]
    resolution: float = 0.0  # whole steps in which it reads; 0: none [m]
    range: tuple[float, float] = (0.2, 7.0)  # nearest and farthest ground that it hears [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("noise", "offset_deviation", "resolution"):
            check.non_negative(name, getattr(self, name))
        check.number("offset", self.offset)
        check_range("range", self.range)


class Altimeter(Sensor[AltimeterSpec, Truth]):
    """Out of its range it reads the end of it, and says so."""

    unit = "m"

    def __init__(self, spec: AltimeterSpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        self.low, self.high = [spec.range[0]], [spec.range[1]]
        self.flags = ("altitude",)
        self.offset = spec.offset
        if spec.offset_deviation > 0.0:
            self.offset += spec.offset_deviation * float(self.generator.standard_normal())

    def distance(self, truth: Truth) -> float:
        """To what is ahead of the sensor [m]."""
        return float(truth.altitude)

    def values(self, truth: Truth) -> list[float]:
        """[m]."""
        noise = self.spec.noise * float(self.generator.standard_normal())
        return [self.distance(truth) + self.offset + noise]

    def digital(self, values: list[float]) -> list[float]:
        """Whole steps."""
        step = self.spec.resolution
        return [round(value / step) * step for value in values] if step > 0.0 else values

    def message(self, truth: Truth, values: list[float], saturated: tuple[str, ...]) -> Message:
        """An altitude."""
        return Measurement(time=truth.time, altitude=values[0], saturated=saturated)
