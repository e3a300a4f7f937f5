"""What `tetherlab power` says: the cable asked about, others beside it, and how long the drone stays up."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from tetherlab.vehicles.power import Battery, Cable, Converter, PowerSpec, steady_temperature, transfer
from tetherlab.vehicles.power.design import Choice, Weighed
from tetherlab.vehicles.power.endurance import Endurance, compare


class Study(NamedTuple):
    """What was asked."""

    cable: Cable
    choice: Choice
    voltage: float  # of the source [V]
    power: float  # that the drone draws [W]
    battery: Battery
    mission: float  # [s]
    voltages: tuple[float, ...]  # with converters [V]
    lengths: tuple[float, ...]  # [m]
    gauges: tuple[int, ...]

    @property
    def endurance(self) -> Endurance:
        """On the battery's own voltage, all of the cable in the air."""
        spec = PowerSpec(cable=self.cable, airframe=self.choice.airframe, battery=self.battery)
        return compare(spec, self.cable.length)

    def rows(self) -> Iterator[tuple[float, float, list[Weighed]]]:
        """Voltage, length and the cables of all gauges."""
        for volts in (self.voltage, *self.voltages):
            choice = fed_with(self.choice, volts, self.voltage)
            for length in self.lengths:
                yield volts, length, [choice.weigh(gauge, length, volts) for gauge in self.gauges]


def fed_with(choice: Choice, volts: float, source: float) -> Choice:
    """With converters, unless the voltage on the cable is that of the source."""
    if volts == source:
        return choice
    return dataclasses.replace(choice, converter=Converter(voltage=volts, voltage_min=0.5 * volts))


def as_text(study: Study) -> str:
    """Sentences and a table."""
    return "\n".join([*_circuit(study), "", *_table(study), "", *_endurance(study)])


def _circuit(study: Study) -> Iterator[str]:
    cable, warm = study.cable, study.choice.temperature
    resistance = cable.resistance_at(warm)
    found = transfer(study.voltage, resistance, study.power)
    counted = (
        "both conductors counted" if cable.return_conductor else "one conductor counted, not the way back"
    )
    given = study.power + found.loss
    yield (
        f"{cable.length:g} m of cable, {counted}: {cable.resistance:.4g} ohm/m at 20 °C, "
        f"{cable.connectors:g} ohm of connectors; {resistance:.4g} ohm at {warm:g} °C, {cable.mass:.3g} kg"
    )
    yield f"{study.power:g} W at the drone from {study.voltage:g} V"
    yield f"  current               {found.current:8.2f} A"
    yield f"  voltage drop          {found.drop:8.2f} V"
    yield f"  voltage at the drone  {found.voltage:8.2f} V"
    yield f"  loss                  {found.loss:8.1f} W, {100.0 * found.loss / given:.1f} % of {given:.1f} W"
    yield f"  largest power         {found.power_max:8.0f} W, V^2 / 4R"
    out, wound = (
        steady_temperature(cable, study.voltage, study.power, wound=wound) for wound in (False, True)
    )
    if math.isnan(out):
        yield "In still air of 20 °C the cable warms until it cannot transfer so much any more."
    else:
        drum = "without end" if math.isnan(wound) else f"to {wound:.0f} °C"
        yield f"In still air of 20 °C the cable warms to {out:.0f} °C; all of it on the drum, {drum}."
    yield _other_way(study)


def _other_way(study: Study) -> str:
    """The same with the conductors counted the other way."""
    other = dataclasses.replace(study.cable, return_conductor=not study.cable.return_conductor)
    resistance = other.resistance_at(study.choice.temperature)
    word = "both conductors" if other.return_conductor else "one conductor"
    if study.voltage**2 < 4.0 * resistance * study.power:
        return f"With {word} counted, {resistance:.4g} ohm, so much power could not be transferred."
    found = transfer(study.voltage, resistance, study.power)
    return (
        f"With {word} counted, {resistance:.4g} ohm: {found.current:.2f} A, {found.drop:.2f} V, "
        f"{found.loss:.1f} W lost, {found.power_max:.0f} W at most."
    )


