"""The graphs over time. A graph has panels; a panel shows one quantity, of one run or of two."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tetherlab.contracts.columns import TETHER_FORCE, unit_of
from tetherlab.contracts.log import Log
from tetherlab.metrics import motion
from tetherlab.metrics.read import Array, MissingError, rows
from tetherlab.report.marks import draw_marks
from tetherlab.report.style import CONTEXT, LIMIT, OTHER_RUN, THIS_RUN, WIDTH
from tetherlab.report.thin import thin_series

SMALLEST_SPAN = 1e-6  # of the values in a panel, in their unit
ABREAST = 5  # words of a legend
IN_SIGHT = 2.0  # a limit is drawn that is at most this many times the largest value

Read = Callable[[Log], tuple[Array, Array]]  # times and values, (n,) each


class Panel(NamedTuple):
    """One quantity over time; `context` are lines that help to judge it, shown for a single run only."""

    label: str
    unit: str
    read: Read
    context: tuple[tuple[str, Read], ...] = ()
    limit: Callable[[Log], float | None] | None = None  # that it must not exceed, in its unit


class Graph(NamedTuple):
    """Panels below each other with one axis of time."""

    name: str  # as in Table II of the paper, where it has one
    title: str
    panels: tuple[Panel, ...]


def column(table: str, name: str) -> Read:
    """Reads one column."""

    def read(log: Log) -> tuple[Array, Array]:
        time, values = rows(log, table, "time_s", name).T
        return time, values

    return read


def _norm(table: str, names: tuple[str, ...]) -> Read:
    def read(log: Log) -> tuple[Array, Array]:
        found = rows(log, table, "time_s", *names)
        return found[:, 0], np.linalg.norm(found[:, 1:], axis=1)

    return read


def _strength(log: Log) -> float | None:
    tether = log.scenario.get("tether")
    strength = tether.get("strength_N") if isinstance(tether, dict) else None
    return float(strength) if isinstance(strength, (int, float)) else None


def panel_of(table: str, name: str, label: str, **context: str) -> Panel:
    """Shows one column, and others that help to judge it, by their words."""
    lines = tuple((word, column(table, other)) for word, other in context.items())
    return Panel(label, unit_of(name), column(table, name), lines)


def _positions(vehicle: str) -> tuple[Panel, ...]:
    return tuple(panel_of(vehicle, f"{axis}_m", axis, reference=f"target_{axis}_m") for axis in "xyz")


def _velocities(vehicle: str) -> tuple[Panel, ...]:
    return tuple(panel_of(vehicle, f"v{axis}_m_per_s", f"v{axis}") for axis in "xyz")


GRAPHS = (
    Graph("uav_pos", "Position of the UAV", _positions("uav")),
    Graph("ugv_pos", "Position of the UGV", _positions("ugv")),
    Graph("uav_vel", "Velocity of the UAV", _velocities("uav")),
    Graph("ugv_vel", "Velocity of the UGV", _velocities("ugv")),
    Graph(
        "tether_len",
        "Length of the tether",
        (panel_of("winch", "length_m", "length", reference="length_reference_m", distance="distance_m"),),
    ),
    Graph(
        "min_dist",
        "Distance to obstacles",
        (panel_of("uav", "clearance_m", "UAV"), panel_of("ugv", "clearance_m", "UGV")),
    ),
    Graph("separation", "Distance between UAV and UGV", (Panel("distance", "m", motion.separations),)),
    Graph(
        "tension",
        "Tension of the tether",
        (
            panel_of("winch", "tension_N", "at the winch")._replace(limit=_strength),
            Panel("on the UAV", "N", _norm("uav", TETHER_FORCE), limit=_strength),
        ),
    ),
    Graph(
        "tracking",
        "Distance to the reference",
        tuple(
            Panel(vehicle.upper(), "m", partial(motion.tracking_errors, vehicle=vehicle))
            for vehicle in ("uav", "ugv")
        ),
    ),
    Graph(
        "winch",
        "Winch",
        (panel_of("winch", "reel_speed_m_per_s", "reel speed"), panel_of("winch", "power_W", "power")),
    ),
)


def draw_graph(graph: Graph, runs: dict[str, Log]) -> Figure | None:
    """The graph of one or two named runs; None if they hold nothing of it."""
    panels = [panel for panel in graph.panels if any(_lines(panel, log) for log in runs.values())]
    if not panels:
        return None
    figure = Figure(figsize=(WIDTH, 1.0 + 1.35 * max(len(panels), 2)), layout="constrained")
    all_axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, panel in zip(all_axes, panels, strict=True):
        _draw_panel(axes, panel, runs)
    all_axes[-1].set_xlabel("time [s]")
    figure.align_ylabels(all_axes)
    if len(runs) == 1:
        draw_marks(list(all_axes), next(iter(runs.values())))
    add_legend(figure, all_axes, always=len(runs) > 1)
    return figure


def add_legend(figure: Figure, all_axes: "np.ndarray | list[Axes]", *, always: bool) -> None:
    """One legend above all panels, if there is anything to tell apart or `always`."""
    found = {
        label: line
        for axes in all_axes
        for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    if len(found) > 1 or always:
        figure.legend(found.values(), found.keys(), loc="outside upper left", ncols=min(len(found), ABREAST))


def _lines(panel: Panel, log: Log) -> tuple[Array, Array] | None:
    try:
        return panel.read(log)
    except MissingError:
        return None


def _draw_panel(axes: Axes, panel: Panel, runs: dict[str, Log]) -> None:
    if len(runs) == 1:
        log = next(iter(runs.values()))
        for (label, read), style in zip(panel.context, CONTEXT, strict=False):
            found = _lines(panel._replace(read=read), log)
            if found:
                axes.plot(*thin_series(*found), label=label, **style)
    for (name, log), style in zip(runs.items(), (THIS_RUN, OTHER_RUN), strict=False):
        found = _lines(panel, log)
        if found:
            time, values = thin_series(*found)
            axes.plot(time, values, label=safe(name) if len(runs) > 1 else "actual", zorder=3, **style)
    if panel.limit is not None:
        _draw_limits(axes, panel, runs)
    axes.set_ylabel(f"{panel.label} [{panel.unit}]")
    axes.ticklabel_format(useOffset=False)
    low, high = axes.dataLim.intervaly
    if high - low < SMALLEST_SPAN:  # rounding errors are not worth a picture
        axes.set_ylim(low - 0.1, high + 0.1)


def _draw_limits(axes: Axes, panel: Panel, runs: dict[str, Log]) -> None:
    """A line at the limit where it is in sight; otherwise it would press what happened against the axis."""
    assert panel.limit is not None
    for limit in dict.fromkeys(map(panel.limit, runs.values())):
        if limit is None:
            continue
        word = f"strength {limit:g} {panel.unit}"
        if limit <= IN_SIGHT * axes.dataLim.y1:
            axes.axhline(limit, label=word, **LIMIT)
        else:
            axes.plot([], [], linestyle="", label=f"{word}, beyond the axis")


def safe(label: str) -> str:
    """A name that matplotlib writes as it is."""
    return label.replace("$", r"\$").lstrip("_")
