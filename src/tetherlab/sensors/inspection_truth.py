"""The world as it is, at the places that the sensors of an inspection drone look at."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.world.field import Field

Vector = NDArray[np.float64]


class InspectionTruth(NamedTuple):
    """SI, in the world frame W unless it says body. Up to the angular velocity as `Truth`."""

    time: float  # [s]
    length: float  # of tether that is out [m]
    tangent_base_W: Vector  # unit, along base -> end, (3,)
    tangent_end_W: Vector  # unit, along base -> end, (3,)
    tension_base: float  # [N]
    tension_end: float  # [N]
    rotation_base: Vector  # R_WP of the base, (3, 3)
    rotation: Vector  # R_WB of the drone, (3, 3)
    base: Vector  # where the tether leaves the base [m], (3,)
    base_velocity: Vector  # [m/s], (3,)
    attachment: Vector  # where it is tied to the drone [m], (3,)
    velocity: Vector  # of the attachment [m/s], (3,)
    angular_velocity: Vector  # body frame of the drone [rad/s], (3,)
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
