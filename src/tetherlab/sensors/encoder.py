"""The length of tether that is out: by a roller that the tether turns, and by the drum that it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.measurement import Measurement
from tetherlab.sensors.sensor import Sensor, Timing
from tetherlab.sensors.truth import Truth

ROLLED, LENGTH, SET = 0, 1, 2  # places of the state: by the roller [m], true [m], whether it was set to zero


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class EncoderSpec(Timing):
    """Noise is a third of Table II of paper 002."""

    rate_hz: float = 100.0  # assumed
    delay: float = 0.005  # assumed [s]
    noise: float = 0.003 / 3.0  # standard deviation of one sample [m]
    offset: float = 0.0  # constant error [m]
    scale_error: float = 0.0  # share by which it reads too much, as from a worn roller [1]
    slip_out: float = 0.0  # share of the length paid out that passes without turning the roller [1]
    slip_in: float = 0.0  # the same of the length reeled in [1]
    counts_per_metre: float = 10000.0  # assumed
    length_max: float = 1000.0  # at which the counter ends; assumed: beyond any tether here [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        check.non_negative("noise", self.noise)
        check.number("offset", self.offset)
        check.positive("counts_per_metre", self.counts_per_metre)
        check.positive("length_max", self.length_max)
        if not check.number("scale_error", self.scale_error) > -1.0:
            raise InputError(f"scale_error must be > -1, got {self.scale_error:g}")
        for name in ("slip_out", "slip_in"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"{name} must be a share from 0 to 1, got {getattr(self, name)!r}")


class PaidOut(Protocol):
    """A world with a tether of which some is out."""

    @property
    def time(self) -> float:
        """[s]."""

    @property
    def length(self) -> float:
        """Of tether that is out [m]."""


Tethered = TypeVar("Tethered", bound=PaidOut)


class Roller(Sensor[EncoderSpec, Tethered]):
    """It starts with the right length, and counts what rolls by."""

    unit = "m"

    def __init__(self, spec: EncoderSpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        self.high = [spec.length_max]
        self.state = np.zeros(3)

    def slip(self, truth: Tethered, moved: float) -> float:
        """Share of a length that has just moved [m] that passed without turning the roller."""
        return self.spec.slip_out if moved > 0.0 else self.spec.slip_in

    def follow(self, truth: Tethered) -> None:
        """The roller turns."""
        state, length = self.state, truth.length
        if state[SET] == 0.0:
            state[:] = length, length, 1.0
            return
        moved = length - state[LENGTH]
        state[ROLLED] += moved * (1.0 - self.slip(truth, moved))
        state[LENGTH] = length

    def values(self, truth: Tethered) -> list[float]:
        """[m]."""
        spec = self.spec
        counted = float(self.state[ROLLED]) * (1.0 + spec.scale_error)
        return [counted + spec.offset + spec.noise * float(self.generator.standard_normal())]

    def digital(self, values: list[float]) -> list[float]:
        """Whole counts."""
        return [round(values[0] * self.spec.counts_per_metre) / self.spec.counts_per_metre]


class Encoder(Roller[Truth]):
    """By a roller at the base."""

    def message(self, truth: Truth, values: list[float], saturated: tuple[str, ...]) -> Measurement:
        """A length."""
        return Measurement(time=truth.time, length=values[0], saturated=saturated)


class Drum(Encoder):
    """The same by the turns of the winch's drum, or the steps of its motor."""

    def message(self, truth: Truth, values: list[float], saturated: tuple[str, ...]) -> Measurement:
        """A length, as the drum has it."""
        return Measurement(time=truth.time, reeled=values[0], saturated=saturated)
