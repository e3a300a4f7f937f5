"""Metrics: what is known of a circling drone in closed form, and logs that do not hold everything."""

import math

import numpy as np
import pytest

from synthetic_runs import HEIGHT, LINEAR_DENSITY, RADIUS, RATE, SLACK, SPEED, circling
from tetherlab.contracts.columns import COLUMNS, STATION_POSITIONS
from tetherlab.contracts.log import Log
from tetherlab.contracts.table import Table
from tetherlab.metrics import METRICS, all_metrics
from tetherlab.metrics.read import MissingError, stations

DURATION = 30.0


@pytest.fixture(scope="module")
def metrics():
    return all_metrics(circling(DURATION))


def changed(log, table, **columns):
    """The log with other columns in one table."""
    old = log[table]
    values = {name: old[name] for name in old.columns} | columns
    return Log(tables={**log.tables, table: Table(values)}, scenario=log.scenario)


def test_every_metric_is_given_by_a_complete_log(metrics):
    assert list(metrics) == [metric.name for metric in METRICS]
    assert all(type(value) is float and math.isfinite(value) for value in metrics.values())


def test_distances_and_duration_are_those_of_the_circle(metrics):
    assert metrics["sim_time_s"] == pytest.approx(DURATION)
    # A chord is shorter than its arc by (step/radius)²/24.
    assert metrics["dist_uav_m"] == pytest.approx(RADIUS * RATE * DURATION, rel=1e-6)
    assert metrics["dist_ugv_m"] == pytest.approx(SPEED * DURATION, rel=1e-12)


def test_targets_are_counted(metrics):
    assert (metrics["targets"], metrics["targets_reached"]) == (5.0, 4.0)


def test_targets_are_those_of_the_mission_also_where_none_was_taken_up():
    log = circling(1.0)
    log.scenario = {**log.scenario, "mission": {"targets": [{}] * 20}}
    metrics = all_metrics(log)
    assert (metrics["targets"], metrics["targets_reached"]) == (20.0, 4.0)
    none = Table.from_rows(COLUMNS["targets"], np.empty((0, len(COLUMNS["targets"]))))
    metrics = all_metrics(Log(tables={"targets": none}, scenario=log.scenario))
    assert (metrics["targets"], metrics["targets_reached"]) == (20.0, 0.0)
    metrics = all_metrics(Log(tables={"targets": none}))
    assert (metrics["targets"], metrics["targets_reached"]) == (0.0, 0.0)


def test_released_less_collected_is_the_change_of_length(metrics):
    length = circling(DURATION)["winch"]["length_m"]
    assert metrics["tether_released_m"] - metrics["tether_collected_m"] == pytest.approx(
        length[-1] - length[0]
    )
    assert metrics["tether_released_m"] > 0.1 and metrics["tether_collected_m"] > 0.1


def test_up_and_down_are_summed_apart():
    log = Log(tables={"winch": Table({"time_s": [0, 1, 2, 3, 4], "length_m": [1, 3, 2.5, 2.5, 4]})})
    metrics = all_metrics(log)
    assert (metrics["tether_released_m"], metrics["tether_collected_m"]) == (3.5, 0.5)


def test_a_tether_that_is_a_catenary_has_no_catenary_error(metrics):
    assert metrics["cat_error_percent"] == pytest.approx(0.0, abs=1e-9)
    assert metrics["cat_error_arc_percent"] == pytest.approx(0.0, abs=1e-9)


def test_a_tether_beside_its_catenary_is_as_far_as_it_was_moved():
    # All stations but the ends go sideways, across the plane of the curve, by 1 % of the length.
    log = circling(2.0)
    ((time, points),) = stations(log)
    length = log["winch"]["length_m"]
    ahead = points[:, -1] - points[:, 0]
    across = np.cross(ahead, (0.0, 0.0, 1.0))
    across /= np.linalg.norm(across, axis=1)[:, None]
    points[:, 1:-1] += 0.01 * length[:, None, None] * across[:, None]
    moved = dict(zip(STATION_POSITIONS, points.reshape(len(time), -1).T, strict=True))
    metrics = all_metrics(changed(log, "tether", **moved))
    assert metrics["cat_error_percent"] == pytest.approx(1.0 * 39 / 41, rel=1e-6)
    assert metrics["cat_error_arc_percent"] == pytest.approx(1.0 * 39 / 41, rel=1e-6)


def test_stations_that_slide_along_the_curve_are_seen_by_the_strict_error_alone():
    log = circling(2.0)
    ((time, points),) = stations(log)
    # Half a station toward the next one: the chord leaves the curve by far less.
    points[:, 1:-1] = 0.5 * (points[:, 1:-1] + points[:, 2:])
    moved = dict(zip(STATION_POSITIONS, points.reshape(len(time), -1).T, strict=True))
    metrics = all_metrics(changed(log, "tether", **moved))
    assert metrics["cat_error_arc_percent"] == pytest.approx(100.0 * 0.5 / 40 * 39 / 41, rel=0.01)
    assert metrics["cat_error_percent"] < 0.05 * metrics["cat_error_arc_percent"]


def test_a_stretched_tether_is_compared_with_the_straight_line():
    log = circling(1.0)
    ((time, points),) = stations(log)
    line = np.linspace(points[:, 0], points[:, -1], 41, axis=1)
    moved = dict(zip(STATION_POSITIONS, line.reshape(len(time), -1).T, strict=True))
    short = changed(log, "winch", length_m=0.99 * log["winch"]["distance_m"])
    metrics = all_metrics(changed(short, "tether", **moved))
    assert metrics["cat_error_percent"] == pytest.approx(0.0, abs=1e-9)
    assert metrics["cat_error_arc_percent"] == pytest.approx(0.0, abs=1e-9)


