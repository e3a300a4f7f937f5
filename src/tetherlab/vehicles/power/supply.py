"""The power supply of a flying drone: battery, converters, cable and load, a moment after the other.

In each step the load is solved in closed form with the resistance of the cable as warm as it is; then battery
and cable go on. The part of the cable that is out and the part on the drum have a temperature each.
"""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import kernel
from tetherlab.math.record import make_records
from tetherlab.vehicles.power.battery import CURVE_MAX, open_circuit_voltage
from tetherlab.vehicles.power.cable import MEASURED_AT
from tetherlab.vehicles.power.heat import warmed
from tetherlab.vehicles.power.rotors import rotor_power
from tetherlab.vehicles.power.spec import PowerSpec
from tetherlab.vehicles.power.transfer import loaded_current

# status: places in PowerStatus; from LOW on the drone is not supplied
FINE, HOT, LOW, SHORT, EMPTY = range(5)

SUPPLY = np.dtype(
    [
        # of a plant: who is fed, through the tether of which winch, and who drives beside it
        ("rotorcraft", np.int64),
        ("winch", np.int64),
        ("rover", np.int64),
        ("cable_length", np.float64),  # on the drum and out [m]
        ("resistance", np.float64),  # of what counts of the conductors at 20 C [ohm/m]
        ("temperature_coefficient", np.float64),  # [1/K]
        ("connectors", np.float64),  # [ohm]
        ("diameter", np.float64),  # of the cable [m]
        ("heat_capacity", np.float64),  # [J/(m K)]
        ("wound_cooling", np.float64),  # share of its surface that it shows to the air on the drum
        ("temperature_max", np.float64),  # [C]
        ("disc_area", np.float64),  # [m^2]
        ("figure_of_merit", np.float64),
        ("drive_efficiency", np.float64),
        ("avionics", np.float64),  # [W]
        ("voltage_min", np.float64),  # at the drone's end of the cable [V]
        ("hold_up", np.float64),  # [s]
        ("air_density", np.float64),  # [kg/m^3]
        ("air_temperature", np.float64),  # [C]
        ("capacity", np.float64),  # [A s]
        ("curve", np.float64, (CURVE_MAX,)),  # open-circuit voltage, empty to full [V]
        ("curve_count", np.int64),
        ("battery_resistance", np.float64),  # [ohm]
        ("cut_off", np.float64),  # [V]
        ("converts", np.int64),  # 1: there are converters
        ("cable_voltage", np.float64),  # that they put on the cable [V]
        ("base_efficiency", np.float64),
        ("drone_efficiency", np.float64),
        # state
        ("charge", np.float64),  # of the battery, share
        ("length", np.float64),  # of cable that is out [m]
        ("temperature", np.float64),  # of what is out [C]
        ("temperature_wound", np.float64),  # of what is on the drum [C]
        ("base_load", np.float64),  # that winch and rover draw from the battery now, besides [W]
        ("down", np.float64),  # for how long the drone has not been supplied [s]
        # what was done in the last step
        ("power", np.float64),  # that the drone asked for [W]
        ("power_max", np.float64),  # that it could have had [W]
        ("current", np.float64),  # in the cable [A]
        ("voltage", np.float64),  # at the drone's end of the cable [V]
        ("loss", np.float64),  # from the cells to the drone: inside the battery, converters, cable [W]
        ("battery_current", np.float64),  # [A]
        ("battery_voltage", np.float64),  # at its terminals [V]
        ("status", np.int64),
    ]
)


def make_supply(spec: PowerSpec, length: float) -> NDArray[np.void]:
    """A supply at rest with a full battery and a cold cable, of which a length is out [m]; (1,) of SUPPLY."""
    row = make_records(1, SUPPLY)
    cable, airframe, battery, converter = spec.cable, spec.airframe, spec.battery, spec.converter
    row["cable_length"], row["resistance"] = cable.length, cable.resistance_counted
    for name in ("temperature_coefficient", "connectors", "diameter", "heat_capacity"):
        row[name] = getattr(cable, name)
    for name in ("disc_area", "figure_of_merit", "drive_efficiency", "avionics"):
        row[name] = getattr(airframe, name)
    for name in (
        "wound_cooling", "temperature_max", "voltage_min", "hold_up", "air_density", "air_temperature",
    ):  # fmt: skip
        row[name] = getattr(spec, name)
    count = len(battery.open_circuit)
    row["capacity"], row["curve_count"] = battery.capacity, count
    row["curve"][0, :count] = battery.open_circuit
    row["battery_resistance"], row["cut_off"] = battery.resistance, battery.cut_off
    row["base_efficiency"] = row["drone_efficiency"] = 1.0
    if converter is not None:
        row["converts"], row["cable_voltage"] = 1, converter.voltage
        row["base_efficiency"], row["drone_efficiency"] = (
            converter.base_efficiency,
            converter.drone_efficiency,
        )
    row["charge"], row["length"] = 1.0, length
    row["temperature"] = row["temperature_wound"] = spec.air_temperature
    row["voltage"] = row["battery_voltage"] = battery.open_circuit[-1]
    return row


