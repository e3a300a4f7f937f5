"""The length of a tether by two witnesses: a roller that it turns, and the drum that it comes from.

The roller is the better one: the drum's radius changes with its layers. But a drum knows whether the tether
moves, so it tells a roller that is stuck, and goes on from its last good length.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tetherlab.contracts.measurement import Measurement

MOVED = 0.005  # after which roller and drum are compared, at least [m]
MOVED_NOISE = 5.0  # the same in deviations of the roller
MEAN_TIME = 0.05  # over which they are averaged for that, since rollers are noisy [s]
STILL = 0.4  # share of the other's way up to which a witness has not moved
LEAP = 0.03  # that no winch moves between two samples [m]
LEAP_NOISE = 7.0  # the same in deviations of the roller
SPEED_MAX = 2.0  # of a tether whose drum says nothing [m/s]
PATIENCE = 0.3  # for which one may contradict before it is not believed any more [s]
QUIET = 0.1  # time without a length after which the drum's is taken [s]
SILENT = 0.5  # time after which it counts as missing [s]


class LengthWatch:
    """Keeps lengths that can be believed, and makes them of the drum's where there are none."""

    def __init__(self, noise: float) -> None:
        """noise: standard deviation of a length by the roller [m]."""
        self._moved = max(MOVED, MOVED_NOISE * noise)
        self._leap = LEAP + LEAP_NOISE * noise
        self.reset()

    def reset(self) -> None:
        """Forget all, and believe both again."""
        self._stuck: set[str] = set()
        self._heard = self._newest = -math.inf  # when a good length came, and when anything did [s]
        self._length = math.nan  # the last good one [m]
        self._reeled = self._reeled_then = math.nan  # what the drum says, and said when that came [m]
        self._mean = np.full(2, math.nan)  # of length and drum over a while, at the same time [m]
        self._mean_at = math.nan  # when that was [s]
        self._anchor = self._mean.copy()  # the same when they agreed last
        self._wrong_at = math.nan  # since when they have not [s]

    @property
    def faults(self) -> tuple[str, ...]:
        """Who is not believed, or has been silent for long."""
        silent = {"length"} if SILENT < self._newest - self._heard < math.inf else set()
        return tuple(sorted(self._stuck | silent))

    def take(self, measurement: Measurement) -> Measurement:
        """The same measurement with a length that can be believed, or none."""
        self._newest = max(self._newest, measurement.time)
        if not math.isnan(measurement.reeled) and "drum" not in self._stuck:
            self._reeled = measurement.reeled
        if not math.isnan(measurement.length) and not self._believes(measurement):
            measurement = replace(measurement, length=math.nan)
        missing = math.isnan(measurement.length) and self._newest - self._heard > QUIET
        length = self._length_by_drum
        if missing and not math.isnan(measurement.reeled) and not math.isnan(length):
            measurement = replace(measurement, length=length)
        return measurement

    @property
    def _length_by_drum(self) -> float:
        """Since both agreed [m]; NaN if the drum says nothing that can be believed."""
        length, reeled = self._anchor.tolist()
        return math.nan if "drum" in self._stuck else length + self._reeled - reeled

    def _believes(self, measurement: Measurement) -> bool:
        """Whether the roller's length can be believed; if not for long, it never is again."""
        if "length" in self._stuck or "length" in measurement.saturated:
            return False
        suspect = "" if self._follows(measurement) else "length"
        suspect = suspect or self._still(measurement)
        if not suspect:
            self._wrong_at = math.nan
        elif math.isnan(self._wrong_at):
            self._wrong_at = measurement.time
        elif measurement.time - self._wrong_at > PATIENCE:
            self._stuck.add(suspect)
            self._wrong_at = math.nan
        if suspect == "length":
            return False
        self._heard = max(self._heard, measurement.time)
        self._length, self._reeled_then = measurement.length, self._reeled
        return True

    def _follows(self, measurement: Measurement) -> bool:
        """Whether a length comes from the last one by a way that a winch can go."""
        if math.isnan(self._length):
            return True
        way, by_drum = measurement.length - self._length, self._reeled - self._reeled_then
        if math.isnan(by_drum) or "drum" in self._stuck:
            return abs(way) <= self._leap + SPEED_MAX * abs(measurement.time - self._heard)
        return abs(way - by_drum) <= self._leap

    def _still(self, measurement: Measurement) -> str:
        """Who has not moved while the other has, "" if neither or both have."""
        if "drum" in self._stuck:
            return ""
        now = np.array([measurement.length, self._reeled])
        since = max(measurement.time - self._mean_at, 0.0)
        known = not np.isnan(self._mean).any() and not math.isnan(since)
        self._mean = self._mean + -math.expm1(-since / MEAN_TIME) * (now - self._mean) if known else now
        self._mean_at = measurement.time
        rolled, turned = np.abs(self._mean - self._anchor)
        if max(rolled, turned) < self._moved:
            return ""
        if rolled < STILL * turned:
            return "length"
        if turned < STILL * rolled:
            return "drum"
        self._anchor = self._mean.copy()  # also where there has been none: nothing is less than NaN
        return ""
