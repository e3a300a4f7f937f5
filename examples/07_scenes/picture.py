"""Drawing for the examples of scenes."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

COLORS = ("#1f4e79", "#c05a1a", "#3a7d44", "#7a4b9a")


def tidy(axes):
    """Quiet axes."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="0.92", zorder=0)
    axes.set_axisbelow(True)


def draw(name, shots, tables, across="x"):
    """Tethers at some moments, seen from the side, and tensions over time; returns the path of the picture.

    shots: time -> nodes of each tether (n, 3). tables: name -> table of a tether.
    """
    figure, (side, tension) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    column = "xyz".index(across)
    for k, (time, tethers) in enumerate(shots.items()):
        shade = 0.25 + 0.75 * (k + 1) / len(shots)
        for nodes, color in zip(tethers, COLORS, strict=False):
            side.plot(nodes[:, column], nodes[:, 2], color=color, alpha=shade)
            side.plot(nodes[[0, -1], column], nodes[[0, -1], 2], "o", color=color, alpha=shade, markersize=4)
        side.annotate(
            f"{time:g} s", (nodes[-1, column], nodes[-1, 2]), xytext=(4, 6), textcoords="offset points"
        )
    side.axhline(0.0, color="0.4", linewidth=1.0)
    side.set(xlabel=f"{across} [m]", ylabel="z [m]", aspect="equal")
    for (label, table), color in zip(tables.items(), COLORS, strict=False):
        force = np.sqrt(sum(table[f"force_start_{axis}_N"] ** 2 for axis in "xyz"))
        tension.plot(table["time_s"], force, color=color, label=label)
    tension.set(xlabel="time [s]", ylabel="tension at the start [N]", ylim=(0.0, None))
    tension.legend(frameon=False)
    for axes in (side, tension):
        tidy(axes)
    path = Path("runs") / f"{name}.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
