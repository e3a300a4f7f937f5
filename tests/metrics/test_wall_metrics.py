"""Metrics of an inspection, from a log whose answers are known."""

import math

import numpy as np
import pytest

from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.log import Log
from tetherlab.contracts.table import Table
from tetherlab.metrics import WALL_METRICS, all_metrics

NAN = math.nan
MAPPED = (0.0, 0.0, 90.0, 1.0, 10.0, 8.0, 1.0, 0.4, 0.0, 0.03)  # 80 m^2, all of it seen
LEFT = (90.0, 1.0, NAN, 0.0, 10.0, 2.0, 0.5, 0.2, 6.0, 0.04)  # 20 m^2, half of it
ELSEWHERE = (0.0, 0.0, 90.0, 1.0, NAN, NAN, NAN, NAN, NAN, NAN)  # not a mine's face


def inspected(*rows, plan=None):
    table = Table.from_rows(COLUMNS["walls"], np.array(rows))
    return Log({"walls": table}, scenario={"inspection": plan or {"faces": ["a", "b", "c"]}})


def test_walls_are_counted_and_their_areas_weighed():
    found = all_metrics(inspected(MAPPED, LEFT))
    assert found["walls"] == 3.0 and found["walls_mapped"] == 1.0
    assert found["wall_seen_m2"] == pytest.approx(90.0)
    assert found["wall_seen_percent"] == pytest.approx(90.0)
    assert found["row_overlap_min_percent"] == pytest.approx(20.0)
    assert found["wall_hole_max_m2"] == 6.0
    assert found["map_error_rms_m"] == pytest.approx(0.05 / 2**0.5)
    assert found["map_error_max_m"] == 0.04


def test_of_walls_that_nobody_knows_there_is_no_area():
    found = all_metrics(inspected(ELSEWHERE, plan={"stops": [{"name": "wall"}]}))
    assert found["walls"] == found["walls_mapped"] == 1.0
    assert {metric.name for metric in WALL_METRICS} & set(found) == {"walls", "walls_mapped"}


def test_an_inspection_has_no_targets_and_other_runs_have_no_walls():
    log = inspected(MAPPED)
    log.tables["targets"] = Table.from_rows(COLUMNS["targets"], np.empty((0, len(COLUMNS["targets"]))))
    assert not {"targets", "targets_reached"} & set(all_metrics(log))
    del log.tables["walls"]
    log.scenario = {}
    assert {"targets", "targets_reached"} <= set(all_metrics(log))
    assert not {metric.name for metric in WALL_METRICS} & set(all_metrics(log))
