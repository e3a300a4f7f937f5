"""The table of a mission as a picture: states as boxes, the way of success along the top."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tetherlab.report.style import BLUE, GREEN, GREY, LIGHT_GREY, VERMILION

WIDE, TALL = 2.3, 3.0  # from box to box
LOWER = 0.55  # of that, what follows in the rows below the first two
LINE = 0.24  # of small text


def machine_figure(
    rows: Sequence[tuple[str, str, str]], *, start: str, ends: Mapping[str, bool], visited: Iterable[str] = ()
) -> Figure:
    """rows: state, cause, next, as `StateMachine.rows` has them. visited: states to be marked."""
    places = _places(rows, start, ends)
    width = max(x for x, _ in places.values()) + 1.0
    depth = -min(y for _, y in places.values()) + 1.0
    figure = Figure(figsize=(1.55 * width, 1.6 * depth), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    axes.set_xlim(-1.1, (width - 1.0) * WIDE + 1.1)
    axes.set_ylim(-(depth - 1.0) * TALL - 0.9, 0.9)
    marked = set(visited)
    told: dict[str, int] = {}  # lines of text below each box by now
    for (source, target), causes in _grouped(rows).items():
        told[source] = _arrow(axes, places[source], places[target], causes, told.get(source, 0))
    for name, place in places.items():
        _box(axes, name, place, ends.get(name), name in marked)
    return figure


def _places(
    rows: Sequence[tuple[str, str, str]], start: str, ends: Mapping[str, bool]
) -> dict[str, tuple[float, float]]:
    """Column and row of each: success along the top, below it what else there is, ends at the right."""
    done = {source: target for source, cause, target in rows if cause == "done"}
    top = [start]
    while top[-1] in done and done[top[-1]] not in top:
        top.append(done[top[-1]])
    places = {name: (float(column), 0.0) for column, name in enumerate(top)}
    others = [name for name in dict.fromkeys(source for source, _, _ in rows) if name not in places]
    rest = [name for name in ends if name not in places]
    for column, names in ((len(top) / 2.0 - 0.5, others), (len(top) - 1.0, rest)):
        for index, name in enumerate(names):
            places[name] = (column, -1.0 - LOWER * index)
    return places


def _grouped(rows: Sequence[tuple[str, str, str]]) -> dict[tuple[str, str], list[str]]:
    """Causes of each way from one state to another."""
    ways: dict[tuple[str, str], list[str]] = {}
    for source, cause, target in rows:
        ways.setdefault((source, target), []).append(cause)
    return ways


def _box(axes: Axes, name: str, place: tuple[float, float], good: bool | None, marked: bool) -> None:
    color = BLUE if good is None else (GREEN if good else VERMILION)
    axes.text(
        place[0] * WIDE,
        place[1] * TALL,
        name,
        ha="center",
        va="center",
        color=color,
        fontsize=11,
        fontweight="bold" if marked else "normal",
        zorder=3,
        bbox={
            "boxstyle": "round,pad=0.45" if good is None else "round4,pad=0.45",
            "facecolor": "#dcebf5" if marked else "white",
            "edgecolor": color,
        },
    )


def _arrow(
    axes: Axes, source: tuple[float, float], target: tuple[float, float], causes: Sequence[str], told: int
) -> int:
    """From box to box; other causes than success stand below the box that they lead away from.

    told: lines that stand there already; returns how many do then.
    """
    (x, y), (u, v) = ((p[0] * WIDE, p[1] * TALL) for p in (source, target))
    success = causes == ["done"]
    if not success and v < y:
        y -= 0.45 + LINE * told
        axes.text(
            x, y, "\n".join(causes), fontsize=8, color=GREY, ha="center", va="top", zorder=2,
            bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"},
        )  # fmt: skip
        y -= LINE * len(causes)
        told += len(causes)
    elif not success:
        axes.text(
            (x + u) / 2,
            (y + v) / 2 + 0.1,
            "\n".join(causes),
            fontsize=8,
            color=GREY,
            ha="center",
            va="bottom",
        )
    axes.annotate(
        "",
        (u, v),
        (x, y),
        arrowprops={
            "arrowstyle": "-|>",
            "color": GREEN if success else LIGHT_GREY,
            "shrinkA": 30 if y == v else 2,
            "shrinkB": 30 if y == v else 16,
            "connectionstyle": "arc3,rad=0.0" if success else "arc3,rad=0.12",
        },
        zorder=1,
    )
    return told
