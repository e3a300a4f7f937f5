"""The section `power` of a scenario: what it becomes, what it refuses, and what a run with it records."""

import re

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tetherlab as tl
from tetherlab.contracts.columns import COLUMNS
from tetherlab.metrics import POWER_METRICS
from tetherlab.scenario.power import power_spec
from tetherlab.vehicles.power import Airframe, Battery, Cable, PowerStatus, PowerSupply

POWERED = {"power": "oxpecker"}
SHORT = {**POWERED, "mission.targets": [{"uav_m": [0.5, 0.0, 2.0], "ugv_m": [0.0, 0.0, 0.0]}]}


def test_without_the_section_nothing_is_supplied():
    scenario = tl.Scenario.load("constant_tension")
    assert scenario.power is None and power_spec(scenario) is None
    assert "power" not in scenario.to_dict()


def test_the_packaged_supply_is_that_of_the_paper():
    spec = power_spec(tl.Scenario.load("constant_tension", POWERED))
    for name in ("length", "resistance", "return_conductor", "connectors", "linear_density"):
        assert getattr(spec.cable, name) == getattr(Cable(), name), name
    for name in ("disc_area", "figure_of_merit", "drive_efficiency", "avionics", "voltage_min"):
        assert getattr(spec.airframe, name) == pytest.approx(getattr(Airframe(), name)), name
    assert spec.battery == Battery()
    assert spec.converter is None


def test_converters_and_air_reach_the_supply():
    changes = {"power.converter": {"voltage_V": 400, "drone_efficiency": 0.9}, "power.voltage_min_V": 300}
    world = {"world.air_density_kg_per_m3": 1.0}
    spec = power_spec(tl.Scenario.load("constant_tension", {**POWERED, **changes, **world}))
    assert (spec.converter.voltage, spec.converter.drone_efficiency) == (400.0, 0.9)
    assert spec.voltage_min == 300.0 and spec.air_density == 1.0


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"power.battery.capacity_mAh": 5}, r"unknown key. Write 'capacity_Ah', in Ah"),
        (
            {"power.cable.resistance_ohm_per_m": 0.001},
            r"linear_density must be above 0.307 kg/m, the copper alone",
        ),
        ({"power.battery.open_circuit_V": [40, 30]}, r"battery: open_circuit must be > 0 and never fall"),
        ({"power.drive_efficiency": 1.2}, r"power.drive_efficiency: must be <= 1, got 1.2"),
        ({"power": "oxpeker"}, r"Did you mean 'oxpecker'"),
    ],
)
def test_what_cannot_be_is_said(changes, sentence):
    with pytest.raises(tl.InputError, match=sentence):
        tl.Scenario.load("constant_tension", {**POWERED, **changes})


def test_the_section_survives_being_written(tmp_path):
    scenario = tl.Scenario.load("constant_tension", POWERED)
    scenario.save(tmp_path / "again.yaml")
    again = tl.Scenario.load(tmp_path / "again.yaml")
    assert again.power == scenario.power
    assert "power.battery.capacity_Ah" in again.assumed


@pytest.fixture(scope="module")
def flown():
    return tl.run("constant_tension", SHORT)


def test_a_run_records_what_its_drone_draws(flown):
    table = flown["power"]
    assert table.columns == COLUMNS["power"]
    assert np.array_equal(table["time_s"], flown["uav"]["time_s"])
    thrust = flown["uav"]["thrust_N"]
    hovering = thrust > 20.0
    frame = power_spec(tl.Scenario.load("constant_tension", POWERED)).airframe
    still = np.array([frame.power(each) for each in thrust[hovering]])
    assert table["power_W"][hovering] == pytest.approx(still, rel=0.05)  # it hardly moves
    assert {metric.name for metric in POWER_METRICS} <= set(flown.metrics)
    assert flown.metrics["battery_used_percent"] > 0.0


def test_the_record_is_what_a_supply_beside_the_flight_would_say(flown):
    spec = power_spec(tl.Scenario.load("constant_tension", POWERED))
    again = PowerSupply(spec).run_log(flown)
    table = flown["power"]
    for name in ("power_W", "voltage_V", "current_A", "loss_W"):
        assert again[name][5:] == pytest.approx(table[name][5:], rel=5e-3), name
    used = [1.0 - rows["battery_share"][-1] for rows in (again, table)]
    assert used[0] == pytest.approx(used[1], rel=0.02)


