"""Where the tether was tied to the drone, by the record of a run."""

import numpy as np

from tetherlab.contracts.columns import POSITION
from tetherlab.contracts.log import Log
from tetherlab.metrics.read import Array, MissingError, rows


def attachment_at(log: Log, times: Array) -> Array:
    """Between the rows of the record on straight lines [m], (n, 3)."""
    offset = _offset(log)
    found = rows(log, "uav", "time_s", *POSITION, "qw", "qx", "qy", "qz")
    w, x, y, z = found[:, 4:].T
    rotation = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    points = found[:, 1:4] + np.einsum("ijn,j->ni", rotation, offset)
    return np.column_stack([np.interp(times, found[:, 0], points[:, i]) for i in range(3)])


def _offset(log: Log) -> Array:
    """Of the tether's end in the drone's frame [m], (3,)."""
    try:
        return np.array(log.scenario["uav"]["robot"]["attachment_m"], float)
    except (KeyError, TypeError):
        raise MissingError("the scenario does not tell where the tether is tied to the drone") from None
