"""How well a run was localised: how far off over time, by axis, and what was doubted when."""

from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tetherlab.contracts.estimate_rows import STATUSES
from tetherlab.contracts.flags import SENSORS
from tetherlab.contracts.log import Log
from tetherlab.metrics.localisation import LocalisationErrors, disbelieved
from tetherlab.report.graphs import add_legend
from tetherlab.report.marks import draw_marks
from tetherlab.report.spans import SHORTEST, Span, spans
from tetherlab.report.style import BLUE, GREY, LIMIT, ORANGE, PURPLE, VERMILION, WIDTH, Line
from tetherlab.report.thin import Array, telling_rows

ERROR: Line = {"color": BLUE, "linewidth": 1.1}
BAND: Line = {"color": PURPLE, "alpha": 0.22, "linewidth": 0.0}
EVENT: Line = {"colors": VERMILION, "linestyles": (0, (1, 1.4)), "linewidth": 1.2}
FAULT: Line = {"colors": GREY, "linestyles": "-", "linewidth": 1.2}
DOUBT: Line = {"color": ORANGE, "alpha": 0.3, "linewidth": 0.0}
ROOM = 1.15  # of an axis, in what it must show
COMMON = 95.0  # [%] of the claims that must be in sight; those of the start may be far beyond
BAR = 0.26  # height of a bar [inch]


class Bar(NamedTuple):
    """A row below the panels: what was wrong, and when."""

    name: str
    spans: list[Span]
    color: str


def draw_distance(log: Log, found: LocalisationErrors) -> Figure:
    """Error and the bound as claimed; below, a row for each status and sensor that was not good."""
    bars = _bars(found)
    heights = (2.2, BAR * max(len(bars), 1))[: 1 + bool(bars)]
    figure = Figure(figsize=(WIDTH, 1.5 + sum(heights)), layout="constrained")
    grid = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)
    all_axes: list[Axes] = list(grid[:, 0])
    top = all_axes[0]
    distance, bound = found.distance, found.bound
    time, lines = _thinned(found, np.column_stack((distance, bound)))
    top.plot(time, lines[:, 0], label="error", zorder=3, **ERROR)
    top.plot(time, lines[:, 1], label="95 % as claimed", **LIMIT)
    top.set_ylim(0.0, _reach(distance, bound))
    top.set_ylabel("distance to the truth [m]")
    if bars:
        _draw_bars(all_axes[1], bars)
    _finish(figure, all_axes, log, found)
    return figure


def draw_axes(log: Log, found: LocalisationErrors) -> Figure:
    """Error of x, y and z between two standard deviations as claimed, on one scale."""
    figure = Figure(figsize=(WIDTH, 5.05), layout="constrained")
    all_axes: list[Axes] = list(figure.subplots(3, 1, sharex=True, sharey=True))
    twice = 2.0 * found.deviation
    for i, axes in enumerate(all_axes):
        time, lines = _thinned(found, np.column_stack((found.error[:, i], twice[:, i])))
        axes.plot(time, lines[:, 0], label="error", zorder=3, **ERROR)
        axes.fill_between(time, -lines[:, 1], lines[:, 1], label="±2σ as claimed", **BAND)
        axes.set_ylabel(f"{'xyz'[i]} [m]")
    reach = _reach(np.abs(found.error), twice)
    all_axes[0].set_ylim(-reach, reach)
    _finish(figure, all_axes, log, found)
    return figure


def _reach(error: Array, claim: Array) -> float:
    """What an axis must show [m]: every error, and the usual claim."""
    return ROOM * max(float(error.max()), float(np.percentile(claim, COMMON)), 1e-3)


def _thinned(found: LocalisationErrors, lines: Array) -> tuple[Array, Array]:
    """Times and lines, (n,) and (n, lines), with few points, and NaN where there was no estimate."""
    keep = telling_rows(lines)
    gaps = np.concatenate(([0], np.cumsum(np.diff(found.time) > found.gap)))[keep]
    broken = np.flatnonzero(np.diff(gaps)) + 1
    return np.insert(found.time[keep], broken, np.nan), np.insert(lines[keep], broken, np.nan, axis=0)


def _bars(found: LocalisationErrors) -> list[Bar]:
    """Statuses by which one must not fly, and sensors that were not believed."""
    time, held = found.time, found.held
    bars = [
        Bar(status.name.replace("_", " ").lower(), spans(time, held, found.status == code), ORANGE)
        for code, status in enumerate(STATUSES)
        if not status.usable
    ]
    bars += [
        Bar(name.replace("_", " "), spans(time, held, disbelieved(found, name)), VERMILION)
        for name in SENSORS
    ]
    bars.append(Bar("no estimate", spans(time, found.steps, found.steps > found.gap), ORANGE))
    return [bar for bar in bars if bar.spans]


def _draw_bars(axes: Axes, bars: list[Bar]) -> None:
    for row, bar in enumerate(bars):
        label = "not usable" if bar.color == ORANGE else "not believed"
        axes.broken_barh(bar.spans, (row - 0.35, 0.7), color=bar.color, linewidth=0.0, label=label)
    axes.set_yticks(range(len(bars)), [bar.name for bar in bars], fontsize=9)
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def _finish(figure: Figure, all_axes: list[Axes], log: Log, found: LocalisationErrors) -> None:
    """Shade what cannot be flown by, mark events, and say what is what."""
    doubts = spans(found.time, found.held, ~found.usable)
    marks = [("fault begins", FAULT, "fault"), ("event", EVENT, "localisation")]
    for axes in all_axes:
        place = axes.get_xaxis_transform()  # times, and heights from 0 to 1
        axes.broken_barh(doubts, (0.0, 1.0), transform=place, label="not usable" if doubts else None, **DOUBT)
        for label, look, kind in marks:
            times = _events(log, found, kind)
            if len(times):
                axes.vlines(times, 0.0, 1.0, transform=place, label=label, **look)
        axes.set_xlim(found.time[0], found.time[-1])
    all_axes[-1].set_xlabel("time [s]")
    draw_marks(all_axes, log)
    add_legend(figure, all_axes, always=True)


def _events(log: Log, found: LocalisationErrors, kind: str) -> Array:
    """When something of a kind happened [s], (n,), of moments that look the same the first."""
    times = np.array([event.time for event in log.events if event.kind == kind])
    shortest = SHORTEST * float(found.time[-1] - found.time[0])
    _, first = np.unique(np.floor(times / max(shortest, 1e-9)), return_index=True)
    return times[first]
