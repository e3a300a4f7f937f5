"""Joint angles of the platform's tether angle sensor and the unit tangent that they stand for (paper 003).

Its first axis lies along x of the platform and carries the second, so it is a gimbal that lies on its side:
straight up, where the azimuth of an upright gimbal is lost, is its most ordinary direction, (0, 0). Singular
are the two directions along the first axis, forwards and backwards in the plane of the platform: q2 is -90 or
90 degrees there, and q1 is lost. Each direction is reached twice, as (q1, q2) and (q1 + π, π − q2).
"""

import math

import numpy as np

from tetherlab.math.kernel import njit
from tetherlab.sensors.gimbal import angles_from_tangent, tangent_from_angles

# From the frame of a gimbal to the platform on which it lies: q1 is minus its azimuth, q2 its elevation.
LYING = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])


@njit(cache=True)
def rotation_from_joints(q1, q2):
    """From the frame of the last link, whose x axis is the tether, to that of the platform; Eq. 1, (3, 3)."""
    s1, c1, s2, c2 = math.sin(q1), math.cos(q1), math.sin(q2), math.cos(q2)
    return np.array([[-s2, -c2, 0.0], [-c2 * s1, s1 * s2, -c1], [c1 * c2, -c1 * s2, -s1]])


@njit(cache=True)
def tangent_from_joints(q1, q2):
    """Unit tangent (x, y, z) in the frame of the platform; angles [rad]."""
    up, y, back = tangent_from_angles(-q1, q2)
    return -back, y, up


@njit(cache=True)
def joints_from_tangent(x, y, z, near):
    """(q1, q2) [rad] of a direction of any size: q1 within 90 degrees of `near`, q2 from -90 to 270 degrees.

    Along the first axis q1 is `near` itself.
    """
    azimuth, elevation = angles_from_tangent(z, y, -x, -near)
    return -azimuth, elevation


@njit(cache=True)
def tangent_by_joints(q1, q2):
    """Derivative of the tangent by the joint angles, (3, 2)."""
    s1, c1, s2, c2 = math.sin(q1), math.cos(q1), math.sin(q2), math.cos(q2)
    return np.array([[0.0, -c2], [-c1 * c2, s1 * s2], [-s1 * c2, -c1 * s2]])


@njit(cache=True)
def joints_by_tangent(q1, q2):
    """Derivative of the joint angles by a change across the tangent, (2, 3); infinite where q1 is lost."""
    by = tangent_by_joints(q1, q2)
    # Its columns are at right angles, cos(q2) and 1 long.
    return np.stack((by[:, 0] / math.cos(q2) ** 2, by[:, 1]))


@njit(cache=True)
def angles_from_joints(q1, q2):
    """(azimuth, elevation) [rad] of the tether in the platform's frame; Eq. 2 with quadrant and sign."""
    x, y, z = tangent_from_joints(q1, q2)
    return math.atan2(y, x), math.atan2(z, math.hypot(x, y))
