"""Charts keep their minutes of simulated time, however fast that goes."""

from types import SimpleNamespace

import numpy as np
import pytest

from tetherlab.view.charts import WIDTH, Charts


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
