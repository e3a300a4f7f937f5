"""Pictures of a localisation study: where the error is, how it is distributed, and the tension meanwhile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from tetherlab.report.style import BLUE, GREY, STYLE, VERMILION, WIDTH

Array = NDArray[np.float64]
CELL = 0.10  # of the map [m]
AXES = "xyz"
FILTERS = {"ekf": "D", "moving_ekf": "d", "learned_ekf": "*"}  # and how they are marked


def draw_error_map(parts: Mapping[str, tuple[Array, Array]]) -> Figure:
    """Mean error over squares of the plan: title -> position (n, 3) and error (n,) [m]."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.6), layout="constrained")
        axes = figure.subplots(1, len(parts), squeeze=False)[0]
        maps = {title: _mean_by_cell(*data) for title, data in parts.items()}
        top = max(float(np.nanmax(mean)) for mean, _ in maps.values())
        for axis, (title, (mean, half)) in zip(axes, maps.items(), strict=True):
            image: Any = axis.imshow(
                mean.T, origin="lower", extent=(-half, half, -half, half), cmap="viridis",
                norm=Normalize(0.0, top), interpolation="nearest",
            )  # fmt: skip
            axis.plot(0.0, 0.0, marker="o", color="black", markersize=4)
            axis.set(title=title, xlabel="x [m]", ylabel="y [m]", aspect="equal")
            axis.grid(False)
        figure.colorbar(image, ax=list(axes), label="mean error [m]", shrink=0.8)
    return figure


def _mean_by_cell(position: Array, error: Array) -> tuple[Array, float]:
    half = np.ceil((np.abs(position[:, :2]).max() + CELL) / CELL) * CELL
    edges = np.linspace(-half, half, round(2 * half / CELL) + 1)
    total, _, _ = np.histogram2d(position[:, 0], position[:, 1], bins=(edges, edges), weights=error)
    count, _, _ = np.histogram2d(position[:, 0], position[:, 1], bins=(edges, edges))
    with np.errstate(invalid="ignore"):
        return total / np.where(count > 0, count, np.nan), float(half)


def draw_distribution(observed: Array, predicted: Array) -> Figure:
    """Errors of samples beside errors drawn from their covariances [m], (n, 3) each."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 2.9), layout="constrained")
        axes = figure.subplots(1, 3, sharey=True)
        for i, axis in enumerate(axes):
            wide = float(np.percentile(np.abs(np.concatenate([observed[:, i], predicted[:, i]])), 99.5))
            bins = np.linspace(-wide, wide, 41)
            axis.hist(observed[:, i], bins, density=True, color=BLUE, alpha=0.5, label="observed")
            axis.hist(predicted[:, i], bins, density=True, histtype="step", color="black", label="predicted")
            axis.set(xlabel=f"error of {AXES[i]} [m]", yticks=[])
        axes[0].set_ylabel("density")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def draw_tension(traces: Mapping[str, Array], set_point: float, band: float) -> Figure:
    """Tension over time [s, N], (n, 2) each, with its band."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 1.9 * len(traces)), layout="constrained")
        axes = figure.subplots(len(traces), 1, squeeze=False, sharey=True)[:, 0]
        for axis, (title, trace) in zip(axes, traces.items(), strict=True):
            axis.axhspan(set_point - band, set_point + band, color=GREY, alpha=0.15, linewidth=0)
            axis.axhline(set_point, color=GREY, linewidth=0.8)
            axis.plot(trace[:, 0], trace[:, 1], color=BLUE, linewidth=0.9)
            axis.set(title=title, ylabel="tension [N]")
        axes[-1].set_xlabel("time [s]")
    return figure


def draw_methods(names: Sequence[str], rows: Sequence[str], errors: Array) -> Figure:
    """RMSE of each method (columns) on each flight (rows) [m], (rows, names); log scale."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 0.34 * len(rows) + 1.6), layout="constrained")
        axis = figure.subplots()
        for j, name in enumerate(names):
            best = FILTERS.get(name)
            color = f"C{j}" if best is None else VERMILION
            marker = "osv^<>pX"[j % 8] if best is None else best
            axis.plot(
                errors[:, j],
                range(len(rows)),
                marker,
                color=color,
                label=name.replace("_", " "),
                clip_on=False,
            )
        axis.set(xscale="log", xlabel="RMSE [m]", yticks=range(len(rows)), yticklabels=list(rows))
        axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.invert_yaxis()
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure
