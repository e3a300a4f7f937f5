"""A plan as a picture, like Figure 7 of paper 004: who goes where, and how the tether runs."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

from tetherlab.planning.plan import Plan
from tetherlab.planning.problem import Problem
from tetherlab.report.label_places import find_places
from tetherlab.report.style import BLUE, GREEN, GREY, LIGHT_GREY, ORANGE, PURPLE, STYLE, VERMILION, WIDTH

COLORS = (BLUE, GREEN, PURPLE)  # of those that stay on the ground
FLYING = (VERMILION, ORANGE, "#8c510a")
FILLED = 0.87  # share of the figure's width that is the plane


def draw_plan(problem: Problem, plan: Plan) -> Figure:
    """Obstacles, perches, robots, the ways of all steps with their labels, and the tether after each."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, WIDTH * _ratio(problem)), layout="constrained")
        axes = figure.subplots()
        _draw_plane(axes, problem)
        colors = _colors(problem)
        for agent in problem.agents:
            axes.add_patch(
                Circle(agent.start, agent.radius, facecolor=colors[agent.name], alpha=0.35, linewidth=0)
            )
            axes.plot([], [], color=colors[agent.name], label=agent.name)
        for name, (x, z) in problem.goal.items():
            axes.plot(
                x, z, marker="x", color=colors[name], markersize=9, linestyle="none", label=f"goal of {name}"
            )
        if problem.object_at is not None:
            axes.plot(*problem.object_at, marker="s", color=GREY, linestyle="none", label="object")
        _draw_steps(axes, plan, colors)
        _draw_labels(axes, problem, plan, colors)
        axes.set_title(plan.symbols or plan.status.value, fontsize=11)
        figure.legend(loc="outside lower center", ncols=4)
    return figure


def _draw_plane(axes: Axes, problem: Problem) -> None:
    x_min, z_min, x_max, z_max = problem.bounds
    for obstacle in problem.obstacles:
        axes.add_patch(Polygon(list(obstacle), facecolor=LIGHT_GREY, edgecolor=GREY))
    axes.add_patch(
        Polygon([(x_min, z_min), (x_max, z_min), (x_max, z_max), (x_min, z_max)], fill=False, edgecolor=GREY)
    )
    for number, (x, z) in enumerate(problem.perches):
        axes.plot(x, z, marker="v", color=GREY, linestyle="none", label="perch" if number == 0 else None)
    margin = 0.02 * (x_max - x_min)
    axes.set_xlim(x_min - margin, x_max + margin)
    axes.set_ylim(z_min - margin, z_max + margin)
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("z [m]")


def _draw_steps(axes: Axes, plan: Plan, colors: dict[str, str]) -> None:
    for step in plan.steps:
        if step.tether is not None:
            axes.plot(
                *step.tether.T,
                color=GREY,
                linewidth=0.9,
                linestyle=(0, (2, 2)),
                label=_once("tether", axes),
            )
        if abs(step.way - step.way[0]).max() > 1e-6:
            axes.plot(*step.way.T, color=colors[step.agent], linewidth=1.6)
            start, end = step.way[-2], step.way[-1]
            axes.annotate(
                "", end, 0.5 * (start + end), arrowprops={"arrowstyle": "-|>", "color": colors[step.agent]}
            )
        if step.hinge is not None:
            label = _once("hinge", axes)
            axes.plot(*step.hinge, marker="o", color=GREY, markersize=5, linestyle="none", label=label)


def _once(word: str, axes: Axes) -> str | None:
    """For the legend, in which each kind of line stands once."""
    return None if word in (line.get_label() for line in axes.lines) else word


def _draw_labels(axes: Axes, problem: Problem, plan: Plan, colors: dict[str, str]) -> None:
    """The number and label of each step, beside its way."""
    if not plan.steps:
        return
    words = [f"{number}. {step.label}" for number, step in enumerate(plan.steps, 1)]
    outlines = [np.array([*polygon, polygon[0]], float) for polygon in problem.obstacles]
    tethers = [step.tether for step in plan.steps if step.tether is not None]
    inch = (problem.bounds[2] - problem.bounds[0]) / (FILLED * WIDTH)
    places = find_places([s.way for s in plan.steps], words, [*tethers, *outlines], problem.bounds, inch)
    for word, step, (x, z) in zip(words, plan.steps, places, strict=True):
        axes.text(x, z, word, color=colors[step.agent], fontsize=9, ha="center", va="center")


def _colors(problem: Problem) -> dict[str, str]:
    counts = {True: 0, False: 0}
    colors = {}
    for agent in problem.agents:
        palette = FLYING if agent.fly else COLORS
        colors[agent.name] = palette[counts[agent.fly] % len(palette)]
        counts[agent.fly] += 1
    return colors


def _ratio(problem: Problem) -> float:
    x_min, z_min, x_max, z_max = problem.bounds
    return min(max((z_max - z_min) / (x_max - x_min), 0.4), 1.3) + 0.08
