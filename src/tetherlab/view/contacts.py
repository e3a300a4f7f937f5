"""Where a recorded tether touches what moves: points of it near the surface of a shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.view.frame import NOTHING, Pose
from tetherlab.view.parts import Part
from tetherlab.world import World

Vector = NDArray[np.float64]
CLOSE = 0.003  # to a surface, where a recorded point of a tether is said to touch it [m]
FINE = 10  # points that are looked at between two that were recorded


class MovingShapes:
    """The shapes that parts carry."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self._solid = [(part, World(part.shapes)) for part in parts if part.shapes]

    def touched(self, points: Vector, poses: Mapping[str, Pose], near: float, tied: Iterable[str]) -> Vector:
        """The point of a tether (n, 3) nearest to each part that it touches, within `near` [m], (k, 3).

        tied: parts that hold its ends, which do not count.
        """
        solid = [(part, world) for part, world in self._solid if part.name in poses and part.name not in tied]
        if len(points) < 2 or not solid:
            return NOTHING
        steps = np.linspace(0.0, 1.0, FINE, endpoint=False)[:, None]
        fine = (points[:-1, None] * (1.0 - steps) + points[1:, None] * steps).reshape(-1, 3)
        found = []
        for part, world in solid:
            pose = poses[part.name]
            local = (fine - pose.position) @ matrix_from_quaternion(pose.wxyz) - part.shapes_at
            apart = np.asarray(world.distance(local))
            nearest = int(np.argmin(apart))
            if apart[nearest] < near:
                found.append(fine[nearest])
        return np.array(found) if found else NOTHING
