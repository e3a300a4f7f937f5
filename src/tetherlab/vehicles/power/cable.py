"""The power cable between ground robot and drone: what it resists, what it weighs, how much heat it holds."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.power import conductor
from tetherlab.vehicles.power.conductor import insulated, wire

CONDUCTORS = 2  # there and back: both weigh and hold heat, whichever of them is counted as resistance
MEASURED_AT = 20.0  # [C]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Cable:
    """Two copper conductors, all of whose length carries the current, also what lies on the drum.

    Without arguments it is that of paper 003, section 3.2.1, which counts one conductor.
    """

    length: float = 15.0  # on the drum and out [m]
    resistance: float = 0.0132  # of one conductor at 20 C [ohm/m]
    return_conductor: bool = False  # the way back resists as well; the paper neglects it
    connectors: float = 0.15  # connectors, slip ring and what else is in the circuit [ohm]
    linear_density: float = 0.038  # of both conductors with insulation [kg/m]
    diameter: float = 0.0042  # of a round cable with the same area [m]
    temperature_coefficient: float = conductor.TEMPERATURE_COEFFICIENT  # of the resistance [1/K]

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name == "return_conductor":
                continue
            may_be_zero = field.name in ("connectors", "temperature_coefficient")
            required = check.non_negative if may_be_zero else check.positive
            object.__setattr__(self, field.name, required(f"Cable.{field.name}", getattr(self, field.name)))
        if self.copper > self.linear_density:
            raise InputError(
                f"Cable.linear_density must be above {self.copper:.3g} kg/m, the copper alone of "
                f"{CONDUCTORS} conductors of {self.resistance:g} ohm/m, got {self.linear_density:g}"
            )

    @classmethod
    def of_gauge(
        cls, gauge: int, length: float, *, connectors: float = 0.15, return_conductor: bool = False
    ) -> Cable:
        """Two insulated wires of an American gauge, by its formula and the resistivity of copper."""
        return cls.of_resistance(
            wire(gauge).resistance, length, connectors=connectors, return_conductor=return_conductor
        )

    @classmethod
    def of_resistance(
        cls, resistance: float, length: float, *, connectors: float = 0.15, return_conductor: bool = False
    ) -> Cable:
        """Two insulated wires of a resistance [ohm/m], insulated as those of a gauge are."""
        area = conductor.RESISTIVITY / check.positive("resistance", resistance)
        one = insulated(area)
        return cls(
            length=length,
            resistance=resistance,
            return_conductor=return_conductor,
            connectors=connectors,
            linear_density=CONDUCTORS * one.linear_density,
            diameter=math.sqrt(CONDUCTORS) * one.outer_diameter,
        )

    @property
    def mass(self) -> float:
        """Of all of it [kg]."""
        return self.linear_density * self.length

    @property
    def copper(self) -> float:
        """Mass of both conductors [kg/m]."""
        return CONDUCTORS * conductor.COPPER_DENSITY * conductor.RESISTIVITY / self.resistance

    @property
    def heat_capacity(self) -> float:
        """[J/(m K)]."""
        insulation = self.linear_density - self.copper
        return conductor.COPPER_HEAT * self.copper + conductor.INSULATION_HEAT * insulation

    @property
    def resistance_counted(self) -> float:
        """Of the conductors that count, at 20 C [ohm/m]."""
        return self.resistance * (CONDUCTORS if self.return_conductor else 1)

    def resistance_at(self, temperature: float = MEASURED_AT) -> float:
        """Of cable and connectors with the copper at a temperature [C], [ohm]."""
        warmer = 1.0 + self.temperature_coefficient * (temperature - MEASURED_AT)
        return self.length * self.resistance_counted * warmer + self.connectors
