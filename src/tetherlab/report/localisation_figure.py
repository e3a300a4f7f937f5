"""Where a drone was by its tether: from above, from the side, and how far from the truth over time."""

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse
from numpy.typing import NDArray

from tetherlab.contracts.columns import POSITION
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.estimate import EstimateStatus
from tetherlab.contracts.estimate_rows import STATUSES, covariances
from tetherlab.contracts.files import replacing
from tetherlab.contracts.table import Table
from tetherlab.report.style import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, VERMILION
from tetherlab.report.thin import thin_series

Array = NDArray[np.float64]
ENDINGS = (".svg", ".png", ".pdf")
POINTS = 1500  # of the path that are drawn
ELLIPSES = 20  # along the path
ELLIPSE: Any = {"color": VERMILION, "linewidth": 1.0}

# How each status looks; what cannot be flown by has a mark of its own.
LOOKS: dict[EstimateStatus, dict[str, Any]] = {
    EstimateStatus.OK: {"color": BLUE, "marker": "."},
    EstimateStatus.UNSURE: {"color": GREEN, "marker": "."},
    EstimateStatus.OUTSIDE_TRAINING: {"color": ORANGE, "marker": "."},
    EstimateStatus.GROUND: {"color": VERMILION, "marker": "v"},
    EstimateStatus.WRAPPED: {"color": PURPLE, "marker": "x"},
    EstimateStatus.SLACK: {"color": ORANGE, "marker": "s"},
    EstimateStatus.SATURATED: {"color": VERMILION, "marker": "+"},
    EstimateStatus.FAULT: {"color": VERMILION, "marker": "x"},
}
OTHER = {"color": GREY, "marker": "|"}


def check_ending(path: Path) -> None:
    """Whether a picture can be written under this name."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"{path}: the name of a figure must end with {', '.join(ENDINGS)}")


def write_figure(estimates: Table, path: str | Path, truth: Array | None = None) -> Path:
    """Write the figure as SVG, PNG or PDF; truth: positions beside the estimates [m], (n, 3), may be NaN."""
    path = Path(path)
    check_ending(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({**STYLE, "figure.facecolor": "white", "axes.xmargin": 0.03}):
        figure = draw_localisation(estimates, truth)
        with replacing(path, binary=True) as file:
            figure.savefig(file, format=path.suffix[1:].lower(), dpi=150)
    return path


def draw_localisation(estimates: Table, truth: Array | None = None) -> Figure:
    """The same, drawn."""
    if truth is not None and not np.isfinite(truth).all(axis=1).any():
        truth = None
    figure = Figure(figsize=(10.0, 8.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1.5, 1.0))
    above, side = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[0, 1])
    positions = estimates.rows(*POSITION)
    _draw_plane(above, estimates, positions, truth, (0, 1), "from above")
    known = positions[np.isfinite(positions).all(axis=1)]
    along = 0 if not len(known) else int(np.argmax(np.ptp(known[:, :2], axis=0)))
    _draw_plane(side, estimates, positions, truth, (along, 2), "from the side")
    _draw_time(figure.add_subplot(grid[1, :]), estimates, positions, truth)
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(handles.values(), handles.keys(), loc="outside upper left", ncols=4, markerscale=1.6)
    return figure


def _draw_plane(
    axes: Axes, estimates: Table, positions: Array, truth: Array | None, shown: tuple[int, int], title: str
) -> None:
    a, b = shown
    known = np.asarray(np.isfinite(positions).all(axis=1))
    if truth is not None:
        axes.plot(truth[:, a], truth[:, b], color="black", linewidth=1.0, zorder=3, label="truth")
    for status, chosen in _by_status(estimates, known):
        axes.plot(positions[chosen, a], positions[chosen, b], **_look(status))
    some = np.flatnonzero(known)
    matrices = covariances(estimates)
    for index in some[np.linspace(0, len(some) - 1, min(ELLIPSES, len(some))).astype(int)]:
        _draw_ellipse(axes, positions[index, [a, b]], matrices[index][np.ix_(shown, shown)])
    axes.plot([], [], label="2 standard deviations, at some moments", **ELLIPSE)
    axes.plot(0.0, 0.0, color="black", marker="^", linestyle="", markersize=6, label="origin", zorder=4)
    axes.set(xlabel=f"{'xyz'[a]} [m]", ylabel=f"{'xyz'[b]} [m]")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_title(title, fontsize=10, loc="left")


def _draw_ellipse(axes: Axes, middle: Array, matrix: Array) -> None:
    """The line round 2 standard deviations in each direction."""
    squares, directions = np.linalg.eigh(matrix)
    width, height = 4.0 * np.sqrt(np.maximum(squares, 0.0))
    turn = np.degrees(np.arctan2(directions[1, 0], directions[0, 0]))
    axes.add_patch(Ellipse(tuple(middle), width, height, angle=turn, fill=False, zorder=4, **ELLIPSE))
    reach = 2.0 * np.sqrt(np.diagonal(matrix))
    axes.update_datalim((middle - reach, middle + reach))


def _draw_time(axes: Axes, estimates: Table, positions: Array, truth: Array | None) -> None:
    """Error and what was expected of it, and below them the statuses."""
    time = estimates["stamp_s"]
    expected = np.sqrt(np.trace(covariances(estimates), axis1=1, axis2=2))
    lines: dict[str, tuple[Array, dict[str, Any]]] = {
        "expected error (root mean square)": (expected, {"color": VERMILION})
    }
    if truth is not None:
        error = np.linalg.norm(positions - truth, axis=1)
        lines["error"] = (error, {"color": GREY, "linewidth": 0.8})
    for label, (values, style) in reversed(lines.items()):
        known = np.isfinite(values)
        if known.any():
            order = np.argsort(time[known], kind="stable")
            axes.plot(*thin_series(time[known][order], values[known][order]), label=label, **style)
    place = axes.get_xaxis_transform()
    for status, chosen in _by_status(estimates, np.ones(len(time), bool)):
        look = {**_look(status), "marker": "|", "markersize": 7, "alpha": 1.0}
        axes.plot(time[chosen], np.full(chosen.sum(), -0.04), transform=place, clip_on=False, **look)
    axes.set(xlabel="time [s]", ylabel="error of the position [m]")
    axes.set_ylim(bottom=0.0)
    axes.text(1.0, -0.04, "status", transform=axes.transAxes, ha="left", va="center", color=GREY, fontsize=8)
    axes.tick_params(axis="x", pad=10)


def _by_status(estimates: Table, wanted: NDArray[np.bool_]) -> list[tuple[EstimateStatus, NDArray[np.bool_]]]:
    """Statuses that occur, and some of their rows, thinned to what a picture can show."""
    codes = estimates["status"]
    keep = np.zeros(len(codes), bool)
    keep[np.unique(np.linspace(0, len(codes) - 1, min(POINTS, len(codes))).astype(int))] = True
    found = []
    for code, status in enumerate(STATUSES):
        every = wanted & (codes == code)
        if every.any():
            few = every & keep
            found.append((status, few if few.any() else every))
    return found


def _look(status: EstimateStatus) -> dict[str, Any]:
    label = status.name.replace("_", " ")
    return {"linestyle": "", "markersize": 3, "alpha": 0.6, "label": label, **LOOKS.get(status, OTHER)}
