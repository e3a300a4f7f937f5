"""The steps of a plan in a report: where each should end and where it did, lengths, peaks and trouble."""

from __future__ import annotations

import math

from tetherlab.contracts.log import Log
from tetherlab.report.comparison import number

STEP_HEADS = (
    "from [s]",
    "to [s]",
    "should end at x, z [m]",
    "ended at x, z [m]",
    "off by [m]",
    "tether planned [m]",
    "tether out [m]",
    "tension, largest [N]",
    "at the perch, largest [N]",
)
UNFINISHED = "it was not ended"


def step_rows(log: Log) -> list[list[str]]:
    """A row for each step that was begun: label, sentence, `STEP_HEADS`, and why it failed."""
    if "steps" not in log:
        return []
    begun = [event for event in log.events if event.kind == "step"]
    troubles = iter([event.sentence.partition(": ")[2] for event in log.events if event.kind == "trouble"])
    table, rows = log["steps"], []
    for k, event in enumerate(begun):
        label, _, sentence = event.sentence.partition(": ")
        if k >= len(table):
            blanks = [number(None)] * (len(STEP_HEADS) - 1)
            rows.append([label, sentence, f"{event.time:.1f}", *blanks, UNFINISHED])
            continue
        row = {name: float(table[name][k]) for name in table.columns}
        planned, place = ((row[f"{word}_x_m"], row[f"{word}_z_m"]) for word in ("planned", "place"))
        rows.append(
            [
                label,
                sentence,
                *(f"{row[name]:.1f}" for name in ("time_s", "ended_s")),
                *(f"{x:.2f}, {z:.2f}" for x, z in (planned, place)),
                f"{math.dist(planned, place):.3f}",
                *(_metres(row[name]) for name in ("length_planned_m", "length_m")),
                *(f"{row[name]:.1f}" for name in ("tension_max_N", "perch_max_N")),
                next(troubles, "") if row["failed"] else "",
            ]
        )
    return rows


def _metres(value: float) -> str:
    return number(None) if math.isnan(value) else f"{value:.2f}"
