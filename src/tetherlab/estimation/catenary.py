"""The position from length, azimuth and two elevations in closed form, with its covariance (paper 002)."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.assumptions import doubt, slopes
from tetherlab.estimation.sensing import Sensing
from tetherlab.math.kernel import njit
from tetherlab.tether.catenary_angles import end_from_elevations
from tetherlab.tether.catenary_status import OK, TAUT

TOLERANCE = 5.0  # standard deviations by which noise may turn the slopes into a pair that no tether has


class CatenaryLocalizer:
    """The catenary through the base with the measured length and slopes ends at the drone."""

    def __init__(self, sensing: Sensing | None = None) -> None:
        self.sensing = Sensing() if sensing is None else sensing
        self._covariance = self.sensing.catenary_covariance
        self._tolerance = angle_tolerance(self.sensing)

    def update(self, measurement: Measurement) -> Estimate:
        """Where the drone is, by this measurement alone."""
        if (
            measurement.tangent_base is None
            or measurement.tangent_end is None
            or not measurement.length > 0.0
        ):
            return Estimate.nothing(measurement.time, EstimateStatus.MISSING)
        azimuth, low, high = slopes(measurement)
        ok, end, covariance = locate(
            measurement.length, azimuth, low, high, self._covariance, self._tolerance
        )
        if not ok:
            return Estimate.nothing(measurement.time, EstimateStatus.NO_SUCH_TETHER)
        status = doubt(measurement, self.sensing)
        return Estimate(measurement.time, measurement.base + end, covariance, status)

    def reset(self) -> None:
        """Nothing is remembered."""


def angle_tolerance(sensing: Sensing) -> float:
    """How far slopes may be from those of a hanging tether [rad]."""
    noise = sensing.noise
    return min(TOLERANCE * math.hypot(noise.elevation_base, noise.elevation_end), 0.5)


class Located(NamedTuple):
    """Many positions at once; NaN where no hanging tether has the slopes."""

    position: NDArray[np.float64]  # [m], (n, 3)
    covariance: NDArray[np.float64]  # [m^2], (n, 3, 3)
    ok: NDArray[np.bool_]  # (n,)


def locate_many(angles: NDArray[np.float64], sensing: Sensing | None = None) -> Located:
    """Positions from the base by rows of length [m], azimuth, elevation_base, elevation_end [rad], (n, 4)."""
    known = Sensing() if sensing is None else sensing
    rows = np.ascontiguousarray(angles, np.float64).reshape(-1, 4)
    return Located(*_locate_rows(rows, known.catenary_covariance, angle_tolerance(known)))


@njit(cache=True)
def locate(length, azimuth, elevation_base, elevation_end, noise, tolerance):
    """(whether there is such a tether, end from the base [m], covariance [m^2])."""
    covariance = np.full((3, 3), math.nan)
    status, end, jacobian = end_from_elevations(length, azimuth, elevation_base, elevation_end, tolerance)
    ok = status in (OK, TAUT)
    if ok:
        _propagate(jacobian, noise, covariance)
    return ok, end, covariance


@njit(cache=True)
def _propagate(jacobian, noise, covariance):
    """J N Jᵀ."""
    for i in range(3):
        for j in range(i + 1):
            total = 0.0
            for k in range(4):
                for m in range(4):
                    total += jacobian[i, k] * noise[k, m] * jacobian[j, m]
            covariance[i, j] = covariance[j, i] = total


@njit(cache=True, nogil=True)
def _locate_rows(rows, noise, tolerance):
    count = rows.shape[0]
    position, covariance = np.empty((count, 3)), np.empty((count, 3, 3))
    ok = np.empty(count, np.bool_)
    for i in range(count):
        ok[i], position[i], covariance[i] = locate(
            rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], noise, tolerance
        )
    return position, covariance, ok
