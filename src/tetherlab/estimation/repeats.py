"""Readings that repeat themselves to the last digit: of a noisy sensor a sign that it is stuck.

A quiet sensor with few bits does so too, so this alone is no fault, but of an IMU, and of a tension that is
not zero: in flight neither ever stands still.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.measurement import Measurement

TIMES = 3  # that a reading has repeated itself before it counts
IMU_TIMES = 10  # the same of all six numbers of an IMU, which then is stuck
TENSION_TIMES, TENSION_TIME = 20, 1.0  # the same of a tension, and for how long [s]
SLACK = 0.3  # tension that may well be the same for long, as of a tether that lies on the deck [N]
SAME = 1e-12  # rounding on the way from angles to tangents and back [rad]


class RepeatWatch:
    """Counts how often each reading has said the same again."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all readings."""
        self._last: dict[str, float] = {}
        self._times: dict[str, int] = {}
        self._imu = np.full(6, math.nan)
        self._imu_times = 0
        self._tension_since = math.nan  # when it began to say the same [s]
        self.stuck: set[str] = set()

    def take(self, measurement: Measurement) -> tuple[str, ...]:
        """Names of the readings in a measurement that have repeated themselves."""
        force, rate = measurement.specific_force, measurement.angular_velocity
        if force is not None and rate is not None:
            now = np.concatenate([force, rate])
            self._imu_times = self._imu_times + 1 if np.array_equal(now, self._imu) else 0
            self._imu = now
            self._mark("imu", self._imu_times >= IMU_TIMES)
        for name in measurement.saturated:  # at the end of its range it has to
            self._last.pop(name, None)
        readings = [item for item in _readings(measurement) if item[0] not in measurement.saturated]
        repeated = tuple(name for name, value in readings if self._repeats(name, value))
        if not math.isnan(measurement.tension):
            times = self._times.get("tension", 0) if "tension" in self._last else 0
            self._tension_since = self._tension_since if times > 0 else measurement.time
            long = times >= TENSION_TIMES and measurement.time - self._tension_since > TENSION_TIME
            self._mark("tension", long and measurement.tension > SLACK)
        return repeated

    def _mark(self, name: str, stuck: bool) -> None:
        (self.stuck.add if stuck else self.stuck.discard)(name)

    def _repeats(self, name: str, value: float) -> bool:
        same = abs(value - self._last.get(name, math.nan)) <= SAME
        self._times[name] = self._times.get(name, 0) + 1 if same else 0
        self._last[name] = value
        return self._times[name] >= TIMES


def _readings(measurement: Measurement) -> list[tuple[str, float]]:
    found = []
    for side, tangent in (("base", measurement.tangent_base), ("drone", measurement.tangent_end)):
        if tangent is not None:
            azimuth, elevation = _angles(tangent)
            found += [(f"{side}_azimuth", azimuth), (f"{side}_elevation", elevation)]
    for name in ("length", "tension", "altitude"):
        value = getattr(measurement, name)
        if not math.isnan(value):
            found.append((name, value))
    return found


def _angles(tangent: NDArray[np.float64]) -> tuple[float, float]:
    """Azimuth and elevation [rad], of the branch with the smaller elevation."""
    x, y, z = tangent
    return math.atan2(y, x), math.atan2(z, math.hypot(x, y))
