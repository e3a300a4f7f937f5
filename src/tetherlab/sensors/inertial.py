"""How the velocity changes, by the autopilot's own accelerometers: what is left when a camera sees nothing.

Turned by the attitude that the autopilot believes in and without gravity, they are integrated. What comes out
is the velocity and an error that walks,

    u = v + n ,   dn ~ walk √dt ,

so that only differences of readings say anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.sensors.levelling import heading
from tetherlab.sensors.readings import InertialReading
from tetherlab.sensors.sensor import Sensor, Timing

Vector = NDArray[np.float64]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class InertialSpec(Timing):
    """Of the autopilot; assumed, and as good as what visual odometry goes on by in the dark."""

    rate_hz: float = 50.0
    walk: float = 0.1  # of each direction [m/s/√s]

    def __post_init__(self) -> None:
        super().__post_init__()
        check.non_negative("walk", self.walk)


class Inertial(Sensor[InertialSpec, Any]):
    """Of where the tether is tied, in the level frame that the autopilot takes for the world's."""

    axes = ("x", "y", "z", "yaw")

    def __init__(self, spec: InertialSpec, name: str, seed: int, attitude: Callable[[Any], Vector]) -> None:
        super().__init__(spec, name, seed)
        self.state = np.zeros(3)  # n [m/s]
        self._time = math.nan  # of the last tick [s]
        self._attitude = attitude

    def follow(self, truth: Any) -> None:
        """The error walks, at each tick."""
        passed, self._time = truth.time - self._time, truth.time
        if passed > 0.0:
            self.state += self.spec.walk * math.sqrt(passed) * self.generator.standard_normal(3)

    def values(self, truth: Any) -> list[float]:
        """Velocity [m/s] and yaw [rad]."""
        yaw = heading(self._attitude(truth))
        turned = yaw - heading(truth.rotation)
        c, s = math.cos(turned), math.sin(turned)
        x, y, z = truth.velocity.tolist()
        return [*(np.array((c * x - s * y, s * x + c * y, z)) + self.state).tolist(), yaw]

    def message(self, truth: Any, values: list[float], saturated: tuple[str, ...]) -> InertialReading:
        """A velocity of which the changes count."""
        return InertialReading(truth.time, np.array(values[:3]), values[3])
