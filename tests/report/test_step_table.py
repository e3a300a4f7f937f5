"""The table of steps in a report."""

import numpy as np

from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.contracts.table import Table
from tetherlab.report import write_report
from tetherlab.report.step_table import STEP_HEADS, UNFINISHED, step_rows


def stopped():
    """Of three steps one was done, one failed, and one was not ended."""
    rows = [
        [0.0, 0.0, 4.0, 1.0, 2.0, 1.03, 2.04, np.nan, np.nan, 0.0, 0.0, 0.0],
        [4.0, 1.0, 6.5, 0.0, 1.0, 0.0, 1.5, 3.0, 3.25, 81.0, 75.0, 1.0],
    ]
    return Log(
        tables={"steps": Table.from_rows(COLUMNS["steps"], rows)},
        outcome=Outcome.STOPPED,
        events=[
            Event(0.0, "step", "δ: uav flies"),
            Event(4.0, "step", "f': ugv climbs"),
            Event(6.5, "trouble", "f': it hangs: still"),
            Event(6.5, "step", "f':ugv: ugv climbs again"),
        ],
    )


def test_planned_beside_carried_out():
    done, failed, begun = step_rows(stopped())
    assert len(done.values) == len(failed.values) == len(begun.values) == len(STEP_HEADS)
    assert done == (
        "δ",
        "uav flies",
        ["0.0", "4.0", "1.00, 2.00", "1.03, 2.04", "0.050", "–", "–", "0.0", "0.0"],
        "",
    )
    assert failed.values[-4:] == ["3.00", "3.25", "81.0", "75.0"] and failed.trouble == "it hangs: still"
    assert begun.label == "f':ugv" and begun.values[:2] == ["6.5", "–"] and begun.trouble == UNFINISHED


def test_it_stands_in_the_page_and_only_there(tmp_path):
    page = write_report(stopped(), tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Steps of the plan" in page and "it hangs: still" in page
    assert step_rows(Log(tables={})) == []
