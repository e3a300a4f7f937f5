"""Supercells as a picture: for each activity where it can go on, one colour for cells that hang together."""

from __future__ import annotations

import math

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from tetherlab.planning.cells import Cells, Labels
from tetherlab.planning.supercells import Activity, Supercells
from tetherlab.report.style import BLUE, GREEN, GREY, LIGHT_GREY, ORANGE, PURPLE, STYLE, VERMILION, WIDTH

COLORS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, "#56B4E9", "#F0E442")
COLUMNS = 4


def draw_supercells(supercells: Supercells) -> Figure:
    """A panel for each partition of the plane; activities that share one stand in its title."""
    panels = _panels(supercells)
    rows = math.ceil(len(panels) / COLUMNS)
    x_min, z_min, x_max, z_max = supercells.team.world.bounds
    tall = 1.5 * WIDTH / COLUMNS * (z_max - z_min) / (x_max - x_min) + 0.3
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(1.5 * WIDTH, rows * tall), layout="constrained")
        all_axes = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
        for axes, (activities, numbers) in zip(all_axes, panels, strict=False):
            _draw(axes, supercells.team.cells, activities, numbers)
        for axes in all_axes[len(panels) :]:
            axes.axis("off")
    return figure


def _panels(supercells: Supercells) -> list[tuple[list[Activity], Labels]]:
    found: dict[bytes, tuple[list[Activity], Labels]] = {}
    for activity, numbers in supercells.parts.items():
        found.setdefault(numbers.tobytes(), ([], numbers))[0].append(activity)
    return list(found.values())


def _draw(axes: Axes, cells: Cells, activities: list[Activity], numbers: Labels) -> None:
    x_min, z_min, x_max, z_max = cells.world.bounds
    for polygon in cells.world.polygons:
        axes.add_patch(Polygon(polygon, facecolor=LIGHT_GREY, edgecolor="none", zorder=0))
    shown = np.ma.masked_less(numbers.reshape(cells.rows, cells.columns), 0) % len(COLORS)
    extent = (x_min, x_min + cells.columns * cells.size, z_min, z_min + cells.rows * cells.size)
    axes.imshow(
        shown, origin="lower", extent=extent, cmap=ListedColormap(COLORS), vmin=-0.5, vmax=len(COLORS) - 0.5,
        alpha=0.55, interpolation="nearest", zorder=1,
    )  # fmt: skip
    for activity in activities:
        if activity.hinge is not None:
            axes.plot(*activity.hinge, "o", color="black", markersize=5, zorder=3, clip_on=False)
    names = ", ".join(dict.fromkeys(activity.label for activity in activities))
    count = int(numbers.max(initial=-1)) + 1
    hinge = activities[0].hinge
    who = activities[0].agent if hinge is None else f"{activities[0].agent} on ({hinge[0]:g}, {hinge[1]:g})"
    axes.set_title(f"{names}, {who}: {count}", fontsize=9)
    axes.set(xlim=(x_min, x_max), ylim=(z_min, z_max), aspect="equal", xticks=[], yticks=[])
    axes.grid(False)
    axes.spines[:].set_visible(True)
    axes.spines[:].set_color(GREY)
