"""Charts beside the scene: the last minutes of what matters, thinned to what a screen can show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.report.thin import telling_rows

POINTS_MAX = 600  # of a line
ASPECT = 2.5  # width over height
SOON = 1e-6  # as good as now [s]
BLUE, VERMILION, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#6b6b6b"
LINE_COLORS = (BLUE, VERMILION, GREEN, "#CC79A7", "#56B4E9", GREY)


class Line(NamedTuple):
    """One line of a chart."""

    label: str
    color: str
    dashed: bool = False


class Chart(NamedTuple):
    """Lines over time that share a unit."""

    title: str
    unit: str
    lines: tuple[Line, ...]


CHARTS = (
    Chart(
        "Tether", "m", (Line("length", BLUE), Line("wanted", VERMILION, True), Line("distance", GREY, True))
    ),
    Chart("Tension", "N", (Line("at the winch", BLUE), Line("at the drone", VERMILION, True))),
    Chart("Speed", "m/s", (Line("drone", BLUE), Line("rover", GREEN, True), Line("winch", VERMILION, True))),
    Chart("Clearance", "m", (Line("drone", BLUE), Line("rover", GREEN, True))),
)
WIDTH = sum(len(chart.lines) for chart in CHARTS)  # numbers of a moment of a team, chart by chart
CANOPY_CHARTS = (
    Chart("Tether angle", "deg", (Line("theta", BLUE), Line("wanted", VERMILION, True))),
    Chart("Heading", "deg", (Line("heading", BLUE), Line("wanted", VERMILION, True))),
    Chart("Tether", "m", (Line("length", BLUE), Line("wanted", VERMILION, True), Line("free", GREEN, True))),
    Chart("Thrust", "N", (Line("left", BLUE), Line("right", GREEN, True))),
    Chart("Tension", "N", (Line("at the robot", BLUE),)),
)


class Charts:
    """The charts in a viser panel; rows come as (time, numbers)."""

    def __init__(self, gui: Any, rate: float, history: float, charts: Sequence[Chart] = CHARTS) -> None:
        """rate: of the rows kept [1/s]. history: how far back they go [s]."""
        self._rows = np.full((max(2, round(rate * history)), 1 + width(charts)), np.nan)
        self._count, self._between, self._charts = 0, 1.0 / rate, charts
        self._plots = _add_plots(gui, charts)

    def clear(self) -> None:
        """Forget all rows."""
        self._count = 0

    def add(self, time: float, numbers: Sequence[float]) -> None:
        """One more moment, unless the last one is too near; the oldest is forgotten."""
        last = self._rows[(self._count - 1) % len(self._rows), 0]
        if self._count and time - last < self._between - SOON:
            return
        self._rows[self._count % len(self._rows)] = (time, *numbers)
        self._count += 1

    def draw(self) -> None:
        """Send what there is."""
        rows = self.rows()
        if len(rows) < 2:
            return
        _draw(self._plots, rows, self._charts)

    def rows(self) -> NDArray[np.float64]:
        """All that is kept, oldest first, (n, 1 + WIDTH)."""
        if self._count <= len(self._rows):
            return self._rows[: self._count]
        return np.roll(self._rows, -(self._count % len(self._rows)), axis=0)


def width(charts: Sequence[Chart]) -> int:
    """Numbers of a moment."""
    return sum(len(chart.lines) for chart in charts)


def show_record(gui: Any, rows: NDArray[np.float64], charts: Sequence[Chart] = CHARTS) -> None:
    """Charts that do not change, of rows (n, 1 + numbers of the charts)."""
    plots = _add_plots(gui, charts)
    if len(rows) > 1:
        _draw(plots, rows, charts)


def _add_plots(gui: Any, charts: Sequence[Chart]) -> list[Any]:
    empty = np.zeros(2)
    return [
        gui.add_uplot(
            (empty, *(empty for _ in chart.lines)), _series(chart),
            title=f"{chart.title} [{chart.unit}]", aspect=ASPECT,
            scales={"x": {"time": False, "auto": True}},
        )
        for chart in charts
    ]  # fmt: skip


def _series(chart: Chart) -> tuple[Any, ...]:
    """How viser is to draw the lines."""
    lines = (
        {"label": line.label, "stroke": line.color, "width": 2, **({"dash": (6, 4)} if line.dashed else {})}
        for line in chart.lines
    )
    return ({"label": "t [s]"}, *lines)


def _draw(plots: Sequence[Any], rows: NDArray[np.float64], charts: Sequence[Chart]) -> None:
    """Give each plot its columns, thinned; lines of a plot share their times."""
    first = 1
    for plot, chart in zip(plots, charts, strict=True):
        last = first + len(chart.lines)
        values = rows[:, first:last]
        # A chart with a number that is none stays empty: what nobody wants lies on the first line.
        values = np.where(np.isnan(values), values[:, :1], values)
        keep = telling_rows(values, POINTS_MAX)
        plot.data = (rows[keep, 0], *(values[keep, k] for k in range(last - first)))
        first = last
