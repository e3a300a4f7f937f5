"""An error budget as a picture: how far off, and by which sensor, over the plane of the tether."""

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from tetherlab.estimation.design import SENSORS, ErrorBudget
from tetherlab.report.style import BLUE, GREEN, GREY, ORANGE, PURPLE, STYLE, WIDTH

COLORS = (GREEN, PURPLE, BLUE, ORANGE)  # as SENSORS
HATCHES = ("..", "xx", "//", "")  # for a grey print


def draw_budget(budget: ErrorBudget) -> Figure:
    """Deviation on the left, the sensor that dominates on the right."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(1.4 * WIDTH, 5.2), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        _draw_deviation(figure, left, budget)
        _draw_dominant(figure, right, budget)
        weight = budget.sensing.weight
        figure.suptitle(
            f"up to {budget.length:g} m of tether, {budget.tension:g} N at the base, {weight:.3g} N/m",
            size=10,
        )
        for axes in (left, right):
            axes.set(xlabel="horizontal distance from the base [m]", aspect="equal")
            axes.set(xlim=(0.0, budget.length), ylim=(0.0, budget.length))
            axes.grid(False)
            axes.plot(0.0, 0.0, "s", color=GREY, ms=5, clip_on=False)
        left.set_ylabel("height over the base [m]")
    return figure


def _draw_deviation(figure: Figure, axes: Axes, budget: ErrorBudget) -> None:
    shown = np.ma.masked_invalid(100.0 * budget.deviation)
    mesh = axes.pcolormesh(budget.radius, budget.height, shown, cmap="viridis", rasterized=True)
    if shown.max() > shown.min():
        lines = axes.contour(budget.radius, budget.height, shown, colors="white", linewidths=0.8)
        axes.clabel(lines, fmt="%g cm", fontsize=8)
    figure.colorbar(mesh, ax=axes, label="standard deviation of the position [cm]", shrink=0.8)
    axes.set_title("How far off", loc="left", fontweight="bold")


def _draw_dominant(figure: Figure, axes: Axes, budget: ErrorBudget) -> None:
    dominant = np.ma.masked_less(budget.dominant, 0)
    mesh_colors = ListedColormap(COLORS)
    axes.pcolormesh(
        budget.radius, budget.height, dominant, cmap=mesh_colors, vmin=-0.5, vmax=3.5, rasterized=True
    )
    for index, hatch in enumerate(HATCHES):
        if hatch and (dominant == index).any():
            part = np.where(budget.dominant == index, 1.0, 0.0)
            axes.contourf(
                budget.radius, budget.height, part, levels=[0.5, 1.5], colors="none", hatches=[hatch]
            )
    share, area = budget.share, budget.area
    patches = []
    for name, color, hatch in zip(SENSORS, COLORS, HATCHES, strict=True):
        label = f"{name}: {_percent(share[name])} of the variance, leads in {_percent(area[name])}"
        patches.append(Patch(facecolor=color, hatch=hatch, edgecolor="white", label=label))
    figure.legend(handles=patches, loc="outside lower center", ncols=2)
    axes.set_title("By which sensor most", loc="left", fontweight="bold")


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %" if share >= 0.01 or share == 0.0 else "< 1 %"
