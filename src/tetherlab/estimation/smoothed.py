"""Any method with an IMU behind it, as an autopilot has: smooth between answers, and with a velocity."""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.estimate import Estimate, EstimateStatus, Estimator
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.sensing import Sensing
from tetherlab.estimation.trust import DRIFT_MAX, PLACED, SILENT

DEVIATION_MIN = 0.1  # of an answer, whatever it says: a moving tether is not the one at rest [m]
ANSWER_EVERY = 0.02  # answers in between say the same again [s]
GATE, GATE_TIME = 5.0, 0.5  # deviations beyond which an answer is refused, but not for longer than this [s]
ACCELERATION = 0.03  # of IMU and attitude, white: deviation of the velocity after a second [m/s]
BIAS_START, BIAS_WALK = 0.2, 0.02  # of that acceleration [m/s^2], [m/s^2 per sqrt(s)]
UNFELT = 1.0  # the same of a drone whose IMU is silent: it flies on as it did, or not [m/s]
STEP_MAX = 0.1  # between two samples of an IMU that has not failed [s]


class Smoothed:
    """A Kalman filter per axis: position, velocity and error of the acceleration."""

    def __init__(self, inner: Estimator, sensing: Sensing | None = None) -> None:
        self.inner = inner
        self.sensing = Sensing() if sensing is None else sensing
        self.reset()

    def reset(self) -> None:
        """Forget all measurements."""
        self.inner.reset()
        self._state = np.zeros((3, 3))  # position [m], velocity [m/s], bias [m/s^2], by axis
        self._spread = np.zeros((3, 3))  # the same for all axes
        self._time, self._answered = math.nan, -math.inf
        self._acceleration = np.zeros(3)
        self._felt = -math.inf  # when the IMU spoke last [s]

    def stand(self, time: float, position: NDArray[np.float64]) -> Estimate:
        """It stands still at a place that is known [m], (3,)."""
        self._time = self._answered = self._felt = time
        self._state[:] = 0.0
        self._state[0] = position
        self._spread = np.diag([PLACED**2, PLACED**2, BIAS_START**2])
        return self._answer(EstimateStatus.OK, math.nan)

    def update(self, measurement: Measurement) -> Estimate:
        """Take a measurement, and say what is known now."""
        answer = self.inner.update(measurement)
        self._move(measurement.time)
        if measurement.specific_force is not None:
            self._felt = max(self._felt, measurement.time)
            force = measurement.rotation @ measurement.specific_force
            self._acceleration = force - np.array([0.0, 0.0, self.sensing.gravity])
        if np.isfinite(answer.position).all() and answer.time >= self._answered + ANSWER_EVERY:
            self._learn(answer)
        if math.isnan(self._time):
            return Estimate.nothing(measurement.time, answer.status)
        return self._answer(answer.status, answer.heading)

    def _answer(self, status: EstimateStatus, heading: float) -> Estimate:
        variance = self._spread[0, 0]
        if not status.usable and variance < DRIFT_MAX**2:
            status = EstimateStatus.UNSURE  # by the IMU alone, which is good for a while
        faults: tuple[str, ...] = ()
        if SILENT < self._time - self._felt < math.inf:
            faults = ("imu",)
            status = EstimateStatus.UNSURE if status is EstimateStatus.OK else status
        position, velocity, _ = self._state.copy()
        covariance = variance * np.eye(3)
        return Estimate(self._time, position, covariance, status, velocity, heading, faults=faults)

    def _move(self, time: float) -> None:
        """On to a time by the last acceleration."""
        dt = min(time - self._time, STEP_MAX)
        if not dt > 0.0:
            return
        self._time = time
        felt = time - self._felt <= STEP_MAX
        acceleration = self._acceleration - self._state[2] if felt else np.zeros(3)
        self._state[0] += dt * (self._state[1] + 0.5 * dt * acceleration)
        self._state[1] += dt * acceleration
        forward = np.array([[1.0, dt, -0.5 * dt * dt], [0.0, 1.0, -dt], [0.0, 0.0, 1.0]])
        self._spread = forward @ self._spread @ forward.T
        self._spread[1, 1] += (ACCELERATION if felt else UNFELT) ** 2 * dt
        self._spread[2, 2] += BIAS_WALK**2 * dt

    def _learn(self, answer: Estimate) -> None:
        """Take an answer that is some time old: the drone has moved on since."""
        variance = float(np.trace(answer.covariance)) / 3.0
        variance = max(variance if math.isfinite(variance) else 1.0, DEVIATION_MIN**2)
        if math.isnan(self._time):
            self._time = self._answered = answer.time
            self._state[:] = 0.0
            self._state[0] = answer.position
            self._spread = np.diag([variance, 0.1, BIAS_START**2])
            return
        if not answer.status.usable:  # fly on by the IMU alone
            return
        age = min(max(self._time - answer.time, 0.0), STEP_MAX)
        error = answer.position + age * self._state[1] - self._state[0]
        expected = self._spread[0, 0] + variance
        if error @ error > GATE**2 * 3.0 * expected and answer.time - self._answered < GATE_TIME:
            return
        self._answered = answer.time
        gain = self._spread[:, 0] / expected
        self._state += np.outer(gain, error)
        self._spread -= np.outer(gain, self._spread[0])
