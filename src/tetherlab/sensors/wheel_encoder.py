"""The wheel over which AVOCADO's tether runs on its way out: how much has gone."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.sensors.avocado_truth import AvocadoTruth
from tetherlab.sensors.encoder import EncoderSpec, Roller
from tetherlab.sensors.readings import AvocadoReading

WHEEL_RADIUS = 0.01  # assumed [m]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class WheelEncoderSpec(EncoderSpec):
    """A magnetic encoder, ams AS5047P, on a wheel of fixed radius (sections III and V of paper 001)."""

    delay: float = 0.002  # assumed [s]
    noise: float = 0.07 * math.pi / 180.0 * WHEEL_RADIUS  # assumed: 0.07 deg, as of such encoders [m]
    counts_per_metre: float = 16384.0 / (2.0 * math.pi * WHEEL_RADIUS)  # 14 bits of the AS5047P a turn
    slip_out: float = 0.005  # assumed
    slip_in: float = 0.005  # assumed
    slip_slack: float = 0.3  # share that passes without turning the wheel while the tether is slack; assumed
    tension_slack: float = 0.2  # below which that is so; assumed [N]

    def __post_init__(self) -> None:
        super().__post_init__()
        check.non_negative("tension_slack", self.tension_slack)
        if not 0.0 <= self.slip_slack <= 1.0:
            raise InputError(f"slip_slack must be a share from 0 to 1, got {self.slip_slack!r}")


class WheelEncoder(Roller[AvocadoTruth]):
    """Starts with the right length. A slack tether hardly turns the wheel."""

    spec: WheelEncoderSpec

    def slip(self, truth: AvocadoTruth, moved: float) -> float:
        """Share of a length that has just moved [m] that passed without turning the wheel."""
        if truth.tension < self.spec.tension_slack:
            return self.spec.slip_slack
        return super().slip(truth, moved)

    def message(self, truth: AvocadoTruth, values: list[float], saturated: tuple[str, ...]) -> AvocadoReading:
        """A length."""
        return AvocadoReading(truth.time, length=values[0], saturated=saturated)
