"""The position along the measured elevation, corrected for sag (method of Xiao et al., 2018)."""

import math
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.measurement import Measurement, unit_vector
from tetherlab.estimation.assumptions import DOUBT, doubt_curve, slopes
from tetherlab.estimation.base_force import end_from_force
from tetherlab.estimation.sensing import Sensing

TensionFrom = Literal["weight", "sensor"]
SURE = 0.25  # largest deviation of an inferred tension, as a part of it


class Correction(NamedTuple):
    """What sag changes on the way from the tether at the base to the straight line to the drone."""

    elevation: float  # to be added to the elevation of the tether at the base [rad]
    length: float  # to be added to the length of the tether, at most 0 [m]


def sag_correction(length: float, elevation: float, tension: float, weight: float) -> Correction:
    """By length [m], elevation at the base [rad], tension there [N] and weight per length [N/m]."""
    size = tension / weight
    run, rise, _, _ = end_from_force(length, 0.0, size * math.cos(elevation), size * math.sin(elevation))
    return Correction(math.atan2(rise, run) - elevation, math.hypot(run, rise) - length)


class ElevationLocalizer:
    """Elevation and length at the base, each corrected for sag, are the drone's spherical coordinates.

    tension: "weight" infers it from a drone that hovers: the weight of drone and tether, the tilt of the
    thrust and the pull at the base are in balance. "sensor" takes it as measured.
    """

    def __init__(self, sensing: Sensing | None = None, *, tension: TensionFrom = "weight") -> None:
        if tension not in get_args(TensionFrom):
            known = check.did_you_mean(tension, get_args(TensionFrom))
            raise InputError(f"tension={tension!r} is no way to know a tension.{known}")
        self.sensing = Sensing() if sensing is None else sensing
        self.tension = tension
        if tension == "weight" and math.isnan(self.sensing.drone_mass):
            raise InputError(
                "ElevationLocalizer needs the mass of the drone: Sensing(drone_mass=...) [kg], "
                'or tension="sensor"'
            )

    def update(self, measurement: Measurement) -> Estimate:
        """Where the drone is, by this measurement alone."""
        sensed = self.tension == "sensor"
        if (
            measurement.tangent_base is None
            or not measurement.length > 0.0
            or (sensed and math.isnan(measurement.tension))
        ):
            return Estimate.nothing(measurement.time, EstimateStatus.MISSING)
        azimuth, low, _ = slopes(measurement)
        pull = self._sensed(measurement) if sensed else self._balance(measurement, azimuth, low)
        if not pull.tension > 0.0 or (not sensed and pull.deviation > SURE * pull.tension):
            return Estimate.nothing(measurement.time, EstimateStatus.SLACK)
        return self._locate(measurement, azimuth, low, pull)

    def reset(self) -> None:
        """Nothing is remembered."""

    def _sensed(self, measurement: Measurement) -> "Pull":
        return Pull(measurement.tension, 0.0, 0.0, 1.0, self.sensing.noise.tension, True)

    def _balance(self, measurement: Measurement, azimuth: float, low: float) -> "Pull":
        """T = W sin(tilt)/cos(low + tilt), with W the weight of drone and tether, and tilt from the base."""
        up = measurement.rotation[:, 2]
        outward = up[0] * math.cos(azimuth) + up[1] * math.sin(azimuth)
        aside = up[1] * math.cos(azimuth) - up[0] * math.sin(azimuth)
        tilt = math.atan2(outward, up[2])
        noise = self.sensing.noise.attitude
        weight = self.sensing.drone_mass * self.sensing.gravity + self.sensing.weight * measurement.length
        c = math.cos(low + tilt)
        if not c > 0.0:
            return Pull(math.nan, 0.0, 0.0, 0.0, noise, True)
        ratio = math.sin(tilt) / c
        return Pull(
            weight * ratio,
            self.sensing.weight * ratio,
            weight * math.sin(tilt) * math.sin(low + tilt) / (c * c),
            weight * math.cos(low) / (c * c),
            noise,
            abs(aside) <= DOUBT * noise,
        )

    def _locate(self, measurement: Measurement, azimuth: float, low: float, pull: "Pull") -> Estimate:
        weight = self.sensing.weight
        size, c, s = pull.tension / weight, math.cos(low), math.sin(low)
        _, _, end, by_force = end_from_force(measurement.length, azimuth, size * c, size * s)
        if math.isnan(end[0]):
            return Estimate.nothing(measurement.time, EstimateStatus.CANNOT_SAY)
        correction = sag_correction(measurement.length, low, pull.tension, weight)
        straight = unit_vector(azimuth, low + correction.elevation)
        position = measurement.base + (measurement.length + correction.length) * straight
        spread = by_force @ self._spread(low, pull)
        status = doubt_curve(measurement, self.sensing, size * c, size * s)
        if status is EstimateStatus.OK and not pull.at_rest:
            status = EstimateStatus.CANNOT_SAY
        return Estimate(measurement.time, position, spread @ spread.T, status)

    def _spread(self, low: float, pull: "Pull") -> NDArray[np.float64]:
        """Of (length, azimuth, a, sigma) by noise in length, azimuth, elevation and tilt or tension."""
        noise, weight = self.sensing.noise, self.sensing.weight
        along = np.array([math.cos(low), math.sin(low)])
        across = np.array([-math.sin(low), math.cos(low)])
        rows = np.zeros((4, 4))
        rows[0, 0], rows[1, 1] = 1.0, 1.0
        rows[2:, 0] = along * pull.by_length / weight
        rows[2:, 2] = (along * pull.by_elevation + across * pull.tension) / weight
        rows[2:, 3] = along * pull.by_source / weight
        return rows * (noise.length, noise.azimuth, noise.elevation_base, pull.noise)


class Pull(NamedTuple):
    """The tension at the base, how it follows what it was inferred from, and how good that is."""

    tension: float  # [N]
    by_length: float  # [N/m]
    by_elevation: float  # at the base [N/rad]
    by_source: float  # [N/rad] by the tilt, or 1 for a sensor
    noise: float  # of the tilt [rad], or of the sensor [N]
    at_rest: bool  # whether the drone leans along the tether only, as it does when it hovers

    @property
    def deviation(self) -> float:
        """Of the tension, by tilt or sensor [N]."""
        return self.by_source * self.noise
