"""Where a drone was by its tether: from above, from the side, and how far from the truth over time."""

from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

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
from tetherlab.report.spans import spans
from tetherlab.report.style import BLUE, GREEN, GREY, LIGHT_GREY, ORANGE, PURPLE, STYLE, VERMILION
from tetherlab.report.thin import thin_series

Array = NDArray[np.float64]
Rows = NDArray[np.bool_]
ENDINGS = (".svg", ".png", ".pdf")
POINTS = 1500  # of the path that are drawn
POINTS_FEWEST = 20  # of a piece of a line between two gaps
ELLIPSES = 20  # along the path
ELLIPSE: Any = {"color": VERMILION, "linewidth": 1.0}
GAP = 1.0  # without data for longer than this, and than GAP_STEPS usual steps, a line is broken [s]
GAP_STEPS = 5.0
LONELY = 0.01  # share of the rows, one at least, that may be left outside the picture ...
FAR = 10.0  # ... where they are so many times farther than all others
STRIP = (-0.065, 0.05)  # of the statuses: bottom and height, in heights of the panel

# How each status looks, no two alike; what cannot be flown by has a mark of its own.
LOOKS: dict[EstimateStatus, dict[str, Any]] = {
    EstimateStatus.OK: {"color": BLUE, "marker": "."},
    EstimateStatus.UNSURE: {"color": GREEN, "marker": "."},
    EstimateStatus.OUTSIDE_TRAINING: {"color": ORANGE, "marker": "."},
    EstimateStatus.MISSING: {"color": LIGHT_GREY, "marker": "s"},
    EstimateStatus.STALE: {"color": GREY, "marker": "D"},
    EstimateStatus.SATURATED: {"color": "#56B4E9", "marker": "+"},
    EstimateStatus.SLACK: {"color": "#F0E442", "marker": "s"},
    EstimateStatus.GROUND: {"color": "#8B5A2B", "marker": "v"},
    EstimateStatus.WRAPPED: {"color": PURPLE, "marker": "x"},
    EstimateStatus.NO_SUCH_TETHER: {"color": "black", "marker": "d"},
    EstimateStatus.CANNOT_SAY: {"color": "#5B2C83", "marker": "*"},
    EstimateStatus.FAULT: {"color": VERMILION, "marker": "x"},
}


def check_ending(path: Path) -> None:
    """Whether a picture can be written under this name."""
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f"{path}: the name of a figure must end with {', '.join(ENDINGS)}")


