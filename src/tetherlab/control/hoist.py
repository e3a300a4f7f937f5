"""What the winch of a hanging robot does: reel it in to a hinge, take the swing out of it, lower it.

All are called with the robot as a pendulum and answer with a reel speed [m/s], > 0 pays out.
docs/theory/hoisting.md proves that the swing dies.
"""

import math
from dataclasses import dataclass

from tetherlab.contracts import check
from tetherlab.vehicles.hanging import GRAVITY, Hanging

SHARPNESS = 3.0  # how soon the damper goes at its full speed as the grip grows
EVEN = 1.0 / 3.0  # s over what it is the difference of, an eighth of a cycle after the bottom
CENTRING = 0.2  # how fast it comes back to the length about which it works [1/s]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class ReelToHinge:
    """Pull the robot up its tether until it is so near to the hinge."""

    speed: float = 0.3  # [m/s]
    stop_within: float = 0.3  # of the hinge [m]

    def __post_init__(self) -> None:
        check.positive("speed", self.speed)
        check.positive("stop_within", self.stop_within)

    def __call__(self, hanging: Hanging) -> float:
        """Reel in, slower on the last centimetres."""
        left = max(hanging.length - self.stop_within, 0.0)
        return -min(self.speed, 2.0 * left)

    def done(self, hanging: Hanging) -> bool:
        """Whether it is there."""
        return hanging.length < self.stop_within + 0.01


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class SwingDamper:
    """Pay out while it is fast, at the bottom, and reel in while it is slow, at the ends.

    The energy of the swing changes with dE/dt = -l' s, s = l theta'^2 - g (1 - cos theta): so it pays out
    where s is large and reels in where it is small. When it changes over decides whether the length stays.
    """

    speed: float = 0.3  # [m/s]
    rest: float = 0.02  # a swing that goes no farther than this to each side is left alone [m]
    gravity: float = GRAVITY  # [m/s^2]

    def __post_init__(self) -> None:
        check.positive("speed", self.speed)
        check.positive("rest", self.rest)

    def __call__(self, hanging: Hanging, length: float, rate: float = 0.0) -> float:
        """About a length [m], which may change at a rate [m/s]."""
        mean = rate + CENTRING * (length - hanging.length)
        mean = min(max(mean, -self.speed), self.speed)
        if self.done(hanging):
            return mean
        kinetic = hanging.length * hanging.angle_rate**2
        potential = self.gravity * (1.0 - math.cos(hanging.angle))
        share = (kinetic - potential) / (kinetic + potential + 1e-12)
        # It pays out for half of a cycle if it changes over at 1/3, for all of it at -1, never at 1.
        over = EVEN - (EVEN + 1.0 if mean > 0.0 else 1.0 - EVEN) * mean / self.speed
        return self.speed * min(max(SHARPNESS * (share - over), -1.0), 1.0)

    def done(self, hanging: Hanging) -> bool:
        """Whether there is nothing to be damped."""
        return hanging.length * hanging.amplitude(self.gravity) < self.rest

    def decay(self, length: float) -> float:
        """Rate at which a small swing dies while the length stays [1/s].

        With theta = a sin(phase) the mean of l' s over a cycle is (3 / 2 pi) speed g a^2, E = g l a^2 / 2.
        """
        return 3.0 / (2.0 * math.pi) * self.speed / length


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Lowering:
    """Go to another length, and damp the swing on the way."""

    length: float  # to which it goes [m]
    damper: SwingDamper

    def __post_init__(self) -> None:
        check.positive("length", self.length)

    def __call__(self, hanging: Hanging) -> float:
        """At half the speed of the damper while there is a swing, at all of it when there is none."""
        left = self.length - hanging.length
        most = self.damper.speed * (1.0 if self.damper.done(hanging) else 0.5)
        rate = math.copysign(min(most, 2.0 * abs(left)), left)
        return self.damper(hanging, hanging.length, rate)

    def done(self, hanging: Hanging) -> bool:
        """Whether it is there."""
        return abs(hanging.length - self.length) < 0.02


class WinchLaws:
    """These laws for one winch."""

    def __init__(self, speed: float, rest: float, gravity: float) -> None:
        """speed: of reeling [m/s]; rest: swing to each side that is left alone [m]."""
        self.speed, self.damper = speed, SwingDamper(speed=speed, rest=rest, gravity=gravity)

    def to_hinge(self, stop_within: float) -> ReelToHinge:
        """Pull the robot up its tether until it is so near to the hinge [m]."""
        return ReelToHinge(speed=self.speed, stop_within=stop_within)

    def lowering(self, length: float) -> Lowering:
        """Go to another length [m], and damp the swing on the way."""
        return Lowering(length=length, damper=self.damper)