@kernel
def supply_power(supply, thrust, across, climb, length, dt):
    """Feed the drone for dt [s] while its rotors give a thrust [N] and a length of cable is out [m].

    across, climb: speed of the rotors through the air, in the plane of the discs and along the thrust [m/s].
    """
    shafts = rotor_power(thrust, supply.disc_area, supply.air_density, supply.figure_of_merit, across, climb)
    supply.power = shafts / supply.drive_efficiency + supply.avionics
    _reel_out(supply, length)
    inner = open_circuit_voltage(supply.curve, supply.curve_count, supply.charge)
    # At the voltage of the last step; what it takes inside the battery the drone does not get.
    beside = supply.base_load / max(supply.battery_voltage, 1e-9)
    rest = inner - supply.battery_resistance * beside
    fed = _feed_converted(supply, rest) if supply.converts == 1 else _feed_directly(supply, rest)
    supply.battery_current += beside
    supply.battery_voltage = inner - supply.battery_resistance * supply.battery_current
    given = min(supply.power, supply.power_max) + supply.battery_voltage * beside
    supply.loss = inner * supply.battery_current - given
    supply.charge = max(supply.charge - dt * supply.battery_current / supply.capacity, 0.0)
    _warm(supply, dt)
    supply.status = _status(supply, fed)
    supply.down = supply.down + dt if supply.status >= LOW else 0.0


@kernel
def cable_resistance(supply):
    """Of cable and connectors, each part of it as warm as it is [ohm]."""
    wound = max(supply.cable_length - supply.length, 0.0)
    rise = supply.length * (supply.temperature - MEASURED_AT) + wound * (
        supply.temperature_wound - MEASURED_AT
    )
    conductors = supply.length + wound + supply.temperature_coefficient * rise
    return supply.resistance * conductors + supply.connectors


@kernel
def _feed_directly(supply, inner):
    """Solve battery, cable and drone in series; whether there is a solution."""
    resistance = cable_resistance(supply)
    total = resistance + supply.battery_resistance
    supply.power_max = inner * inner / (4.0 * max(total, 1e-12))
    current = loaded_current(inner, total, supply.power)
    fed = not math.isnan(current)
    if not fed:
        current = 0.5 * inner / total  # all that it can give
    supply.current = supply.battery_current = current
    supply.voltage = inner - total * current
    return fed


@kernel
def _feed_converted(supply, inner):
    """Solve the cable at the converter's voltage, then the battery under what that takes."""
    resistance, volts = max(cable_resistance(supply), 1e-12), supply.cable_voltage
    # The battery gives at most this to the cable, through its own resistance and the first converter.
    given = supply.base_efficiency * inner * inner / (4.0 * max(supply.battery_resistance, 1e-12))
    most = min(given / volts, 0.5 * volts / resistance)
    supply.power_max = supply.drone_efficiency * most * (volts - resistance * most)
    current = loaded_current(volts, resistance, supply.power / supply.drone_efficiency)
    fed = current <= most
    if not fed:
        current = most
    taken = volts * current / supply.base_efficiency
    own = loaded_current(inner, supply.battery_resistance, taken)
    supply.current, supply.voltage = current, volts - resistance * current
    supply.battery_current = own if not math.isnan(own) else 0.5 * inner / supply.battery_resistance
    return fed


@kernel
def _reel_out(supply, length):
    """Cable that leaves the drum, or comes back to it, brings its temperature along."""
    length = min(max(length, 1e-3), supply.cable_length)
    wound = max(supply.cable_length - supply.length, 0.0)
    moved = length - supply.length
    if moved > 0.0:
        supply.temperature += (supply.temperature_wound - supply.temperature) * moved / length
    elif wound - moved > 0.0:
        supply.temperature_wound += (supply.temperature_wound - supply.temperature) * moved / (wound - moved)
    supply.length = length


@kernel
def _warm(supply, dt):
    """Both parts of the cable, by the current in it."""
    for wound in range(2):
        before = supply.temperature_wound if wound == 1 else supply.temperature
        share = supply.wound_cooling if wound == 1 else 1.0
        warmer = 1.0 + supply.temperature_coefficient * (before - MEASURED_AT)
        heat = supply.current * supply.current * supply.resistance * warmer
        after = warmed(before, heat, share, supply.diameter, supply.heat_capacity, supply.air_temperature, dt)
        if wound == 1:
            supply.temperature_wound = after
        else:
            supply.temperature = after


@kernel
def _status(supply, fed):
    """What is wrong, the worst first."""
    if supply.charge <= 0.0 or (fed and supply.battery_voltage < supply.cut_off):
        return EMPTY
    if not fed:
        return SHORT
    if supply.voltage < supply.voltage_min:
        return LOW
    hottest = max(supply.temperature, supply.temperature_wound)
    return HOT if hottest > supply.temperature_max else FINE


@kernel
def write_supply(supply, time, row, k):
    """Columns of the table `power` from k on; where they end."""
    row[k] = time
    row[k + 1], row[k + 2] = supply.power, supply.power_max
    row[k + 3], row[k + 4], row[k + 5] = supply.voltage, supply.current, supply.loss
    row[k + 6], row[k + 7] = supply.battery_voltage, supply.battery_current
    row[k + 8] = supply.charge
    row[k + 9], row[k + 10] = supply.temperature, supply.temperature_wound
    row[k + 11] = supply.status
    return k + 12
