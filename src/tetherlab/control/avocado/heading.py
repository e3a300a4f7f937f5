"""Heading: a cascade from the heading to the rate about the tether, and from that to the torque."""

import math
from dataclasses import dataclass

from tetherlab.contracts import check


def wrapped(angle: float) -> float:
    """The same angle within half a turn of 0 [rad]."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class HeadingLaw:
    """A rate from the heading, and a torque from the rate about the tether.

    omega_ref = gain (Omega_ref - Omega - psi) + Omega_ref' - damping (Omega' - Omega_ref'), and tau =
    torque_gain (omega_ref - omega_y), with omega_y = Omega' cos(theta) + psi', equation (A.13).

    The robot's own heading, Omega + psi, is what the torque turns; Omega follows it as a pendulum follows its
    pull, with a quarter turn of delay at its frequency. Feedback of Omega alone therefore swings, at any
    useful gain; the damping turns the thrust against the sideways speed instead.
    """

    gain: float = 6.0  # [1/s]
    damping: float = 2.0  # [-]
    torque_gain: float = 0.09  # [N m s]
    rate_max: float = 3.0  # of omega_ref [rad/s]

    def __post_init__(self) -> None:
        check.non_negative("HeadingLaw.damping", self.damping)
        for name in ("gain", "torque_gain", "rate_max"):
            check.positive(f"HeadingLaw.{name}", getattr(self, name))

    def __call__(
        self, yaw: float, heading_rate: float, turn_rate: float, wanted: float, wanted_rate: float
    ) -> float:
        """Torque [N m] for Omega + psi [rad], Omega' and omega_y [rad/s]."""
        rate = self.gain * wrapped(wanted - yaw) - self.damping * (heading_rate - wanted_rate) + wanted_rate
        rate = min(max(rate, -self.rate_max), self.rate_max)
        return self.torque_gain * (rate - turn_rate)
