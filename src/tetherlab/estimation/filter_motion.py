"""The filter between two messages: motion by the IMU, and how its error grows."""

import math

import numpy as np

from tetherlab.estimation.filter_layout import (
    BIASED,
    DB,
    DBIAS,
    DF,
    DP,
    DR,
    DRONE_AZIMUTH,
    DV,
    DW,
    ERROR_SIZE,
    FORCE,
    FORCE_BIAS,
    HEARD,
    IMU_HEARD,
    RATE,
    RATE_BIAS,
    READING_BIAS,
    TIME,
    P,
    R,
    V,
)
from tetherlab.math.kernel import njit

IMU_SILENT = 0.1  # time after which the IMU's last sample means nothing [s]
UNFELT_FORCE, UNFELT_TURN = 1.0, 0.1  # densities of motion that no IMU feels [(m/s^2)^2 s], [(rad/s)^2 s]
TILT_FORCE = 0.1  # the same of what tilt and pull do not tell: 0.3 m/s^2 for half a second [(m/s^2)^2 s]


@njit(cache=True)
def predict(x, cov, time, settings):
    """Move on to a time [s] by the IMU's last sample."""
    dt = time - x[TIME]
    if dt <= 0.0:
        return
    x[TIME] = time
    rotation, force, rate = x[R : R + 9].copy().reshape(3, 3), np.empty(3), np.empty(3)
    felt = time - x[IMU_HEARD] <= IMU_SILENT
    told = felt or time - x[HEARD + DRONE_AZIMUTH] <= IMU_SILENT  # by tilt and pull, see filter_kernel.py
    for i in range(3):  # untold: it flies on as it did
        force[i] = x[FORCE + i] - x[FORCE_BIAS + i] if told else settings.gravity * rotation[2, i]
        rate[i] = dt * (x[RATE + i] - x[RATE_BIAS + i]) if felt else 0.0
    by_turn = np.empty((3, 3))  # of the velocity, -R [f]x dt
    for i in range(3):
        r = rotation[i]
        by_turn[i, 0] = -dt * (r[1] * force[2] - r[2] * force[1])
        by_turn[i, 1] = -dt * (r[2] * force[0] - r[0] * force[2])
        by_turn[i, 2] = -dt * (r[0] * force[1] - r[1] * force[0])
        a = r[0] * force[0] + r[1] * force[1] + r[2] * force[2] - (settings.gravity if i == 2 else 0.0)
        x[P + i] += dt * (x[V + i] + 0.5 * dt * a)
        x[V + i] += dt * a
    turn = rotation_of(rate)
    set_rotation(x, rotation, turn)
    memory = math.exp(-dt / settings.bias_time)
    _carry(cov, dt, rotation, by_turn, turn, memory)
    for k in range(BIASED):
        x[READING_BIAS + k] *= memory
        for j in range(BIASED):
            cov[DBIAS + k, DBIAS + j] += settings.bias_covariance[k, j] * (1.0 - memory * memory)
    for i in range(3):
        cov[DV + i, DV + i] += dt * (settings.force_density if felt else TILT_FORCE if told else UNFELT_FORCE)
        cov[DR + i, DR + i] += (settings.rate_density if felt else UNFELT_TURN) * dt
        cov[DF + i, DF + i] += settings.force_walk * dt
        cov[DW + i, DW + i] += settings.rate_walk * dt
    cov[DB, DB] += settings.log_b_walk * dt


@njit(cache=True)
def _carry(cov, dt, rotation, by_turn, turn, memory):
    """F C Fᵀ: rows by F, then columns by the same; only nine rows of F are not those of a diagonal matrix."""
    new = np.empty(9)
    for side in range(2):
        for j in range(ERROR_SIZE):
            c = cov[:, j] if side == 0 else cov[j, :]
            for i in range(3):
                new[i] = c[DP + i] + dt * c[DV + i]
                total = c[DV + i]
                turned = -dt * c[DW + i]
                for k in range(3):
                    total += by_turn[i, k] * c[DR + k] - dt * rotation[i, k] * c[DF + k]
                    turned += turn[k, i] * c[DR + k]
                new[3 + i], new[6 + i] = total, turned
            for i in range(9):
                c[i] = new[i]
            for k in range(BIASED):
                c[DBIAS + k] *= memory


@njit(cache=True)
def rotation_of(turn):
    """The rotation by a vector [rad], (3, 3)."""
    angle = math.sqrt(turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2)
    if angle < 1e-4:
        s, c = 1.0 - angle * angle / 6.0, 0.5 - angle * angle / 24.0
    else:
        s, c = math.sin(angle) / angle, (1.0 - math.cos(angle)) / (angle * angle)
    result = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            result[i, j] = c * turn[i] * turn[j]
        result[i, i] += 1.0 - c * angle * angle
    result[0, 1] -= s * turn[2]
    result[1, 0] += s * turn[2]
    result[0, 2] += s * turn[1]
    result[2, 0] -= s * turn[1]
    result[1, 2] -= s * turn[0]
    result[2, 1] += s * turn[0]
    return result


@njit(cache=True)
def set_rotation(x, rotation, turn):
    """Write the rotation followed by a turn in the drone's frame, made orthogonal again to first order."""
    product = rotation @ turn
    # R (3 - RᵀR)/2 takes away what rounding adds.
    square = product.T @ product
    for i in range(3):
        for j in range(3):
            total = 1.5 * product[i, j]
            for k in range(3):
                total -= 0.5 * product[i, k] * square[k, j]
            x[R + 3 * i + j] = total
