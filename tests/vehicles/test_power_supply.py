"""A supply that goes on: energy, heat, battery, converters, and what it says when it cannot."""

import dataclasses
import math

import numpy as np
import pytest

from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import plain
from tetherlab.vehicles.power import (
    Airframe,
    Battery,
    Cable,
    Converter,
    PowerSpec,
    PowerStatus,
    PowerSupply,
    steady_temperature,
    transfer,
)
from tetherlab.vehicles.power.battery import open_circuit_voltage
from tetherlab.vehicles.power.heat import surface_cooling

HOVER = 4.0 * 9.80665  # [N]


def record(spec, duration=1200.0, step=0.5, thrust=HOVER, length=10.0):
    time = np.arange(0.0, duration, step)
    return PowerSupply(spec).run(time, np.full(len(time), thrust), np.full(len(time), length))


@pytest.mark.parametrize("converter", [None, Converter(), Converter(voltage=100.0, voltage_min=50.0)])
def test_what_the_cells_give_is_what_the_drone_draws_and_what_is_lost(converter):
    spec = PowerSpec(converter=converter)
    table = record(spec)
    cells = table["battery_voltage_V"] + spec.battery.resistance * table["battery_current_A"]
    given = cells * table["battery_current_A"]
    assert given == pytest.approx(table["power_W"] + table["loss_W"], rel=1e-12)
    spent = np.diff(table["battery_share"]) * -spec.battery.capacity
    assert spent == pytest.approx(0.5 * table["battery_current_A"][1:], rel=1e-9)


@pytest.mark.parametrize("converter", [None, Converter()])
def test_losses_add_up_from_their_parts(converter):
    spec = PowerSpec(converter=converter, cable=Cable(temperature_coefficient=0.0))
    now = record(spec, duration=1.0)
    current, own = now["current_A"][-1], now["battery_current_A"][-1]
    parts = current**2 * spec.cable.resistance_at() + own**2 * spec.battery.resistance
    if converter is not None:
        parts += now["power_W"][-1] * (1.0 / converter.drone_efficiency - 1.0)
        taken = converter.voltage * current / converter.base_efficiency
        parts += taken * (1.0 - converter.base_efficiency)
    assert now["loss_W"][-1] == pytest.approx(parts, rel=1e-9)


def test_a_cold_ideal_supply_is_the_closed_form():
    spec = PowerSpec(battery=Battery.ideal(38.4))
    now = PowerSupply(spec).step(0.01, HOVER, 10.0)
    exact = transfer(38.4, spec.cable.resistance_at(), now.power)
    assert (now.voltage, now.current, now.loss) == pytest.approx((*exact[:2], exact.loss), rel=1e-12)
    assert now.power_share == pytest.approx(now.power / exact.power_max)


def test_what_the_paper_measured_in_flight_fits_a_charged_battery():
    """33.5 V and 18.5 A, 620 W: with the circuit of the paper that is an open-circuit voltage of 40 V."""
    rest = 33.5 + 18.5 * (Cable().resistance_at() + Battery().resistance)
    full = Battery().open_circuit
    assert full[3] < rest < full[-1]
    both = 33.5 + 18.5 * Cable(return_conductor=True).resistance_at()
    assert both > full[-1]  # the way back counted beside 0.15 ohm of connectors does not fit


def test_the_cable_warms_to_where_air_takes_what_it_makes():
    spec = PowerSpec(battery=dataclasses.replace(Battery.ideal(38.4), capacity=1e9))
    table = record(spec, duration=7200.0, step=1.0, length=15.0)
    final = steady_temperature(spec.cable, 38.4, float(table["power_W"][0]))
    assert table["cable_temperature_C"][-1] == pytest.approx(final, abs=0.01)
    assert np.all(np.diff(table["cable_temperature_C"]) > -1e-9)
    # independent: heat of a metre against convection and radiation at that temperature
    warm = table["cable_temperature_C"][-1]
    made = table["current_A"][-1] ** 2 * 0.0132 * (1.0 + 3.93e-3 * (warm - 20.0))
    taken = math.pi * 0.0042 * plain(surface_cooling)(0.0042, warm, 20.0) * (warm - 20.0)
    assert made == pytest.approx(taken, rel=1e-3)


def test_heating_does_not_depend_on_the_step():
    coarse, fine = (record(PowerSpec(), duration=600.0, step=step) for step in (2.0, 0.05))
    for name in ("cable_temperature_C", "drum_temperature_C"):
        assert coarse[name][-1] == pytest.approx(fine[name][-1], abs=0.2)


