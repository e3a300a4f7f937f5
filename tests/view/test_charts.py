"""Charts keep their minutes of simulated time, however fast that goes, and lose no peak."""

from types import SimpleNamespace

import numpy as np
import pytest

from tetherlab.view.charts import CHARTS, WIDTH, Charts, show_record


class Panel:
    """Takes plots as viser's does."""

    def __init__(self):
        self.plots = []

    def add_uplot(self, data, series, **_):
        self.plots.append(SimpleNamespace(data=data))
        return self.plots[-1]


@pytest.mark.parametrize("between", [0.001, 0.04, 0.1, 0.4])  # two pictures [s], at any speed
def test_rows_come_by_simulated_time(between):
    charts = Charts(Panel(), rate=10.0, history=20.0)
    times = np.arange(round(50.0 / between)) * between
    for time in times:
        charts.add(time, [0.0] * WIDTH)
        charts.add(time, [1.0] * WIDTH)  # while time stands still
    rows = charts.rows()
    assert np.diff(rows[:, 0]).min() > 0.0999
    assert np.diff(rows[:, 0]).max() < max(0.1 + between, 0.1001)
    assert rows[-1, 0] - rows[0, 0] > 19.8
    assert (rows[:, 1] == 0.0).all()


def test_after_clear_time_may_begin_again():
    charts = Charts(Panel(), rate=10.0, history=20.0)
    charts.add(7.0, [0.0] * WIDTH)
    charts.clear()
    charts.add(0.0, [0.0] * WIDTH)
    assert charts.rows()[:, 0].tolist() == [0.0]


def test_a_peak_of_any_line_is_drawn_where_it_was():
    rows = np.zeros((12_000, 1 + WIDTH))
    rows[:, 0] = np.arange(12_000) / 10.0
    peaks = 101 + 1009 * np.arange(WIDTH)
    rows[peaks, 1 + np.arange(WIDTH)] = 7.0
    panel = Panel()
    show_record(panel, rows)
    lines = [(plot.data[0], line) for plot in panel.plots for line in plot.data[1:]]
    assert len(panel.plots) == len(CHARTS) and len(lines) == WIDTH
    for (time, line), peak in zip(lines, peaks, strict=True):
        assert len(time) == len(line) <= 600
        assert time[line == 7.0].tolist() == [rows[peak, 0]]


def test_a_chart_with_a_line_that_has_no_numbers_is_drawn_all_the_same():
    rows = np.tile(np.arange(50.0)[:, None], (1, 1 + WIDTH))
    rows[:30, 2] = np.nan  # the length that is wanted, while the winch keeps a tension
    panel = Panel()
    show_record(panel, rows)
    _, length, wanted, _ = panel.plots[0].data
    assert np.isfinite(wanted).all()
    assert np.array_equal(wanted, length)
