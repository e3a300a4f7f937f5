"""Copper wire by its American gauge: how thick it is, what it resists and what it weighs."""

import math
from typing import NamedTuple

from tetherlab.contracts.errors import InputError

# Annealed copper at 20 C, IEC 60028.
RESISTIVITY = 1.0 / 58e6  # [ohm m]
TEMPERATURE_COEFFICIENT = 3.93e-3  # of the resistance [1/K]
COPPER_DENSITY = 8890.0  # [kg/m^3]
COPPER_HEAT = 385.0  # [J/(kg K)]

# Flexible wire in silicone rubber, as power cables of drones are made of; assumed.
INSULATION_DENSITY = 1200.0  # [kg/m^3]
INSULATION_HEAT = 1300.0  # [J/(kg K)]
FILLING = 0.75  # of a bundle of strands with copper
WALL_SHARE = 0.5  # wall over diameter of the bundle
WALL_MIN = 0.4e-3  # [m]

GAUGES = range(0, 41)


class Wire(NamedTuple):
    """One insulated conductor."""

    diameter: float  # of a solid wire with this much copper [m]
    area: float  # of copper [m^2]
    resistance: float  # at 20 C [ohm/m]
    outer_diameter: float  # [m]
    linear_density: float  # copper and insulation [kg/m]


def wire(gauge: int) -> Wire:
    """A wire by its gauge: 36 is 0.005 inch, 0000 is 0.46 inch, and 39 equal ratios lie between."""
    if isinstance(gauge, bool) or not isinstance(gauge, int) or gauge not in GAUGES:
        raise InputError(
            f"gauge must be a whole number from {GAUGES[0]} to {GAUGES[-1]} (AWG), got {gauge!r}"
        )
    return insulated(0.25 * math.pi * (0.127e-3 * 92.0 ** ((36 - gauge) / 39)) ** 2)


def insulated(area: float) -> Wire:
    """A wire with so much copper across [m^2]."""
    diameter = math.sqrt(4.0 * area / math.pi)
    bundle = diameter / math.sqrt(FILLING)
    outer = bundle + 2.0 * max(WALL_SHARE * bundle, WALL_MIN)
    insulation = 0.25 * math.pi * (outer**2 - bundle**2)
    return Wire(
        diameter=diameter,
        area=area,
        resistance=RESISTIVITY / area,
        outer_diameter=outer,
        linear_density=COPPER_DENSITY * area + INSULATION_DENSITY * insulation,
    )
