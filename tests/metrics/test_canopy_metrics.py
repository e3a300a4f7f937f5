"""Metrics of a robot in the canopy, of a log whose errors are known."""

import math

import numpy as np
import pytest

from tetherlab.contracts.log import Log
from tetherlab.contracts.table import Table
from tetherlab.metrics import CANOPY_METRICS, all_metrics

N = 1001
TIME = np.linspace(0.0, 10.0, N)
SWING = np.sin(2.0 * math.pi * TIME)  # whole periods


def robot(**columns):
    half = np.radians(0.5 * 20.0)
    values = {
        "time_s": TIME,
        "x_m": np.zeros(N), "y_m": np.zeros(N), "z_m": np.zeros(N),
        "qw": np.full(N, math.cos(half)), "qx": np.zeros(N),
        "qy": np.full(N, -math.sin(half)), "qz": np.zeros(N),
        "theta_deg": 10.0 + 2.0 * SWING,
        "heading_deg": 90.0 + 5.0 * SWING,
        "psi_deg": np.zeros(N),
        "length_m": np.full(N, 1.49),
        "free_length_m": np.full(N, 1.49),
        "tension_N": 7.0 + SWING,
        "thrust_left_N": np.full(N, 0.5), "thrust_right_N": np.full(N, -0.3),
        "shell_contacts": ((TIME > 2) & (TIME < 3) | (TIME > 5) & (TIME < 6)).astype(float),
        "shell_N": 3.0 * ((TIME > 2) & (TIME < 3)),
        "hangs_from": np.where(TIME < 4.0, -1.0, np.where(TIME < 7.0, 1.0, 0.0)),
    }  # fmt: skip
    return Table({**values, **columns})


def made(theta=10.0, heading=90.0, **columns):
    reference = Table(
        {
            "time_s": TIME,
            "theta_deg": np.broadcast_to(theta, N),
            "heading_deg": np.broadcast_to(heading, N),
            "length_m": np.full(N, 1.5),
        }
    )
    scenario = {
        "world": {"shapes": [{"type": "sphere", "name": "ball", "center_m": [0, 0, 0], "radius_m": 1}]},
        "canopy": {"branches": [{"name": "bough"}]},
        "robot": {"propeller_radius_m": 0.04},
    }
    return Log(tables={"robot": robot(**columns), "reference": reference}, scenario=scenario)


@pytest.fixture(scope="module")
def metrics():
    return all_metrics(made())


def test_every_metric_is_given(metrics):
    assert {metric.name for metric in CANOPY_METRICS} <= set(metrics)


def test_errors_are_those_of_the_swing(metrics):
    assert metrics["theta_error_max_deg"] == pytest.approx(2.0, rel=1e-3)
    assert metrics["theta_error_rms_deg"] == pytest.approx(2.0 / math.sqrt(2.0), rel=2e-3)
    # |sin| has the mean 2/pi and the mean square 1/2
    assert metrics["theta_error_sigma_deg"] == pytest.approx(
        2.0 * math.sqrt(0.5 - 4.0 / math.pi**2), rel=5e-3
    )
    assert metrics["heading_error_max_deg"] == pytest.approx(5.0, rel=1e-3)
    assert metrics["length_error_rms_m"] == pytest.approx(0.01)
    assert metrics["length_error_sigma_m"] == pytest.approx(0.0, abs=1e-9)


def test_headings_are_compared_modulo_a_turn():
    assert all_metrics(made(heading=-270.0))["heading_error_max_deg"] == pytest.approx(5.0, rel=1e-3)


def test_the_same_place_in_other_words_has_the_same_errors(metrics):
    other = all_metrics(
        made(theta_deg=-10.0 - 2.0 * SWING, heading_deg=270.0 + 5.0 * SWING, psi_deg=np.full(N, -180.0))
    )
    for name in ("theta_error_rms_deg", "heading_error_rms_deg", "theta_error_max_deg"):
        assert other[name] == pytest.approx(metrics[name])


def test_no_heading_is_counted_where_the_tether_shall_hang_down():
    theta = np.where(TIME < 5.0, 2.0, 10.0)
    wild = np.where(TIME < 5.0, 170.0, 91.0)
    assert all_metrics(made(theta=theta, heading_deg=wild))["heading_error_max_deg"] == pytest.approx(1.0)
    assert "heading_error_max_deg" not in all_metrics(made(theta=2.0))


def test_pitch_is_that_of_the_attitude(metrics):
    assert metrics["pitch_min_deg"] == metrics["pitch_max_deg"] == pytest.approx(20.0)


def test_contacts_are_counted_and_thrust_is_summed(metrics):
    assert (metrics["shell_contacts"], metrics["shell_force_max_N"]) == (2.0, 3.0)
    assert metrics["tension_max_robot_N"] == pytest.approx(8.0, rel=1e-3)
    assert metrics["thrust_impulse_N_s"] == pytest.approx(8.0)
    ideal = (0.5**1.5 + 0.3**1.5) / math.sqrt(2.0 * 1.225 * math.pi * 0.04**2)
    assert metrics["thrust_energy_J"] == pytest.approx(10.0 * ideal)


def test_times_are_those_of_each_object_by_its_name(metrics):
    hung = {name: value for name, value in metrics.items() if name.startswith("hung_from")}
    assert hung == pytest.approx(
        {"hung_from_anchor_s": 4.0, "hung_from_bough_s": 3.0, "hung_from_ball_s": 3.0}
    )


def test_a_team_has_none_of_them():
    winch = Table({"time_s": [0.0, 1.0], "length_m": [1.0, 1.0]})
    found = all_metrics(Log(tables={"winch": winch}))
    assert not {metric.name for metric in CANOPY_METRICS} & set(found)
