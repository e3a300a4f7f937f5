"""Metrics and graph of the power through the tether, from a log whose answers are known."""

import re

import numpy as np
import pytest

from synthetic_runs import circling
from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.table import Table
from tetherlab.metrics import POWER_METRICS, all_metrics
from tetherlab.report import write_report
from tetherlab.vehicles.power import PowerSupply

TIME = np.linspace(0.0, 1800.0, 3601)
RAMP = TIME / 1800.0


@pytest.fixture(scope="module")
def powered():
    one = np.ones_like(TIME)
    known = {
        "time_s": TIME, "power_W": 400.0 + 200.0 * RAMP, "power_max_W": 1000.0 * one,
        "voltage_V": 36.0 - 4.0 * RAMP, "current_A": 12.0 + 6.0 * RAMP, "loss_W": 100.0 * one,
        "battery_voltage_V": 39.0 * one, "battery_current_A": 15.0 * one, "battery_share": 0.9 - 0.3 * RAMP,
        "cable_temperature_C": 20.0 + 20.0 * RAMP, "drum_temperature_C": 20.0 + 60.0 * RAMP,
        "status": 0.0 * one,
    }  # fmt: skip
    log = circling(duration=6.0)
    log.tables["power"] = Table({name: known[name] for name in COLUMNS["power"]})
    return log


def test_metrics_of_a_known_supply(powered):
    found = all_metrics(powered)
    expected = {
        "energy_Wh": 250.0,
        "energy_loss_Wh": 50.0,
        "loss_share_percent": 100.0 * 50.0 / 300.0,
        "power_max_W": 600.0,
        "power_share_max_percent": 60.0,
        "voltage_min_V": 32.0,
        "current_max_A": 18.0,
        "cable_temperature_max_C": 40.0,
        "drum_temperature_max_C": 80.0,
        "battery_used_percent": 30.0,
    }
    assert [metric.name for metric in POWER_METRICS] == list(expected)
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_a_log_without_power_has_none_of_them():
    assert not {metric.name for metric in POWER_METRICS} & set(all_metrics(circling(duration=6.0)))


def test_the_report_shows_it_where_there_is_any(powered, tmp_path):
    with_it, without = (
        write_report(log, tmp_path / f"{i}.html").read_text()
        for i, log in enumerate((powered, circling(duration=6.0)))
    )
    assert "Power through the tether" in with_it and "Power through the tether" not in without
    for words in (r"drawn \[W\]", r"at the UAV \[V\]", r"cable \[°C\]", r"battery \[%\]"):
        assert re.search(words, with_it), words


def test_a_supply_runs_over_any_log_with_thrust_and_length():
    log = circling(duration=6.0)
    table = PowerSupply().run_log(log)
    assert len(table) == len(log["uav"]) and np.all(np.diff(table["battery_share"])[1:] < 0.0)
