"""For those who build such a system: how light the tether may be, and which sensor to improve first."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.estimation.catenary import angle_tolerance
from tetherlab.estimation.sensing import Sensing
from tetherlab.math.kernel import njit
from tetherlab.sensors.hanging import BASE, END, LENGTH, LOG_TENSION, READ_SIZE, STATE_SIZE, read_hanging
from tetherlab.tether.catenary_angles import end_from_elevations
from tetherlab.tether.catenary_status import OK, TAUT

Array = NDArray[np.float64]

SENSORS = ("length", "azimuth", "elevation_base", "elevation_end")  # fields of SensorNoise


@dataclass(frozen=True)
class LightestTether:
    """How much tether it takes to move an angle sensor, by its weight and by its tension."""

    linear_density: float  # by weight alone: of the lightest tether that moves the sensor [kg/m]
    lag: float  # by tension alone: angle by which friction may hold the sensor back [rad]
    friction: float  # force at which the sensor begins to move [N]
    length_min: float  # of the tether on one side of its lowest point [m]
    gravity: float  # [m/s^2]
    tension: float  # that the winch keeps [N]

    def tension_for(self, lag: float) -> float:
        """The tension below which friction may hold the sensor back by more than an angle [N]."""
        lag = check.positive("lag", lag)
        if lag >= 0.5 * math.pi:
            raise InputError(f"lag must be < pi/2, got {lag:g}")
        return self.friction / math.sin(lag)


@check.known_arguments
def lightest_tether(
    friction: float = 0.029, length_min: float = 0.2, *, gravity: float = 9.80665, tension: float = 3.5
) -> LightestTether:
    """The lightest tether whose weight alone moves an angle sensor (paper 002, Eq. 30-32).

    friction: force at which the sensor begins to move [N]; length_min: of the tether on one side of its
    lowest point, half of the shortest that is flown [m]; gravity: [m/s^2]; tension: that the winch keeps [N].
    The weight F = rho L g must move the sensor with no tension at all; as there always is some, this asks for
    more than is needed. Under tension T the sensor stops where the part of T across it, T sin(lag), is F.
    """
    friction = check.positive("friction", friction)
    length_min = check.positive("length_min", length_min)
    gravity = check.positive("gravity", gravity)
    tension = check.positive("tension", tension)
    if tension <= friction:
        raise InputError(
            f"tension must be > friction, {friction:g} N, or it never moves the sensor; got {tension:g}"
        )
    density = friction / (length_min * gravity)
    return LightestTether(density, math.asin(friction / tension), friction, length_min, gravity, tension)


@dataclass(frozen=True)
class ErrorBudget:
    """Variance of the position by sensor, over cells of the vertical plane through the base.

    NaN where no tether of that length and tension can reach.
    """

    radius: Array  # horizontal distance of the cells' centres from the base [m], (n,)
    height: Array  # of the cells' centres over the base [m], (n,)
    variance: Array  # of the position [m^2], (height, radius, sensor); sensors as in SENSORS
    length: float  # of tether at most [m]
    tension: float  # at the base [N]
    sensing: Sensing

    @property
    def deviation(self) -> Array:
        """Root of the sum of the variances of x, y and z [m], (height, radius)."""
        return np.sqrt(self.variance.sum(axis=-1))

    @property
    def dominant(self) -> NDArray[np.int64]:
        """Number in SENSORS of the one with the largest share, -1 outside, (height, radius)."""
        inside = np.isfinite(self.variance).all(axis=-1)
        return np.where(inside, np.argmax(np.nan_to_num(self.variance), axis=-1), -1)

    @property
    def share(self) -> dict[str, float]:
        """Part of the mean variance over the workspace, by sensor; together 1."""
        means = self._means()
        return {name: float(mean / means.sum()) for name, mean in zip(SENSORS, means, strict=True)}

    @property
    def area(self) -> dict[str, float]:
        """Part of the workspace in which a sensor dominates; together 1."""
        inside = self.dominant[self.dominant >= 0]
        return {name: float(np.mean(inside == index)) for index, name in enumerate(SENSORS)}

    @property
    def root_mean_square(self) -> float:
        """Deviation over the workspace [m]."""
        return math.sqrt(self._means().sum())

    def without(self, sensor: str) -> float:
        """Root mean square deviation if one sensor were perfect [m]."""
        if sensor not in SENSORS:
            raise InputError(f"unknown sensor {sensor!r}.{check.did_you_mean(sensor, SENSORS)}")
        means = self._means()
        return math.sqrt(means.sum() - means[SENSORS.index(sensor)])

    @property
    def improve_first(self) -> str:
        """The sensor with the largest share."""
        return SENSORS[int(np.argmax(self._means()))]

    def _means(self) -> Array:
        return np.asarray(np.nanmean(self.variance, axis=(0, 1)))


@check.known_arguments
def error_budget(
    length: float, *, tension: float = 3.5, sensing: Sensing | None = None, cells: int = 60
) -> ErrorBudget:
    """How much each sensor adds to the error of the catenary's position, wherever the tether reaches.

    length: of tether at most [m]; tension: that the winch keeps at the base [N]; sensing: tether, gravity and
    noise; cells: in each direction. At each place the tension and the weight give the tether's length and
    both its slopes, and the noise goes through the Jacobian there, to first order.
    """
    known = Sensing() if sensing is None else check.instance("sensing", sensing, Sensing)
    length, tension = check.positive("length", length), check.positive("tension", tension)
    if isinstance(cells, bool) or not isinstance(cells, int) or not 2 <= cells <= 1000:
        raise InputError(f"cells must be a whole number from 2 to 1000, got {cells!r}")
    noise = np.sqrt(np.diagonal(known.noise.catenary_covariance))
    if not noise.any():
        raise InputError("sensing.noise: all four deviations are 0; there is no error to share out")
    centres = (np.arange(cells) + 0.5) * length / cells
    variance = _variances(centres, centres, length, tension / known.weight, noise, angle_tolerance(known))
    if not np.isfinite(variance).any():
        raise InputError(
            f"a tension of {tension:g} N holds no tether of {known.weight:g} N/m up; "
            "give more, or a lighter tether"
        )
    return ErrorBudget(centres, centres, variance, length, tension, known)


@njit(cache=True)
def _variances(radius, height, length_max, pull, noise, tolerance):
    """(height, radius, 4); `pull` is tension over weight per length [m]."""
    variance = np.full((height.size, radius.size, 4), math.nan)
    read, jacobian = np.empty(READ_SIZE), np.empty((READ_SIZE, STATE_SIZE))
    for i in range(height.size):
        for j in range(radius.size):
            if not _hang(radius[j], height[i], pull, read, jacobian) or read[LENGTH] > length_max:
                continue
            low = math.atan2(read[BASE + 2], read[BASE])
            high = math.atan2(read[END + 2], read[END])
            status, _, by = end_from_elevations(read[LENGTH], 0.0, low, high, tolerance)
            if status != OK and status != TAUT:
                continue
            for k in range(4):
                square = by[0, k] ** 2 + by[1, k] ** 2 + by[2, k] ** 2
                variance[i, j, k] = square * noise[k] ** 2
    return variance


@njit(cache=True)
def _hang(x, z, pull, read, jacobian):
    """Whether a tether with this tension at its base reaches (x, z); `read` is then what its sensors say.

    Of the two that may, the one that is nearer to straight. log(tension) falls with log(b), convex, to the
    least tension that can hold the tether up, so Newton's steps from the straight side never go too far.
    """
    far = math.hypot(x, z)
    b = 0.25 * far / (pull + far)  # so straight that its tension is more than asked for
    for _ in range(60):
        read_hanging(x, 0.0, z, b, read, jacobian)
        excess = read[LOG_TENSION] - math.log(pull)
        slope = b * jacobian[LOG_TENSION, 3]
        if abs(excess) < 1e-12:
            return True
        if slope >= -1e-6 or b > 50.0:
            return False
        b *= math.exp(-excess / slope)
    return False
