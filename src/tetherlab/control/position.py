"""The drone follows a moving point: PID on position, and optionally the tether's pull is fed forward."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.messages import Observation, Reference, UavCommand
from tetherlab.math.kernel import njit
from tetherlab.math.record import make_records
from tetherlab.plant.laws import FLIGHT, flight_law
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

    @property
    def law(self) -> NDArray[Any] | None:
        """With which compiled code decides in its place; None: nothing but a call of this object can."""
        return None if self.feed_forward == "catenary" else self._settings

    @cached_property
    def _settings(self) -> NDArray[Any]:
        row = make_records(1, FLIGHT)
        for name in ("mass", "gravity", "bandwidth", "acceleration_max"):
            row[name] = getattr(self, name)
        row["dt"] = 1.0 / self.rate_hz
        if self.feed_forward == "measured":
            calls = self.rate_hz * self.filter_time
            row["filter_share"] = 1.0 / calls if calls > 1.0 else 1.0
        return row

    def init(self) -> dict[str, Vector]:
        """Integral of the error [m s], the last force and the tether's pull [N], each (3,)."""
        return {"integral": np.zeros(3), "force": np.zeros(3), "pull": np.zeros(3)}

    def __call__(
        self, memory: dict[str, Vector], observation: Observation, reference: Reference
    ) -> tuple[dict[str, Vector], UavCommand]:
        """The force that the rotors shall exert."""
        uav, pull, force = observation.uav, memory["pull"], memory["force"]
        if self.feed_forward == "catenary":
            pull[:] = hanging_pull(observation, self.linear_density, self.gravity)
        _fly(
            self._settings, uav.position, uav.velocity, uav.tether_force,
            reference.position, reference.velocity, reference.acceleration, memory["integral"], pull, force,
        )  # fmt: skip
        return memory, UavCommand(force, reference.yaw)


@njit(cache=True, error_model="numpy", _nrt=False)
def _fly(laws, p, v, tether_force, p_ref, v_ref, a_ref, integral, pull, force):
    flight_law(laws[0], p, v, tether_force, p_ref, v_ref, a_ref, integral, pull, force)


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
