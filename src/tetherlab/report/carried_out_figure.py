"""A plan beside what came of it, like Figure 7 of paper 004: ways of UAV and UGV, and the tether."""

from __future__ import annotations

from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from tetherlab.contracts.columns import STATIONS
from tetherlab.contracts.log import Log
from tetherlab.planning.plan import Plan
from tetherlab.planning.problem import Problem
from tetherlab.report.style import BLUE, GREEN, GREY, LIGHT_GREY, STYLE, VERMILION, WIDTH

PLANNED = (0, (3, 2))


class CarriedOutPlan(NamedTuple):
    """What a run carried out, for its report."""

    problem: Problem
    plan: Plan
    lift: float = 0.0  # of the UAV's disc above its centre of mass [m]

    def draw(self, log: Log) -> Figure:
        """Beside what came of it."""
        return draw_carried_out(self.problem, self.plan, log, self.lift)


def draw_carried_out(problem: Problem, plan: Plan, log: Log, lift: float = 0.0) -> Figure:
    """lift: of the UAV's disc above its centre of mass [m]."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 4.4), layout="constrained")
        grid = figure.add_gridspec(2, 2, width_ratios=(1.6, 1.0))
        plane = figure.add_subplot(grid[:, 0])
        _draw_plane(plane, problem)
        _draw_ways(plane, problem, plan, log, lift)
        plane.set_title(plan.symbols, fontsize=11)
        times = log["winch"]["time_s"]
        length, tension = figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, 1])
        length.plot(times, log["winch"]["length_m"], color=GREY)
        length.set_ylabel("tether out [m]")
        tension.plot(times, log["winch"]["tension_N"], color=BLUE, linewidth=0.6)
        tension.set(xlabel="time [s]", ylabel="tension at the winch [N]")
        for axes in (length, tension):
            _mark_steps(axes, log)
        figure.legend(loc="outside lower center", ncols=6)
    return figure


def _draw_plane(axes: Axes, problem: Problem) -> None:
    x_min, z_min, x_max, z_max = problem.bounds
    for obstacle in problem.obstacles:
        axes.add_patch(Polygon(np.array(obstacle), facecolor=LIGHT_GREY, edgecolor=GREY))
    for number, (x, z) in enumerate(problem.perches):
        label = "perch" if number == 0 else None
        axes.plot(x, z, marker="v", color=GREY, linestyle="none", label=label)
    for name, (x, z) in problem.goal.items():
        color = VERMILION if problem.agent(name).fly else BLUE
        axes.plot(x, z, marker="x", color=color, markersize=9, linestyle="none", label=f"goal of {name}")
    axes.set(xlim=(x_min, x_max), ylim=(z_min, z_max), aspect="equal", xlabel="x [m]", ylabel="z [m]")


def _mark_steps(axes: Axes, log: Log) -> None:
    """When each began; a label stands where there is room for it."""
    free = -1.0
    for event in log.events:
        if event.kind == "step":
            axes.axvline(event.time, color=LIGHT_GREY, linewidth=0.8)
            if event.time > free:
                free = event.time + 0.06 * log.duration
                label = event.sentence.partition(":")[0]
                where = ("data", "axes fraction")
                axes.annotate(label, (event.time, 1.0), xycoords=where, fontsize=7, va="bottom")


def _draw_ways(axes: Axes, problem: Problem, plan: Plan, log: Log, lift: float) -> None:
    """As planned, dashed, and as they were; the tether where a step ends."""
    flying = {agent.name for agent in problem.agents if agent.fly}
    hoisted = {agent.name for agent in problem.agents if agent.winch is not None}
    for step in plan.steps:
        color = VERMILION if step.agent in flying else BLUE if step.agent in hoisted else GREEN
        axes.plot(*step.way.T, color=color, linestyle=PLANNED, linewidth=0.9)
    axes.plot([], [], color=GREY, linestyle=PLANNED, linewidth=0.9, label="as planned")
    for column, names, color, up in (("uav", flying, VERMILION, lift), ("ugv", hoisted, BLUE, 0.0)):
        label = " and ".join(sorted(names))
        axes.plot(log[column]["x_m"], log[column]["z_m"] + up, color=color, label=label)
    tether, times = log["tether"], log["tether"]["time_s"]
    latched = [event.time for event in log.events if event.kind == "perch"]
    ends = [event.time for event in log.events if event.kind in ("step", "outcome")]
    for end in ends:
        if latched and end > latched[0]:
            row = max(int(np.searchsorted(times, end)) - 1, 0)
            x, z = ([tether[f"{axis}_{station}_m"][row] for station in STATIONS] for axis in "xz")
            axes.plot(x, z, color=GREY, linewidth=0.8, label="tether" if end == ends[-1] else None)
