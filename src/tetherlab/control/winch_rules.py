"""How much tether shall be out."""

import math
from dataclasses import dataclass

from tetherlab.contracts.messages import Observation, Reference, WinchCommand


def _apart(observation: Observation) -> float:
    """From the winch's exit to the drone [m]."""
    a, b = observation.exit, observation.attachment
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


@dataclass(frozen=True, kw_only=True)
class FollowDistance:
    """Length = factor * distance + margin."""

    factor: float = 1.05
    margin: float = 0.05  # [m]
    rate_hz: float = 50.0

    def init(self) -> None:
        """Nothing to remember."""

    def __call__(
        self, memory: None, observation: Observation, reference: Reference
    ) -> tuple[None, WinchCommand]:
        """As far as the drone is now."""
        return memory, WinchCommand(length=self.factor * _apart(observation) + self.margin)


@dataclass(frozen=True, kw_only=True)
class FromTrajectory:
    """The trajectory's length over its distance at the target, times the distance now, plus margin.

    Where the trajectory gives no length, `factor` stands for the ratio.
    """

    factor: float = 1.05
    margin: float = 0.05  # [m]
    rate_hz: float = 50.0

    def init(self) -> None:
        """Nothing to remember."""

    def __call__(
        self, memory: None, observation: Observation, reference: Reference
    ) -> tuple[None, WinchCommand]:
        """Scaled as the trajectory says: `reference.length` is the ratio of the target."""
        ratio = reference.length if reference.length == reference.length else self.factor
        return memory, WinchCommand(length=ratio * _apart(observation) + self.margin)


@dataclass(frozen=True, kw_only=True)
class ConstantTension:
    """The winch gives and takes so that the tension at its exit stays the same."""

    tension: float  # [N]
    rate_hz: float = 50.0

    def init(self) -> None:
        """Nothing to remember."""

    def __call__(
        self, memory: None, observation: Observation, reference: Reference
    ) -> tuple[None, WinchCommand]:
        """Always the same."""
        return memory, WinchCommand(tension=self.tension)
