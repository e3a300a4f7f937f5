"""How much tether shall be out, and how fast that changes: a servo that knows both does not lag behind."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from tetherlab.contracts.messages import Observation, Reference, WinchCommand
from tetherlab.math.kernel import njit
from tetherlab.math.record import make_records
from tetherlab.plant.laws import REEL, reel_law


@dataclass(frozen=True, kw_only=True)
class FollowDistance:
    """Length = factor * distance + margin."""

    factor: float = 1.05
    margin: float = 0.05  # [m]
    rate_hz: float = 50.0

    @cached_property
    def law(self) -> NDArray[Any]:
        """With which compiled code decides in its place."""
        return _law(factor=self.factor, margin=self.margin)

    def init(self) -> None:
        """Nothing to remember."""

    def __call__(
        self, memory: None, observation: Observation, reference: Reference
    ) -> tuple[None, WinchCommand]:
        """As far as the drone is now."""
        _, length, speed = _ask(self.law, observation, reference)
        return memory, WinchCommand(length, speed)


@dataclass(frozen=True, kw_only=True)
class FromTrajectory:
    """The trajectory's length over its distance at the target, times the distance now, plus margin.

    Where the trajectory gives no length, `factor` stands for the ratio.
    """

    factor: float = 1.05
    margin: float = 0.05  # [m]
    rate_hz: float = 50.0

    @cached_property
    def law(self) -> NDArray[Any]:
        """With which compiled code decides in its place."""
        return _law(by_trajectory=1, factor=self.factor, margin=self.margin)

    def init(self) -> None:
        """Nothing to remember."""

    def __call__(
        self, memory: None, observation: Observation, reference: Reference
    ) -> tuple[None, WinchCommand]:
        """Scaled as the trajectory says."""
        _, length, speed = _ask(self.law, observation, reference)
        return memory, WinchCommand(length, speed)


@dataclass(frozen=True, kw_only=True)
class ConstantTension:
    """The winch gives and takes so that the tension at its exit stays the same."""

    tension: float  # [N]
    rate_hz: float = 50.0

    @cached_property
    def law(self) -> NDArray[Any]:
        """With which compiled code decides in its place."""
        return _law(keeps_tension=1, tension=self.tension)

    def init(self) -> None:
        """Nothing to remember."""

    def __call__(
        self, memory: None, observation: Observation, reference: Reference
    ) -> tuple[None, WinchCommand]:
        """Always the same, and how fast the drone should go away."""
        _, tension, speed = _ask(self.law, observation, reference)
        return memory, WinchCommand(tension=tension, speed=speed)


def _law(**settings: float) -> NDArray[Any]:
    row = make_records(1, REEL)
    for name, value in settings.items():
        row[name] = value
    return row


def _ask(law: NDArray[Any], observation: Observation, reference: Reference) -> tuple[int, float, float]:
    answer: tuple[int, float, float] = _reel(
        law, observation.exit, observation.attachment, observation.ugv.velocity, reference.velocity,
        reference.slack,
    )  # fmt: skip
    return answer


@njit(cache=True, error_model="numpy", _nrt=False)
def _reel(laws, winch, drone, winch_velocity, drone_velocity, slack):
    return reel_law(laws[0], winch, drone, winch_velocity, drone_velocity, slack)
