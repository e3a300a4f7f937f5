"""Pictures of the mapping study: errors of odometry, a map by its error, what changed between two maps."""

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tetherlab.mapping import Cloud, Difference, MapError
from tetherlab.mapping.face import FacePlane
from tetherlab.report.style import BLUE, STYLE, VERMILION, WIDTH, Line

Array = NDArray[np.float64]
POINTS_MAX = 60_000  # of a cloud that are drawn: finer than a screen is


def draw_odometry(visual: Sequence[Array], fused: Sequence[Array]) -> Figure:
    """Size of the error over the share of the flight that is flown; errors [m], (n, 3) of each flight."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 2.8), layout="constrained")
        axes = figure.subplots()
        for errors, color, name in ((visual, VERMILION, "visual"), (fused, BLUE, "fused")):
            for error in errors:
                share = np.linspace(0.0, 100.0, len(error))
                axes.plot(share, np.linalg.norm(error, axis=1), color=color, linewidth=0.5, alpha=0.35)
            share = np.linspace(0.0, 100.0, 200)
            sizes = [np.interp(share, np.linspace(0, 100, len(e)), np.linalg.norm(e, axis=1)) for e in errors]
            axes.plot(share, np.mean(sizes, axis=0), color=color, linewidth=2.0, label=f"{name}, mean")
        axes.set(xlabel="flown [%]", ylabel="3-D error [m]", ylim=(0.0, None))
        axes.legend()
    return figure


def draw_map_error(cloud: Cloud, error: MapError, plane: FacePlane) -> Figure:
    """The points of a map over its face, by their distance to the true rock; both of the same points."""
    places = plane.inside(cloud.points)
    chosen = np.arange(0, len(places), max(1, len(places) // POINTS_MAX))
    chosen = chosen[np.isfinite(error.distances[chosen])]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(1.2 * WIDTH, 4.0), layout="constrained")
        axes = figure.subplots()
        shown = axes.scatter(
            places[chosen, 0],
            places[chosen, 1],
            c=100.0 * error.distances[chosen],
            s=0.4,
            cmap="RdBu",
            vmin=-5.0,
            vmax=5.0,
            linewidths=0,
            rasterized=True,
        )
        figure.colorbar(shown, label="in front of the rock [cm]", extend="both", shrink=0.8)
        axes.set(xlabel="along the face [m]", ylabel="up [m]", aspect="equal")
        axes.set_title(f"RMS {100.0 * error.rms:.1f} cm", fontsize=10)
    return figure


def draw_changes(difference: Difference, truth: Array | None = None) -> Figure:
    """How much is gone, with what was found; truth: where pieces did fall off [m], (n, 3)."""
    lattice, plane = difference.lattice, difference.face
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(1.2 * WIDTH, 4.0), layout="constrained")
        axes = figure.subplots()
        ends = np.array(lattice.corner) + lattice.cell * np.array(lattice.shape)
        shown = axes.imshow(
            100.0 * difference.lost.T,
            origin="lower",
            extent=(lattice.corner[0], float(ends[0]), lattice.corner[1], float(ends[1])),
            cmap="PuOr_r",
            vmin=-10.0,
            vmax=10.0,
            interpolation="nearest",
        )
        figure.colorbar(shown, label="gone [cm]", extend="both", shrink=0.8)
        if truth is not None:
            places = plane.inside(truth)
            axes.plot(places[:, 0], places[:, 1], "+", color="black", markersize=7, label="fell off")
        if difference.changes:
            places = plane.inside(np.array([change.position for change in difference.changes]))
            ring: Line = {"ls": "", "marker": "o", "mfc": "none", "mec": BLUE, "ms": 13, "mew": 1.5}
            axes.plot(places[:, 0], places[:, 1], label="found", **ring)
        axes.grid(False)
        axes.set(xlabel="along the face [m]", ylabel="up [m]", aspect="equal")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure
