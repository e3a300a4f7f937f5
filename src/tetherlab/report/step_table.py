"""The steps of a plan in a report: where each should end and where it did, lengths, peaks and trouble."""

from __future__ import annotations

import math
from typing import NamedTuple

from tetherlab.contracts.log import Log
from tetherlab.metrics.comparison import number

STEP_HEADS = (
    "from [s]",
    "to [s]",
    "should end at x, z [m]",
    "ended at x, z [m]",
    "off by [m]",
    "tether planned [m]",
    "tether out [m]",
    "largest tension [N]",
    "largest pull on the perch [N]",
)
UNFINISHED = "it was not ended"


class StepRow(NamedTuple):
    """A step that was begun, as text."""

    label: str
    sentence: str
    values: list[str]  # below `STEP_HEADS`
    trouble: str  # why it failed


def step_rows(log: Log) -> list[StepRow]:
    """All that were begun; none if the log is not that of a plan."""
    if "steps" not in log:
        return []
    begun = [event for event in log.events if event.kind == "step"]
    troubles = iter([event.sentence.partition(": ")[2] for event in log.events if event.kind == "trouble"])
    table, rows = log["steps"], []
    for k, event in enumerate(begun):
        label, _, sentence = event.sentence.partition(": ")
        if k < len(table):
            row = {name: float(table[name][k]) for name in table.columns}
            trouble = next(troubles, "") if row["failed"] else ""
            rows.append(StepRow(label, sentence, _values(row), trouble))
        else:
            blanks = [number(None)] * (len(STEP_HEADS) - 1)
            rows.append(StepRow(label, sentence, [f"{event.time:.1f}", *blanks], UNFINISHED))
    return rows


def _values(row: dict[str, float]) -> list[str]:
    planned, place = ((row[f"{word}_x_m"], row[f"{word}_z_m"]) for word in ("planned", "place"))
    return [
        *(f"{row[name]:.1f}" for name in ("time_s", "ended_s")),
        *(f"{x:.2f}, {z:.2f}" for x, z in (planned, place)),
        f"{math.dist(planned, place):.3f}",
        *(_metres(row[name]) for name in ("length_planned_m", "length_m")),
        *(f"{row[name]:.1f}" for name in ("tension_max_N", "perch_max_N")),
    ]


def _metres(value: float) -> str:
    return number(None) if math.isnan(value) else f"{value:.2f}"
