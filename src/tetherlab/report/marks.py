"""What happened when, as marks on an axis of time: few lines with a word each, and a tick per target."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from tetherlab.contracts.log import Log
from tetherlab.report.style import GREY, LIGHT_GREY

ROOM = 0.18  # that a word takes of the axis


def draw_marks(all_axes: Sequence[Axes], log: Log) -> None:
    """Mark take-off, landing, contacts and the end in all panels, and targets reached below the last one."""
    moments = _moments(log)
    for axes in all_axes:
        for time, _ in moments:
            axes.axvline(time, color=LIGHT_GREY, linewidth=0.8, zorder=0.5)
    _write_words(all_axes[0], moments)
    reached = _reached(log)
    if len(reached):
        foot = all_axes[-1]
        place = foot.get_xaxis_transform()  # times, and heights from 0 to 1
        foot.plot(
            reached, np.zeros_like(reached), transform=place, clip_on=False, label="target reached",
            color=GREY, linestyle="", marker="|", markersize=6, markeredgewidth=0.8,
        )  # fmt: skip


def _moments(log: Log) -> list[tuple[float, str]]:
    """Times [s] and words; targets have their own marks."""
    found = [
        (e.time, e.sentence.rpartition(": ")[2])  # of a change of state, the new one
        for e in log.events
        if e.kind == "mission" and not e.sentence.startswith("target ")
    ]
    found += [(e.time, e.sentence.removeprefix("the robot ")) for e in log.events if e.kind == "contact"]
    if log.outcome is not None:
        found += [
            (e.time, log.outcome.name.replace("_", " ").lower()) for e in log.events if e.kind == "outcome"
        ]
    return found


def _write_words(axes: Axes, moments: Sequence[tuple[float, str]]) -> None:
    """Above the panel; of words that would cover each other, the later one stays."""
    start, end = axes.get_xlim()
    free = 1.0
    for time, word in reversed(moments):
        share = (time - start) / (end - start)
        at_the_end = share > 1.0 - ROOM
        if share + (0.0 if at_the_end else ROOM) <= free:
            free = share - (ROOM if at_the_end else 0.0)
            axes.text(
                time, 1.01, word, transform=axes.get_xaxis_transform(), color=GREY, fontsize=8,
                horizontalalignment="right" if at_the_end else "left", verticalalignment="bottom",
            )  # fmt: skip


def _reached(log: Log) -> np.ndarray:
    if "targets" not in log or "reached_s" not in log["targets"]:
        return np.empty(0)
    times = log["targets"]["reached_s"]
    return times[np.isfinite(times)]
