"""What an inspection came to: walls that were mapped, and what pictures show of them."""

import numpy as np

from tetherlab.contracts.log import Log
from tetherlab.metrics.read import MissingError, rows

PERCENT = 100.0


def walls(log: Log) -> float:
    """How many the mission has; where the scenario does not tell, how many were taken up."""
    if "walls" not in log:
        raise MissingError("the log is not that of an inspection")
    plan = log.scenario.get("inspection")
    for key in ("stops", "faces"):
        named = plan.get(key) if isinstance(plan, dict) else None
        if isinstance(named, list) and named:
            return float(len(named))
    return float(len(log["walls"]))


def walls_mapped(log: Log) -> float:
    """How many of them were swept to the end, and the drone came home."""
    return float(rows(log, "walls", "mapped").sum())


def area_seen(log: Log) -> float:
    """Of all walls that were taken up, shown by some picture [m^2]."""
    width, height, share = rows(log, "walls", "width_m", "height_m", "seen_share").T
    return float(np.sum(width * height * share))


def seen_share(log: Log) -> float:
    """That, of the area of those walls [%]."""
    width, height, share = rows(log, "walls", "width_m", "height_m", "seen_share").T
    return float(PERCENT * np.average(share, weights=width * height))


def overlap_min(log: Log) -> float:
    """Least overlap of a row and the next on any wall [%]."""
    return float(PERCENT * rows(log, "walls", "overlap_share").min())


def map_error(log: Log) -> float:
    """Of the maps of all walls: distance to the rock, root mean square over walls [m]."""
    return float(np.sqrt(np.mean(rows(log, "walls", "map_rms_m") ** 2)))


def map_error_max(log: Log) -> float:
    """That of the worst map [m]."""
    return float(rows(log, "walls", "map_rms_m").max())


def hole_max(log: Log) -> float:
    """Largest part of any wall that no picture shows [m^2]."""
    return float(rows(log, "walls", "hole_m2").max())
