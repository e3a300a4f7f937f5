"""When to break off: each guard says in a sentence what is wrong, or nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tetherlab.contracts import check
from tetherlab.contracts.autonomy import Readings

FLIGHTS_APART = 1.0  # of what watches: then it is another flight [s]
FLOWN_MIN = 10.0  # before a flight tells how much it takes [s]
TAUT_AND_DOWN = 15.0  # of a landing, besides its way: to pull the tether taut, and slowly at the end [s]
WAITS, TIMES = 60.0, 3.0  # that a landing may wait [s], and its way may take over what it should


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Limits:
    """Beyond which a mission is broken off."""

    energy_min: float = 0.2  # of the battery, share; what is left must bring both home
    voltage_min: float = 24.0  # at the drone [V]; 8 cells at 3 V
    power_share_max: float = 0.8  # of the most that the cable can transfer
    length_left: float = 0.5  # of tether on the drum [m]
    length_total: float = 15.0  # of the tether [m]
    tension_max: float = 25.0  # at the winch [N]
    headroom_min: float = 0.5  # below the ceiling [m]
    landing_speed: float = 0.15  # at which it comes home [m/s]

    def power(self, readings: Readings) -> str:
        """Battery, voltage and cable."""
        if readings.energy_left < self.energy_min:
            least = f"at least {100 * self.energy_min:.0f} % wanted"
            return f"battery at {100 * readings.energy_left:.0f} %, {least}"
        if readings.voltage < self.voltage_min:
            return f"{readings.voltage:.1f} V at the drone, at least {self.voltage_min:g} V wanted"
        if readings.power_share > self.power_share_max:
            return (
                f"the drone draws {100 * readings.power_share:.0f} % of the most that its cable can transfer"
            )
        return ""

    def tether(self, readings: Readings) -> str:
        """What is left on the drum."""
        left = self.length_total - readings.length
        return f"{left:.2f} m of tether left" if left < self.length_left else ""

    def tension(self, readings: Readings) -> str:
        """Of the tether."""
        if readings.tension > self.tension_max:
            return f"{readings.tension:.0f} N of tension, at most {self.tension_max:g} N wanted"
        return ""

    def ceiling(self, readings: Readings) -> str:
        """Above the drone."""
        if readings.headroom < self.headroom_min:
            return f"{readings.headroom:.2f} m below the ceiling, at least {self.headroom_min:g} m wanted"
        return ""


class WayHome:
    """Whether what is left of the battery brings the drone home, by what this flight took of it so far."""

    def __init__(self, *, speed: float, margin: float = 1.5) -> None:
        """speed: of the landing [m/s]. margin: what must be left, over what it should take."""
        self.speed, self.margin = check.positive("speed", speed), check.positive("margin", margin)
        self._last = -math.inf  # when it was last asked [s]
        self._began, self._full = math.nan, math.nan  # when the flight began [s], with what share

    def __call__(self, readings: Readings) -> str:
        """All that is out has to come in, and be pulled taut before."""
        time, left = readings.time, readings.energy_left
        if time - self._last > FLIGHTS_APART:
            self._began, self._full = time, left
        self._last = time
        flown = time - self._began
        if not flown > FLOWN_MIN:  # take-off takes more than hovering
            return ""
        needed = (self._full - left) / flown * (TAUT_AND_DOWN + readings.length / self.speed)
        if left < self.margin * needed:
            return f"battery at {100 * left:.1f} %, the way home takes {100 * needed:.1f} %"
        return ""


class OverTime:
    """A landing that goes on for far longer than its way explains."""

    def __init__(self, *, speed: float, length_total: float) -> None:
        """speed: of the landing [m/s]. length_total: of the tether, for when nobody knows what is out [m]."""
        self.speed, self.length_total = check.positive("speed", speed), length_total
        self._last = -math.inf  # when it was last asked [s]
        self._began, self._way = math.nan, math.nan  # [s], [m]

    def __call__(self, readings: Readings) -> str:
        """The way is the tether that was out at the start."""
        if readings.time - self._last > FLIGHTS_APART:
            self._began = readings.time
            self._way = self.length_total if math.isnan(readings.length) else readings.length
        self._last = readings.time
        most = WAITS + TIMES * self._way / self.speed
        if readings.time - self._began > most:
            return f"not down after {most:.0f} s, for {self._way:.1f} m of tether"
        return ""


class Needs:
    """Sensors that a task cannot do without."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __call__(self, readings: Readings) -> str:
        """Which of them are silent, or say that they fail."""
        gone = [name for name in self.names if name in readings.lost]
        return f"nothing from {', '.join(gone)}" if gone else ""
