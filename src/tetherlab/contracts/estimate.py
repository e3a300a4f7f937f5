"""What an estimator answers: where the drone is, how surely, and whether its assumptions hold."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.measurement import Measurement

Vector = NDArray[np.float64]


class EstimateStatus(Enum):
    """Whether an estimate can be trusted; `value` is the sentence."""

    OK = "the tether hangs freely and all sensors agree"
    UNSURE = "the position holds, but by fewer sensors than there should be"
    OUTSIDE_TRAINING = (
        "the learned correction has seen nothing like this; the position is that of the model alone"
    )
    MISSING = "a sensor that this method needs has said nothing"
    STALE = "the newest data are too old"
    SATURATED = "a sensor is at the end of its range"
    SLACK = "the tension is too low for the angle sensors to follow the tether"
    GROUND = "the tether sags to the ground"
    WRAPPED = "angles, length and tension do not belong to one freely hanging tether: it touches something"
    NO_SUCH_TETHER = "no hanging tether has these slopes"
    CANNOT_SAY = "no method that is known here fits these data"
    FAULT = "a sensor contradicts the others"

    @property
    def usable(self) -> bool:
        """Whether a controller may fly by this position."""
        return self in (EstimateStatus.OK, EstimateStatus.UNSURE, EstimateStatus.OUTSIDE_TRAINING)


NOWHERE = np.full(3, math.nan)
NOTHING_KNOWN = np.full((3, 3), math.nan)


@dataclass(frozen=True)
class Estimate:
    """Where the tether is tied to the drone, at the time of the measurement."""

    time: float  # [s]
    position: Vector  # world frame [m], (3,); NaN if nothing can be said
    covariance: Vector  # of the position [m^2], (3, 3); NaN if nothing can be said
    status: EstimateStatus
    velocity: Vector = field(default_factory=lambda: NOWHERE)  # [m/s], (3,); NaN if the method knows none
    heading: float = math.nan  # of the drone [rad]
    heading_deviation: float = math.nan  # standard deviation [rad]
    faults: tuple[str, ...] = ()  # names of sensors that are not believed, or silent

    @property
    def deviation(self) -> Vector:
        """Standard deviation of x, y, z [m], (3,)."""
        return np.sqrt(np.diagonal(self.covariance))

    @classmethod
    def nothing(cls, time: float, status: EstimateStatus) -> Estimate:
        """No position, and why."""
        return cls(time, NOWHERE, NOTHING_KNOWN, status)


class Estimator(Protocol):
    """What tells a position from measurements, one after another as they come."""

    def update(self, measurement: Measurement) -> Estimate:
        """Take a measurement, and say what is known after it."""

    def reset(self) -> None:
        """Forget all measurements."""


@runtime_checkable
class Tracker(Estimator, Protocol):
    """An estimator that goes on by an IMU where the tether says nothing, from a place that is known."""

    def stand(self, time: float, position: Vector) -> Estimate:
        """It stands still, its tether tied at this place [m], (3,): believe that, forget the rest."""
