"""What came of a plan that a team carried out, step by step."""

import numpy as np

from tetherlab.contracts.log import Log
from tetherlab.metrics.read import MissingError, rows


def steps(log: Log) -> float:
    """How many the plan has; where the scenario does not tell, how many were ended."""
    if "steps" not in log:
        raise MissingError("the log is not that of a plan")
    planned = log.scenario.get("steps")
    return float(len(planned if isinstance(planned, list) else log["steps"]))


def carried_out(log: Log) -> float:
    """How many were carried out to their end."""
    if "steps" not in log:
        raise MissingError("the log is not that of a plan")
    return float(np.sum(log["steps"]["failed"] == 0.0))


def error_max(log: Log) -> float:
    """Of the steps that did not fail: where it ended to where it should have, the largest [m]."""
    x, z, place_x, place_z, failed = rows(
        log, "steps", "planned_x_m", "planned_z_m", "place_x_m", "place_z_m", "failed"
    ).T
    off = np.hypot(place_x - x, place_z - z)[failed == 0.0]
    if not len(off):
        raise MissingError("no step was carried out")
    return float(off.max())


def perch_max(log: Log) -> float:
    """Largest pull on the perch [N]."""
    return float(rows(log, "steps", "perch_max_N").max())
