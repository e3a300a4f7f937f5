"""Automata as graphs, like Figures 3, 5 and 8 of paper 004: what each robot can do, and what the team can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch
from matplotlib.path import Path

from tetherlab.planning.automata.event import Location
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.automata.joined import join
from tetherlab.report.automaton_layout import RADIUS, Layout, Pair, Place, lay_out, loop, merged, middle
from tetherlab.report.style import BLUE, GREY, STYLE, WIDTH

DORMANT = (0, (3, 2))
INITIAL = 0.4  # length of the arrow that marks an initial location
MARGIN = 0.3
INCH, TITLE = 1.0, 0.3  # of a unit of the layout; of a title [inch]


def draw_automata(members: Sequence[FiniteAutomaton]) -> Figure:
    """Members one below the other, then their join, each location where it stands in the join.

    Dashed and grey is what can never happen there: a label that nobody owns, or a start that is not reached.
    """
    team: FiniteAutomaton = join(*members)
    panels = [*members, team] if len(members) > 1 else [team]
    titles = [member.name for member in members] + [" ⊔ ".join(member.name for member in members)]
    layout = lay_out(team)
    (left, _), (right, _) = _extent(team, layout)
    heights = [(low[1], high[1]) for low, high in (_extent(panel, layout) for panel in panels)]
    scale = min(INCH, 1.25 * WIDTH / (right - left))
    tall = [scale * (top - bottom) + TITLE for bottom, top in heights]
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(scale * (right - left) + 0.1, sum(tall)), layout="constrained")
        all_axes = figure.subplots(len(panels), squeeze=False, gridspec_kw={"height_ratios": tall})[:, 0]
        for number, (axes, panel, height) in enumerate(zip(all_axes, panels, heights, strict=True)):
            axes.set_title(f"{chr(ord('A') + number)}  {titles[number]}", loc="left", fontsize=10)
            axes.set(xlim=(left, right), ylim=height, aspect="equal")
            axes.axis("off")
            _draw(axes, panel, layout)
    return figure


def _extent(automaton: FiniteAutomaton, layout: Layout) -> tuple[Place, Place]:
    """Lower left and upper right corner of what is drawn."""
    spots: list[Place] = [layout.places[location] for location in automaton.locations]
    for pair in merged(automaton):
        arrow = layout.arrows[pair]
        spots.append(arrow.label_at)
        if pair[0] != pair[1]:
            start, end = (np.array(layout.places[location]) for location in pair)
            x, z = 0.5 * (middle(start, end, arrow.bend) + 0.5 * (start + end))
            spots.append((float(x), float(z)))
    (x_min, z_min), (x_max, z_max) = np.min(spots, axis=0), np.max(spots, axis=0)
    return (x_min - MARGIN - INITIAL, z_min - MARGIN), (x_max + MARGIN, z_max + MARGIN)


def _draw(axes: Axes, automaton: FiniteAutomaton, layout: Layout) -> None:
    reached, dormant = automaton.reachable(), set(automaton.dormant_events())
    circles: dict[Location, Circle] = {}
    for location in automaton.locations:
        x, z = layout.places[location]
        color = "black" if location in reached else GREY
        circles[location] = Circle((x, z), RADIUS, facecolor="white", edgecolor=color, zorder=3)
        axes.add_patch(circles[location])
        if location in automaton.final:
            axes.add_patch(Circle((x, z), 0.78 * RADIUS, fill=False, edgecolor=color, zorder=4))
        if location in automaton.initial:
            start = (x - RADIUS - INITIAL, z)
            axes.add_patch(_arrow(start, (x - RADIUS, z), color="black", linestyle="-"))
        axes.text(x, z, str(location), ha="center", va="center", fontsize=9, color=color, zorder=5)
    for pair, labels in merged(automaton).items():
        sleeps = all(e in dormant for e in automaton.events if (e.source, e.target) == pair)
        _connect(axes, circles, layout, pair, ", ".join(labels), sleeps)


def _connect(
    axes: Axes, circles: Mapping[Location, Circle], layout: Layout, pair: Pair, text: str, sleeps: bool
) -> None:
    (source, target), arrow = pair, layout.arrows[pair]
    color, stroke = (GREY, DORMANT) if sleeps else (BLUE, "-")
    if source == target:
        points = loop(np.array(layout.places[source]), arrow.bend)
        path = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        axes.add_patch(
            FancyArrowPatch(path=path, arrowstyle="-|>", mutation_scale=9, color=color, linestyle=stroke)
        )
    else:
        axes.add_patch(
            FancyArrowPatch(
                layout.places[source], layout.places[target], arrowstyle="-|>", mutation_scale=9,
                connectionstyle=f"arc3,rad={arrow.bend}", patchA=circles[source], patchB=circles[target],
                shrinkA=0, shrinkB=0, color=color, linestyle=stroke, zorder=2,
            )
        )  # fmt: skip
    if text:
        axes.text(
            *arrow.label_at, text, ha="center", va="center", fontsize=9, color=GREY if sleeps else "black",
            zorder=6, bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
        )  # fmt: skip


def _arrow(start: Place, end: Place, **style: Any) -> FancyArrowPatch:
    return FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=9, shrinkA=0, shrinkB=0, **style)