def write_figure(
    estimates: Table, path: str | Path, truth: Array | None = None, base: Array | None = None
) -> Path:
    """Write the figure as SVG, PNG or PDF.

    truth, base: where the drone and where the base was beside each estimate [m], (n, 3), may be NaN; a base
    that is never told stands at the origin.
    """
    path = Path(path)
    check_ending(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({**STYLE, "figure.facecolor": "white", "axes.xmargin": 0.03}):
        figure = draw_localisation(estimates, truth, base)
        with replacing(path, binary=True) as file:
            figure.savefig(file, format=path.suffix[1:].lower(), dpi=150)
    return path


class _Drawn(NamedTuple):
    """What is drawn, in the order of the stamps."""

    time: Array  # [s], (n,)
    codes: Array  # of the statuses, (n,)
    positions: Array  # [m], (n, 3)
    matrices: Array  # covariances [m^2], (n, 3, 3)
    truth: Array  # [m], (n, 3)
    base: Array  # [m], (m, 3), m > 0
    framed: Rows  # by which the axes are chosen, (n,)

    @classmethod
    def of(cls, estimates: Table, truth: Array | None, base: Array | None) -> "_Drawn":
        order = np.argsort(estimates["stamp_s"], kind="stable")
        positions = estimates.rows(*POSITION)[order]
        unknown = np.full_like(positions, np.nan)
        stood = (unknown if base is None else base)[order]
        stood = stood[_finite(stood)]
        stood = stood[_near(stood)] if len(stood) else np.zeros((1, 3))
        codes = estimates["status"][order]
        known = _finite(positions)
        usable = known & np.isin(codes, [code for code, status in enumerate(STATUSES) if status.usable])
        framed = usable if usable.any() else known
        framed[framed] = _near(positions[framed], np.median(stood, axis=0))
        return cls(
            estimates["stamp_s"][order],
            codes,
            positions,
            covariances(estimates)[order],
            (unknown if truth is None else truth)[order],
            stood,
            framed,
        )

    @property
    def outside(self) -> int:
        """How many positions the picture leaves out."""
        low, high = self.box
        with np.errstate(invalid="ignore"):
            beyond = ((self.positions < low) | (self.positions > high)).any(axis=1)
        return int(np.sum(beyond & ~self.framed & _finite(self.positions)))

    @property
    def box(self) -> tuple[Array, Array]:
        """The lowest and the highest corner of what must be seen [m], (3,) each."""
        true = self.truth[_finite(self.truth)]
        true = true[_near(true, np.median(self.base, axis=0))]
        points = np.concatenate((self.base, self.positions[self.framed], true))
        low, high = points.min(axis=0), points.max(axis=0)
        some = self.some
        reach = 2.0 * np.sqrt(np.maximum(np.diagonal(self.matrices[some], axis1=1, axis2=2), 0.0))
        reach = np.minimum(np.nan_to_num(reach), max(float((high - low).max()), 1.0))
        ends = np.concatenate((self.positions[some] - reach, self.positions[some] + reach, points))
        low, high = ends.min(axis=0), ends.max(axis=0)
        margin = 0.05 * max(float((high - low).max()), 0.1)
        return low - margin, high + margin

    @property
    def some(self) -> NDArray[np.intp]:
        """Rows that get an ellipse."""
        rows = np.flatnonzero(self.framed)
        return rows[np.linspace(0, len(rows) - 1, min(ELLIPSES, len(rows))).astype(int)]


def draw_localisation(estimates: Table, truth: Array | None = None, base: Array | None = None) -> Figure:
    """The same, drawn."""
    drawn = _Drawn.of(estimates, truth, base)
    figure = Figure(figsize=(10.0, 8.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1.5, 1.0))
    above, side = figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[0, 1])
    outside = drawn.outside
    left_out = f" ({outside} position{'s' * (outside > 1)} outside the picture)" if outside else ""
    _draw_plane(above, drawn, (0, 1), f"from above{left_out}")
    low, high = drawn.box
    _draw_plane(side, drawn, (int(np.argmax((high - low)[:2])), 2), "from the side")
    _draw_time(figure.add_subplot(grid[1, :]), drawn)
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(handles.values(), handles.keys(), loc="outside upper left", ncols=4, markerscale=1.6)
    return figure


def _draw_plane(axes: Axes, drawn: _Drawn, shown: tuple[int, int], title: str) -> None:
    a, b = shown
    low, high = drawn.box
    known = _finite(drawn.truth)
    if known.any():
        cuts = _pieces(drawn.time[known])
        path = drawn.truth[known][:, [a, b]]
        _plot_pieces(axes, [path[cut] for cut in cuts], color="black", linewidth=1.0, zorder=3, label="truth")
    for status, chosen in _by_status(drawn.codes, _finite(drawn.positions)):
        axes.plot(drawn.positions[chosen, a], drawn.positions[chosen, b], **_look(status))
    for index in drawn.some:
        _draw_ellipse(axes, drawn.positions[index, [a, b]], drawn.matrices[index][np.ix_(shown, shown)])
    axes.plot([], [], label="2 standard deviations, at some moments", **ELLIPSE)
    axes.plot(drawn.base[:, a], drawn.base[:, b], color="black", linewidth=2.0, alpha=0.4, zorder=2)
    look: Any = {"color": "black", "marker": "^", "linestyle": "", "markersize": 6, "zorder": 4}
    axes.plot(*drawn.base[-1, [a, b]], label="base", **look)
    axes.set(xlabel=f"{'xyz'[a]} [m]", ylabel=f"{'xyz'[b]} [m]")
    axes.dataLim.set_points(np.array((low[[a, b]], high[[a, b]])))  # whatever else was plotted
    axes.margins(0.0)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_title(title, fontsize=10, loc="left")


def _draw_ellipse(axes: Axes, middle: Array, matrix: Array) -> None:
    """The line round 2 standard deviations in each direction."""
    if not np.isfinite(matrix).all():
        return
    squares, directions = np.linalg.eigh(matrix)
    width, height = 4.0 * np.sqrt(np.maximum(squares, 0.0))
    turn = np.degrees(np.arctan2(directions[1, 0], directions[0, 0]))
    axes.add_patch(Ellipse(tuple(middle), width, height, angle=turn, fill=False, zorder=4, **ELLIPSE))


