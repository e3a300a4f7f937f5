"""Points of a surface, each the mean of many readings: what a map is made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Cloud(NamedTuple):
    """Points with the normals of the surface there, towards where they were seen from."""

    points: Array  # [m], (n, 3)
    normals: Array  # unit, (n, 3)
    counts: NDArray[np.int64]  # how many readings each is the mean of, (n,)

    def moved(self, transform: Array) -> Cloud:
        """After a rigid motion, (4, 4)."""
        rotation = transform[:3, :3]
        return Cloud(self.points @ rotation.T + transform[:3, 3], self.normals @ rotation.T, self.counts)
