"""Tether angle: a PID from theta to the thrust, as in the paper, with gains that are placed on the model."""

import math
from dataclasses import dataclass, field

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.avocado.linearise import planar_system
from tetherlab.vehicles.avocado.modes import linear_modes
from tetherlab.vehicles.avocado.spec import AvocadoSpec


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class PlanarGains:
    """Of T = T_0 + proportional e + integral int e - derivative (theta' - theta_ref'), e = theta_ref - theta."""

    proportional: float  # [N/rad]
    integral: float  # [N/(rad s)]
    derivative: float  # [N s/rad]
    filter_rate: float  # of the derivative's low-pass [rad/s]

    def __post_init__(self) -> None:
        check.number("PlanarGains.proportional", self.proportional)
        for name in ("integral", "derivative", "filter_rate"):
            check.positive(f"PlanarGains.{name}", getattr(self, name))


@check.known_arguments
def place_planar_gains(
    spec: AvocadoSpec, tether_length: float = 1.0, *, pole: float = 0.62, filter_rate: float = 6.0
) -> PlanarGains:
    """Three equal poles of the slow swing, its integral included, at `pole` times its frequency.

    Slowly, the robot is a pendulum: theta'' = w^2 (k T - theta), with w that of the slow mode of the rest and
    k = d theta / d T of the statics. Three poles at -p want k w^2 D = 3 p, k w^2 P = 3 p^2 - w^2, k w^2 I =
    p^3. The fast mode, the robot about P, sees the derivative alone, with the wrong sign: the filter keeps
    the loop below its damping; see docs/theory/avocado_control.md for the margins.
    """
    pole, modes = check.positive("pole", pole), linear_modes(spec, tether_length)
    swings = modes.frequencies[modes.planar & (modes.frequencies > 1e-3)]
    if len(swings) == 0:
        raise InputError("gains cannot be placed: this robot does not swing in its plane")
    w = float(swings.min())
    A, b = planar_system(spec, tether_length)
    # At rest A x + b dT = 0; the first two of x are theta and phi.
    determinant = A[2, 0] * A[3, 1] - A[2, 1] * A[3, 0]
    k = float((A[2, 1] * b[3] - A[3, 1] * b[2]) / determinant)
    return PlanarGains(
        proportional=(3.0 * pole**2 - 1.0) / k,
        integral=pole**3 * w / k,
        derivative=3.0 * pole / (k * w),
        filter_rate=filter_rate,
    )


@dataclass(kw_only=True)
class PlanarLaw:
    """PID with limits of the thrust [N]. The integral rests while a limit holds and it would push on."""

    gains: PlanarGains
    thrust_min: float
    thrust_max: float
    _integral: float = field(default=0.0, init=False, repr=False)  # [N]
    _rate: float = field(default=0.0, init=False, repr=False)  # filtered [rad/s]

    def start(self, thrust: float) -> None:
        """Begin with the integral at a thrust [N]."""
        self._integral, self._rate = thrust, 0.0

    def __call__(self, theta: float, rate: float, wanted: float, wanted_rate: float, dt: float) -> float:
        """Thrust [N] for angles [rad] and their rates [rad/s], every dt [s]."""
        gains, error = self.gains, wanted - theta
        self._rate += (1.0 - math.exp(-gains.filter_rate * dt)) * (rate - wanted_rate - self._rate)
        asked = gains.proportional * error + self._integral - gains.derivative * self._rate
        given = min(max(asked, self.thrust_min), self.thrust_max)
        if asked == given or (asked - given) * error < 0.0:
            self._integral += gains.integral * error * dt
        return given
