"""How the vehicles moved: duration, targets, distances, tracking, clearance."""

import numpy as np

from tetherlab.contracts.columns import POSITION, TARGET
from tetherlab.contracts.log import Log
from tetherlab.metrics.read import Array, MissingError, at_times, path, rows


def duration(log: Log) -> float:
    """From the first to the last row of any table [s]."""
    if log.duration == 0.0:
        raise MissingError("the log has no two moments")
    return log.duration


def targets(log: Log) -> float:
    """How many the mission has; where the scenario does not tell, how many were taken up."""
    _has_targets(log)
    mission = log.scenario.get("mission")
    planned = mission.get("targets") if isinstance(mission, dict) else None
    if isinstance(planned, list):
        return float(len(planned))
    if "targets" not in log:
        raise MissingError("neither the scenario nor a table tells the targets")
    return float(len(log["targets"]))


def targets_reached(log: Log) -> float:
    """How many of them were reached."""
    _has_targets(log)
    if "targets" not in log or "reached_s" not in log["targets"]:
        raise MissingError("the log does not tell when targets were reached")
    return float(np.isfinite(log["targets"]["reached_s"]).sum())


def _has_targets(log: Log) -> None:
    if log.scenario.get("inspection"):
        raise MissingError("an inspection has walls in place of targets")


def distance_travelled(log: Log, vehicle: str) -> float:
    """Sum of the straight ways between successive positions [m]."""
    return float(np.linalg.norm(np.diff(path(log, vehicle), axis=0), axis=1).sum())


def tracking_errors(log: Log, vehicle: str) -> tuple[Array, Array]:
    """Times (n,) [s] and the distance between the vehicle and where it should be, (n,) [m].

    That of the ground robot is measured on the ground: its height is the terrain's.
    """
    axes = 3 if vehicle == "uav" else 2
    found = rows(log, vehicle, "time_s", *POSITION[:axes], *TARGET[:axes])
    return found[:, 0], np.linalg.norm(found[:, 1 : 1 + axes] - found[:, 1 + axes :], axis=1)


def tracking_rmse(log: Log, vehicle: str) -> float:
    """Root of the mean square of the tracking error [m]."""
    return float(np.sqrt(np.mean(tracking_errors(log, vehicle)[1] ** 2)))


def tracking_max(log: Log, vehicle: str) -> float:
    """Largest tracking error [m]."""
    return float(tracking_errors(log, vehicle)[1].max())


def clearance_min(log: Log, vehicle: str) -> float:
    """Smallest distance of a vehicle's hull to the world [m]."""
    return float(rows(log, vehicle, "clearance_m").min())


def clearance_min_of_both(log: Log) -> float:
    """Smallest distance of either hull to the world [m]: the paper's "minimum distance to obstacles"."""
    return min(clearance_min(log, vehicle) for vehicle in ("uav", "ugv"))


def separations(log: Log) -> tuple[Array, Array]:
    """Times of the drone's rows (n,) [s] and its distance to the ground robot, centre to centre, (n,) [m]."""
    found = rows(log, "uav", "time_s", *POSITION)
    gaps = found[:, 1:] - at_times(log, "ugv", POSITION, found[:, 0])
    known = np.isfinite(gaps).all(axis=1)
    if not known.any():
        raise MissingError("the tables 'uav' and 'ugv' have no time in common")
    return found[known, 0], np.linalg.norm(gaps[known], axis=1)


def separation_min(log: Log) -> float:
    """Smallest distance between the centres of the two vehicles [m]."""
    return float(separations(log)[1].min())