def _table(study: Study) -> Iterator[str]:
    frame = study.choice.airframe
    yield f"A drone of {frame.mass:g} kg hovers with all of the cable below it: power from the source [W],"
    yield "and its share that cable and connectors lose. *: least; thicker weighs more than it saves"
    yield "  on the cable, length" + "".join(f"{gauge:>8} AWG" for gauge in study.gauges)
    for volts, length, row in study.rows():
        flying = [cell.total for cell in row if not cell.why_not]
        cells = (_cell(cell, least=bool(flying) and cell.total == min(flying)) for cell in row)
        yield f"  {volts:7g} V {length:7g} m " + "".join(cells)
    box = Converter()
    yield (
        f"  {study.voltage:g} V is the source's own. The others need converters, "
        f"{100.0 * box.base_efficiency:g} % at each end and {box.mass:g} kg on board."
    )
    yield "  –: too heavy, too much power for the cable, too little voltage, or only until the cable is warm"
    reach = [f"{study.choice.reach(gauge, study.voltage):.0f} m" for gauge in study.gauges]
    lift = [f"{study.choice.lift(gauge, study.cable.length, study.voltage):.1f} kg" for gauge in study.gauges]
    yield f"  reach at {study.voltage:g} V      " + "".join(f"{text:>12}" for text in reach)
    yield f"  payload at {study.cable.length:g} m      " + "".join(f"{text:>12}" for text in lift)


def _cell(row: Weighed, *, least: bool) -> str:
    if row.why_not:
        return f"{'–':>12}"
    mark = "*" if least else " "
    return f"{row.total:>7.0f}{mark}{100.0 * row.loss / row.total:3.0f}%"


def _endurance(study: Study) -> Iterator[str]:
    found = study.endurance
    ampere_hours = study.battery.capacity / 3600.0
    yield (
        f"On {ampere_hours:g} Ah the drone hovers for {found.tethered / 60.0:.0f} min with "
        f"{study.cable.length:g} m of cable in the air, until {found.why}."
    )
    if found.alone <= 0.0:
        yield "The same airframe cannot lift a battery of its own within 4 kg."
        return
    flights = found.flights(study.mission)
    yield (
        f"With {found.battery_mass:.2f} kg of battery on board instead it hovers for "
        f"{found.alone / 60.0:.1f} min: {study.mission / 60.0:g} min in the air take {flights} flights."
    )


def as_data(study: Study) -> dict[str, Any]:
    """The same as plain data; null: it does not fly."""
    cable, found = study.cable, study.endurance
    resistance = cable.resistance_at(study.choice.temperature)
    circuit = transfer(study.voltage, resistance, study.power)
    return {
        "return_conductor_counted": cable.return_conductor,
        "resistance_ohm": resistance,
        "current_A": circuit.current,
        "voltage_drop_V": circuit.drop,
        "voltage_drone_V": circuit.voltage,
        "loss_W": circuit.loss,
        "power_max_W": circuit.power_max,
        "table": [
            {
                "voltage_V": volts,
                "length_m": length,
                "awg": cell.gauge,
                "cable_kg": cell.cable_mass,
                "power_W": cell.power,
                "total_W": None if cell.why_not else cell.total,
                "loss_W": None if cell.why_not else cell.loss,
                "voltage_drone_V": None if cell.why_not else cell.voltage_end,
                "power_max_W": cell.power_max,
                "why_not": cell.why_not,
            }
            for volts, length, row in study.rows()
            for cell in row
        ],
        "endurance_tethered_s": found.tethered,
        "endurance_battery_s": found.alone,
        "battery_on_board_kg": found.battery_mass,
        "flights_with_battery": found.flights(study.mission),
    }
