"""Pictures of landings along the tether: the fields, the ways flown, and what switched the actions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from tetherlab.report.style import (
    BLUE,
    GREEN,
    GREY,
    LIGHT_GREY,
    LIMIT,
    ORANGE,
    PURPLE,
    STYLE,
    VERMILION,
    WIDTH,
)

Array = NDArray[np.float64]
SHADES = (GREY, LIGHT_GREY, GREEN, ORANGE, BLUE, PURPLE, VERMILION)  # behind the actions of a landing


def draw_fields(fields: Mapping[str, Callable[[float, float], tuple[float, float]]], reach: float) -> Figure:
    """Title -> velocity outwards and up at a distance and a height from the base; reach: of the tether."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 2.7), layout="constrained")
        all_axes = figure.subplots(1, len(fields), sharey=True, squeeze=False)[0]
        grid = np.linspace(-reach, reach, 121), np.linspace(0.02 * reach, reach, 61)
        turn = np.linspace(0.0, np.pi, 100)
        for axes, (title, field) in zip(all_axes, fields.items(), strict=True):
            x, z = np.meshgrid(*grid)
            out, up = np.vectorize(field)(np.abs(x), z)
            out = np.where(x < 0.0, -out, out)
            outside = np.hypot(x, z) > reach
            axes.streamplot(
                *grid,
                np.ma.array(out, mask=outside),
                np.ma.array(up, mask=outside),
                color=BLUE,
                linewidth=0.8,
                arrowsize=0.8,
                density=1.1,
            )
            axes.plot(reach * np.cos(turn), reach * np.sin(turn), **LIMIT)
            axes.plot([0.0], [0.0], "s", color=VERMILION, markersize=5, clip_on=False)
            axes.set(title=title, xlabel="x from the base [m]", aspect="equal")
        all_axes[0].set_ylabel("z above the base [m]")
    return figure


def draw_landings(traces: Sequence[Array]) -> Figure:
    """Ways of several landings, from the side and from above; time, x, y, z [m] and more, (n, 11) each."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
        side, above = figure.subplots(1, 2)
        for trace in traces:
            x, y, z = trace[:, 1:4].T
            for axes, across, along in ((side, np.hypot(x, y), z), (above, x, y)):
                axes.plot(across, along, color=PURPLE, linewidth=0.9)
                axes.plot(across[:1], along[:1], "o", color=GREY, markersize=3)
        above.plot([0.0], [0.0], "s", color=VERMILION, markersize=5)
        side.set(xlabel="distance from the platform [m]", ylabel="z [m]", ylim=(0.0, None), aspect="equal")
        side.set_xlim(left=0.0)
        above.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
        above.margins(0.05)
    return figure


def draw_landing(trace: Array, actions: Sequence[str]) -> Figure:
    """One landing: what decides, what the winch does, and the wanted velocity; actions are shaded.

    trace: time, x, y, z, height [m], elevation [rad], tension [N], length [m], velocity in H [m/s], (n, 11).
    """
    time = trace[:, 0]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 6.0), layout="constrained")
        all_axes = figure.subplots(4, 1, sharex=True)
        panels = (
            ("elevation [deg]", {"": np.degrees(trace[:, 5])}),
            ("[m]", {"altimeter": trace[:, 4], "tether that is out": trace[:, 7]}),
            ("tension [N]", {"": trace[:, 6]}),
            ("wanted [m/s]", {"level": np.hypot(trace[:, 8], trace[:, 9]), "up": trace[:, 10]}),
        )
        for axes, (name, curves) in zip(all_axes, panels, strict=True):
            for (label, values), color in zip(curves.items(), (BLUE, VERMILION), strict=False):
                axes.plot(time, values, color=color, linewidth=0.9, label=label or None)
            axes.set_ylabel(name)
            if len(curves) > 1:
                axes.legend(loc="best", ncols=2)
        shown = _shade(all_axes, time, actions)
        all_axes[-1].set_xlabel("time [s]")
        figure.align_ylabels()
        figure.legend(*shown, loc="outside upper center", ncols=3)
    return figure


def _shade(all_axes: Sequence, time: Array, actions: Sequence[str]) -> tuple[list, list[str]]:
    """Colour the background by action; handles and labels of a legend."""
    said = [action.split(":")[0] for action in actions]  # without numbers
    said[-1] = said[-2]  # what it says at the end takes no time
    colors = dict(zip(dict.fromkeys(said), SHADES, strict=False))
    edges = [0, *(i for i in range(1, len(said)) if said[i] != said[i - 1]), len(said) - 1]
    handles = {}
    for first, last in itertools.pairwise(edges):
        for axes in all_axes:
            color = colors.get(said[first], LIGHT_GREY)
            handles[said[first]] = axes.axvspan(time[first], time[last], color=color, alpha=0.18, linewidth=0)
    return list(handles.values()), list(handles)
