"""Drawing for the examples of AVOCADO."""

from pathlib import Path

import matplotlib.pyplot as plt


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
