"""The tension at the base: a sprung arm over which the tether runs, with a potentiometer at its pivot.

The reading p of the potentiometer, from 0 to 1, and the tension belong together by a quadratic curve,
T/T_max = (1 − c) p + c p², here from 0 to T_max, with the curvature c between 0 and 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.measurement import Measurement
from tetherlab.sensors.adc import quantise
from tetherlab.sensors.sensor import Sensor, Timing
from tetherlab.sensors.truth import Truth

LAGGED, TIME = 0, 1  # places of the state: what the arm feels [N], when it last did [s]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class TensionSpec(Timing):
    """The paper calibrated the arm from 0 to 6 N, so that is its range: what it reads beyond is not known."""

    rate_hz: float = 100.0  # assumed
    delay: float = 0.005  # assumed [s]
    noise: float = 0.1 / 3.0  # standard deviation of one sample; assumed [N]
    offset: float = 0.0  # constant error [N]
    lag: float = 0.02  # time constant of the arm; assumed [s]
    curvature: float = 0.5  # c of the characteristic; the paper prints no coefficients; assumed [1]
    tension_max: float = 6.0  # paper 002, section IV-C [N]
    adc_bits: int = 10  # of an Arduino Nano, which measures against its own supply

    def __post_init__(self) -> None:
        super().__post_init__()
        check.non_negative("noise", self.noise)
        check.non_negative("lag", self.lag)
        check.number("offset", self.offset)
        check.positive("tension_max", self.tension_max)
        if not 0.0 <= self.curvature <= 1.0:
            raise InputError(f"curvature must be from 0 to 1, got {self.curvature!r}")
        if not 1 <= self.adc_bits <= 32:
            raise InputError(f"adc_bits must be from 1 to 32, got {self.adc_bits}")

    def arm(self, tension: float) -> float:
        """Reading of the potentiometer, from 0 to 1, at a tension within the range [N]."""
        share, c = tension / self.tension_max, self.curvature
        # The root of c p² + (1 − c) p = share, in the form that holds for c = 0 too.
        under = (1.0 - c) ** 2 + 4.0 * c * share
        return 2.0 * share / (1.0 - c + math.sqrt(under)) if share > 0.0 else 0.0

    def tension(self, arm: float) -> float:
        """[N] at a reading of the potentiometer."""
        return self.tension_max * arm * (1.0 - self.curvature + self.curvature * arm)


class TensionSensor(Sensor[TensionSpec, Truth]):
    """No tension is an ordinary reading; too much is not."""

    unit = "N"

    def __init__(self, spec: TensionSpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        self.high = [spec.tension_max]
        self.state = np.array([0.0, -math.inf])

    def follow(self, truth: Truth) -> None:
        """The arm swings towards the tension, first order."""
        state, lag = self.state, self.spec.lag
        kept = math.exp((state[TIME] - truth.time) / lag) if lag > 0.0 else 0.0
        state[LAGGED] = truth.tension_base + kept * (state[LAGGED] - truth.tension_base)
        state[TIME] = truth.time

    def values(self, truth: Truth) -> list[float]:
        """[N]."""
        return [
            float(self.state[LAGGED])
            + self.spec.offset
            + self.spec.noise * float(self.generator.standard_normal())
        ]

    def digital(self, values: list[float]) -> list[float]:
        """Along the characteristic, through the converter, and back; the arm does not go below 0."""
        spec = self.spec
        return [spec.tension(quantise(spec.arm(max(values[0], 0.0)), spec.adc_bits))]

    def message(self, truth: Truth, values: list[float], saturated: tuple[str, ...]) -> Measurement:
        """A tension."""
        return Measurement(time=truth.time, tension=values[0], saturated=saturated)