def test_the_tracking_error_is_the_distance_to_the_reference(metrics):
    assert metrics["track_rmse_uav_m"] == pytest.approx(0.1)
    assert metrics["track_max_uav_m"] == pytest.approx(0.1)
    assert metrics["track_rmse_ugv_m"] == metrics["track_max_ugv_m"] == 0.0
    log = circling(1.0)
    reference = log["uav"]["x_m"].copy()
    reference[7] += 3.0
    metrics = all_metrics(changed(log, "uav", target_x_m=reference))
    assert metrics["track_max_uav_m"] == pytest.approx(3.0)
    assert metrics["track_rmse_uav_m"] == pytest.approx(3.0 / math.sqrt(len(log["uav"])))


def test_the_ground_robot_is_measured_on_the_ground():
    log = circling(1.0)
    there = {"target_x_m": log["ugv"]["x_m"] + 0.3, "target_z_m": log["ugv"]["z_m"] + 5.0}
    metrics = all_metrics(changed(log, "ugv", **there))
    assert metrics["track_rmse_ugv_m"] == pytest.approx(0.3)
    assert metrics["track_max_ugv_m"] == pytest.approx(0.3)


def test_slack_is_length_over_distance_less_one(metrics):
    assert metrics["slack_mean_percent"] == pytest.approx(100.0 * (SLACK - 1.0))


def test_tensions_are_the_largest_of_both_ends(metrics):
    log = circling(DURATION)
    assert metrics["tension_max_winch_N"] == log["winch"]["tension_N"].max()
    # The ends differ by the weight of the height between them.
    rise = LINEAR_DENSITY * 9.80665 * (HEIGHT - 0.5)
    row = int(log["winch"]["tension_N"].argmax())
    pull = np.linalg.norm(log["uav"].rows("tether_x_N", "tether_y_N", "tether_z_N")[row])
    assert pull - metrics["tension_max_winch_N"] == pytest.approx(rise)
    assert metrics["tension_max_uav_N"] >= pull


def test_energy_in_and_out_of_the_winch_are_summed_apart():
    # 4 W for 3 s, then -2 W for 5 s, with a jump between two rows at one time.
    log = Log(tables={"winch": Table({"time_s": [0, 3, 3, 8], "power_W": [4, 4, -2, -2]})})
    metrics = all_metrics(log)
    assert (metrics["winch_energy_in_J"], metrics["winch_energy_out_J"]) == (12.0, 10.0)


def test_distances_to_obstacles_are_the_smallest_of_the_run(metrics):
    assert metrics["min_dist_uav_m"] == pytest.approx(HEIGHT - 0.3)
    assert metrics["min_dist_m"] == metrics["min_dist_ugv_m"] == pytest.approx(0.2)
    ((_, points),) = stations(circling(DURATION))
    lowest = points[:, :, 2].min()  # over the ground at -0.5 m, less half of 8 mm
    assert metrics["min_dist_tether_m"] == pytest.approx(lowest + 0.5 - 0.004)


def test_vehicles_on_different_clocks_are_compared_at_equal_times():
    fast = Table({"time_s": [0, 1, 2, 3], "x_m": [0, 1, 2, 3], "y_m": [0] * 4, "z_m": [5] * 4})
    slow = Table({"time_s": [0.5, 2.5], "x_m": [0.5, 2.5], "y_m": [3, 3], "z_m": [5, 1]})
    assert all_metrics(Log(tables={"uav": fast, "ugv": slow}))["min_dist_vehicles_m"] == pytest.approx(
        math.hypot(3.0, 1.0)  # at 1 s; before 0.5 s and after 2.5 s nothing is known
    )


def test_a_flight_that_recorded_little_gives_what_it_can():
    log = Log(
        tables={"uav": Table({"time_s": [0, 1, 2], "x_m": [0, 3, 3], "y_m": [0, 4, 4], "z_m": [0, 0, 2]})}
    )
    assert all_metrics(log) == {"sim_time_s": 2.0, "dist_uav_m": 7.0}


def test_rows_with_gaps_are_left_out():
    gap = Table({"time_s": [0, 1, 2], "x_m": [0, math.nan, 3], "y_m": [0, 1, 4], "z_m": [0, 0, 0]})
    assert all_metrics(Log(tables={"uav": gap}))["dist_uav_m"] == 5.0
    nothing = Table({"time_s": [0, 1], "x_m": [math.nan] * 2, "y_m": [0, 0], "z_m": [0, 0]})
    assert "dist_uav_m" not in all_metrics(Log(tables={"uav": nothing}))


def test_an_empty_log_has_no_metrics():
    assert all_metrics(Log(tables={})) == {}


@pytest.mark.parametrize("world", [None, "theatre", {"shapes": [{"type": "map", "file": "gone.bt"}]}])
def test_a_world_that_is_not_here_leaves_out_the_distance_of_the_tether(world):
    log = circling(1.0)
    log.scenario = {**log.scenario, "world": world}
    assert "min_dist_tether_m" not in all_metrics(log)


def test_a_single_metric_says_what_it_misses():
    by_name = {metric.name: metric for metric in METRICS}
    with pytest.raises(MissingError, match=r"^the log has no table 'winch'$"):
        by_name["tether_released_m"].compute(Log(tables={}))
    tables = {"winch": Table({"time_s": [0.0]})}
    with pytest.raises(MissingError, match=r"^the table 'winch' has no column length_m$"):
        by_name["tether_released_m"].compute(Log(tables=tables))
