"""How long a drone on a cable stays in the air, and how long it would with a battery on board."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.power.airframe import AIR_DENSITY, GRAVITY, Airframe
from tetherlab.vehicles.power.live import PowerSupply
from tetherlab.vehicles.power.spec import PowerSpec

STEP = 5.0  # [s]
LONGEST = 7 * 24 * 3600.0  # that is looked at [s]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class BatteryOnBoard:
    """In place of the cable."""

    specific_energy: float = 180.0 * 3600.0  # [J/kg]; assumed: lithium polymer with its case
    usable: float = 0.8  # of it; assumed
    mass_max: float = 4.0  # at which the drone may hover, battery included [kg]; paper 003, section 3.2.1

    def __post_init__(self) -> None:
        for name in ("specific_energy", "usable", "mass_max"):
            check.positive(f"BatteryOnBoard.{name}", getattr(self, name))
        if self.usable > 1.0:
            raise InputError(f"BatteryOnBoard.usable must be at most 1, got {self.usable:g}")


class Endurance(NamedTuple):
    """The two beside each other."""

    tethered: float  # until the battery on the ground is empty or the supply fails [s]
    why: str  # it ended
    alone: float  # with a battery on board [s]
    battery_mass: float  # of that [kg]

    def flights(self, mission: float) -> int:
        """That the drone with a battery on board needs for so much time in the air [s]."""
        return math.ceil(mission / self.alone) if self.alone > 0.0 else 0


def alone(airframe: Airframe, board: BatteryOnBoard, air_density: float = AIR_DENSITY) -> tuple[float, float]:
    """Time in hover with the battery that gives the most of it [s], and its mass [kg].

    With nothing on board but rotors that is twice the airframe's mass, where t ~ m_b / (m + m_b)^1.5 is
    largest; the drone's own limit comes first.
    """
    most = board.mass_max - airframe.mass
    if most <= 0.0:
        return 0.0, 0.0

    def time(mass: float) -> float:
        energy = board.specific_energy * board.usable * mass
        return energy / airframe.hover_power(airframe.mass + mass, air_density=air_density)

    low, high = 0.0, most
    while high - low > 1e-4 * most:  # one maximum: thirds
        a, b = low + (high - low) / 3.0, high - (high - low) / 3.0
        low, high = (a, high) if time(a) < time(b) else (low, b)
    return time(high), high


def compare(spec: PowerSpec, length: float, board: BatteryOnBoard | None = None) -> Endurance:
    """Hover with a length of cable in the air [m] until the supply fails, against a battery on board.

    The airframe's mass is the same; a converter counts only beside the cable.
    """
    board = BatteryOnBoard() if board is None else board
    check.positive("length", length)
    carried = 0.0 if spec.converter is None else spec.converter.mass
    mass = spec.airframe.mass + carried + spec.cable.linear_density * min(length, spec.cable.length)
    supply, time = PowerSupply(spec, paid_out=length), 0.0
    while time < LONGEST:
        reading = supply.step(STEP, mass * GRAVITY, length)
        if not reading.status.supplied:
            break
        time += STEP
    by_itself, battery_mass = alone(spec.airframe, board, spec.air_density)
    return Endurance(time, reading.status.value, by_itself, battery_mass)
