"""What a scene did, for each of its bodies and tethers by name."""

import numpy as np

from tetherlab.contracts.log import Log
from tetherlab.metrics.motion import distance_travelled
from tetherlab.metrics.read import MissingError, rows

BODY = ("x_m", "qw", "wx_rad_per_s")  # columns by which the tables of a scene are told apart
TETHER = ("length_m", "tension_max_N", "force_start_x_N")
JOINT = ("angle_1_rad", "rate_1_rad_per_s")
REELED = 1e-6  # what counts as reeled [m]

# Beginnings of names, which go on with a name and a unit, and what they mean.
DISTANCE, TENSION, CLEARANCE = "distance_", "peak_tension_", "clearance_"
PAID_OUT, REELED_IN = "reeled_out_", "reeled_in_"
SCENE_NAMED = {
    DISTANCE: "distance travelled by {}",
    CLEARANCE: "smallest distance of {} to obstacles",
    TENSION: "largest tension anywhere in {}",
    PAID_OUT: "tether paid out by {}, summed",
    REELED_IN: "tether reeled in by {}, summed",
}


def is_scene(log: Log) -> bool:
    """Whether a log is that of a scene."""
    if log.scenario:
        return log.scenario.get("schema") == 2
    return bool(scene_tethers(log) or scene_joints(log)) and not any(
        name in log for name in ("winch", "targets")
    )


def scene_bodies(log: Log) -> list[str]:
    """The robots and bodies of a scene."""
    return _with(log, BODY)


def scene_tethers(log: Log) -> list[str]:
    """Its tethers."""
    return _with(log, TETHER)


def scene_joints(log: Log) -> list[str]:
    """Its joints."""
    return _with(log, JOINT)


def scene_metrics(log: Log) -> dict[str, float]:
    """Every metric of a scene, by name."""
    found = {}
    for name in scene_bodies(log):
        found[f"{DISTANCE}{name}_m"] = distance_travelled(log, name)
        try:
            found[f"{CLEARANCE}{name}_m"] = float(rows(log, name, "clearance_m").min())
        except MissingError:
            continue
    for name in scene_tethers(log):
        found[f"{TENSION}{name}_N"] = float(rows(log, name, "tension_max_N").max())
        change = np.diff(rows(log, name, "length_m")[:, 0])
        if np.abs(change).sum() > REELED:
            found[f"{PAID_OUT}{name}_m"] = float(change[change > 0.0].sum())
            found[f"{REELED_IN}{name}_m"] = float(-change[change < 0.0].sum())
    return found


def _with(log: Log, columns: tuple[str, ...]) -> list[str]:
    return [
        name
        for name, table in log.tables.items()
        if len(table) and all(column in table for column in columns)
    ]
