"""Pictures of AVOCADO: at rest, swinging, turning over, and following references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tetherlab.report.style import BLUE, GREEN, GREY, LIMIT, ORANGE, PURPLE, STYLE, VERMILION, WIDTH, Line

Array = NDArray[np.float64]
COLORS = (BLUE, GREEN, ORANGE, VERMILION, PURPLE, "black")
STROKES = ("-", (0, (4, 2)))
WANTED: Line = {"color": GREY, "linewidth": 0.9, "linestyle": (0, (1, 1.2))}


def draw_quasi_static(curves: Mapping[str, Array]) -> Figure:
    """Angles at rest over thrust: title -> share of the weight, theta and phi [deg], (n, 3)."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 2.9), layout="constrained")
        all_axes = figure.subplots(1, len(curves), sharey=True, squeeze=False)[0]
        for axes, (title, curve) in zip(all_axes, curves.items(), strict=True):
            share, theta, phi = curve.T
            for angle, name, color in (
                (theta + phi, "pitch θ + φ", GREY),
                (theta, "tether θ", BLUE),
                (phi, "robot from tether φ", VERMILION),
            ):
                axes.plot(share, angle, color=color, label=name)
            axes.set(title=title, xlabel="thrust / weight")
        all_axes[0].set_ylabel("angle at rest [deg]")
        figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def draw_swing(time: Array, theta: Array, phi: Array) -> Figure:
    """A passive swing: theta, and phi without its own oscillation [deg], (n,) each."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
        upper, lower = figure.subplots(2, 1, sharex=True)
        upper.plot(time, theta, color=BLUE, linewidth=0.9)
        upper.set_ylabel("θ [deg]")
        lower.plot(time, phi, color=VERMILION, linewidth=0.9)
        lower.set(ylabel="φ, slow part [deg]", xlabel="time [s]")
    return figure


def draw_thrust_steps(traces: Mapping[float, Array], critical: float) -> Figure:
    """Pitch after steps of thrust [N]: time [s], pitch [deg], (n, 2); critical: where it fails [N]."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 2.8), layout="constrained")
        axes = figure.subplots()
        for (thrust, trace), color in zip(traces.items(), COLORS, strict=False):
            axes.plot(trace[:, 0], trace[:, 1], color=color, label=f"{thrust:.3g} N")
        axes.axhline(90.0, **LIMIT)
        axes.set(
            xlabel="time after the step [s]", ylabel="pitch θ + φ [deg]", xlim=(0.0, 8.0), ylim=(0.0, 120.0)
        )
        axes.set_title(f"turns over from {critical:.2f} N on, within 20 s", fontsize=10)
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def draw_steps(traces: Mapping[str, Mapping[float, Array]], times: Array, wanted: Array) -> Figure:
    """Steps at several lengths: controller -> length [m] -> time [s], theta, phi, heading [deg], (n, 4)."""
    with matplotlib.rc_context(STYLE):
        lengths = list(next(iter(traces.values())))
        figure = Figure(figsize=(WIDTH, 1.5 * len(lengths) + 0.8), layout="constrained")
        all_axes = figure.subplots(len(lengths), 2, sharex=True, sharey="col", squeeze=False)
        for row, length in zip(all_axes, lengths, strict=True):
            row[0].step(
                np.append(times, 2 * times[-1] - times[-2]),
                np.append(wanted, wanted[-1]),
                where="post",
                label="wanted",
                **WANTED,
            )
            for (name, by_length), color in zip(traces.items(), COLORS, strict=False):
                trace = by_length[length]
                row[0].plot(trace[:, 0], trace[:, 1], color=color, linewidth=1.1, label=f"{name} controller")
                row[1].plot(trace[:, 0], trace[:, 2], color=color, linewidth=1.1)
            row[0].set_ylabel(f"{length:g} m: θ [deg]")
            row[1].set_ylabel("φ [deg]")
        for axes in all_axes[-1]:
            axes.set_xlabel("time [s]")
        figure.legend(*all_axes[0][0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def draw_followed(traces: Mapping[str, Array], wanted: Array) -> Figure:
    """A run in space: controller -> time [s], theta, heading [deg], (n, 3); wanted: the same."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.8), layout="constrained")
        all_axes = figure.subplots(2, 1, sharex=True)
        for k, (axes, name) in enumerate(zip(all_axes, ("θ [deg]", "heading Ω [deg]"), strict=True)):
            axes.plot(wanted[:, 0], wanted[:, k + 1], label="wanted", **WANTED)
            for (title, trace), color in zip(traces.items(), COLORS, strict=False):
                axes.plot(
                    trace[:, 0], trace[:, k + 1], color=color, linewidth=1.1, label=f"{title} controller"
                )
            axes.set_ylabel(name)
        all_axes[-1].set_xlabel("time [s]")
        figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def draw_met(traces: Mapping[str, Mapping[float, Array]]) -> Figure:
    """A tether meets a branch: way -> free length -> time, three angles [deg], free length [m], (n, 5)."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 5.6), layout="constrained")
        all_axes = figure.subplots(4, len(traces), sharex=True, sharey="row", squeeze=False)
        names = ("θ [deg]", "φ [deg]", "heading Ω [deg]", "free length [m]")
        for column, (way, by_length) in enumerate(traces.items()):
            all_axes[0, column].set_title(f"{way}wards")
            for (length, trace), color in zip(by_length.items(), (BLUE, ORANGE), strict=False):
                for row, axes in enumerate(all_axes[:, column]):
                    axes.plot(
                        trace[:, 0], trace[:, 1 + row], color=color, linewidth=1.0, label=f"{length:g} m free"
                    )
            all_axes[-1, column].set_xlabel("time [s]")
        for row, name in enumerate(names):
            all_axes[row, 0].set_ylabel(name)
        figure.align_ylabels()
        figure.legend(*all_axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def draw_released(traces: Mapping[str, Sequence[Array]]) -> Figure:
    """A branch is let go at 0 s: title -> attempts, each time [s], theta, heading [deg], (n, 3)."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.8), layout="constrained")
        all_axes = figure.subplots(2, len(traces), sharex=True, sharey="row", squeeze=False)
        for column, (title, attempts) in enumerate(traces.items()):
            all_axes[0, column].set_title(title, fontsize=9)
            for row, axes in enumerate(all_axes[:, column]):
                for trace, color in zip(attempts, COLORS, strict=False):
                    axes.plot(trace[:, 0], trace[:, 1 + row], color=color, linewidth=0.8)
            all_axes[-1, column].set_xlabel("after release [s]")
        for row, name in enumerate(("θ [deg]", "heading Ω [deg]")):
            all_axes[row, 0].set_ylabel(name)
        figure.align_ylabels()
    return figure


def draw_course(traces: Mapping[str, Sequence[Array]], wanted: Array) -> Figure:
    """A course: controller -> time, theta, heading, length, place of P, (n, 7) each; wanted: (n, 4)."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 5.4), layout="constrained")
        grid = figure.add_gridspec(3, 2, width_ratios=(1.7, 1.0))
        places = figure.add_subplot(grid[:, 1], projection="3d")
        top = figure.add_subplot(grid[0, 0])
        panels = [top, *(figure.add_subplot(grid[row, 0], sharex=top) for row in (1, 2))]
        for row, name in enumerate(("θ [deg]", "heading Ω [deg]", "length [m]")):
            axes = panels[row]
            axes.plot(wanted[:, 0], wanted[:, 1 + row], label="wanted", **WANTED)
            for (title, runs), color in zip(traces.items(), (BLUE, VERMILION), strict=False):
                for trace in runs:
                    label = f"{title} controller" if trace is runs[0] else None
                    axes.plot(trace[:, 0], trace[:, 1 + row], color=color, linewidth=0.7, label=label)
            axes.set_ylabel(name)
        panels[-1].set_xlabel("time [s]")
        for (_, runs), color in zip(traces.items(), (BLUE, VERMILION), strict=False):
            for trace in runs:
                places.plot(*trace[::5, 4:].T, color=color, linewidth=0.7)
        places.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]", aspect="equal")
        places.tick_params(labelsize=7)
        figure.align_ylabels()
        figure.legend(*top.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure
