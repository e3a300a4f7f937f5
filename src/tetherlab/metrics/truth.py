"""Where the tether was tied to the drone, by the record of a run."""

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.log import Log

Array = NDArray[np.float64]


def attachment_at(log: Log, times: Array) -> Array:
    """Between the rows of the record on straight lines [m], (n, 3)."""
    uav = log["uav"]
    offset = np.array(log.scenario["uav"]["robot"]["attachment_m"], float)
    w, x, y, z = uav.rows("qw", "qx", "qy", "qz").T
    rotation = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    points = uav.rows("x_m", "y_m", "z_m") + np.einsum("ijn,j->ni", rotation, offset)
    return np.column_stack([np.interp(times, uav["time_s"], points[:, i]) for i in range(3)])
