"""The same missions on another vehicle: a drone without a tether that is commanded by velocity."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.alone import LoneQuadrotor

Vector = NDArray[np.float64]
ARRIVED_WITHIN, ARRIVED_BELOW = 0.05, 0.1  # of the height of take-off [m], [m/s]
CLIMB = 0.4  # of take-off [m/s]


class LoneCommander:
    """A `Commander` of a drone with a battery: velocity by a PI controller, no winch and no rover."""

    def __init__(
        self, drone: LoneQuadrotor, *, bandwidth: float = 3.0, acceleration_max: float = 3.0
    ) -> None:
        """bandwidth: of the velocity [rad/s]. acceleration_max [m/s^2]."""
        self.drone, self.bandwidth, self.acceleration_max = drone, bandwidth, acceleration_max
        self.armed = False
        self.velocity_error = np.zeros(3)  # of the odometry that it flies by, world frame [m/s], (3,)
        self._yaw = self._heading()
        self._velocity_H, self._turn = np.zeros(3), 0.0
        self._height = math.nan  # that it takes off to [m]
        self._integral = np.zeros(3)  # [m]

    def take_off(self, height: float) -> None:
        """Straight up by a height [m]."""
        self.armed, self._height = True, float(self.drone.position[2]) + height
        self._velocity_H, self._turn, self._yaw = np.zeros(3), 0.0, self._heading()
        self._integral[:] = 0.0

    def fly(self, velocity_H: Vector, turn: float = 0.0) -> None:
        """At a velocity [m/s], (3,), turning to the left [rad/s]."""
        self._velocity_H, self._turn, self._height = np.asarray(velocity_H, float), turn, math.nan

    def disarm(self) -> None:
        """Stop the rotors."""
        self.armed = False

    def keep_tension(self, tension: float) -> None:
        """There is no tether to keep taut."""

    def drive_to(self, place: Vector) -> None:
        """There is nobody who could carry it."""
        raise InputError("this drone has no rover: leave out the task that drives")

    @property
    def arrived(self) -> bool:
        """The last `take_off` is done."""
        off = abs(self._height - float(self.drone.position[2]))
        return off < ARRIVED_WITHIN and float(np.linalg.norm(self.drone.velocity)) < ARRIVED_BELOW

    def advance(self, dt: float) -> None:
        """Let the drone do for dt [s] what it was told."""
        drone, w = self.drone, self.bandwidth
        self._yaw += self._turn * dt
        c, s = math.cos(self._heading()), math.sin(self._heading())
        x, y, z = self._velocity_H.tolist()
        if not math.isnan(self._height):
            z = min(max(self._height - float(drone.position[2]), -CLIMB), CLIMB)
        error = np.array((c * x - s * y, s * x + c * y, z)) - self.velocity_error - drone.velocity
        # (s + w)^2 = s^2 + 2 w s + w^2
        wanted = 2.0 * w * error + w * w * self._integral
        size = float(np.linalg.norm(wanted))
        if size > self.acceleration_max:
            wanted *= self.acceleration_max / size
        else:
            self._integral += dt * error  # waits while the command is limited
        wanted[2] += float(drone.world.gravity)
        drone.step(dt, drone.spec.mass * wanted, self._yaw, armed=self.armed)

    def _heading(self) -> float:
        R = self.drone.rotation
        return math.atan2(R[1, 0], R[0, 0])
