"""Drawing for the examples: the world as the tether feels it, and tethers coloured by their tension."""

from pathlib import Path

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import PowerNorm

SOLID, EDGE = "#d9d5cc", "#8a8578"
BASE, END = "#1f4e79", "#c05a1a"
COLORS = "plasma_r"


def draw_world(axes, world, lower, upper, y=0.0):
    """The cut through the world at a given y, from its distance field; corners are (x, z) [m]."""
    x, z = np.linspace(lower[0], upper[0], 500), np.linspace(lower[1], upper[1], 300)
    points = np.stack(np.meshgrid(x, [y], z, indexing="ij"), axis=-1).reshape(-1, 3)
    distance = world.distance(points).reshape(len(x), len(z)).T
    axes.contourf(x, z, distance, levels=[-1e9, 0.0], colors=[SOLID])
    axes.contour(x, z, distance, levels=[0.0], colors=[EDGE], linewidths=1.0)
    axes.set(xlim=(lower[0], upper[0]), ylim=(lower[1], upper[1]), aspect="equal")
    axes.set(xlabel="x [m]", ylabel="height [m]")


def draw_tether(axes, nodes, tensions, tension_max, *, width=2.6, alpha=1.0):
    """A tether from the side; returns what a colour bar needs."""
    points = np.asarray(nodes)[:, [0, 2]]
    lines = LineCollection(
        np.stack([points[:-1], points[1:]], axis=1),
        array=np.maximum(tensions, 0.0),
        cmap=COLORS,
        norm=PowerNorm(0.5, 0.0, tension_max),
        linewidths=width,
        alpha=alpha,
        capstyle="round",
        zorder=3,
    )
    return axes.add_collection(lines)


def draw_story(name, world, corners, run, moments, phases, carrier="drone"):
    """Shapes of a run at some moments [s], pulls at both ends and length beneath; returns the path.

    run: rows of time, pull at the base, pull at the end, length; and a list of (nodes, tensions).
    phases: name -> start [s].
    """
    import matplotlib.pyplot as plt

    rows, shapes = run
    figure, axes = plt.subplot_mosaic("AA;BC", figsize=(11, 8), height_ratios=(1.9, 1), layout="constrained")
    side, pulls, length = axes["A"], axes["B"], axes["C"]
    draw_world(side, world, *corners)
    tension_max = max(tensions.max() for _, tensions in shapes[:: len(shapes) // 50])
    for moment in moments:
        nodes, tensions = shapes[int(np.argmin(abs(rows[:, 0] - moment)))]
        lines = draw_tether(side, nodes, tensions, tension_max)
        end = nodes[-1, [0, 2]]
        side.plot(*end, "o", ms=8, mfc="w", mec=END, mew=2, zorder=4)
        side.annotate(f"{moment:g} s", end, (9, 5), textcoords="offset points")
    side.plot(*nodes[0, [0, 2]], "s", ms=11, color=BASE, zorder=4)
    side.annotate("winch", nodes[0, [0, 2]], (-12, 0), textcoords="offset points", ha="right", va="center")
    figure.colorbar(lines, ax=side, label="tension [N]", shrink=0.85, pad=0.01)
    pulls.plot(rows[:, 0], rows[:, 1], color=BASE, label="at the winch")
    pulls.plot(rows[:, 0], rows[:, 2], color=END, label=f"at the {carrier}")
    pulls.set(xlabel="time [s]", ylabel="pull [N]", ylim=(0, None))
    pulls.legend(frameon=False)
    length.plot(rows[:, 0], rows[:, 3], color="0.2", lw=2)
    length.set(xlabel="time [s]", ylabel="paid-out length [m]")
    stops = [*list(phases.values())[1:], rows[-1, 0]]
    for index, (label, start, stop) in enumerate(zip(phases, phases.values(), stops, strict=True)):
        for below in (pulls, length):
            below.axvspan(start, stop, color="0.96" if index % 2 else "1.0", zorder=0)
            below.text((start + stop) / 2, 1.02, label, ha="center", color="0.4", size=9,
                       transform=below.get_xaxis_transform())  # fmt: skip
    tidy(pulls, length)
    return save(figure, name)


def draw_curves(axes, ylabel, curves):
    """Curves over time: label -> (times, values)."""
    for color, (label, (times, values)) in zip((END, BASE), curves.items(), strict=False):
        axes.plot(times, values, color=color, label=label)
    axes.set(xlabel="time [s]", ylabel=ylabel)
    axes.legend(frameon=False)
    tidy(axes)


def draw_crates(axes, crates, size):
    """A box and its tether from the side at some moments: (time, nodes, position, rotation_wxyz)."""
    import matplotlib.pyplot as plt
    from matplotlib.patches import Polygon

    corners = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)]) * size[[0, 2]] / 2
    for (time, nodes, position, (w, _, y, _)), shade in zip(
        crates, np.linspace(0.2, 1, len(crates)), strict=True
    ):
        turn, center = 2 * np.arctan2(y, w), position[[0, 2]]  # about the y axis
        R = np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
        color = plt.get_cmap("viridis_r")(shade)
        axes.plot(*nodes.T[[0, 2]], color=color, lw=2)
        axes.add_patch(Polygon(center + corners @ R.T, fc="w", ec=color, lw=2, zorder=3))
        axes.text(*center, f"{time:.1f} s", ha="center", va="center", size=8, zorder=4)


def tidy(*all_axes):
    """Quiet axes."""
    for axes in all_axes:
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="0.92", zorder=0)
        axes.set_axisbelow(True)


def save(figure, name):
    """Write a figure to runs/ and return its path."""
    import matplotlib.pyplot as plt

    path = Path("runs") / f"{name}.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