def test_a_thin_cylinder_cools_as_the_textbook_says():
    """Morgan's correlation, Nu = 0.850 Ra^0.188 from 1e2 to 1e4, is another fit: within a fifth."""
    total = plain(surface_cooling)(0.005, 60.0, 20.0)
    radiation = 0.9 * 5.67e-8 * (333.15**4 - 293.15**4) / 40.0
    rayleigh = 9.81 / 313.15 * 40.0 * 0.005**3 * 0.706 / 1.70e-5**2
    morgan = 0.850 * rayleigh**0.188 * 0.0271 / 0.005
    assert total - radiation == pytest.approx(morgan, rel=0.2)


def test_on_the_drum_it_gets_hotter_and_brings_the_heat_along():
    supply = PowerSupply(paid_out=1.0)
    for _ in range(600):
        now = supply.step(1.0, HOVER, 1.0)
    assert now.drum_temperature > now.cable_temperature + 10.0
    out = supply.step(1e-3, HOVER, 10.0)
    mixed = (1.0 * now.cable_temperature + 9.0 * now.drum_temperature) / 10.0
    assert out.cable_temperature == pytest.approx(mixed, abs=0.1)
    back = supply.step(1e-3, HOVER, 1.0)
    heat = 1.0 * back.cable_temperature + 14.0 * back.drum_temperature
    assert heat == pytest.approx(1.0 * now.cable_temperature + 14.0 * now.drum_temperature, abs=0.1)


def test_a_cable_that_only_transfers_while_it_is_cold_fails_when_it_is_warm():
    cable = Cable(return_conductor=True)
    table = record(PowerSpec(cable=cable, battery=Battery.ideal(38.4)), duration=1800.0, thrust=HOVER)
    assert table["status"][0] == 0 and table["power_W"][0] < table["power_max_W"][0]
    assert table["status"][-1] == list(PowerStatus).index(PowerStatus.SHORT)
    assert math.isnan(steady_temperature(cable, 38.4, float(table["power_W"][0])))


def test_more_than_the_cable_can_transfer():
    now = PowerSupply().step(0.01, 69.0, 10.0)
    assert now.status is PowerStatus.SHORT and not now.status.supplied
    assert now.power_share > 1.0
    assert now.voltage == pytest.approx(0.5 * 41.4, rel=1e-3)


def test_too_little_voltage_for_the_drone():
    now = PowerSupply(PowerSpec(airframe=Airframe(voltage_min=36.0))).step(0.01, HOVER, 10.0)
    assert now.status is PowerStatus.LOW and not now.status.supplied


@pytest.mark.parametrize("converter", [None, Converter()])
def test_what_the_base_draws_comes_from_the_same_cells(converter):
    spec = PowerSpec(converter=converter)
    alone, beside = PowerSupply(spec), PowerSupply(spec)
    beside._row["base_load"] = 200.0
    for _ in range(20):  # the load is taken at the voltage of the step before
        first, second = alone.step(0.1, HOVER, 10.0), beside.step(0.1, HOVER, 10.0)
    row = beside._row[0]
    cells = row["battery_voltage"] + spec.battery.resistance * row["battery_current"]
    given = cells * row["battery_current"]
    assert given == pytest.approx(second.power + second.loss + 200.0, rel=1e-4)
    assert row["battery_current"] - alone._row["battery_current"][0] > 200.0 / row["battery_voltage"] - 1e-3
    assert second.energy_left < first.energy_left
    if converter is None:  # the drone gets less as well: one battery resists for both
        drop = spec.battery.resistance * 200.0 / row["battery_voltage"]
        # V^2 - E V + P R = 0, so that dV/dE = V / (2 V - E)
        more = first.voltage / (2.0 * first.voltage - cells)
        assert first.voltage - second.voltage == pytest.approx(drop * more, rel=0.02)


def test_the_battery_empties_as_long_as_its_charge_lasts():
    battery = Battery(capacity=3600.0, open_circuit=(40.0, 40.0), resistance=0.0, cut_off=0.0)
    supply = PowerSupply(PowerSpec(battery=battery, cable=Cable(temperature_coefficient=0.0)))
    time, now = 0.0, supply.reading
    while now.status.supplied:
        now, time = supply.step(0.1, HOVER, 10.0), time + 0.1
    assert now.status is PowerStatus.EMPTY and now.energy_left == 0.0
    assert time == pytest.approx(3600.0 / now.current, abs=0.2)


def test_a_battery_switches_off_at_its_cut_off():
    battery = Battery(open_circuit=(30.0, 40.0), cut_off=38.0)
    now = PowerSupply(PowerSpec(battery=battery)).step(0.01, HOVER, 10.0)
    assert now.status is PowerStatus.FINE
    table = record(PowerSpec(battery=dataclasses.replace(battery, capacity=36e3)), duration=1200.0)
    empty = table["status"] == list(PowerStatus).index(PowerStatus.EMPTY)
    assert empty.any() and np.all(table["battery_voltage_V"][~empty] >= 38.0)


