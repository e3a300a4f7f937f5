"""Height above the ground, by sound."""

from __future__ import annotations

from dataclasses import dataclass

from tetherlab.contracts import check
from tetherlab.contracts.measurement import Measurement
from tetherlab.sensors.sensor import Sensor, Timing, check_range
from tetherlab.sensors.truth import Truth


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class AltimeterSpec(Timing):
    """A small sonar that hears the ground straight below; assumed."""

    rate_hz: float = 20.0
    delay: float = 0.02  # [s]
    noise: float = 0.02  # standard deviation of one sample [m]
    offset: float = 0.0  # constant error [m]
    range: tuple[float, float] = (0.2, 7.0)  # nearest and farthest ground that it hears [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        check.non_negative("noise", self.noise)
        check.number("offset", self.offset)
        check_range("range", self.range)


class Altimeter(Sensor[AltimeterSpec, Truth]):
    """Out of its range it reads the end of it, and says so."""

    unit = "m"

    def __init__(self, spec: AltimeterSpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        self.low, self.high = [spec.range[0]], [spec.range[1]]
        self.flags = ("altitude",)

    def values(self, truth: Truth) -> list[float]:
        """[m]."""
        spec = self.spec
        return [float(truth.altitude) + spec.offset + spec.noise * float(self.generator.standard_normal())]

    def message(self, truth: Truth, values: list[float], saturated: tuple[str, ...]) -> Measurement:
        """An altitude."""
        return Measurement(time=truth.time, altitude=values[0], saturated=saturated)
