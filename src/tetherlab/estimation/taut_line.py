"""The position along a straight tether: one direction and a length (method of Alarcón et al., 2019)."""

import math
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.measurement import Measurement, unit_vector
from tetherlab.estimation.assumptions import bend_by_tension, doubt_line, slopes
from tetherlab.estimation.sensing import Sensing

Vector = NDArray[np.float64]
Which = Literal["drone", "base", "mean"]
NEEDS = {"drone": ("tangent_end",), "base": ("tangent_base",), "mean": ("tangent_base", "tangent_end")}


class TautLineLocalizer:
    """The drone is at the end of a straight line.

    which: whose sensor tells its direction. "drone" uses both angles there and the heading of the autopilot,
    "base" both angles at the base, "mean" the azimuth at the base and the mean of both elevations, which
    cancels most of the sag. heading_deviation: of the autopilot's heading [rad]; only "drone" relies on it.
    """

    def __init__(
        self, sensing: Sensing | None = None, *, which: Which = "drone", heading_deviation: float = 0.0
    ) -> None:
        if which not in get_args(Which):
            raise InputError(f"which={which!r} is no end of a tether.{check.did_you_mean(which, NEEDS)}")
        self.sensing = Sensing() if sensing is None else sensing
        self.which = which
        self.heading_deviation = check.non_negative("heading_deviation", heading_deviation)

    def update(self, measurement: Measurement) -> Estimate:
        """Where the drone is, by this measurement alone."""
        missing = any(getattr(measurement, name) is None for name in NEEDS[self.which])
        if missing or not measurement.length > 0.0:
            return Estimate.nothing(measurement.time, EstimateStatus.MISSING)
        direction, turning = self._direction(measurement)
        line = measurement.length * direction
        covariance = measurement.length**2 * turning
        covariance += self.sensing.noise.length**2 * np.outer(direction, direction)
        # The line is at most as sure as the worse of its two angles.
        deviation = math.sqrt(max(np.linalg.eigvalsh(turning)[-1], 0.0))
        status = doubt_line(measurement, self.sensing, line, self._bend(measurement, direction), deviation)
        return Estimate(measurement.time, measurement.base + line, covariance, status)

    def reset(self) -> None:
        """Nothing is remembered."""

    def _direction(self, measurement: Measurement) -> tuple[Vector, Vector]:
        """Of the line, (3,), and its covariance [rad^2], (3, 3)."""
        noise = self.sensing.noise
        if self.which == "drone":
            t = measurement.tangent_end_W
            azimuth, elevation = math.atan2(t[1], t[0]), math.atan2(t[2], math.hypot(t[0], t[1]))
            variance = noise.elevation_end**2
            turn = math.hypot(noise.azimuth_end, self.heading_deviation)
        else:
            azimuth, elevation, high = slopes(measurement)
            variance, turn = noise.elevation_base**2, noise.azimuth
        if self.which == "mean":
            elevation, variance = 0.5 * (elevation + high), 0.25 * (variance + noise.elevation_end**2)
        flat = math.cos(elevation)
        upward = unit_vector(azimuth, elevation + 0.5 * math.pi)
        sideways = flat * unit_vector(azimuth + 0.5 * math.pi, 0.0)
        turning = variance * np.outer(upward, upward) + turn**2 * np.outer(sideways, sideways)
        return unit_vector(azimuth, elevation), turning

    def _bend(self, measurement: Measurement, direction: Vector) -> float:
        """By how much the sag turns the line [rad]; NaN if nothing tells."""
        elevation = math.asin(max(-1.0, min(1.0, float(direction[2]))))
        bend = bend_by_tension(measurement.length, measurement.tension, elevation, self.sensing)
        if math.isnan(bend):
            _, low, high = slopes(measurement)
            bend = 0.5 * abs(high - low)
        if self.which == "mean":  # of second order only
            return bend * bend / max(math.cos(elevation), bend, 1e-9)
        return bend
