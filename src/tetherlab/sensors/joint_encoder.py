"""The encoder of the rotary joint through which AVOCADO's tether leaves: the angle from tether to robot."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tetherlab.contracts import check
from tetherlab.sensors.avocado_truth import AvocadoTruth
from tetherlab.sensors.link import beyond
from tetherlab.sensors.readings import AvocadoReading
from tetherlab.sensors.sensor import Sensor, Timing

ANGLE, SET = 0, 1  # places of the state: of the encoder's magnet [rad], and whether it was set


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class JointEncoderSpec(Timing):
    """A magnetic encoder, ams AS5047P (section III of paper 001), on a printed joint.

    What the paper does not print is assumed.
    """

    rate_hz: float = 200.0  # assumed
    delay: float = 0.002  # assumed [s]
    noise: float = 0.0012  # standard deviation of one sample; assumed: 0.07 deg, as of such encoders [rad]
    counts_per_turn: float = 16384.0  # 14 bits of the AS5047P
    play: float = 0.005  # of the printed joint, to either side; assumed [rad]
    offset: float = 0.0  # constant error [rad]

    def __post_init__(self) -> None:
        super().__post_init__()
        check.non_negative("noise", self.noise)
        check.non_negative("play", self.play)
        check.positive("counts_per_turn", self.counts_per_turn)
        check.number("offset", self.offset)


class JointEncoder(Sensor[JointEncoderSpec, AvocadoTruth]):
    """Its magnet is drawn along by the tether, and lags behind by the play."""

    axes = ("phi",)
    unit = "rad"

    def __init__(self, spec: JointEncoderSpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        self.state = np.zeros(2)

    def follow(self, truth: AvocadoTruth) -> None:
        """The magnet moves once the play is used up; at the start it is anywhere within."""
        state, play = self.state, self.spec.play
        if state[SET] == 0.0:
            state[:] = truth.phi + play * self.generator.uniform(-1.0, 1.0), 1.0
        state[ANGLE] += beyond(truth.phi - state[ANGLE], play)

    def values(self, truth: AvocadoTruth) -> list[float]:
        """[rad]."""
        noise = self.spec.noise * float(self.generator.standard_normal())
        return [float(self.state[ANGLE]) + self.spec.offset + noise]

    def digital(self, values: list[float]) -> list[float]:
        """Whole counts."""
        count = 2.0 * math.pi / self.spec.counts_per_turn
        return [round(values[0] / count) * count]

    def message(self, truth: AvocadoTruth, values: list[float], saturated: tuple[str, ...]) -> AvocadoReading:
        """An angle."""
        return AvocadoReading(truth.time, phi=values[0], saturated=saturated)
