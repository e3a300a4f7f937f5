"""Metrics side by side."""

import math

import pytest

from tetherlab.contracts.log import Log
from tetherlab.metrics.comparison import metric_rows, number, percent


def test_metrics_of_either_run_are_listed_with_their_difference():
    log = Log(tables={}, metrics={"own_J": 1.0, "dist_uav_m": 4.0, "targets": 0.0})
    other = Log(tables={}, metrics={"dist_uav_m": 3.0, "targets": 2.0, "sim_time_s": 9.0, "bad_m": math.nan})
    rows = {row.name: row for row in metric_rows(log, other)}
    assert list(rows) == ["sim_time_s", "targets", "dist_uav_m", "own_J"]
    assert rows["dist_uav_m"][1:] == ("dist_uav", "distance flown by the UAV", "m", 4.0, 3.0, -25.0)
    assert rows["targets"].difference is None  # nothing is a percentage of zero
    assert rows["sim_time_s"].value is None and rows["own_J"].other is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.0, "0"),
        (3e-23, "0"),
        (20.0, "20"),
        (0.12345, "0.1235"),
        (12345.6, "12346"),
        (-7.5, "-7.5"),
    ],
)
def test_numbers_are_written_briefly(value, text):
    assert number(value) == text


def test_differences_have_a_sign():
    assert (percent(5.0), percent(-5.0), percent(None)) == ("+5.0 %", "-5.0 %", "–")
