"""The drone follows a moving point: PID on position, and optionally the tether's pull is fed forward."""

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tetherlab.contracts.messages import Observation, Reference, UavCommand
from tetherlab.tether.catenary import Catenary

Vector = NDArray[np.float64]
SLACK_MIN = 1.005  # length over distance that a hanging tether is taken to have


@dataclass(frozen=True, kw_only=True)
class PositionController:
    """Follows the reference with the force that it needs; three poles of `bandwidth`, one of them integral.

    feed_forward: "none", "measured" (the tether's force as a sensor at the attachment has it, filtered) or
    "catenary" (of the hanging curve between winch and drone with the length that is out).
    """

    mass: float  # that it believes the drone to have [kg]
    gravity: float = 9.80665  # [m/s^2]
    linear_density: float = 0.0  # of the tether, for "catenary" [kg/m]
    bandwidth: float = 2.0  # [rad/s]
    feed_forward: str = "none"
    filter_time: float = 0.1  # of the measured force [s]
    acceleration_max: float = 5.0  # [m/s^2]
    rate_hz: float = 100.0

    def init(self) -> dict[str, Vector]:
        """Integral of the error [m s], the last force and the tether's pull [N], each (3,)."""
        return {"integral": np.zeros(3), "force": np.zeros(3), "pull": np.zeros(3)}

    def __call__(
        self, memory: dict[str, Vector], observation: Observation, reference: Reference
    ) -> tuple[dict[str, Vector], UavCommand]:
        """The force that the rotors shall exert."""
        uav, pull, force = observation.uav, memory["pull"], memory["force"]
        if self.feed_forward == "measured":
            pull += (uav.tether_force - pull) * min(1.0, 1.0 / (self.rate_hz * self.filter_time))
        elif self.feed_forward == "catenary":
            pull[:] = hanging_pull(observation, self.linear_density, self.gravity)
        _follow(
            uav.position, uav.velocity, reference.position, reference.velocity, reference.acceleration,
            pull, memory["integral"], force,
            self.mass, self.gravity, self.bandwidth, self.acceleration_max, 1.0 / self.rate_hz,
        )  # fmt: skip
        return memory, UavCommand(force, reference.yaw)


@njit(cache=True)
def _follow(p, v, p_ref, v_ref, a_ref, pull, integral, force, mass, gravity, w, most, dt):
    # (s + w)^3 = s^3 + 3 w s^2 + 3 w^2 s + w^3
    square = 0.0
    for i in range(3):
        force[i] = (
            a_ref[i] + 3.0 * w * (v_ref[i] - v[i]) + 3.0 * w * w * (p_ref[i] - p[i]) + w**3 * integral[i]
        )
        square += force[i] * force[i]
    size = math.sqrt(square)
    if size > most:
        for i in range(3):
            force[i] *= most / size
    else:
        # The integral waits while the command is limited.
        for i in range(3):
            integral[i] += dt * (p_ref[i] - p[i])
    for i in range(3):
        force[i] = mass * force[i] - pull[i]
    force[2] += mass * gravity


def hanging_pull(observation: Observation, linear_density: float, gravity: float) -> Vector:
    """Force on the drone of a tether that hangs at rest with at least some slack [N], (3,)."""
    base, end, length = observation.exit, observation.attachment, observation.length
    apart = float(np.linalg.norm(end - base))
    # Where it is nearly straight its pull depends on less than anyone knows of its length.
    length = max(length, SLACK_MIN * apart, 1e-3)
    curve = Catenary.between(base, end, length)
    tension = float(curve.tension(length, linear_density, gravity))
    direction = curve.sample(200)[-2] - end
    pull: Vector = tension * direction / np.linalg.norm(direction)
    return pull
