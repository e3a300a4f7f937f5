"""Rotations as compiled leaves: 3x3 matrices and unit quaternions (wxyz, body to world)."""

import math

import numpy as np
from numba import njit


@njit(cache=True, inline="never")
def rotate_in_place(R, wx, wy, wz):
    """Replace R by exp([w]x) R, w a rotation vector in the world frame [rad]; R stays orthonormal."""
    angle2 = wx * wx + wy * wy + wz * wz
    angle = math.sqrt(angle2)
    if angle < 1e-4:
        a = 1.0 - angle2 / 6.0
        b = 0.5 - angle2 / 24.0
    else:
        a = math.sin(angle) / angle
        b = (1.0 - math.cos(angle)) / angle2
    # Rodrigues: exp([w]x) y = y + a w x y + b w x (w x y), applied to each column of R.
    for j in range(3):
        x, y, z = R[0, j], R[1, j], R[2, j]
        cx, cy, cz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
        R[0, j] = x + a * cx + b * (wy * cz - wz * cy)
        R[1, j] = y + a * cy + b * (wz * cx - wx * cz)
        R[2, j] = z + a * cz + b * (wx * cy - wy * cx)


@njit(cache=True)
def orthonormalise(R):
    """Remove the rounding that many small rotations have left in R (Gram-Schmidt on its columns)."""
    for j in range(3):
        for k in range(j):
            dot = R[0, j] * R[0, k] + R[1, j] * R[1, k] + R[2, j] * R[2, k]
            for i in range(3):
                R[i, j] -= dot * R[i, k]
        norm = math.sqrt(R[0, j] ** 2 + R[1, j] ** 2 + R[2, j] ** 2)
        for i in range(3):
            R[i, j] /= norm


@njit(cache=True)
def matrix_from_quaternion(q):
    """Rotation matrix R_WB, (3, 3), of a unit quaternion q_WB in wxyz order, (4,)."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    R = np.empty((3, 3))
    R[0, 0] = 1.0 - 2.0 * (y * y + z * z)
    R[0, 1] = 2.0 * (x * y - w * z)
    R[0, 2] = 2.0 * (x * z + w * y)
    R[1, 0] = 2.0 * (x * y + w * z)
    R[1, 1] = 1.0 - 2.0 * (x * x + z * z)
    R[1, 2] = 2.0 * (y * z - w * x)
    R[2, 0] = 2.0 * (x * z - w * y)
    R[2, 1] = 2.0 * (y * z + w * x)
    R[2, 2] = 1.0 - 2.0 * (x * x + y * y)
    return R


@njit(cache=True)
def quaternion_from_matrix(R):
    """Unit quaternion wxyz with w >= 0, (4,), of a rotation matrix."""
    # The largest of the four squared components is found first, so that nothing is divided by a small number.
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    q = np.empty(4)
    if trace > R[0, 0] and trace > R[1, 1] and trace > R[2, 2]:
        q[0], q[1], q[2], q[3] = 1.0 + trace, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    elif R[0, 0] >= R[1, 1] and R[0, 0] >= R[2, 2]:
        q[0], q[1] = R[2, 1] - R[1, 2], 1.0 + R[0, 0] - R[1, 1] - R[2, 2]
        q[2], q[3] = R[1, 0] + R[0, 1], R[2, 0] + R[0, 2]
    elif R[1, 1] >= R[2, 2]:
        q[0], q[2] = R[0, 2] - R[2, 0], 1.0 - R[0, 0] + R[1, 1] - R[2, 2]
        q[1], q[3] = R[1, 0] + R[0, 1], R[2, 1] + R[1, 2]
    else:
        q[0], q[3] = R[1, 0] - R[0, 1], 1.0 - R[0, 0] - R[1, 1] + R[2, 2]
        q[1], q[2] = R[2, 0] + R[0, 2], R[2, 1] + R[1, 2]
    norm = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if q[0] < 0.0:
        norm = -norm
    return q / norm
