"""How far two runs lie apart: from the path, and at equal times."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthetic_runs import RADIUS, RATE, circling
from tetherlab.contracts.log import Log
from tetherlab.contracts.table import Table
from tetherlab.metrics.deviation import deviation
from tetherlab.metrics.polyline import distance_to_polyline
from tetherlab.metrics.read import MissingError


def test_a_run_does_not_deviate_from_itself():
    log = circling(4.0)
    found = deviation(log, log, "uav")
    assert found.from_path.max() == pytest.approx(0.0, abs=1e-12)
    assert found.at_equal_time.max() == pytest.approx(0.0, abs=1e-12)


def test_a_wider_circle_is_apart_by_the_difference_of_the_radii():
    found = deviation(circling(31.5), circling(31.5, radius=RADIUS + 0.5), "uav")
    # A chord of the other circle lies inside of it by (step/2)²/(2 radius).
    np.testing.assert_allclose(found.from_path, 0.5, atol=1e-5)
    np.testing.assert_allclose(found.at_equal_time, 0.5, atol=1e-12)


def test_a_run_that_lags_stays_on_the_path_but_is_late():
    lag = 1.0
    late = circling(10.0)["uav"]
    early = Table({"time_s": late["time_s"], **{
        name: np.interp(late["time_s"] - lag, late["time_s"], late[name]) for name in ("x_m", "y_m", "z_m")
    }})  # fmt: skip
    found = deviation(Log(tables={"uav": early}), circling(10.0), "uav")
    assert found.from_path.max() == pytest.approx(0.0, abs=1e-9)
    assert found.at_equal_time[-1] == pytest.approx(2.0 * RADIUS * np.sin(0.5 * RATE * lag), rel=1e-6)


def test_time_counts_from_the_first_row_of_each_run():
    log, later = circling(4.0), circling(4.0)["uav"]
    later = Table({**{name: later[name] for name in later.columns}, "time_s": later["time_s"] + 100.0})
    found = deviation(log, Log(tables={"uav": later}), "uav")
    assert found.at_equal_time.max() == pytest.approx(0.0, abs=1e-9)


def test_after_the_end_of_the_other_run_nothing_is_known_at_equal_times():
    found = deviation(circling(4.0), circling(2.0), "uav")
    assert np.isfinite(found.at_equal_time[found.time <= 2.0]).all()
    assert np.isnan(found.at_equal_time[found.time > 2.0]).all()


def test_a_vehicle_that_one_log_lacks_is_missing():
    with pytest.raises(MissingError, match="no table 'ugv'"):
        deviation(circling(1.0), Log(tables={"uav": circling(1.0)["uav"]}), "ugv")


coordinates = st.floats(-10.0, 10.0)
points = st.lists(st.tuples(coordinates, coordinates, coordinates), min_size=1, max_size=6)


@settings(deadline=None)  # the first call compiles
@given(point=st.tuples(coordinates, coordinates, coordinates), line=points)
def test_the_distance_to_a_line_is_that_of_its_nearest_of_many_points(point, line):
    line, point = np.array(line), np.array(point)
    found = distance_to_polyline(point[None], line)[0]
    pieces = [np.linspace(a, b, 400) for a, b in itertools.pairwise(line)] or [line]
    sampled = np.linalg.norm(np.concatenate(pieces) - point, axis=1).min()
    assert found <= sampled + 1e-12
    assert found >= sampled - 0.05  # half of the way between two samples, at most 35 m / 399 / 2
