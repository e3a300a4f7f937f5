"""How far it is straight up or down in the body frame, by a laser: to floor, deck or ceiling."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import njit
from tetherlab.sensors.altimeter import Altimeter, AltimeterSpec
from tetherlab.sensors.readings import VerticalReading
from tetherlab.world.field import raycast

Vector = NDArray[np.float64]
DOWN, UP = (0.0, 0.0, -1.0), (0.0, 0.0, 1.0)


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class RangeFinderSpec(AltimeterSpec):
    """Defaults: a Garmin LidarLite v3, which looks down (paper 003, section 3.2.5).

    Range, resolution and accuracy are as its data sheet has them; how the accuracy divides into noise and a
    constant error is assumed. Its beam is taken as a ray: at 10 m it is 8 cm wide.
    """

    rate_hz: float = 50.0
    delay: float = 0.02  # assumed [s]
    noise: float = 0.01  # [m]
    offset_deviation: float = 0.015  # [m]
    resolution: float = 0.01  # [m]
    range: tuple[float, float] = (0.05, 40.0)  # [m]
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # from the tether's attachment, body frame [m]
    direction: tuple[float, float, float] = DOWN  # unit, body frame

    def __post_init__(self) -> None:
        super().__post_init__()
        check.vector("position", self.position)
        length = float(np.linalg.norm(check.vector("direction", self.direction)))
        if abs(length - 1.0) > 1e-6:
            raise InputError(f"direction must be a unit vector, got {self.direction!r} of length {length:g}")


def ceiling_finder() -> RangeFinderSpec:
    """A LidarLite v4, which looks up."""
    return RangeFinderSpec(offset_deviation=0.01, range=(0.05, 10.0), direction=UP, position=(0.0, 0.0, 0.1))


class RangeFinder(Altimeter):
    """It tilts with the drone; the autopilot takes the vertical part of what it reads.

    Below its range it reads the lower end of it. Where nothing is within range there is no distance.
    """

    spec: RangeFinderSpec

    def __init__(
        self, spec: RangeFinderSpec, name: str, seed: int, attitude: Callable[[Any], Vector]
    ) -> None:
        super().__init__(spec, name, seed)
        self.flags = (name,)
        self._attitude = attitude
        self._position, self._direction = np.array(spec.position), np.array(spec.direction)

    def distance(self, truth: Any) -> float:
        """Along the ray [m]; beyond the range: twice its end."""
        rotation, far = truth.rotation, 2.0 * self.spec.range[1]
        start = truth.attachment + rotation @ self._position
        return float(first_surface(truth.surroundings, start, rotation @ self._direction, far))

    def message(self, truth: Any, values: list[float], saturated: tuple[str, ...]) -> VerticalReading:
        """A distance along the vertical."""
        if saturated and values[0] > sum(self.spec.range) / 2.0:
            return VerticalReading(truth.time, math.nan, saturated)
        vertical = abs(float(self._attitude(truth)[2] @ self._direction))
        return VerticalReading(truth.time, values[0] * vertical, saturated)


@njit(cache=True)
def first_surface(field, start, direction, range_max):
    """Range of one ray [m], range_max if it meets nothing."""
    return raycast(field, start[0], start[1], start[2], direction[0], direction[1], direction[2], range_max)[
        0
    ]
