"""How warm a cable gets: what its copper turns into heat against what still air takes away."""

from __future__ import annotations

import math

from tetherlab.math.kernel import kernel, plain
from tetherlab.vehicles.power.cable import MEASURED_AT, Cable
from tetherlab.vehicles.power.transfer import loaded_current

KELVIN = 273.15
GRAVITY = 9.80665  # [m/s^2]
# Air at 40 C, between a warm cable and its surroundings.
CONDUCTIVITY = 0.0271  # [W/(m K)]
VISCOSITY = 1.70e-5  # kinematic [m^2/s]
PRANDTL = 0.706
EMISSIVITY = 0.9  # of rubber
STEFAN_BOLTZMANN = 5.670374419e-8  # [W/(m^2 K^4)]

CONVECTION = 0.387 / (1.0 + (0.559 / PRANDTL) ** (9 / 16)) ** (8 / 27)

WOUND_COOLING = 0.3  # of its surface that a cable on a drum shows to the air; assumed
HOTTEST = 1000.0  # that is looked at [C]


@kernel
def surface_cooling(diameter, temperature, air_temperature):
    """Of a level cylinder in still air [W/(m^2 K)]; temperatures [C].

    Churchill and Chu's natural convection, Nu = (0.60 + 0.387 Ra^(1/6) / (1 + (0.559/Pr)^(9/16))^(8/27))^2,
    and radiation to surroundings as warm as the air.
    """
    surface, air = temperature + KELVIN, air_temperature + KELVIN
    rise = abs(surface - air)
    rayleigh = 2.0 * GRAVITY / (surface + air) * rise * diameter**3 * PRANDTL / VISCOSITY**2
    nusselt = (0.60 + CONVECTION * rayleigh ** (1 / 6)) ** 2
    radiation = EMISSIVITY * STEFAN_BOLTZMANN * (surface + air) * (surface * surface + air * air)
    return nusselt * CONDUCTIVITY / diameter + radiation


@kernel
def warmed(temperature, heat, share, diameter, capacity, air_temperature, dt):
    """Temperature after dt [s] of a cable that makes heat [W/m] and shows a share of its surface to the air.

    Exact for a cooling that stays what it is at the start of dt; capacity [J/(m K)].
    """
    cooling = share * math.pi * diameter * surface_cooling(diameter, temperature, air_temperature)
    final = air_temperature + heat / cooling
    return final + (temperature - final) * math.exp(-dt * cooling / capacity)


def steady_temperature(
    cable: Cable, voltage: float, power: float, *, air_temperature: float = 20.0, wound: bool = False
) -> float:
    """That the cable takes in the end with a load of constant power [W] from a source [V], [C].

    wound: all of it on the drum. NaN: it cannot transfer the power, cold or once it is warm; a warmer cable
    draws more current, which warms it further.
    """
    share = WOUND_COOLING if wound else 1.0

    def excess(temperature: float) -> float:
        """Heat that is not taken away [W/m]; NaN: the power cannot be transferred."""
        current = plain(loaded_current)(voltage, cable.resistance_at(temperature), power)
        warmer = 1.0 + cable.temperature_coefficient * (temperature - MEASURED_AT)
        taken = plain(surface_cooling)(cable.diameter, temperature, air_temperature)
        heat = current**2 * cable.resistance_counted * warmer
        return float(heat - share * math.pi * cable.diameter * taken * (temperature - air_temperature))

    low, step = air_temperature, 1.0
    while low < HOTTEST:  # the first root from below is the one that a cable arrives at
        found = excess(low + step)
        if math.isnan(found):
            return math.nan
        if found <= 0.0:
            break
        low += step
    else:
        return math.nan
    high = low + step
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
    return high
