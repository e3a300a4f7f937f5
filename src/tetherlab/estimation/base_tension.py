"""The position from length, direction and tension at the base alone (method of Kiribayashi et al., 2017)."""

import math

import numpy as np

from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.assumptions import doubt_curve, slopes
from tetherlab.estimation.base_force import end_from_force
from tetherlab.estimation.sensing import Sensing


class BaseTensionLocalizer:
    """The force at the base and the weight of the tether tell the whole hanging curve, up to its length."""

    def __init__(self, sensing: Sensing | None = None) -> None:
        self.sensing = Sensing() if sensing is None else sensing

    def update(self, measurement: Measurement) -> Estimate:
        """Where the drone is, by this measurement alone."""
        length, tension = measurement.length, measurement.tension
        if measurement.tangent_base is None or math.isnan(tension) or not length > 0.0:
            return Estimate.nothing(measurement.time, EstimateStatus.MISSING)
        if tension <= 0.0:
            return Estimate.nothing(measurement.time, EstimateStatus.SLACK)
        azimuth, low, _ = slopes(measurement)
        size, c, s = tension / self.sensing.weight, math.cos(low), math.sin(low)
        _, _, end, by_force = end_from_force(length, azimuth, size * c, size * s)
        if math.isnan(end[0]):
            return Estimate.nothing(measurement.time, EstimateStatus.CANNOT_SAY)
        # by length, azimuth, elevation, tension
        jacobian = by_force @ np.array(
            [
                [1.0, 0.0, 0.0, 0.0],
                [0.0, 1.0, 0.0, 0.0],
                [0.0, 0.0, -size * s, c / self.sensing.weight],
                [0.0, 0.0, size * c, s / self.sensing.weight],
            ]
        )
        noise = self.sensing.noise
        spread = jacobian * (noise.length, noise.azimuth, noise.elevation_base, noise.tension)
        status = doubt_curve(measurement, self.sensing, size * c, size * s)
        return Estimate(measurement.time, measurement.base + end, spread @ spread.T, status)

    def reset(self) -> None:
        """Nothing is remembered."""
