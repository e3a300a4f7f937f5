"""Fewer points that look the same: no peak is lost, both ends stay, short series are left alone."""

import numpy as np
import pytest

from tetherlab.report.thin import telling_rows, thin_path, thin_series


def test_peaks_and_ends_survive(random):
    time = np.arange(180_000) / 50.0
    values = random.normal(size=len(time))
    values[[12_345, 77_777]] = (50.0, -60.0)
    thin_time, thin_values = thin_series(time, values, 1000)
    assert len(thin_time) <= 1000 and (np.diff(thin_time) > 0.0).all()
    assert (thin_values.max(), thin_values.min()) == (50.0, -60.0)
    assert (thin_time[0], thin_time[-1]) == (time[0], time[-1])
    assert thin_time[thin_values == 50.0] == time[12_345]


@pytest.mark.parametrize("count", [601, 1199, 12_000, 12_001])
def test_peaks_of_lines_that_share_their_times_survive_beside_what_is_missing(random, count):
    values = random.normal(size=(count, 3))
    values[count // 3, 0], values[count // 2, 1] = 50.0, -60.0
    values[count // 2 - 5 : count // 2, 1] = np.nan
    values[:, 2] = np.nan
    keep = telling_rows(values, 600)
    assert len(keep) <= 600 and (np.diff(keep) > 0).all()
    assert {0, count // 3, count // 2, count - 1} <= set(keep.tolist())
    assert np.diff(keep).max() < 2 * count / 99  # no stretch is left out


def test_short_series_are_left_alone():
    time = np.arange(10.0)
    assert thin_series(time, time, 1000)[1] is time
    assert len(thin_path(np.zeros((5, 3)), 1000)) == 5


def test_a_path_keeps_its_ends_and_its_corners_roughly(random):
    corner = np.concatenate(
        (np.linspace((0, 0, 0), (5, 0, 0), 3000), np.linspace((5, 0, 0), (5, 5, 0), 3000))
    )
    thin = thin_path(corner, 200)
    assert len(thin) <= 202
    assert (thin[0] == corner[0]).all() and (thin[-1] == corner[-1]).all()
    assert np.linalg.norm(thin - (5, 0, 0), axis=1).min() < 0.06
    assert np.linalg.norm(np.diff(thin, axis=0), axis=1).max() < 0.06


def test_a_path_that_rests_is_thinned_to_its_place():
    assert len(thin_path(np.ones((5000, 3)), 100)) <= 3