def test_weight_shows_in_watts(flown):
    heavy = tl.run("constant_tension", {**SHORT, "uav.robot.mass_kg": 3.0})
    watts = [log["power"]["power_W"][-50:].mean() for log in (flown, heavy)]
    assert watts[1] > 1.2 * watts[0]


def test_wind_shows_in_watts():
    wind = np.array([8.0, 0.0, 0.0])
    log = tl.run("constant_tension", {**SHORT, "world.wind": {"velocity_m_per_s": wind.tolist()}})
    frame = power_spec(tl.Scenario.load("constant_tension", POWERED)).airframe
    uav, row = log["uav"], -1
    air = uav.rows("vx_m_per_s", "vy_m_per_s", "vz_m_per_s")[row] - wind
    axis = Rotation.from_quat(uav.rows("qx", "qy", "qz", "qw")[row]).as_matrix()[:, 2]
    climb = float(air @ axis)
    across = float(np.linalg.norm(air - climb * axis))
    thrust = float(uav["thrust_N"][row])
    here = log["power"]["power_W"][row]
    assert here == pytest.approx(frame.power(thrust, across=across, climb=climb), rel=1e-3)
    assert here != pytest.approx(frame.power(thrust), rel=0.02)


def test_who_flies_may_look_at_the_supply():
    run = tl.Simulation("constant_tension", SHORT)
    run.run(until=2.0)
    now = run.state.power
    assert now.status is PowerStatus.FINE and 30.0 < now.voltage < 41.4
    assert 0.0 < now.power_share < 1.0 and 0.99 < now.energy_left < 1.0
    assert tl.Simulation("constant_tension").state.power is None


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"power.cable.resistance_ohm_per_m": 0.09}, "asks for more power than the cable can transfer"),
        ({"power.voltage_min_V": 39.0}, r"is below what it works with: 3\d\.\d V of 39\.0 V"),
        ({"power.battery.capacity_Ah": 0.005}, "the battery is empty"),
    ],
)
def test_a_drone_that_gets_too_little_ends_the_run(changes, words):
    log = tl.run("constant_tension", {**SHORT, **changes})
    assert log.outcome is tl.Outcome.POWER_LOST
    assert re.search(words, log.outcome_sentence)
    assert log["power"]["status"][-1] >= 2


def test_a_short_dip_is_lived_through():
    log = tl.run("constant_tension", {**SHORT, "power.voltage_min_V": 39.0, "power.hold_up_s": 1000.0})
    assert log.outcome is tl.Outcome.COMPLETED
    assert (log["power"]["status"] == 2).any()


def test_a_low_battery_and_a_hot_cable_are_said_once():
    changes = {"power.battery.capacity_Ah": 0.04, "power.cable.temperature_max_C": 15.1}
    log = tl.run("constant_tension", {**SHORT, **changes, "mission.hold_last_s": 12.0})
    told = [event.sentence for event in log.events if event.kind == "power"]
    assert len(told) == len(set(told)) == 2
    assert any("less than 20 % of the battery" in sentence for sentence in told)
    assert any("more than 15 °C" in sentence for sentence in told)


def test_a_checkpoint_keeps_the_battery(tmp_path):
    whole = tl.Simulation("constant_tension", SHORT)
    whole.run(until=1.0)
    whole.checkpoint(tmp_path / "mid.zip")
    again = tl.Simulation.resume(tmp_path / "mid.zip")
    for run in (whole, again):
        run.run(until=2.0)
    assert again.state.power == whole.state.power
    assert np.array_equal(again.log["power"]["battery_share"], whole.log["power"]["battery_share"])


def test_a_supply_changes_nothing_of_the_flight(flown):
    plain = tl.run("constant_tension", {key: value for key, value in SHORT.items() if key != "power"})
    assert "power" not in plain.tables
    assert np.array_equal(plain["uav"]["z_m"], flown["uav"]["z_m"])
