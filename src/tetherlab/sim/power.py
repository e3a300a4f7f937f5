"""Sentences about the power that comes through the tether."""

from typing import Any

from tetherlab.vehicles.power.live import PowerStatus, read_supply
from tetherlab.vehicles.power.supply import HOT

RESERVE = 0.2  # of the battery


def why_lost(supply: Any) -> str:
    """Of a supply that left its drone without power."""
    now = read_supply(supply)
    told = now.status.value
    if now.status is PowerStatus.SHORT:
        return f"{told}: {now.power:.0f} W, of {supply['power_max']:.0f} W at most"
    if now.status is PowerStatus.LOW:
        return f"{told}: {now.voltage:.1f} V of {supply['voltage_min']:.1f} V"
    return f"{told}: {100.0 * now.energy_left:.0f} % of its charge, {supply['battery_voltage']:.1f} V"


def warnings_of(supply: Any) -> list[str]:
    """What there is to say of a supply that still works; the same words each time."""
    found = []
    if supply["charge"] < RESERVE:
        found.append(f"less than {100.0 * RESERVE:.0f} % of the battery is left")
    if supply["status"] == HOT:
        found.append(f"{PowerStatus.HOT.value}: more than {supply['temperature_max']:.0f} °C")
    return found
