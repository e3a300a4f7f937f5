"""Pictures of the mapping study: errors of odometry, a map by its error, what changed between two maps."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from numpy.typing import NDArray

from tetherlab.mapping import Cloud, Difference, MapError
from tetherlab.mapping.face import FacePlane, Lattice
from tetherlab.report.style import BLUE, STYLE, VERMILION, WIDTH, Line

Array = NDArray[np.float64]
CELL = 0.05  # of a map that is drawn [m]


def draw_odometry(visual: Sequence[Array], fused: Sequence[Array]) -> Figure:
    """Size of the error over the share of the flight that is flown; errors [m], (n, 3) of each flight."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 2.8), layout="constrained")
        axes = figure.subplots()
        for errors, color, name in ((visual, VERMILION, "visual"), (fused, BLUE, "fused")):
            share = np.linspace(0.0, 100.0, 200)
            sizes = [np.interp(share, np.linspace(0, 100, len(e)), np.linalg.norm(e, axis=1)) for e in errors]
            for size in sizes:
                axes.plot(share, size, color=color, linewidth=0.5, alpha=0.35)
            axes.plot(share, np.mean(sizes, axis=0), color=color, linewidth=2.0, label=f"{name}, mean")
        axes.set(xlabel="flown [%]", ylabel="3-D error [m]", ylim=(0.0, None))
        axes.legend()
    return figure


def draw_map_error(cloud: Cloud, error: MapError, plane: FacePlane) -> Figure:
    """A map over its face by the distance of its points to the true rock; both of the same points."""
    known = np.isfinite(error.distances)
    places = plane.inside(cloud.points[known])[:, :2]
    lattice = Lattice.over(places, CELL)
    index = np.floor((places - np.array(lattice.corner)) / CELL).astype(int)
    key = index[:, 0] * lattice.shape[1] + index[:, 1]
    counts = np.bincount(key, minlength=lattice.shape[0] * lattice.shape[1])
    total = np.bincount(key, error.distances[known], len(counts))
    means = np.where(counts > 0, total / np.maximum(counts, 1), np.nan).reshape(lattice.shape)
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(1.2 * WIDTH, 4.0), layout="constrained")
        axes = figure.subplots()
        shown = _show(axes, means, lattice, "RdBu", 5.0)
        figure.colorbar(shown, label="in front of the rock [cm]", extend="both", shrink=0.8)
        axes.set_title(f"RMS {100.0 * error.rms:.1f} cm", fontsize=10)
    return figure


def draw_changes(difference: Difference, truth: Array | None = None) -> Figure:
    """How much is gone, with what was found; truth: where pieces did fall off [m], (n, 3)."""
    lattice, plane = difference.lattice, difference.face
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(1.2 * WIDTH, 4.0), layout="constrained")
        axes = figure.subplots()
        shown = _show(axes, difference.lost, lattice, "PuOr_r", 10.0)
        figure.colorbar(shown, label="gone [cm]", extend="both", shrink=0.8)
        if truth is not None:
            places = plane.inside(truth)
            axes.plot(places[:, 0], places[:, 1], "+", color="black", markersize=7, label="fell off")
        if difference.changes:
            places = plane.inside(np.array([change.position for change in difference.changes]))
            ring: Line = {"ls": "", "marker": "o", "mfc": "none", "mec": BLUE, "ms": 13, "mew": 1.5}
            axes.plot(places[:, 0], places[:, 1], label="found", **ring)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def _show(axes: Axes, values: Array, lattice: Lattice, colors: str, limit: float) -> AxesImage:
    """Values of a lattice [m] as a picture of the face, colours up to a limit [cm]."""
    (left, low), cell = lattice.corner, lattice.cell
    axes.grid(False)
    axes.set(xlabel="along the face [m]", ylabel="up [m]")
    return axes.imshow(
        100.0 * values.T,
        origin="lower",
        extent=(left, left + cell * lattice.shape[0], low, low + cell * lattice.shape[1]),
        cmap=colors,
        vmin=-limit,
        vmax=limit,
        interpolation="nearest",
    )
