"""One measurement out of many: the latest of each sensor, where they speak at different times and late."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.estimate import Estimate, EstimateStatus, Estimator
from tetherlab.contracts.measurement import LEVEL, ORIGIN, Measurement

POSES = ("rotation_base", "rotation", "base", "base_velocity")
READINGS = (
    "length",
    "tangent_base",
    "tangent_end",
    "tension",
    "specific_force",
    "angular_velocity",
    "thrust",
    "altitude",
    "reeled",
)
CARRIER = {"tangent_base": "rotation_base", "tangent_end": "rotation"}  # whose attitude turns a tangent
ROUNDING = 1e-9  # of time stamps [s]


@dataclass(frozen=True)
class Heard:
    """What one sensor said last."""

    time: float  # [s]
    value: Any
    attitude: NDArray[np.float64] | None  # of its carrier, if it came with it, (3, 3)
    saturated: tuple[str, ...]


class Gatherer:
    """Keeps the latest of each sensor; nothing is carried forward in time.

    A pose that is the default of `Measurement` counts as not told. A tangent stays in the attitude that came
    with it, also when a newer attitude arrives alone.
    """

    def __init__(self, age_max: float = 0.1) -> None:
        self.age_max = check.positive("age_max", age_max)  # [s]
        self.reset()

    def reset(self) -> None:
        """Forget all that was heard."""
        self._heard: dict[str, Heard] = {}
        self.time = -math.inf  # the newest stamp [s]

    def take(self, measurement: Measurement) -> bool:
        """Keep what is newer than what is held, and say whether anything was."""
        time = check.number("time", measurement.time)
        names = [name for name in (*READINGS, *POSES) if _told(getattr(measurement, name))]
        if measurement.saturated and not names:
            names = ["saturated"]  # a sensor that only says that it is
        kept = False
        for name in names:
            if name in self._heard and self._heard[name].time > time:
                continue
            attitude = getattr(measurement, CARRIER[name]) if name in CARRIER else None
            attitude = attitude if _told(attitude) else None
            self._heard[name] = Heard(time, getattr(measurement, name), attitude, measurement.saturated)
            kept = True
        self.time = max(self.time, time)
        return kept

    @property
    def stale(self) -> tuple[str, ...]:
        """What was told, but too long ago."""
        return tuple(name for name, heard in self._heard.items() if not self._fresh(heard))

    def gathered(self) -> Measurement:
        """All that is fresh, at the time of the newest."""
        fresh = {name: heard for name, heard in self._heard.items() if self._fresh(heard)}
        fields = {name: heard.value for name, heard in fresh.items()}
        for name, carrier in CARRIER.items():
            if name in fresh and carrier in fresh:
                came_with = fresh[name].attitude
                if came_with is not None and came_with is not fields[carrier]:
                    fields[name] = fields[carrier].T @ came_with @ fields[name]
        saturated = {
            sensor: None for heard in fresh.values() for sensor in heard.saturated
        }  # keeps their order
        fields["saturated"] = tuple(saturated)
        return Measurement(time=self.time, **fields)

    def _fresh(self, heard: Heard) -> bool:
        return self.time - heard.time <= self.age_max + ROUNDING


class Gathered:
    """An estimator of whole measurements, fed with parts of them in any order.

    What is older than age_max [s], against the newest stamp, is not used: the answer is then STALE, or UNSURE
    if the inner estimator can do without. A part that is older than what is held changes nothing.
    """

    def __init__(self, inner: Estimator, age_max: float = 0.1) -> None:
        self.inner = inner
        self._parts = Gatherer(age_max)
        self._newest: Estimate | None = None

    def update(self, measurement: Measurement) -> Estimate:
        """Take a part, and say what is known after it."""
        newer = self._parts.take(measurement)
        if newer or self._newest is None:
            self._newest = self._answer()
        return self._newest

    def reset(self) -> None:
        """Forget all measurements."""
        self._parts.reset()
        self.inner.reset()
        self._newest = None

    def _answer(self) -> Estimate:
        stale = self._parts.stale
        if any(name in POSES for name in stale):
            return Estimate.nothing(self._parts.time, EstimateStatus.STALE)
        estimate = self.inner.update(self._parts.gathered())
        if not stale:
            return estimate
        if estimate.status is EstimateStatus.MISSING:
            return replace(estimate, status=EstimateStatus.STALE)
        if estimate.status is EstimateStatus.OK:
            return replace(estimate, status=EstimateStatus.UNSURE)
        return estimate


def _told(value: Any) -> bool:
    """Whether a field of a measurement says anything."""
    if value is None or value is LEVEL or value is ORIGIN:
        return False
    return not bool(np.isnan(value).any())
