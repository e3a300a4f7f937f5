"""One measurement out of many: the latest of each sensor, where they speak at different times and late."""

from __future__ import annotations

import math
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple

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
SENSED = (*READINGS, *POSES)
_SENSED = attrgetter(*SENSED)
CARRIER = {"tangent_base": "rotation_base", "tangent_end": "rotation"}  # whose attitude turns a tangent
ROUNDING = 1e-9  # of time stamps [s]


class Heard(NamedTuple):
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
        self._told: list[bool] = []  # of SENSED, what `_whole` tells
        self._whole: Measurement | None = None  # all that is held; `_heard` does not know it yet
        self.time = -math.inf  # the newest stamp [s]

    def take(self, measurement: Measurement) -> bool:
        """Keep what is newer than what is held, and say whether anything was."""
        time = check.number("time", measurement.time)
        told, plain = _read(measurement)
        if plain and time >= self.time and self._tells_all(measurement, told):
            self._whole, self._told, self.time = measurement, told, time
            return True
        if self._whole is not None:
            self._take(self._whole, self._told, self.time)
            self._whole = None
        kept = self._take(measurement, told, time)
        self.time = max(self.time, time)
        return kept

    def _tells_all(self, measurement: Measurement, told: list[bool]) -> bool:
        """Whether a measurement that is as new as all that is held is the whole of what is known then."""
        if measurement.saturated or type(measurement.time) is not float:
            return False
        if self._whole is not None:
            return told == self._told
        return {name for name, known in zip(SENSED, told, strict=True) if known}.issuperset(self._heard)

    def _take(self, measurement: Measurement, told: list[bool], time: float) -> bool:
        names = [name for name, known in zip(SENSED, told, strict=True) if known]
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
        return kept

    @property
    def stale(self) -> tuple[str, ...]:
        """What was told, but too long ago."""
        if self._whole is not None:
            return ()
        return tuple(name for name, heard in self._heard.items() if not self._fresh(heard))

    def gathered(self) -> Measurement:
        """All that is fresh, at the time of the newest."""
        if self._whole is not None:
            return self._whole
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


def _read(measurement: Measurement) -> tuple[list[bool], bool]:
    """Which fields say anything, in the order of SENSED, and whether all others are as if never given."""
    told, plain = [], True
    for value in _SENSED(measurement):
        if value is None or value is LEVEL or value is ORIGIN:
            told.append(False)
        elif isinstance(value, float):
            told.append(value == value)
        else:
            told.append(_told(value))
            plain = plain and told[-1]
    return told, plain


def _told(value: Any) -> bool:
    """Whether a field of a measurement says anything."""
    if value is None or value is LEVEL or value is ORIGIN:
        return False
    square = value * value if isinstance(value, float) else np.vdot(value, value)  # NaN if anything in it is
    return bool(square == square)
