"""How the figures look: labelled, quiet, and told apart without relying on red and green."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from validation.table import FIGURES

# Okabe and Ito's palette, in the order in which it is used, with a marker for each.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "x")
GREY = "#777777"

STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "svg.hashsalt": "tetherlab",  # the same data give the same file
}


@contextmanager
def drawing(file: str, columns: int = 1, width: float = 7.2, height: float = 3.4) -> Iterator[Any]:
    """Axes to draw on (a list if there are several columns); saved to docs/figures on leaving."""
    with plt.rc_context(STYLE):
        picture, axes = plt.subplots(1, columns, figsize=(width, height), layout="constrained")
        yield axes
        FIGURES.mkdir(parents=True, exist_ok=True)
        picture.savefig(FIGURES / file, metadata={"Date": None} if file.endswith("svg") else None)
        plt.close(picture)
