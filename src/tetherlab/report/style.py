"""How the figures look: labelled, quiet, and told apart without relying on red and green."""

from typing import Any

Line = dict[str, Any]  # how matplotlib is to draw a line

# Okabe and Ito's palette.
BLUE, VERMILION, GREEN, PURPLE, ORANGE = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"
GREY, LIGHT_GREY = "#6b6b6b", "#b9bec4"
BARK = "#8b6542"  # of branches

# Two runs differ by colour and by stroke, so that a grey print shows which is which.
THIS_RUN: Line = {"color": BLUE, "linestyle": "-"}
OTHER_RUN: Line = {"color": VERMILION, "linestyle": (0, (4, 2))}
CONTEXT: tuple[Line, ...] = (
    {"color": GREY, "linestyle": (0, (1, 1.4))},
    {"color": GREEN, "linestyle": (0, (5, 1.5, 1, 1.5))},
)
LIMIT: Line = {"color": PURPLE, "linestyle": (0, (6, 2)), "linewidth": 1.2}

WIDTH = 7.2  # of a figure [inch]

STYLE = {
    "font.size": 10,
    "font.family": ["DejaVu Sans"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.axisbelow": True,
    "axes.xmargin": 0.0,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.4,
    "lines.solid_capstyle": "round",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "svg.fonttype": "none",  # text stays text: it can be searched and read aloud
    "path.simplify_threshold": 0.2,
}
