"""Drawing for the examples: runs from the side, and curves over time."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

UAV, UGV, LINE = "#c05a1a", "#1f4e79", "#6b6f76"
COLORS = (UAV, UGV, "#3b7d4f", "#8a5a9e")


def side_view(axes, log, moments):
    """Paths of both vehicles, and the tether at some moments [s]."""
    axes.axhline(0.0, color="#8a8578")
    for vehicle, color in (("uav", UAV), ("ugv", UGV)):
        axes.plot(log[vehicle]["x_m"], log[vehicle]["z_m"], color=color, lw=1, alpha=0.6)
    tether = log["tether"]
    for moment in moments:
        row = int(np.argmin(abs(tether["time_s"] - moment)))
        x, z = (np.array([tether[f"{axis}_{i:02d}_m"][row] for i in range(41)]) for axis in "xz")
        axes.plot(x, z, color=LINE, lw=1.5)
        axes.plot(x[0], z[0], "s", color=UGV, ms=8)
        axes.plot(x[-1], z[-1], "o", color=UAV, ms=8)
        axes.annotate(f"{moment:g} s", (x[-1], z[-1]), (7, 5), textcoords="offset points", size=9)
    axes.set(xlabel="x [m]", ylabel="height [m]", aspect="equal")
    tidy(axes)


def curves(axes, ylabel, named):
    """Curves over time: label -> (times, values)."""
    for color, (label, (times, values)) in zip(COLORS, named.items(), strict=False):
        axes.plot(times, values, color=color, label=label)
    axes.set(xlabel="time [s]", ylabel=ylabel)
    axes.legend(frameon=False)
    tidy(axes)


def tidy(axes):
    """Quiet axes."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="0.92", zorder=0)
    axes.set_axisbelow(True)


def save(figure, name):
    """Write a figure to runs/ and return its path."""
    path = Path("runs") / f"{name}.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path
