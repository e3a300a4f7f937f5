"""Taut tethers among obstacles as a picture: one colour for each class, hinges as dots."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle
from numpy.typing import NDArray

from tetherlab.planning.cells import Cells
from tetherlab.planning.homotopy import TautTether
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.words import holes_of
from tetherlab.report.style import BLUE, GREEN, GREY, LIGHT_GREY, ORANGE, PURPLE, STYLE, VERMILION, WIDTH

COLORS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE)
STROKES = ("-", (0, (5, 2)), (0, (1, 1.2)))
BESIDE = 0.005  # share of the picture by which tethers lie apart that bend at the same corner


def draw_tethers(world: PlanarWorld, tethers: Sequence[TautTether], cells: Cells | None = None) -> Figure:
    """From the start (circle) to the anchor (square), with the rays that the words count.

    cells: draws them, and fills those at hinges.
    """
    x_min, z_min, x_max, z_max = world.bounds
    height = 0.95 * WIDTH * (z_max - z_min) / (x_max - x_min) + 0.4
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(1.35 * WIDTH, height), layout="constrained")
        axes = figure.subplots()
        _draw_world(axes, world)
        if cells is not None:
            _draw_cells(axes, cells, tethers)
        for k, tether in enumerate(tethers):
            line = tether.points.copy()
            line[1:-1] += BESIDE * (k + 0.5) * (x_max - x_min) * _away(tether)
            color, stroke = COLORS[k % len(COLORS)], STROKES[k // len(COLORS) % len(STROKES)]
            word = " ".join(f"{letter:+d}" for letter in tether.signature) or "none"
            axes.plot(*line.T, color=color, linestyle=stroke, label=f"{tether.length:.2f} m, {word}")
            hinges = line[1:-1][[bend.upper for bend in tether.bends]]
            axes.plot(*hinges.T, "o", color=color, markersize=5)
        if tethers:
            start, anchor = tethers[0].points[0], tethers[0].points[-1]
            axes.plot(*start, "o", color="white", markeredgecolor="black", markersize=7, zorder=5)
            axes.plot(*anchor, "s", color="black", markersize=6, zorder=5)
            axes.legend(title="length, rays crossed", loc="center left", bbox_to_anchor=(1.0, 0.5))
        axes.set(xlim=(x_min, x_max), ylim=(z_min, z_max), aspect="equal", xlabel="x [m]", ylabel="z [m]")
        axes.spines[["top", "right"]].set_visible(True)
    return figure


def _draw_world(axes: Axes, world: PlanarWorld) -> None:
    for polygon in world.polygons:
        axes.add_patch(Polygon(polygon, facecolor=LIGHT_GREY, edgecolor="none"))
    for k, (x, z) in enumerate(holes_of(world).rays, 1):
        axes.plot([x, x], [z, world.bounds[3]], color=GREY, linestyle=":", linewidth=0.8)
        axes.text(x, z, f"{k}", color=GREY, ha="center", va="top")


def _draw_cells(axes: Axes, cells: Cells, tethers: Sequence[TautTether]) -> None:
    """All of them as a raster, and in the colour of a tether those that hold one of its hinges."""
    x_min, z_min, x_max, z_max = cells.world.bounds
    axes.grid(False)
    axes.vlines(x_min + cells.size * np.arange(cells.columns + 1), z_min, z_max, color=GREY, linewidth=0.2)
    axes.hlines(z_min + cells.size * np.arange(cells.rows + 1), x_min, x_max, color=GREY, linewidth=0.2)
    for k, tether in reversed(list(enumerate(tethers))):
        for number, hinge in enumerate(tether.hinges):
            corner = cells.centres[cells.at((hinge[0], hinge[1]))] - 0.5 * cells.size
            color = "white" if number == len(tether.hinges) - 1 else COLORS[k % len(COLORS)]
            axes.add_patch(
                Rectangle(
                    (corner[0], corner[1]), cells.size, cells.size, facecolor=color, edgecolor=GREY,
                    linewidth=0.6, alpha=0.6,
                )
            )  # fmt: skip


def _away(tether: TautTether) -> NDArray[np.float64]:
    """Unit vectors at its bends that point away from the obstacle, (n - 2, 2)."""
    along = np.diff(tether.points, axis=0)
    along /= np.hypot(along[:, 0], along[:, 1])[:, None]
    pull = along[1:] - along[:-1]
    return -pull / np.hypot(pull[:, 0], pull[:, 1])[:, None]
