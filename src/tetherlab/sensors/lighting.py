"""How bright it is where a camera looks: ambient light, and spotlights on board."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import njit
from tetherlab.world.field import raycast


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class SpotlightSpec:
    """Two lamps beside the camera (paper 003, section 3.2.5, prints no figure); assumed: 500 lm each."""

    intensity: float = 1200.0  # of both together within the beam [cd]
    beam: float = math.radians(60.0)  # from side to side of it [rad]
    range_max: float = 30.0  # beyond which nothing is lit that a camera could use [m]

    def __post_init__(self) -> None:
        check.non_negative("intensity", self.intensity)
        check.positive("range_max", self.range_max)
        if not 0.0 < check.number("beam", self.beam) < math.pi:
            raise InputError(f"beam must be between 0 and π, got {self.beam:g} rad")

    def directions(self) -> np.ndarray:
        """Unit vectors along which something lit may be: ahead, and to four sides of the beam, (5, 3)."""
        c, s = math.cos(0.4 * self.beam), math.sin(0.4 * self.beam)
        return np.array([[1.0, 0.0, 0.0], [c, s, 0.0], [c, -s, 0.0], [c, 0.0, s], [c, 0.0, -s]])


@njit(cache=True)
def lit(field, place, rotation, directions, intensity, range_max):
    """Illuminance of the nearest of what the rays meet by the spotlights, I/d² [lx]; 0 if they meet none."""
    nearest = range_max
    for i in range(directions.shape[0]):
        x, y, z = directions[i, 0], directions[i, 1], directions[i, 2]
        found, who = raycast(
            field,
            place[0],
            place[1],
            place[2],
            rotation[0, 0] * x + rotation[0, 1] * y + rotation[0, 2] * z,
            rotation[1, 0] * x + rotation[1, 1] * y + rotation[1, 2] * z,
            rotation[2, 0] * x + rotation[2, 1] * y + rotation[2, 2] * z,
            nearest,
        )
        if who >= 0:
            nearest = found
    if nearest >= range_max:
        return 0.0
    return intensity / max(nearest, 0.1) ** 2  # nearer than that it is bright in any case
