"""The drone's level frame H: its x along the heading, its z up."""

import math

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def heading(rotation: Vector) -> float:
    """Yaw of an attitude R_WB [rad]."""
    return math.atan2(rotation[1, 0], rotation[0, 0])


def levelled(rotation: Vector) -> Vector:
    """R_HB of an attitude R_WB, (3, 3)."""
    forward = math.hypot(rotation[0, 0], rotation[1, 0])
    if forward < 1e-9:  # nose up or down: no heading
        return np.array(rotation)
    c, s = rotation[0, 0] / forward, rotation[1, 0] / forward
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ rotation
