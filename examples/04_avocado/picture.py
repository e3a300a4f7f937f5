"""Drawing for the examples of AVOCADO."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

COLORS = {"paper": "#c05a1a", "model": "#1f4e79"}


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


def draw(runs, wanted):
    """Theta, heading and thrust of several runs beside what was wanted; returns the path of the picture."""
    figure, axes = plt.subplots(3, 1, figsize=(8.0, 6.4), sharex=True, layout="constrained")
    time = next(iter(runs.values())).time
    reference = np.array([wanted(moment)[:3] for moment in time])
    for axis, column in ((axes[0], 1), (axes[1], 2)):
        axis.plot(time, np.degrees(reference[:, column]), color="0.6", linewidth=3, label="wanted")
    for name, run in runs.items():
        color = COLORS[name]
        axes[0].plot(run.time, np.degrees(run.theta), color=color, label=name)
        axes[1].plot(run.time, np.degrees(run.heading), color=color)
        axes[2].step(run.time[:-1], run.commands[:, 1], color=color, linewidth=0.8, where="post")
    for axis, label in zip(axes, ("tether θ [°]", "heading Ω [°]", "thrust [N]"), strict=True):
        axis.set_ylabel(label)
        tidy(axis)
    axes[0].legend(loc="upper left")
    axes[2].set_xlabel("time [s]")
    return save(figure, "step_and_turn")