def test_open_circuit_voltages_lie_on_straight_lines():
    battery = Battery()
    curve = np.array(battery.open_circuit)
    shares = np.linspace(-0.1, 1.1, 50)
    found = [plain(open_circuit_voltage)(curve, len(curve), share) for share in shares]
    assert found == pytest.approx(np.interp(shares, np.linspace(0.0, 1.0, len(curve)), curve))


def test_high_voltage_loses_less_in_the_cable():
    plain_spec, raised = PowerSpec(), PowerSpec(converter=Converter())
    amperes = [PowerSupply(spec).step(0.01, HOVER, 10.0).current for spec in (plain_spec, raised)]
    assert (amperes[0] / amperes[1]) ** 2 > 10.0  # "at least ten times", paper 003, section 6


def test_a_battery_that_cannot_feed_the_converter():
    spec = PowerSpec(battery=Battery(resistance=1.0), converter=Converter())
    now = PowerSupply(spec).step(0.01, HOVER, 10.0)
    assert now.status is PowerStatus.SHORT
    assert now.voltage == pytest.approx(400.0, rel=0.02)  # the cable itself is not at its limit


@pytest.mark.parametrize(
    "spec",
    [
        PowerSpec(),
        PowerSpec(converter=Converter(), cable=Cable.of_gauge(28, 200.0), airframe=Airframe(avionics=100.0)),
        PowerSpec(battery=Battery(resistance=0.5), converter=Converter()),
    ],
    ids=["direct", "cable", "battery"],
)
def test_the_largest_power_is_what_a_search_over_currents_finds(spec):
    now = PowerSupply(spec).step(1e-6, 5.0, 10.0)
    cable, own, volts = spec.cable.resistance_at(), spec.battery.resistance, spec.battery.open_circuit[-1]
    currents = np.linspace(0.0, 200.0, 2_000_001)
    if spec.converter is None:
        arrives = currents * (volts - (cable + own) * currents)
    else:
        drawn = spec.converter.voltage * currents / spec.converter.base_efficiency
        possible = drawn <= volts**2 / (4.0 * own)
        end = currents * (spec.converter.voltage - cable * currents)
        arrives = np.where(possible, spec.converter.drone_efficiency * end, 0.0)
    assert now.power / now.power_share == pytest.approx(arrives.max(), rel=1e-4)


def test_on_the_drum_it_ends_where_less_of_it_sees_the_air():
    spec = PowerSpec(battery=dataclasses.replace(Battery.ideal(38.4), capacity=1e9))
    table = record(spec, duration=7200.0, step=1.0, length=1e-3)
    final = steady_temperature(spec.cable, 38.4, float(table["power_W"][0]), wound=True)
    assert table["drum_temperature_C"][-1] == pytest.approx(final, abs=0.05)


def test_step_by_step_is_the_same_as_all_at_once():
    time = np.arange(0.0, 5.0, 0.1)
    thrust, length = 30.0 + 5.0 * np.sin(time), 5.0 + time
    table = PowerSupply().run(time, thrust, length)
    supply = PowerSupply()
    for i in range(1, len(time)):
        now = supply.step(float(time[i] - time[i - 1]), float(thrust[i]), float(length[i]))
        assert now.voltage == pytest.approx(table["voltage_V"][i], rel=1e-12)
        assert now.energy_left == pytest.approx(table["battery_share"][i], rel=1e-12)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda: Battery(open_circuit=(40.0,)), "must have 2 to 21 voltages, got 1"),
        (lambda: Battery(open_circuit=(40.0, 38.0)), "never fall from empty to full"),
        (lambda: Battery(cut_off=45.0), "must be below 41.4 V, its voltage when it is full"),
        (lambda: Converter(base_efficiency=1.5), "must be at most 1, got 1.5"),
        (lambda: PowerSpec(wound_cooling=2.0), "must be at most 1, got 2"),
        (lambda: PowerSpec(temperature_max=10.0), "must be above air_temperature"),
        (lambda: Cable(lenght=3.0), "Did you mean 'length'"),
        (lambda: PowerSupply().step(0.0, 10.0, 1.0), "dt must be > 0"),
        (lambda: PowerSupply().step(0.1, math.nan, 1.0), "thrust must be finite"),
        (lambda: PowerSupply().run([0.0, -1.0], [1.0, 1.0], [1.0, 1.0]), "never decrease"),
    ],
)
def test_wrong_input_gets_a_sentence(make, sentence):
    with pytest.raises(InputError, match=sentence):
        make()
