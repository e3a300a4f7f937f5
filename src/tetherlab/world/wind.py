"""Wind: what users build, and its compiled form."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tetherlab.contracts import check
from tetherlab.world.kernel import query
from tetherlab.world.shapes import Vector


class WindField(NamedTuple):
    """Everything that `wind_at` needs; one Numba type for every wind, also for none."""

    mean: (
        np.ndarray
    )  # (5,) velocity at the reference height (3) [m/s], reference height [m] (0 = uniform), exponent
    modes: np.ndarray  # (mode_count, 8) gust modes


@query
def wind_at(wind, x, y, z, t):
    """Velocity of the air [m/s] at a point [m] and time [s]."""
    mean = wind.mean
    return mean[0], mean[1], mean[2]


class Wind:
    """Velocity of the air as a function of place and time."""

    def __init__(self, field: WindField) -> None:
        self.field = field

    @classmethod
    def uniform(cls, velocity: Vector) -> Wind:
        """The same velocity everywhere and always [m/s], (3,)."""
        return cls(WindField(np.append(check.vector("velocity", velocity), [0.0, 0.0]), np.empty((0, 8))))

    @classmethod
    def calm(cls) -> Wind:
        """No wind at all."""
        return cls.uniform((0.0, 0.0, 0.0))
