"""The rover follows a moving point on the ground."""

import math
from dataclasses import dataclass

import numpy as np
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
        p, R = observation.ugv_origin, observation.ugv.rotation
        ex, ey = float(reference.position[0] - p[0]), float(reference.position[1] - p[1])
        wx, wy = float(reference.velocity[0]), float(reference.velocity[1])
        resting = wx == 0.0 and wy == 0.0
        if resting and math.hypot(ex, ey) < self.stop_within:
            return memory, UgvCommand(0.0)
        vx = wx + self.gain * ex + self.integral_gain * memory[0]
        vy = wy + self.gain * ey + self.integral_gain * memory[1]
        speed = math.hypot(vx, vy)
        if speed > self.speed_max:
            vx, vy = vx * self.speed_max / speed, vy * self.speed_max / speed
        else:
            memory[0] += ex / self.rate_hz
            memory[1] += ey / self.rate_hz
        heading = math.atan2(R[1, 0], R[0, 0])
        if self.holonomic:
            error = _turned((reference.yaw if self.yaw is None else self.yaw) - heading)
            turn = min(max(self.turn_gain * error, -self.turn_max), self.turn_max)
            c, s = math.cos(heading), math.sin(heading)
            return memory, UgvCommand(c * vx + s * vy, c * vy - s * vx, turn)
        error = _turned(math.atan2(vy, vx) - heading)
        back = abs(error) > 0.5 * math.pi  # it may as well go backwards
        if back:
            error = _turned(error + math.pi)
        turn = min(max(self.turn_gain * error, -self.turn_max), self.turn_max)
        forward = math.hypot(vx, vy) * max(math.cos(error), 0.0) ** 3
        return memory, UgvCommand(-forward if back else forward, 0.0, turn)


def _turned(angle: float) -> float:
    """The same angle between -pi and pi."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)
