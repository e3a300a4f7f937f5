"""Keep the tension of a tether by the speed of its winch: two controllers that see the tension and no more.

Both filter what the sensor says, and both pay out while the tension is too high. Their gains are speed of the
tether per tension, positive, so that the radius of the drum and the gear are not in them: a motor that turns
forwards to reel in turns at -speed * gear / radius.
"""

import math
from dataclasses import dataclass

from tetherlab.contracts.messages import Observation, Reference, WinchCommand

FOLLOWED = 0.5  # share of what was asked for that a winch does which is not held back
UNSEEN = 1e-4  # length that an encoder may not count [m]

Filtered = tuple[float, ...]  # what a rule remembers, or nothing yet


@dataclass(frozen=True, kw_only=True)
class TensionPD:
    """Speed = gain * error * |error| + rate_gain * rate of the tension: deaf to little, quick for much.

    error: tension - set point.
    """

    tension: float = 3.5  # set point [N]
    gain: float = 0.3  # [m/s/N^2]
    rate_gain: float = 0.004  # [m/N]
    filter_time: float = 0.05  # time constant of the low-pass [s]
    rate_hz: float = 100.0

    def init(self) -> Filtered:
        """Nothing seen yet."""
        return ()

    def __call__(
        self, memory: Filtered, observation: Observation, reference: Reference
    ) -> tuple[Filtered, WinchCommand]:
        """A speed; where the drone should go is not looked at."""
        tension, rate = _low_pass(memory, observation.tension, self.filter_time, 1.0 / self.rate_hz)
        error = tension - self.tension
        speed = self.gain * error * abs(error) + self.rate_gain * rate
        return (tension,), WinchCommand(speed=speed)


@dataclass(frozen=True, kw_only=True)
class TensionPID:
    """Speed = gain * error + integral_gain * its integral + rate_gain * rate of the tension, and a limit.

    The integral waits while the command is limited, and while the winch does less than half of what it was
    told, as with no tether left on its drum, unless the error leads back.
    """

    tension: float = 0.3  # set point [N]
    gain: float = 0.2  # [m/s/N]
    integral_gain: float = 0.2  # [m/s^2/N]
    rate_gain: float = 0.004  # [m/N]
    filter_time: float = 0.05  # time constant of the low-pass [s]
    speed_max: float = 0.4  # that it asks for [m/s]
    rate_hz: float = 100.0

    def init(self) -> Filtered:
        """Nothing seen yet."""
        return ()

    def __call__(
        self, memory: Filtered, observation: Observation, reference: Reference
    ) -> tuple[Filtered, WinchCommand]:
        """A speed; where the drone should go is not looked at."""
        dt = 1.0 / self.rate_hz
        tension, rate = _low_pass(memory, observation.tension, self.filter_time, dt)
        integral, told, length = memory[1:] if memory else (0.0, 0.0, observation.length)
        error = tension - self.tension
        wanted = self.gain * error + self.integral_gain * integral + self.rate_gain * rate
        speed = min(max(wanted, -self.speed_max), self.speed_max)
        missing = told * dt - (observation.length - length)
        held = abs(missing) > (1.0 - FOLLOWED) * abs(told) * dt + UNSEEN
        if not (speed != wanted or held) or error * wanted < 0.0:
            integral += dt * error
        return (tension, integral, speed, observation.length), WinchCommand(speed=speed)


def _low_pass(memory: Filtered, seen: float, time: float, dt: float) -> tuple[float, float]:
    """The tension through a filter of first order [N], and its rate [N/s]."""
    if not memory:
        return seen, 0.0
    # Exact for a tension that stands between two calls.
    last = memory[0]
    tension = last - math.expm1(-dt / time) * (seen - last)
    return tension, (tension - last) / dt
