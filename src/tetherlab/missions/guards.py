"""When to break off: each guard says in a sentence what is wrong, or nothing."""

from __future__ import annotations

from dataclasses import dataclass

from tetherlab.contracts import check
from tetherlab.contracts.autonomy import Readings


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
    headroom_min: float = 0.6  # below the ceiling [m]

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


class Needs:
    """Sensors that a task cannot do without."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __call__(self, readings: Readings) -> str:
        """Which of them are silent, or say that they fail."""
        gone = [name for name in self.names if name in readings.lost]
        return f"nothing from {', '.join(gone)}" if gone else ""
