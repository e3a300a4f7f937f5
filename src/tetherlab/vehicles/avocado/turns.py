"""Turns about the paper's axes: y down, z to the right, x backwards."""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def about_y(angle: float) -> Array:
    """R_y of an angle [rad], (3, 3)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def about_z(angle: float) -> Array:
    """R_z of an angle [rad], (3, 3)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def tether_frame(heading: float, theta: float, psi: float) -> Array:
    """Q = R_y(Omega) R_z(theta) R_y(psi), from the tether frame to the inertial one, (3, 3)."""
    return about_y(heading) @ about_z(theta) @ about_y(psi)
