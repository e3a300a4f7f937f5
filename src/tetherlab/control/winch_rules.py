"""How much tether shall be out, and how fast that changes: a servo that knows both does not lag behind."""

import math
from dataclasses import dataclass

from numba import njit

from tetherlab.contracts.messages import Observation, Reference, WinchCommand


def _scaled(factor: float, margin: float, observation: Observation, reference: Reference) -> WinchCommand:
    """factor * distance + margin, and the rate at which it changes if the drone moves as it should.

    Not as it does: the winch would answer to its trembling, and make the tether tremble.
    """
    apart, parting = _parting(
        observation.exit, observation.attachment, observation.ugv.velocity, reference.velocity
    )
    return WinchCommand(factor * apart + margin, factor * parting)


@njit(cache=True)
def _parting(a, b, velocity_a, velocity_b):
    """Distance of two points [m] and its rate [m/s]."""
    square, product = 1e-12, 0.0
    for i in range(3):
        square += (b[i] - a[i]) ** 2
        product += (b[i] - a[i]) * (velocity_b[i] - velocity_a[i])
    apart = math.sqrt(square)
    return apart, product / apart


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
        return memory, _scaled(self.factor, self.margin, observation, reference)


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
        """Scaled as the trajectory says."""
        ratio = self.factor if math.isnan(reference.slack) else reference.slack
        return memory, _scaled(ratio, self.margin, observation, reference)


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
        """Always the same, and how fast the drone should go away."""
        _, parting = _parting(
            observation.exit, observation.attachment, observation.ugv.velocity, reference.velocity
        )
        return memory, WinchCommand(tension=self.tension, speed=parting)
