"""Where the vehicles and the tether were: in space, from above and from the side."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.metrics.read import Array, MissingError, path, rows, stations
from tetherlab.metrics.scene import is_scene, scene_bodies, scene_tethers
from tetherlab.report.graphs import safe
from tetherlab.report.style import BARK, BLUE, GREEN, GREY, LIGHT_GREY, PURPLE, VERMILION
from tetherlab.report.thin import thin_path
from tetherlab.world.hoop import hoop
from tetherlab.world.shapes import Capsule

TETHERS = 14  # shapes of the tether along the way
SMALLEST_SIDE = 0.5  # of the box round everything [m]
SMALLEST_RATIO = 0.3  # of its shortest to its longest side

STYLES: tuple[dict[str, Any], ...] = (
    {"uav": {"color": BLUE}, "ugv": {"color": GREEN}, "robot": {"color": BLUE}},
    {
        "uav": {"color": VERMILION, "linestyle": (0, (4, 2))},
        "robot": {"color": VERMILION, "linestyle": (0, (4, 2))},
        "ugv": {"color": PURPLE, "linestyle": (0, (4, 2))},
    },
)


COLORS = (BLUE, VERMILION, GREEN, PURPLE, BARK, GREY)  # of the bodies of a scene


class Curve(NamedTuple):
    """Points to be joined or marked, and how."""

    points: Array  # [m], (n, 3)
    style: dict[str, Any]


def draw_paths(runs: dict[str, Log]) -> Figure | None:
    """The paths of one or two named runs; None if they hold no position."""
    curves = [curve for (name, log), styles in zip(runs.items(), STYLES, strict=False)
              for curve in _curves(name if len(runs) > 1 else "", log, styles)]  # fmt: skip
    if not any("label" in curve.style for curve in curves):
        return None
    lower = np.min([curve.points.min(axis=0) for curve in curves], axis=0)
    upper = np.max([curve.points.max(axis=0) for curve in curves], axis=0)
    middle, half = 0.5 * (lower + upper), 0.54 * (upper - lower)
    # A hover or a straight climb would leave no room for the labels of a thin box.
    half = np.maximum(half, max(SMALLEST_RATIO * half.max(), 0.5 * SMALLEST_SIDE))
    limits = np.column_stack((middle - half, middle + half))
    figure = Figure(figsize=(11.0, 5.6), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.25, 1.0), height_ratios=(1.0, 1.0))
    _draw_space(figure.add_subplot(grid[:, 0], projection="3d"), curves, limits)
    _draw_plane(figure.add_subplot(grid[0, 1]), curves, limits, (0, 1), "from above")
    along = 0 if half[0] >= half[1] else 1
    _draw_plane(figure.add_subplot(grid[1, 1]), curves, limits, (along, 2), "from the side")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(len(labels), 6 if len(runs) == 1 else 3)
    )
    return figure


def _curves(name: str, log: Log, styles: dict[str, Any]) -> Iterator[Curve]:
    ending = f", {safe(name)}" if name else ""
    if not name:
        for number, name in enumerate(scene_tethers(log) if is_scene(log) else ("tether",)):
            yield from _tethers(log, name, labelled=number == 0)
        yield from _obstacles(log)
        yield from _targets(log)
    words = {"uav": "UAV", "ugv": "UGV", "robot": "robot, where its tether leaves it"}
    if is_scene(log):
        words = {name: safe(name) for name in scene_bodies(log)}
        dashes = {key: value for key, value in styles["uav"].items() if key != "color"}
        styles = {name: {"color": COLORS[k % len(COLORS)], **dashes} for k, name in enumerate(words)}
    for vehicle, word in words.items():
        try:
            points = thin_path(path(log, vehicle))
        except MissingError:
            continue
        style = {"linewidth": 1.6, **styles[vehicle]}
        yield Curve(points, {**style, "label": f"{word}{ending}"})
        yield Curve(points[:1], {**style, "marker": "o", "markersize": 5})


def _tethers(log: Log, name: str, *, labelled: bool) -> Iterator[Curve]:
    try:
        table = log[name]
        keep = np.zeros(len(table), bool)
        keep[np.linspace(0, len(table) - 1, TETHERS).astype(int)] = True
        some = Log({"tether": table.mask(keep)})
        shapes = np.concatenate([points for _, points in stations(some)])
    except InputError:
        return
    for number, shape in enumerate(shapes):
        style = {"color": LIGHT_GREY, "linewidth": 0.8, "zorder": 1}
        yield Curve(shape, {**style, "label": "tether at some moments"} if labelled and not number else style)


def _obstacles(log: Log) -> Iterator[Curve]:
    """Branches at rest, and hoops, of a robot in the canopy."""
    canopy, world = (log.scenario.get(key) for key in ("canopy", "world"))
    style = {"color": BARK, "linewidth": 2.4, "zorder": 2}
    branches = canopy.get("branches", ()) if isinstance(canopy, dict) else ()
    for k, branch in enumerate(branches):
        line = np.array([branch["root_m"], branch["tip_m"]], float)
        yield Curve(line, style if k else {**style, "label": "branches at rest"})
    shapes = world.get("shapes", ()) if canopy and isinstance(world, dict) else ()
    for shape in shapes:
        if shape.get("type") == "hoop" and "place" not in shape:
            given = {key.removesuffix("_m"): value for key, value in shape.items() if key != "type"}
            corners = [part.start for part in hoop(**given).shapes if isinstance(part, Capsule)]
            ring = np.array([*corners, corners[0]])
            yield Curve(ring, {**style, "color": GREY, "linewidth": 1.6, "label": "hoop"})


def _targets(log: Log) -> Iterator[Curve]:
    try:
        points = rows(log, "targets", "uav_x_m", "uav_y_m", "uav_z_m")
    except MissingError:
        return
    style = {"color": "black", "linestyle": "", "marker": "x", "markersize": 4, "markeredgewidth": 0.8}
    yield Curve(points, {**style, "label": "targets of the UAV", "zorder": 2})


def _draw_space(axes: Any, curves: list[Curve], limits: Array) -> None:
    for curve in curves:
        axes.plot(*curve.points.T, **curve.style)
    sides = np.ptp(limits, axis=1)
    axes.set_box_aspect(sides, zoom=0.92)
    for letter, limit, share in zip("xyz", limits, sides / sides.max(), strict=True):
        axes.set(**{f"{letter}lim": limit, f"{letter}label": f"{letter} [m]"})
        axis = getattr(axes, f"{letter}axis")
        axis.set_major_locator(MaxNLocator(round(1 + 4 * share), steps=(1, 2, 5, 10)))
        axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
    axes.view_init(elev=24, azim=-58)


def _draw_plane(axes: Any, curves: list[Curve], limits: Array, shown: tuple[int, int], title: str) -> None:
    for curve in curves:
        axes.plot(curve.points[:, shown[0]], curve.points[:, shown[1]], **curve.style)
    # Wider limits than these are chosen where equal scales need them.
    axes.update_datalim(limits[list(shown)].T)
    axes.autoscale_view()
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(f"{'xyz'[shown[0]]} [m]")
    axes.set_ylabel(f"{'xyz'[shown[1]]} [m]")
    axes.set_title(title, fontsize=10, loc="left")