def _draw_time(axes: Axes, drawn: _Drawn) -> None:
    """Error and what was expected of it, and below them the statuses."""
    time, codes = drawn.time, drawn.codes
    error = np.linalg.norm(drawn.positions - drawn.truth, axis=1)
    expected = np.sqrt(np.trace(drawn.matrices, axis1=1, axis2=2))
    highest = 0.0
    for label, values, style in (
        ("error", error, {"color": GREY, "linewidth": 0.8}),
        ("expected error (root mean square)", expected, {"color": VERMILION}),
    ):
        known = np.isfinite(values)
        if known.any():
            cuts = _pieces(time[known])
            few = max(POINTS // len(cuts), POINTS_FEWEST)
            thin = [thin_series(time[known][cut], values[known][cut], few) for cut in cuts]
            _plot_pieces(axes, [np.column_stack(piece) for piece in thin], label=label, **style)
            highest = max(highest, float(values[known & drawn.framed].max(initial=0.0)))
    steps = np.diff(time)
    usual = float(np.median(steps)) if len(steps) else 0.0
    held = np.append(np.where(steps > _gap(time), usual, steps), usual)
    place = axes.get_xaxis_transform()
    for status, chosen in _by_status(codes, np.ones(len(time), bool)):
        every = codes == STATUSES.index(status)
        color, order = LOOKS[status]["color"], 3 if status.usable else 4  # a short failure stays visible
        bars: Any = {"color": color, "linewidth": 0, "clip_on": False, "transform": place, "zorder": order}
        axes.broken_barh(spans(time, held, every), STRIP, **bars)
        if not _finite(drawn.positions)[chosen].any():
            axes.plot([], [], **_look(status))  # for the legend
    margin = 0.03 * max(float(time[-1] - time[0]), 0.1)
    known = bool(_finite(drawn.truth).any())
    axes.set(xlabel="time [s]", ylabel="error of the position [m]" if known else "error as expected [m]")
    axes.set(xlim=(time[0] - margin, time[-1] + margin), ylim=(0.0, 1.05 * highest or 1.0))
    middle = STRIP[0] + 0.5 * STRIP[1]
    axes.text(1.0, middle, "status", transform=axes.transAxes, ha="left", va="center", color=GREY, fontsize=8)
    axes.tick_params(axis="x", pad=12)


def _finite(points: Array) -> Rows:
    return np.asarray(np.isfinite(points).all(axis=1))


def _near(points: Array, middle: Array | None = None) -> Rows:
    """All but a few that are very much farther from the middle than the others."""
    if len(points) < 3:
        return np.ones(len(points), bool)
    away = np.linalg.norm(points - (np.median(points, axis=0) if middle is None else middle), axis=1)
    usual = np.sort(away)[-1 - max(1, int(LONELY * len(points)))]
    return np.asarray(away <= max(FAR * usual, 1.0))


def _gap(time: Array) -> float:
    """How long nothing may be told in a line without a break [s]."""
    steps = np.diff(time)
    return max(GAP, GAP_STEPS * float(np.median(steps))) if len(steps) else GAP


def _pieces(time: Array) -> list[slice]:
    """The rows between gaps."""
    starts = [0, *(1 + np.flatnonzero(np.diff(time) > _gap(time))).tolist(), len(time)]
    return [slice(start, end) for start, end in pairwise(starts)]


def _plot_pieces(axes: Axes, pieces: list[Array], **style: Any) -> None:
    """One line with breaks, from points (n, 2) each; a point alone is a dot."""
    broken = np.concatenate([part for piece in pieces for part in (piece, np.full((1, 2), np.nan))])
    axes.plot(broken[:, 0], broken[:, 1], **style)
    alone = np.array([piece[0] for piece in pieces if len(piece) == 1]).reshape(-1, 2)
    if len(alone):
        dots = {**style, "label": None, "linestyle": "", "marker": ".", "markersize": 3}
        axes.plot(alone[:, 0], alone[:, 1], **dots)


def _by_status(codes: Array, wanted: Rows) -> list[tuple[EstimateStatus, Rows]]:
    """Statuses that occur, and some of their rows, thinned to what a picture can show."""
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
    return {"linestyle": "", "markersize": 3, "alpha": 0.6, "label": label, **LOOKS[status]}
