"""What a drone draws: its rotors for the thrust that they give, and all else on board."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import plain
from tetherlab.vehicles.power.rotors import rotor_power

GRAVITY = 9.80665  # [m/s^2]
AIR_DENSITY = 1.225  # [kg/m^3]
SHARES = ("figure_of_merit", "drive_efficiency")


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Airframe:
    """A drone as its power supply sees it. Without arguments it is Oxpecker, paper 003."""

    mass: float = 3.43  # without its cable [kg]; section 3.2.1: 4 kg at most, less 570 g of wire
    disc_area: float = 4.0 * math.pi * 0.1524**2  # of all rotors [m^2]; Table A1: four 12-inch propellers
    figure_of_merit: float = 0.65  # ideal over real power of the rotors in hover; assumed
    drive_efficiency: float = 0.82  # of motors and their controllers; assumed
    avionics: float = 46.8  # computer, sensors and radio [W]; Table A1, sum
    thrust_max: float = 69.0  # of all rotors [N]; assumed, as in the packaged robot x500
    voltage_min: float = (
        19.8  # at which its controllers still work [V]; section 3.2.1: rated from 6S on, 3.3 V each
    )

    def __post_init__(self) -> None:
        for field in fields(self):
            required = check.non_negative if field.name == "avionics" else check.positive
            value = required(f"Airframe.{field.name}", getattr(self, field.name))
            if field.name in SHARES and value > 1.0:
                raise InputError(f"Airframe.{field.name} must be at most 1, got {value:g}")
            object.__setattr__(self, field.name, value)

    def power(
        self, thrust: float, *, air_density: float = AIR_DENSITY, across: float = 0.0, climb: float = 0.0
    ) -> float:
        """Drawn for a thrust [N], [W].

        across, climb: speed through the air, in the plane of the discs and along the thrust [m/s].
        """
        shafts = plain(rotor_power)(
            float(thrust), self.disc_area, air_density, self.figure_of_merit, across, climb
        )
        return float(shafts) / self.drive_efficiency + self.avionics

    def hover_power(self, mass: float, *, air_density: float = AIR_DENSITY) -> float:
        """Drawn in still air by a drone of this mass, its cable included [kg], [W]."""
        return self.power(mass * GRAVITY, air_density=air_density)

    def hover_mass(self, power: float, *, air_density: float = AIR_DENSITY) -> float:
        """That a power [W] keeps in the air [kg]: the reverse of `hover_power`."""
        shafts = max(power - self.avionics, 0.0) * self.drive_efficiency
        thrust = (shafts * self.figure_of_merit) ** (2 / 3) * (2.0 * air_density * self.disc_area) ** (1 / 3)
        return min(float(thrust), self.thrust_max) / GRAVITY
