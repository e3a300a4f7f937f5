"""A localised run says how far off it was, what it claimed, and when it was in doubt; others say nothing."""

from dataclasses import replace

import matplotlib
import numpy as np
import pytest

from synthetic_localisation import localised
from synthetic_runs import circling
from tetherlab.contracts.log import Event
from tetherlab.metrics.localisation import localisation_errors
from tetherlab.report import write_report
from tetherlab.report.localisation_section import localisation_section
from tetherlab.report.localised_run import draw_axes, draw_distance
from tetherlab.report.style import STYLE
from tetherlab.report.thin import POINTS


@pytest.fixture(scope="module")
def log():
    return localised()


@pytest.fixture(scope="module")
def figures(log):
    found = localisation_errors(log)
    with matplotlib.rc_context(STYLE):
        return draw_distance(log, found), draw_axes(log, found)


def line(axes, label):
    (found,) = [line for line in axes.lines if line.get_label() == label]
    return found.get_xdata(), found.get_ydata()


def bars(axes, label):
    """From when to when."""
    (found,) = [part for part in axes.collections if part.get_label() == label]
    return [(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in found.get_paths()]


def test_the_page_of_a_localised_run_shows_figures_and_numbers(log, tmp_path):
    html = write_report(log, tmp_path / "r.html").read_text()
    assert "<h2>Localisation</h2>" in html and 'id="loc_error"' in html and 'id="loc_axes"' in html
    for label in ("distance to the truth [m]", "x [m]", "95 % as claimed", "±2σ as claimed"):
        assert f">{label}<" in html


def test_a_run_that_knew_the_truth_has_no_such_section(tmp_path):
    html = write_report(circling(2.0), tmp_path / "r.html").read_text()
    assert "Localisation" not in html and "loc_" not in html


def test_the_table_says_method_loop_errors_shares_and_sensors(log):
    assert [value for _, value in localisation_section({"a": log}).rows] == [
        "ekf", "the estimate", "0.050", "0.050", "100.0 %", "87.5 %", "length 2.0 s",
    ]  # fmt: skip
    listened = localisation_section({"a": localised(in_loop=False, method="catenary")}).rows
    assert [value for _, value in listened[:2]] == ["catenary", "the truth; the estimator only listened"]


def test_error_and_bound_are_drawn_as_they_are(figures, log):
    found = localisation_errors(log)
    top = figures[0].axes[0]
    assert np.array_equal(line(top, "error")[1], found.distance)
    assert np.array_equal(line(top, "95 % as claimed")[1], found.bound)
    for i, axes in enumerate(figures[1].axes):
        assert np.array_equal(line(axes, "error")[1], found.error[:, i])
        (band,) = [part for part in axes.collections if part.get_label() == "±2σ as claimed"]
        assert np.ptp(band.get_paths()[0].vertices[:, 1]) == pytest.approx(4.0 * 0.02)


def test_doubts_have_a_bar_by_name_and_events_a_line(figures):
    strip = figures[0].axes[1]
    assert [label.get_text() for label in strip.get_yticklabels()] == ["wrapped", "length"]
    assert bars(strip, "not believed") == [pytest.approx((4.0, 6.0))]
    for axes in (figures[0].axes[0], *figures[1].axes):
        assert bars(axes, "not usable") == [pytest.approx((2.0, 3.0))]
        assert bars(axes, "event") == [(4.0, 4.0)]


def test_where_nothing_was_said_no_line_is_drawn(log):
    estimates = log["estimates"]
    rest = estimates.mask((estimates["time_s"] < 6.5) | (estimates["time_s"] >= 8.5))
    silent = replace(log, tables={**log.tables, "estimates": rest})
    figure = draw_distance(silent, localisation_errors(silent))
    time, error = line(figure.axes[0], "error")
    assert np.isnan(error).sum() == 1 and time[np.flatnonzero(np.isnan(error)) - 1] == 6.49
    assert figure.axes[1].get_yticklabels()[-1].get_text() == "no estimate"


def test_two_localised_runs_stand_side_by_side_with_figures_of_their_own(log):
    section = localisation_section({"a": log, "plain": circling(2.0), "b": localised(method="catenary")})
    assert section.names == ["a", "b"] and section.rows[0][1:] == ("ekf", "catenary")
    assert len({picture.name for picture in section.pictures}) == 4
    assert len({picture.title for picture in section.pictures}) == 4


def test_a_long_record_in_much_doubt_is_drawn_with_few_points(random):
    log = localised(600.0)
    estimates = log["estimates"]
    estimates["x_m"][:] += random.normal(size=len(estimates))
    estimates["status"][:] = random.integers(12, size=len(estimates))
    estimates["faults"][:] = random.integers(512, size=len(estimates))
    log.events = [Event(0.01 * k, "localisation", "not believed: imu") for k in range(50_000)]
    pictures = localisation_section({"long": log}).pictures
    figure = draw_distance(log, localisation_errors(log))
    assert len(line(figure.axes[0], "error")[0]) <= POINTS
    assert max(len(picture.svg) for picture in pictures) < 400_000
