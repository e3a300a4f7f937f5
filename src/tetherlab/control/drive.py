"""The rover follows a moving point on the ground."""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tetherlab.contracts.messages import Observation, Reference, UgvCommand


@dataclass(frozen=True, kw_only=True)
class DriveController:
    """Drives towards the reference: its velocity, plus what the error asks for, up to a speed.

    holonomic: goes any way without turning. Otherwise it turns towards the point first.
    """

    holonomic: bool = True
    gain: float = 0.8  # speed per error [1/s]
    integral_gain: float = 0.05  # [1/s^2]
    turn_gain: float = 1.5  # [1/s]
    speed_max: float = 0.5  # [m/s]
    turn_max: float = 0.8  # [rad/s]
    stop_within: float = 0.01  # of a point at rest [m]
    yaw: float | None = None  # heading to keep if holonomic; None: that of the reference [rad]
    rate_hz: float = 50.0

    def init(self) -> NDArray[np.float64]:
        """Integral of the error [m s], (2,)."""
        return np.zeros(2)

    def __call__(
        self, memory: NDArray[np.float64], observation: Observation, reference: Reference
    ) -> tuple[NDArray[np.float64], UgvCommand]:
        """Velocity in the rover's frame."""
        forward, left, turn = _follow(
            observation.ugv_origin, observation.ugv.rotation, reference.position, reference.velocity, memory,
            self.holonomic, reference.yaw if self.yaw is None else self.yaw,
            self.gain, self.integral_gain, self.turn_gain, self.speed_max, self.turn_max, self.stop_within,
            1.0 / self.rate_hz,
        )  # fmt: skip
        return memory, UgvCommand(forward, left, turn)


@njit(cache=True)
def _follow(
    p, R, p_ref, v_ref, integral, holonomic, yaw,
    gain, integral_gain, turn_gain, speed_max, turn_max, stop_within, dt,
):  # fmt: skip
    ex, ey = p_ref[0] - p[0], p_ref[1] - p[1]
    if v_ref[0] == 0.0 and v_ref[1] == 0.0 and math.hypot(ex, ey) < stop_within:
        return 0.0, 0.0, 0.0
    vx = v_ref[0] + gain * ex + integral_gain * integral[0]
    vy = v_ref[1] + gain * ey + integral_gain * integral[1]
    speed = math.hypot(vx, vy)
    if speed > speed_max:
        vx, vy = vx * speed_max / speed, vy * speed_max / speed
    else:
        # The integral waits while the command is limited.
        integral[0] += dt * ex
        integral[1] += dt * ey
    heading = math.atan2(R[1, 0], R[0, 0])
    if holonomic:
        turn = turn_gain * _turned(yaw - heading)
        c, s = math.cos(heading), math.sin(heading)
        return c * vx + s * vy, c * vy - s * vx, min(max(turn, -turn_max), turn_max)
    error = _turned(math.atan2(vy, vx) - heading)
    back = abs(error) > 0.5 * math.pi  # it may as well go backwards
    if back:
        error = _turned(error + math.pi)
    forward = math.hypot(vx, vy) * max(math.cos(error), 0.0) ** 3
    return -forward if back else forward, 0.0, min(max(turn_gain * error, -turn_max), turn_max)


@njit(cache=True)
def _turned(angle):
    """The same angle between -pi and pi."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)
