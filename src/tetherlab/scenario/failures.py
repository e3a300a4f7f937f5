"""A run that could not be computed any further, written to one file.

The file holds the scenario, a state of the plant some time before the failure and all commands since. No
controller or estimator is needed to compute it again (`assembly/failure_replay.py`), so one's own need not be
there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tetherlab.contracts.failure_file import write_failure
from tetherlab.contracts.failure_ring import FailureRing
from tetherlab.world.document import describe_wind


def write_run_failure(kind: str, run: Any, ring: FailureRing, folder: Path | None, wind: Any = None) -> str:
    """Write what led to the failure of a run with a scenario; what to tell the user about it."""
    try:
        head = {
            "kind": kind,
            "name": run.name,
            "since": ring.since(run.time),
            "time": run.time,
            "scenario": run.scenario.to_dict(),
            "wind": None if wind is None else describe_wind(wind),
        }
        return write_failure(head, ring.arrays(), folder)
    except Exception as error:  # whatever it is, it must not hide what happened
        return f"no file could be written to replay it: {error}"
