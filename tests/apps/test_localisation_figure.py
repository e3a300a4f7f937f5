"""The figure of `tetherlab localize`: by the data that is plotted."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.estimate_rows import STATUSES, estimate_row
from tetherlab.contracts.table import Table
from tetherlab.report.localisation_figure import LOOKS, draw_localisation

COUNT = 600
TIME = np.arange(COUNT) / 20
PATH = np.column_stack((6.0 + np.cos(TIME), np.sin(TIME), 3.0 + 0.1 * np.sin(3 * TIME)))


def estimates(positions=PATH, statuses=None, time=TIME):
    rows = []
    for k, (moment, place) in enumerate(zip(time, positions, strict=True)):
        status = EstimateStatus.OK if statuses is None else statuses[k]
        known = Estimate(moment, place, 0.01 * np.eye(3), status)
        gone = status in (EstimateStatus.MISSING, EstimateStatus.STALE)
        rows.append(estimate_row(moment, Estimate.nothing(moment, status) if gone else known))
    return Table.from_rows(COLUMNS["estimates"], rows)


def line(axes, label):
    (found,) = [each for each in axes.get_lines() if each.get_label() == label]
    return found


def test_one_row_far_away_does_not_stretch_the_axes():
    far = PATH.copy()
    far[100] = (1e5, 0.0, 1e4)
    truth = PATH + 0.1
    figure = draw_localisation(estimates(far), truth)
    above, side, over_time = figure.axes
    for axes in (above, side):
        assert max(np.abs([*axes.get_xlim(), *axes.get_ylim()])) < 20.0
    assert over_time.get_ylim()[1] < 1.0
    assert "1 position outside the picture" in above.get_title(loc="left")


def test_rows_that_are_not_usable_do_not_stretch_the_axes():
    statuses = [EstimateStatus.WRAPPED if k % 2 else EstimateStatus.OK for k in range(COUNT)]
    far = np.where(np.arange(COUNT)[:, None] % 2, 500.0, PATH)
    above = draw_localisation(estimates(far, statuses)).axes[0]
    assert above.get_xlim()[1] < 20.0 and "300 positions outside" in above.get_title(loc="left")


def test_lines_break_at_gaps():
    keep = (TIME < 10.0) | (TIME > 14.0)
    truth = (PATH + 0.1)[keep]
    truth[50:75] = np.nan
    above, _, over_time = draw_localisation(estimates(PATH[keep], time=TIME[keep]), truth).axes
    for axes, label, pieces in (
        (above, "truth", 3),
        (over_time, "error", 3),
        (over_time, "expected error (root mean square)", 2),
    ):
        assert np.isnan(line(axes, label).get_xdata()).sum() == pieces, label


def test_the_strip_is_empty_where_there_are_no_rows():
    keep = (TIME < 10.0) | (TIME > 14.0)
    (strip,) = draw_localisation(estimates(PATH[keep], time=TIME[keep])).axes[2].collections
    first, second = (path.vertices[:, 0] for path in strip.get_paths())
    assert first.max() == pytest.approx(10.0) and second.min() == pytest.approx(14.05)


def test_slow_logs_are_not_torn():
    slow = 3.0 * np.arange(COUNT)
    over_time = draw_localisation(estimates(time=slow), PATH + 0.1).axes[2]
    assert np.isnan(line(over_time, "error").get_xdata()).sum() == 1


@pytest.mark.parametrize("count", [1, 2, 600, 20_000])
def test_the_strip_of_a_log_that_is_all_well_has_no_cuts(count):
    time = np.arange(count) / 20
    over_time = draw_localisation(estimates(np.resize(PATH, (count, 3)), time=time)).axes[2]
    (strip,) = over_time.collections
    assert len(strip.get_paths()) == 1
    ends = strip.get_paths()[0].vertices[:, 0]
    assert ends.min() == time[0] and ends.max() >= time[-1]


def test_every_status_has_a_look_and_a_place_in_the_legend_of_its_own():
    assert set(LOOKS) == set(EstimateStatus)
    assert len({to_hex(look["color"]) for look in LOOKS.values()}) == len(LOOKS)
    statuses = [STATUSES[k * len(STATUSES) // COUNT] for k in range(COUNT)]
    figure = draw_localisation(estimates(statuses=statuses))
    (legend,) = figure.legends
    said = {text.get_text(): mark for text, mark in zip(legend.texts, legend.legend_handles, strict=True)}
    marks = [said[status.name.replace("_", " ")] for status in STATUSES]
    assert len({(to_hex(mark.get_color()), mark.get_marker()) for mark in marks}) == len(STATUSES)


def test_the_base_is_drawn_where_it_is_and_seen():
    shift = np.array((400.0, -300.0, 20.0))
    told = np.where(np.arange(COUNT)[:, None] % 3, np.nan, shift)
    above, side, _ = draw_localisation(estimates(PATH + shift), None, told).axes
    for axes, rows in ((above, [0, 1]), (side, [0, 2])):
        assert np.ravel(line(axes, "base").get_xydata()) == pytest.approx(shift[rows])
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        assert left < 400.0 < right < 430.0 and low < shift[rows[1]] < high
    above = draw_localisation(estimates()).axes[0]
    assert np.ravel(line(above, "base").get_xydata()) == pytest.approx([0.0, 0.0])
    assert above.get_xlim()[0] < 0.0 < 7.0 < above.get_xlim()[1]


def test_a_log_of_which_nothing_is_known_is_drawn():
    assert draw_localisation(estimates(statuses=COUNT * [EstimateStatus.MISSING]))
