"""An autopilot that is told velocities over a wire, north, east and down, and a heading."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.messages import Observation, Reference, UavCommand

Vector = NDArray[np.float64]


@dataclass(kw_only=True)
class VelocityAutopilot:
    """Keeps the velocity that it was told last; where it is it does not know, and references do not count."""

    mass: float  # that it believes the drone to have [kg]
    gravity: float = 9.80665  # [m/s^2]
    bandwidth: float = 3.0  # of the velocity [rad/s]
    acceleration_max: float = 5.0  # [m/s^2]
    rate_hz: float = 50.0
    velocity_NED: Vector = field(default_factory=lambda: np.zeros(3))  # north, east, down [m/s], (3,)
    heading: float = 0.0  # from north, clockwise [rad]

    def init(self) -> Vector:
        """Integral of the error [m], (3,)."""
        return np.zeros(3)

    def __call__(
        self, memory: Vector, observation: Observation, reference: Reference
    ) -> tuple[Vector, UavCommand]:
        """The force that the rotors shall exert."""
        north, east, down = self.velocity_NED.tolist()
        error = np.array((east, north, -down)) - observation.uav.velocity
        # (s + w)^2 = s^2 + 2 w s + w^2
        w = self.bandwidth
        wanted = 2.0 * w * error + w * w * memory
        size = float(np.linalg.norm(wanted))
        if size > self.acceleration_max:
            wanted *= self.acceleration_max / size
        else:
            memory = memory + error / self.rate_hz  # waits while the command is limited
        wanted[2] += self.gravity
        return memory, UavCommand(self.mass * wanted, 0.5 * math.pi - self.heading)
