"""Tether angle: a PID from theta to the thrust, as in the paper, with gains that are placed on the model."""

import math
from dataclasses import dataclass

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.control.avocado.nodes import LENGTHS, length_node
from tetherlab.vehicles.avocado.linearise import planar_system
from tetherlab.vehicles.avocado.modes import linear_modes
from tetherlab.vehicles.avocado.spec import AvocadoSpec


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class PlanarGains:
    """Of T = proportional e + integral int e - derivative (theta' - theta_ref'), e = theta_ref - theta."""

    proportional: float  # [N/rad]
    integral: float  # [N/(rad s)]
    derivative: float  # [N s/rad]
    filter_rate: float  # of the derivative's low-pass [rad/s]

    def __post_init__(self) -> None:
        check.number("PlanarGains.proportional", self.proportional)
        for name in ("integral", "derivative", "filter_rate"):
            check.positive(f"PlanarGains.{name}", getattr(self, name))

    def at(self, length: float) -> tuple[float, float, float]:
        """The same at all free lengths."""
        return self.proportional, self.integral, self.derivative


class PlacedGains:
    """Gains for each free length that put the poles of the slow swing where they are wanted.

    Slowly, the robot is a pendulum: theta'' = w^2 (k T - theta), with w(l) that of the slow mode and k = d
    theta / d T of the statics. Poles at -a, from the integral, and a pair at c w with damping ratio z want
    k w^2 D = a + 2 z c w, k w^2 P = (c w)^2 + 2 z c w a - w^2 and k w^2 I = a (c w)^2. The fast mode, the
    robot about P, sees the derivative with the wrong sign; the filter keeps the loop below its damping.
    """

    @check.known_arguments
    def __init__(
        self,
        spec: AvocadoSpec,
        *,
        pole: float = 1.05,
        swing: float = 0.9,
        damping: float = 0.4,
        filter_rate: float = 6.0,
    ) -> None:
        self.pole, self.swing = check.positive("pole", pole), check.positive("swing", swing)
        self.damping = check.positive("damping", damping)
        self.filter_rate = check.positive("filter_rate", filter_rate)
        self._swings = []
        for length in LENGTHS:
            modes = linear_modes(spec, length)
            swings = modes.frequencies[modes.planar & (modes.frequencies > 1e-3)]
            if len(swings) == 0:
                raise InputError("gains cannot be placed: this robot does not swing in its plane")
            self._swings.append(float(swings.min()))
        A, b = planar_system(spec, 1.0)
        # At rest A x + b dT = 0 with x = (theta, phi, 0, 0), at any length.
        self._slope = float(np.linalg.solve(A[2:, :2], -b[2:])[0])

    def at(self, length: float) -> tuple[float, float, float]:
        """P [N/rad], I [N/(rad s)] and D [N s/rad] at a free length [m]."""
        w = self.frequency(length)
        own, a, z = self.swing * w, self.pole, self.damping
        scale = self._slope * w * w
        return (
            (own * own + 2.0 * z * own * a - w * w) / scale,
            a * own * own / scale,
            (a + 2.0 * z * own) / scale,
        )

    def frequency(self, length: float) -> float:
        """Of the slow swing at a free length [m], in [rad/s]; beyond the ends, that of the ends."""
        k, share = length_node(length)
        return self._swings[k] + share * (self._swings[k + 1] - self._swings[k])

    def fixed(self, length: float) -> PlanarGains:
        """The gains of one free length [m], for use at all."""
        p, i, d = self.at(length)
        return PlanarGains(proportional=p, integral=i, derivative=d, filter_rate=self.filter_rate)


def fixed_gains(spec: AvocadoSpec) -> PlanarGains:
    """The same at all lengths, placed at 1 m so that steps settle from 0.5 to 2 m."""
    return PlacedGains(spec, pole=1.1, damping=0.45).fixed(1.0)


class PlanarLaw:
    """PID with limits of the thrust [N]. The integral rests while a limit holds and it would push on."""

    def __init__(self, gains: PlanarGains | PlacedGains, thrust_min: float, thrust_max: float) -> None:
        self.gains, self.thrust_min, self.thrust_max = gains, thrust_min, thrust_max
        self.start(0.0)

    def start(self, thrust: float) -> None:
        """Begin with the integral at a thrust [N]."""
        self._integral, self._rate = thrust, 0.0

    def __call__(
        self, theta: float, rate: float, wanted: float, wanted_rate: float, length: float, dt: float
    ) -> float:
        """Thrust [N] for angles [rad] and their rates [rad/s] at a free length [m], every dt [s]."""
        gains, error = self.gains, wanted - theta
        proportional, integral, derivative = gains.at(length)
        self._rate += (1.0 - math.exp(-gains.filter_rate * dt)) * (rate - wanted_rate - self._rate)
        asked = proportional * error + self._integral - derivative * self._rate
        given = min(max(asked, self.thrust_min), self.thrust_max)
        if asked == given or (asked - given) * error < 0.0:
            self._integral += integral * error * dt
        return given
