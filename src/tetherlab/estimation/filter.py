"""The tether-inertial filter: IMU and tether together, with biases, heading, faults and late data."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.measurement import LEVEL, Measurement
from tetherlab.estimation import filter_layout as K
from tetherlab.estimation.assumptions import LAG_MAX, doubt, slopes
from tetherlab.estimation.catenary import angle_tolerance, locate
from tetherlab.estimation.filter_history import History, insert
from tetherlab.estimation.filter_kernel import gimbal_axes
from tetherlab.estimation.filter_motion import IMU_SILENT
from tetherlab.estimation.length_watch import LengthWatch
from tetherlab.estimation.repeats import RepeatWatch
from tetherlab.estimation.residual import LearnedResidual
from tetherlab.estimation.sensing import Sensing
from tetherlab.estimation.trust import DRIFT_MAX, PLACED, SILENT
from tetherlab.tether.catenary_angles import end_from_elevations

Vector = NDArray[np.float64]
HISTORY = 256  # messages that are remembered for late ones
IN_DOUBT = {"base_elevation", "drone_elevation", "length", "tension"}  # who tell that it touches something
NEEDED = ("base_azimuth", "base_elevation", "drone_elevation", "length")  # for a position that is sure
MODEL = 0.05  # deviation of a place by the closed form, whatever its readings [m]
START_B = 0.1  # of a tether of which nothing is known
LENGTH_MIN = 0.3  # of a tether whose angles tell a place [m]
RESTART = 1.0  # time without a position after which it begins anew [s]
NOTHING = np.full(3, math.nan)  # what a stuck IMU says: only its time counts
SETTLING = 0.3  # in which a learned correction is followed [s]


@dataclass(frozen=True, kw_only=True)
class FilterSpec:
    """How the filter is set up. Biases are those that stay after calibration."""

    attachment: Any = (0.0, 0.0, 0.0)  # of the tether, in the drone's frame from its IMU [m], (3,)
    imu_rate: float = 200.0  # samples per second
    angle_rate: float = 100.0  # samples of an angle sensor per second
    lag_time: float = 0.3  # for which friction holds an angle sensor at the same place [s]
    force_bias: float = 0.1  # of the accelerometer at the start, standard deviation [m/s^2]
    rate_bias: float = 0.01  # of the gyroscope [rad/s]
    force_walk: float = 0.002  # [m/s^2 per sqrt(s)]
    rate_walk: float = 2e-4  # [rad/s per sqrt(s)]
    tension_walk: float = 1.0  # of the tension's logarithm [1/sqrt(s)]
    # Of base_azimuth, base_elevation, drone_azimuth, drone_elevation [rad] and length [m].
    bias: Any = (0.02, 0.02, 0.02, 0.02, 0.005)
    bias_left: float = 0.01  # of an angle, that a learned correction leaves at best [rad]
    bias_time: float = 10.0  # in which a bias changes: it depends on where the drone is [s]
    swing: float = 0.01  # of an angle by waves of the tether, standard deviation [rad]
    swing_time: float = 0.15  # half a period of such a wave [s]
    astray: float = 0.03  # by which points of the tether are not where it would hang at rest [m]
    heading_deviation: float = 0.5  # of the autopilot's heading at the start [rad]
    gate: float = 4.0  # standard deviations beyond which a reading is refused
    fault_after: float = 0.5  # of contradiction, then a sensor is not believed until `reset` [s]
    deviation_max: float = 0.5  # of a position that is still one [m]
    moving_tether: bool = False  # account for inertia and drag of the tether
    tether_drag: float = 0.0  # force per length and speed squared, 0.5 rho c d [N s^2/m^3]
    wind: Any = (0.0, 0.0)  # that is known [m/s], (2,)


@dataclass
class _Latest:
    """What came last, for the start and for the check of the tether."""

    measurement: Measurement = field(default_factory=Measurement)
    rotation: Vector = field(default_factory=lambda: LEVEL)  # newest; that of `measurement` is its tangent's
    off: float = 0.0  # heading, believed less the autopilot's [rad]
    time_base: float = math.nan  # of the base's pose [s]
    time_tension: float = math.nan  # of the tension [s]


class TetherInertialFilter:
    """An error-state Kalman filter. Take its answer after every message, or when needed."""

    def __init__(
        self,
        sensing: Sensing | None = None,
        spec: FilterSpec | None = None,
        learned: LearnedResidual | None = None,
    ) -> None:
        """learned: a correction of the closed form, by which readings are corrected before they are taken."""
        self.sensing = Sensing() if sensing is None else sensing
        self.spec = FilterSpec() if spec is None else spec
        self.learned = learned
        self._settings = _settings(self.sensing, self.spec)
        self._watch = LengthWatch(self.sensing.noise.length)
        self._repeats = RepeatWatch()
        self._history = History.empty(HISTORY)
        self._message = np.zeros(K.MESSAGE_SIZE)
        self.reset()

    def reset(self) -> None:
        """Forget all measurements, and believe all sensors again."""
        self._history.used[0] = 0
        self._settings.bias_covariance[:] = np.diag(np.square(self.spec.bias))
        self._watch.reset()
        self._repeats.reset()
        self._latest = _Latest()
        self._doubt = EstimateStatus.OK
        self._lost_at = math.inf  # since when there has been no position [s]
        self._shift = np.zeros(3)  # of azimuth, elevations [rad] and length [m], as learned

    def stand(self, time: float, position: Vector) -> Estimate:
        """It stands still, its tether tied at a place that is known [m], (3,)."""
        placed, rotation = PLACED**2 * np.eye(3), np.array(self._latest.rotation, float)
        self._begin(time, position, placed, PLACED, rotation, START_B)
        self._doubt = EstimateStatus.OK
        return self.estimate

    def update(self, measurement: Measurement) -> Estimate:
        """Take what one or more sensors say; stamps may be out of order."""
        measurement, repeated = self._sifted(measurement)
        self._remember(measurement)
        if not self.started and not self._start():
            return Estimate.nothing(measurement.time, self._waiting())
        if self.learned is not None:
            measurement = self._corrected(measurement, self.learned)
        for kind, values in _parts(measurement):
            message = self._message
            message[K.M_TIME], message[K.M_KIND] = measurement.time, kind
            message[K.M_VALUE : K.M_VALUE + len(values)] = values
            at_drone = kind == K.DRONE_ANGLES
            rotation = self._attitude(measurement) if at_drone else measurement.rotation_base
            message[K.M_ROTATION : K.M_BASE] = rotation.ravel()
            message[K.M_BASE : K.M_BASE_VELOCITY] = self._base(measurement.time)
            message[K.M_BASE_VELOCITY : K.M_SATURATED] = self._latest.measurement.base_velocity
            message[K.M_SATURATED] = _flags(measurement.saturated)
            message[K.M_REPEATED] = _flags(repeated)
            message[K.M_TENSION] = self._tension(measurement.time)
            insert(self._history, message, self._settings)
        if measurement.tangent_base is not None:
            self._doubt = self._question()
        return self._kept_going(self.estimate)

    def _sifted(self, measurement: Measurement) -> tuple[Measurement, tuple[str, ...]]:
        """Without what is known to be wrong before anything is believed; and who has said the same again."""
        repeated = self._repeats.take(measurement)
        if measurement.specific_force is not None and "imu" in self._repeats.stuck:
            measurement = replace(measurement, specific_force=NOTHING, angular_velocity=NOTHING)
        if "tension" in self._repeats.stuck:
            measurement = replace(measurement, tension=math.nan)
        watched = self._watch.take(measurement)
        if watched is not measurement:  # its length is another one
            others = tuple(name for name in measurement.saturated if name != "length")
            watched = replace(watched, saturated=others)
        if self._watch.has_drum:  # which is the better witness
            repeated = tuple(name for name in repeated if name != "length")
        return watched, repeated

    def _attitude(self, measurement: Measurement) -> Vector:
        """Of the drone by its autopilot, turned by what its heading was off by when the IMU spoke last."""
        if self.state[K.TIME] - self.state[K.IMU_HEARD] <= IMU_SILENT:
            believed = self.state[K.R : K.R + 9].reshape(3, 3)
            self._latest.off = _heading(believed) - _heading(measurement.rotation)
        return np.asarray(_about_z(self._latest.off) @ measurement.rotation)

    def _kept_going(self, estimate: Estimate) -> Estimate:
        """Begin anew where the filter has lost its way: not one sensor contradicts the others, but most."""
        if estimate.status.usable:
            self._lost_at = math.inf
            return estimate
        self._lost_at = min(self._lost_at, estimate.time)
        lost = estimate.status in (EstimateStatus.FAULT, EstimateStatus.CANNOT_SAY) and not _silent(
            self.state
        )
        lost &= estimate.time - self._lost_at > RESTART and self._doubt is EstimateStatus.OK
        wrong = self.state[K.FAULTY : K.FAULTY + len(K.READINGS)] == K.SURE
        if not lost or any(wrong[K.READINGS.index(name)] for name in NEEDED) or not self._start():
            return estimate
        self._lost_at = math.inf
        self.state[K.FAULTY : K.FAULTY + len(K.READINGS)][wrong] = K.SURE
        return self.estimate

    @property
    def started(self) -> bool:
        """Whether enough was heard for a position."""
        return bool(self._history.used[0] > 0)

    @property
    def estimate(self) -> Estimate:
        """What is known at the newest stamp."""
        if not self.started:
            return Estimate.nothing(self._latest.measurement.time, EstimateStatus.MISSING)
        x, covariance = self.state, self.covariance
        time = float(x[K.TIME])
        rotation = x[K.R : K.R + 9].reshape(3, 3)
        arm = rotation @ self._settings.attachment
        heading = _heading(rotation)
        silent = _silent(x)
        faults = [name for i, name in enumerate(K.READINGS) if x[K.FAULTY + i] > 0.5 or i in silent]
        faults += [name for name in self._watch.faults if name not in faults]
        if time - x[K.IMU_HEARD] > SILENT:
            faults.append("imu")
        if time - self._latest.time_tension > SILENT and "tension" not in faults:
            faults.append("tension")
        # The attachment is at p + R r: it moves by -R [r]x times a turn of the drone.
        moves = np.zeros((3, K.ERROR_SIZE))
        moves[:, :3] = np.eye(3)
        moves[:, K.DR : K.DR + 3] = -rotation @ _crossing(self._settings.attachment)
        spread = moves @ covariance @ moves.T
        # a turn about the vertical is the third row of R times a turn in the drone's frame
        up = rotation[2]
        heading_variance = float(up @ covariance[K.DR : K.DR + 3, K.DR : K.DR + 3] @ up)
        return Estimate(
            time,
            x[:3] + arm,
            spread,
            self._status(x, spread, tuple(faults)),
            x[K.V : K.V + 3].copy(),
            heading,
            math.sqrt(max(heading_variance, 0.0)),
            tuple(faults),
        )

    @property
    def state(self) -> Vector:
        """What is believed at the newest stamp; see filter_layout.py for the places."""
        return self._history.state[self._history.newest]

    @property
    def covariance(self) -> Vector:
        """Of the error of the state, (21, 21)."""
        return self._history.covariance[self._history.newest]

    def _remember(self, new: Measurement) -> None:
        """Keep the newest of each."""
        old = self._latest.measurement
        changes: dict[str, Any] = {"time": max(new.time, old.time), "saturated": new.saturated}
        if not math.isnan(new.length):
            changes["length"] = new.length
        if not math.isnan(new.tension):
            changes["tension"] = new.tension
            self._latest.time_tension = new.time
        if new.tangent_base is not None:
            changes |= {"tangent_base": new.tangent_base, "rotation_base": new.rotation_base}
            changes |= {"base": new.base, "base_velocity": new.base_velocity}
            self._latest.time_base = new.time
        if new.tangent_end is not None:
            changes |= {"tangent_end": new.tangent_end, "rotation": new.rotation}
        if new.specific_force is not None and not math.isnan(new.specific_force[0]):
            changes |= {"specific_force": new.specific_force, "angular_velocity": new.angular_velocity}
        if new.rotation is not LEVEL:
            self._latest.rotation = new.rotation
        self._latest.measurement = replace(old, **changes)

    def _tension(self, time: float) -> float:
        """That was sensed last, if it is not too old [N]."""
        return self._latest.measurement.tension if time - self._latest.time_tension < SILENT else math.nan

    def _base(self, time: float) -> Vector:
        """Where the base was at a time, by its last pose [m], (3,)."""
        last, since = self._latest.measurement, time - self._latest.time_base
        return last.base + last.base_velocity * since if abs(since) < SILENT else last.base

    def _start(self) -> bool:
        """Begin with the closed form, as soon as there is a length and a slope at both ends."""
        last = self._latest.measurement
        if last.tangent_base is None or last.tangent_end is None or math.isnan(last.length):
            return False
        if (
            last.tension * LAG_MAX < self.sensing.friction or last.length < LENGTH_MIN
        ):  # slack, or on the deck
            return False
        azimuth, low, high = slopes(last)
        tolerance = angle_tolerance(self.sensing)
        _, end, by_reading = end_from_elevations(last.length, azimuth, low, high, tolerance)
        if math.isnan(end[0]):
            return False
        covariance = by_reading @ self.sensing.noise.catenary_covariance @ by_reading.T
        rotation = _facing(last.rotation, last.tangent_end, azimuth)
        b = _weight_over_tension(last, low, high, self.sensing)
        self._begin(last.time, last.base + end, covariance + MODEL**2 * np.eye(3), 0.3, rotation, b)
        _tie(self.covariance, by_reading, rotation, last.tangent_end)
        return True

    def _waiting(self) -> EstimateStatus:
        """Why it has not begun."""
        last = self._latest.measurement
        if last.tangent_base is None or last.tangent_end is None or math.isnan(last.length):
            return EstimateStatus.MISSING
        slack = last.tension * LAG_MAX < self.sensing.friction
        return EstimateStatus.SLACK if slack else EstimateStatus.CANNOT_SAY

    def _begin(
        self, time: float, end: Vector, covariance: Vector, speed: float, rotation: Vector, b: float
    ) -> None:
        """Start from a place of the attachment [m], with its covariance, and how fast it may be [m/s]."""
        last, spec = self._latest.measurement, self.spec
        x = np.zeros(K.STATE_SIZE)
        x[K.P : K.P + 3] = end - rotation @ self._settings.attachment
        x[K.V : K.V + 3] = last.base_velocity
        x[K.R : K.R + 9] = rotation.ravel()
        x[K.LOG_B] = math.log(b)
        still = np.array([0.0, 0.0, self.sensing.gravity])
        x[K.FORCE : K.FORCE + 3] = rotation.T @ still if last.specific_force is None else last.specific_force
        if last.angular_velocity is not None:
            x[K.RATE : K.RATE + 3] = last.angular_velocity
        x[K.TIME] = time
        x[K.HEARD : K.HEARD + len(K.READINGS)] = time
        x[K.LINK : K.IMU_HEARD] = math.nan
        x[K.IMU_HEARD] = x[K.BEGAN] = time
        diagonal = np.zeros(K.ERROR_SIZE)
        diagonal[K.DV : K.DV + 3] = speed**2
        diagonal[K.DF : K.DF + 3] = spec.force_bias**2
        diagonal[K.DW : K.DW + 3] = spec.rate_bias**2
        diagonal[K.DB] = 0.5**2
        spread = np.diag(diagonal)
        spread[K.DBIAS :, K.DBIAS :] = self._settings.bias_covariance
        spread[:3, :3] = covariance
        turns = np.diag(self._settings.attitude_variance)
        spread[K.DR : K.DR + 3, K.DR : K.DR + 3] = rotation.T @ turns @ rotation
        self._history.begin(time, x, spread)

    def _corrected(self, measurement: Measurement, learned: LearnedResidual) -> Measurement:
        """The readings with which the closed form would be where the learned correction puts it."""
        last = self._latest.measurement
        complete = last.tangent_end is not None and not math.isnan(last.length)
        if measurement.tangent_base is not None and complete:
            noise, tolerance = self.sensing.noise.catenary_covariance, angle_tolerance(self.sensing)
            ok, end, _ = locate(last.length, *slopes(last), noise, tolerance)
            if ok:
                shift, variance, share = learned.correction(last, last.base + end)
                readings = _as_readings(end, end + shift)
                if last.tension > 0.0:  # the filter knows of the stretch, which was learned too
                    readings[2] -= share * last.length * last.tension / self.sensing.axial_stiffness
                self._shift += min(1.0, 1.0 / (SETTLING * self.spec.angle_rate)) * (readings - self._shift)
                # A turn of all angles moves the end by so much times its distance.
                left = float(variance.sum()) / max(float(end @ end), LENGTH_MIN**2)
                rest = _biases_left(self.spec, left)
                grown = np.maximum(np.diagonal(rest - self._settings.bias_covariance), 0.0)
                self.covariance[K.DBIAS :, K.DBIAS :] += np.diag(grown)
                self._settings.bias_covariance[:] = rest
        changes: dict[str, Any] = {}
        if measurement.tangent_base is not None:
            turn = measurement.rotation_base
            moved = _moved(turn @ measurement.tangent_base, self._shift[0], self._shift[1])
            changes["tangent_base"] = turn.T @ moved
        if measurement.tangent_end is not None:
            turn = measurement.rotation
            changes["tangent_end"] = turn.T @ _moved(turn @ measurement.tangent_end, 0.0, self._shift[1])
        if not math.isnan(measurement.length):
            changes["length"] = measurement.length + self._shift[2]
        return replace(measurement, **changes)

    def _question(self) -> EstimateStatus:
        """What speaks against a freely hanging tether."""
        last = self._latest.measurement
        complete = last.tangent_end is not None and not math.isnan(last.length)
        return doubt(replace(last, saturated=()), self.sensing) if complete else EstimateStatus.OK

    def _status(self, x: Vector, spread: Vector, faults: tuple[str, ...]) -> EstimateStatus:
        if not np.isfinite(x[:6]).all() or np.trace(spread) > 3.0 * self.spec.deviation_max**2:
            return EstimateStatus.CANNOT_SAY
        if len(faults) > 2 and np.trace(spread) > 3.0 * DRIFT_MAX**2:
            return EstimateStatus.STALE if set(NEEDED) <= set(faults) else EstimateStatus.FAULT
        doubted = self._doubt is EstimateStatus.SLACK or not IN_DOUBT.isdisjoint(faults)
        return EstimateStatus.UNSURE if doubted or (faults and self._doubt.usable) else self._doubt


def _settings(sensing: Sensing, spec: FilterSpec) -> K.FilterSettings:
    noise = sensing.noise
    deviations = (noise.azimuth, noise.elevation_base, noise.azimuth_end, noise.elevation_end, noise.length,
                  noise.tension, noise.altitude)  # fmt: skip
    mass = sensing.linear_density if spec.moving_tether else 0.0
    tilt = max(noise.attitude, 0.02)
    return K.FilterSettings(
        gravity=sensing.gravity,
        weight=sensing.weight,
        drone_mass=sensing.drone_mass,
        softness=1.0 / sensing.axial_stiffness,
        ground=sensing.ground if math.isfinite(sensing.ground) else 0.0,
        friction=sensing.friction,
        lag_samples=max(1.0, spec.lag_time * spec.angle_rate),
        swing=float(spec.swing),
        astray=float(spec.astray),
        swing_samples=max(1.0, spec.swing_time * spec.angle_rate),
        lag_max=LAG_MAX / math.sqrt(3.0),
        attachment=np.array(spec.attachment, float),
        force_density=noise.specific_force**2 / spec.imu_rate,
        rate_density=noise.angular_velocity**2 / spec.imu_rate,
        force_walk=spec.force_walk**2,
        rate_walk=spec.rate_walk**2,
        log_b_walk=spec.tension_walk**2,
        reading_variance=np.array(deviations, float) ** 2,
        attitude_variance=np.array([tilt, tilt, spec.heading_deviation]) ** 2,
        bias_covariance=np.diag(np.square(np.array(spec.bias, float))),
        bias_time=float(spec.bias_time),
        gate=spec.gate**2,
        fault_after=float(spec.fault_after),
        load=np.array([mass, spec.tether_drag, *spec.wind], float),
    )


def _parts(measurement: Measurement) -> list[tuple[int, Any]]:
    """The messages in a measurement."""
    parts: list[tuple[int, Any]] = []
    if measurement.specific_force is not None and measurement.angular_velocity is not None:
        parts.append((K.IMU, (*measurement.specific_force, *measurement.angular_velocity)))
    if measurement.tangent_base is not None:
        parts.append((K.BASE_ANGLES, measurement.tangent_base))
    if measurement.tangent_end is not None:
        parts.append((K.DRONE_ANGLES, measurement.tangent_end))
    values = (measurement.length, measurement.tension, measurement.altitude)
    for kind, value in zip((K.LENGTHS, K.TENSIONS, K.ALTITUDES), values, strict=True):
        if not math.isnan(value):
            parts.append((kind, (value,)))
    return parts


def _as_readings(end: Vector, moved: Vector) -> Vector:
    """What moves the end of a tether: of azimuth and elevation [rad], and of its length [m]."""
    flat, flat_moved = math.hypot(end[0], end[1]), math.hypot(moved[0], moved[1])
    azimuth = math.atan2(end[0] * moved[1] - end[1] * moved[0], end[0] * moved[0] + end[1] * moved[1])
    elevation = math.atan2(moved[2], flat_moved) - math.atan2(end[2], flat)
    return np.array([azimuth, elevation, np.linalg.norm(moved) - np.linalg.norm(end)])


def _biases_left(spec: FilterSpec, turned: float) -> Vector:
    """Covariance of the biases that a learned correction leaves, (5, 5).

    turned: variance of what it leaves of the direction base to drone [rad^2]. That is the azimuth at the base
    and the mean of both elevations. It does not know their difference: what is left of one is minus the
    other's.
    """
    variance = np.square(np.array(spec.bias, float))
    rest = np.minimum(variance, turned + spec.bias_left**2)
    result = np.diag(variance)
    result[K.BASE_AZIMUTH, K.BASE_AZIMUTH] = rest[K.BASE_AZIMUTH]
    both = [K.BASE_ELEVATION, K.DRONE_ELEVATION]
    mean, difference = min(rest[both].max(), variance[both].sum() / 4.0), variance[both].sum() / 4.0
    result[np.ix_(both, both)] = mean + difference * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return result


def _moved(tangent: Vector, azimuth: float, elevation: float) -> Vector:
    """A unit tangent turned and raised by small angles [rad], (3,)."""
    axes = gimbal_axes(tangent)
    flat = math.hypot(tangent[0], tangent[1])
    result = tangent + azimuth * flat * axes[0] + elevation * axes[1]
    return np.asarray(result / np.linalg.norm(result), float)


def _silent(x: Vector) -> list[int]:
    """Readings that are needed and have not been heard for a while."""
    needed = [K.READINGS.index(name) for name in NEEDED]
    return [i for i in needed if x[K.TIME] - x[K.HEARD + i] > SILENT]


def _flags(names: tuple[str, ...]) -> int:
    return sum(1 << K.READINGS.index(name) for name in names if name in K.READINGS)


def _facing(rotation: Vector, tangent_end: Vector, azimuth: float) -> Vector:
    """The attitude with the heading at which the tether at the drone has the azimuth of its base, (3, 3)."""
    end = rotation @ tangent_end
    if math.hypot(end[0], end[1]) < 0.1:  # too steep to tell
        return np.array(rotation, float)
    turn = azimuth - math.atan2(end[1], end[0])
    return np.asarray(_about_z(turn) @ rotation)


def _heading(rotation: Vector) -> float:
    """Of the x axis [rad]."""
    return math.atan2(rotation[1, 0], rotation[0, 0])


def _about_z(angle: float) -> Vector:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _crossing(a: Vector) -> Vector:
    """[a]x: the cross product with a, (3, 3)."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _tie(covariance: Vector, by_reading: Vector, rotation: Vector, tangent_end: Vector) -> None:
    """A place found by readings is wrong by their biases, and by the attitude in which one was made.

    by_reading: derivatives of the place by length, azimuth and elevations of base and end, (3, 4).
    """
    source = np.zeros((3, K.ERROR_SIZE))
    order = (K.LENGTH_READ, K.BASE_AZIMUTH, K.BASE_ELEVATION, K.DRONE_ELEVATION)
    source[:, [K.DBIAS + reading for reading in order]] = -by_reading
    up = rotation.T @ gimbal_axes(rotation @ tangent_end)[1]
    source[:, K.DR : K.DR + 3] = np.outer(by_reading[:, 3], np.cross(tangent_end, up))
    shared = source @ covariance
    covariance[:3] += shared
    covariance[:, :3] += shared.T
    covariance[:3, :3] += shared @ source.T


def _weight_over_tension(last: Measurement, low: float, high: float, sensing: Sensing) -> float:
    """A first guess of b."""
    if last.tension > 0.1:
        return min(max(sensing.weight * last.length / (2.0 * last.tension), 1e-3), 3.0)
    return min(max(0.5 * (high - low) / max(math.cos(0.5 * (low + high)), 0.1), 0.02), 3.0)
