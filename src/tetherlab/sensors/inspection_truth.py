"""The world as it is, at the places that the sensors of an inspection drone look at."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetherlab.sensors.truth import TetherTruth
from tetherlab.world.field import Field

Vector = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class InspectionTruth(TetherTruth):
    """With what the sensors of an inspection drone ask for besides."""

    field: Field  # what rays meet: the world and what rides on the rover
    pose: Vector  # of the objects of `field` now, (objects, 12)
    ambient_light: float = 0.0  # illuminance of what surrounds the drone, without its own lights [lx]
    spotlights: bool = True  # whether they are on
    voltage: float = float("nan")  # at the drone [V]; this and what follows is told as it is
    power_share: float = float("nan")  # that the drone draws, of the most that the cable can transfer
    energy_left: float = float("nan")  # of the battery, share
    base_tilt: float = float("nan")  # of the platform against the horizon [rad]

    @property
    def surroundings(self) -> Field:
        """The field with its objects where they are now."""
        return self.field._replace(pose=self.pose)
