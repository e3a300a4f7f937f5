"""The length of a tether by two witnesses: a roller that it turns, and the drum that it comes from.

The roller is the better one: the drum's radius changes with its layers. But a drum knows whether the tether
moves, so it tells a roller that is stuck, and goes on from its last good length.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.trust import SILENT

MOVED = 0.005  # after which roller and drum are compared, at least [m]
MOVED_NOISE = 5.0  # the same in deviations of the roller
MEAN_TIME = 0.05  # over which they are averaged for that, since rollers are noisy [s]
STILL = 0.4  # share of the other's way up to which a witness has not moved
FRESH = 0.03  # time by which two samples may differ to be of the same moment [s]
LEAP = 0.03  # that no winch moves between two samples [m]
LEAP_NOISE = 7.0  # the same in deviations of the roller
LEAP_SHARE = 0.05  # of the drum's way that it may be wrong by: its radius changes
SPEED_MAX = 2.0  # of a tether whose drum says nothing [m/s]
PATIENCE = 0.3  # for which one may contradict before it is not believed any more [s]
QUIET = 0.1  # time without a length after which the drum's is taken [s]


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
        self._reeled, self._reeled_at = math.nan, -math.inf  # what the drum said last [m], and when [s]
        self._reeled_then = math.nan  # what it said when that length came, NaN: nothing [m]
        self._mean = np.full(2, math.nan)  # of length and drum over a while, at the same time [m]
        self._mean_at = math.nan  # when that was [s]
        self._anchor = self._mean.copy()  # the same when they agreed last
        self._wrong_at: dict[str, float] = {}  # since when who has contradicted [s]

    @property
    def faults(self) -> tuple[str, ...]:
        """Who is not believed, or has been silent for long."""
        silent = {"length"} if SILENT < self._newest - self._heard < math.inf else set()
        return tuple(sorted(self._stuck | silent))

    @property
    def has_drum(self) -> bool:
        """Whether there is one that can be believed."""
        return self._reeled_at > -math.inf and "drum" not in self._stuck

    def take(self, measurement: Measurement) -> Measurement:
        """The same measurement, or one with a length that can be believed, or none."""
        self._newest = max(self._newest, measurement.time)
        turned = not math.isnan(measurement.reeled) and "drum" not in self._stuck
        if turned and measurement.time >= self._reeled_at:
            self._reeled, self._reeled_at = measurement.reeled, measurement.time
        length = measurement.length
        if not math.isnan(length) and not self._believes(measurement):
            length = math.nan
        if math.isnan(length) and turned and self._newest - self._heard > QUIET:
            length = self._length_by_drum
        same = length == measurement.length or (math.isnan(length) and math.isnan(measurement.length))
        return measurement if same else replace(measurement, length=length)

    @property
    def _length_by_drum(self) -> float:
        """Since both agreed [m]; NaN if they never did."""
        length, reeled = self._anchor.tolist()
        return float(length + self._reeled - reeled)

    def _drum_now(self, time: float) -> float:
        """What the drum says at the time of another sample [m]; NaN: nothing that can be believed."""
        fresh = "drum" not in self._stuck and abs(time - self._reeled_at) <= FRESH
        return self._reeled if fresh else math.nan

    def _believes(self, measurement: Measurement) -> bool:
        """Whether the roller's length can be believed; if not for long, it never is again."""
        if "length" in self._stuck or "length" in measurement.saturated:
            return False
        if measurement.time < self._heard:  # late: for others to judge
            return True
        suspect = "" if self._follows(measurement) else "length"
        suspect = suspect or self._still(measurement)
        self._wrong_at = {suspect: self._wrong_at.get(suspect, measurement.time)} if suspect else {}
        if suspect and measurement.time - self._wrong_at[suspect] > PATIENCE:
            self._stuck.add(suspect)
            self._wrong_at = {}
        if suspect == "length":
            return False
        self._heard, self._length = measurement.time, measurement.length
        self._reeled_then = self._drum_now(measurement.time)
        return True

    def _follows(self, measurement: Measurement) -> bool:
        """Whether a length comes from the last one by a way that a winch can go."""
        if math.isnan(self._length):
            return True
        way, by_drum = measurement.length - self._length, self._drum_now(measurement.time) - self._reeled_then
        if math.isnan(by_drum):
            return abs(way) <= self._leap + SPEED_MAX * (measurement.time - self._heard)
        return abs(way - by_drum) <= self._leap + LEAP_SHARE * abs(by_drum)

    def _still(self, measurement: Measurement) -> str:
        """Who has not moved while the other has, "" if neither or both have, or nothing is known."""
        now = np.array([measurement.length, self._drum_now(measurement.time)])
        if np.isnan(now).any():
            return ""
        since = measurement.time - self._mean_at
        fresh = np.isnan(self._mean).any() or since > SILENT
        self._mean = now if fresh else self._mean - math.expm1(-since / MEAN_TIME) * (now - self._mean)
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
