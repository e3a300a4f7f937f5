"""What AVOCADO's estimator answers: a state, how surely, and what is not to be relied on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tetherlab.vehicles.avocado import AvocadoState


class AvocadoDoubt(Enum):
    """Why an estimate, or a part of it, is not to be relied on; `value` is the sentence."""

    NOT_STARTED = "orientation, joint and wheel have not all been heard yet"
    CAMERA = "the tracking camera is silent or stuck: the orientation is the gyroscope's alone, and drifts"
    GYROSCOPE = "the gyroscope is silent or stuck: the rates are not to be relied on"
    JOINT = "the joint's encoder is silent or stuck: theta and phi are those that the motion predicts"
    WHEEL = "the wheel's encoder is silent: the tether length is the last that was heard, moved on"
    CONTRADICTION = "camera and gyroscope, or joint and motion, contradict each other"
    SLACK = (
        "the tether may be slack: it has no direction, and neither theta nor the free length means anything"
    )
    HEADING = "the tether is too close to the vertical to tell heading from psi; their sum is known"
    FREE_LENGTH = "there has been too little motion to tell the free length"


@dataclass(frozen=True, kw_only=True)
class AvocadoEstimate:
    """What is known at a time. `state.distance` is the free length: that from P to the last contact."""

    time: float  # [s]
    state: AvocadoState | None  # None: nothing can be said
    deviation: dict[str, float]  # standard deviation of each field of the state
    free_probability: float  # that nothing touches the tether between P and the anchor
    tension: float  # with which the tether ought to pull [N]; negative where it cannot be taut
    doubts: tuple[AvocadoDoubt, ...]

    @property
    def ok(self) -> bool:
        """Whether a controller may fly by this state: heading or free length may be vague."""
        return all(doubt in (AvocadoDoubt.HEADING, AvocadoDoubt.FREE_LENGTH) for doubt in self.doubts)
