"""Which cable to take: what each gauge costs in the air and on the way, how far it reaches, what it can lift.

A thicker cable loses less and weighs more. Here the drone hovers with all of the cable below it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tetherlab.contracts import check
from tetherlab.vehicles.power.airframe import AIR_DENSITY, GRAVITY, Airframe
from tetherlab.vehicles.power.cable import Cable
from tetherlab.vehicles.power.converter import Converter
from tetherlab.vehicles.power.heat import steady_temperature
from tetherlab.vehicles.power.transfer import power_max, too_much, transfer

GAUGES = (10, 12, 14, 16, 18, 20, 22, 24, 26, 28)
LENGTH_MAX = 2000.0  # of a cable that is looked for [m]


class Weighed(NamedTuple):
    """A cable of a gauge with a drone on it."""

    gauge: int  # AWG
    length: float  # [m]
    voltage: float  # that the cable is fed with [V]
    cable_mass: float  # [kg]
    power: float  # that the drone draws in hover, all of the cable in the air [W]
    power_max: float  # that it could draw [W]
    current: float = math.nan  # [A]; NaN, as all that follows from it, where the power cannot be transferred
    voltage_end: float = math.nan  # at the drone's end [V]
    loss: float = math.nan  # in cable and connectors [W]
    total: float = math.nan  # that the source gives, converters included [W]
    temperature: float = math.nan  # that the cable takes in the end, which is not in the other numbers [C]
    why_not: str = ""  # empty: it flies


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Choice:
    """What is given when a cable is looked for."""

    airframe: Airframe = field(default_factory=Airframe)
    converter: Converter | None = None  # its voltage takes the place of the source's
    payload: float = 0.0  # besides [kg]
    connectors: float = 0.15  # [ohm]
    return_conductor: bool = False  # the way back resists as well
    temperature: float = 20.0  # of the copper [C]
    air_density: float = AIR_DENSITY  # [kg/m^3]

    def cable(self, gauge: int, length: float) -> Cable:
        """Of a gauge."""
        return Cable.of_gauge(
            gauge, length, connectors=self.connectors, return_conductor=self.return_conductor
        )

    def weigh(self, gauge: int, length: float, voltage: float) -> Weighed:
        """A cable of a gauge and a length [m], fed with a voltage [V]."""
        cable, airframe, converter = self.cable(gauge, length), self.airframe, self.converter
        board = 0.0 if converter is None else converter.mass
        efficiency = 1.0 if converter is None else converter.drone_efficiency
        source = 1.0 if converter is None else converter.base_efficiency
        volts = voltage if converter is None else converter.voltage
        least = airframe.voltage_min if converter is None else converter.voltage_min
        thrust = (airframe.mass + self.payload + board + cable.mass) * GRAVITY
        power = airframe.power(thrust, air_density=self.air_density)
        resistance = cable.resistance_at(self.temperature)
        most = efficiency * power_max(volts, resistance)
        row = Weighed(gauge, length, volts, cable.mass, power, power_max=most)
        if thrust > airframe.thrust_max:
            return row._replace(why_not=f"too heavy: {thrust:.0f} N of {airframe.thrust_max:.0f} N")
        if power > most:
            return row._replace(why_not=too_much(volts, resistance, power / efficiency))
        found = transfer(volts, resistance, power / efficiency)
        row = row._replace(
            current=found.current,
            voltage_end=found.voltage,
            loss=found.loss,
            total=volts * found.current / source,
            temperature=steady_temperature(cable, volts, power / efficiency),
        )
        if found.voltage < least:
            return row._replace(why_not=f"{found.voltage:.1f} V arrive, {least:g} V are needed")
        if math.isnan(row.temperature):
            return row._replace(why_not="not once the cable is warm")
        return row

    def best(self, length: float, voltage: float, gauges: Iterable[int] = GAUGES) -> Weighed | None:
        """The gauge that takes the least from the source: the heaviest that still pays; None: none flies."""
        rows = (self.weigh(gauge, length, voltage) for gauge in gauges)
        return min((row for row in rows if not row.why_not), key=lambda row: row.total, default=None)

    def reach(self, gauge: int, voltage: float) -> float:
        """The longest cable of a gauge with which the drone still hovers [m]; 0: none."""
        return _last(lambda length: not self.weigh(gauge, max(length, 1e-3), voltage).why_not, LENGTH_MAX)

    def lift(self, gauge: int, length: float, voltage: float) -> float:
        """The largest payload with which the drone still hovers at a length [m], [kg]; 0: none."""
        most = self.airframe.thrust_max / GRAVITY

        def flies(payload: float) -> bool:
            return not replace(self, payload=payload).weigh(gauge, length, voltage).why_not

        return _last(flies, most)


def _last(works: Callable[[float], bool], most: float) -> float:
    """The largest number up to which something works, by halving; 0 if it never does."""
    if not works(0.0):
        return 0.0
    if works(most):
        return most
    low, high = 0.0, most
    while high - low > 1e-3 * max(low, 0.01):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if works(middle) else (low, middle)
    return low
