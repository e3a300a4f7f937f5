"""What a simulation of AVOCADO returns."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from tetherlab.vehicles.avocado.state import LENGTH_MIN, AvocadoState

Array = NDArray[np.float64]


class AvocadoStatus(Enum):
    """How a simulation ended; `value` is the sentence."""

    COMPLETED = "the simulation reached its end"
    REELED_IN = f"the tether was reeled in to less than {LENGTH_MIN:g} m"
    AT_ANCHOR = (
        f"the robot came within {LENGTH_MIN:g} m of its anchor, where the tether's direction means nothing"
    )
    STALLED = "the motion could not be computed any further: no step was short enough for the tolerances"


@dataclass(frozen=True, kw_only=True)
class AvocadoTrajectory:
    """States at the ends of all holds, the first at the start; arrays (n,) unless a shape is given.

    Angles are continuous: a swing through the vertical changes the sign of theta, whole turns are counted.
    """

    time: Array  # [s]
    distance: Array  # l [m]
    tether_length: Array  # l_T [m]
    heading: Array  # Omega [rad]
    theta: Array  # [rad]
    phi: Array  # [rad]
    psi: Array  # [rad]
    distance_rate: Array  # [m/s]
    heading_rate: Array  # [rad/s]
    theta_rate: Array  # [rad/s]
    phi_rate: Array  # [rad/s]
    psi_rate: Array  # [rad/s]
    tension: Array  # of the tether, >= 0 [N]
    commands: Array  # held before each state but the first: reel speed, thrust, torque, (n - 1, 3)
    status: AvocadoStatus  # how it ended
    step_count: int  # of the integrator

    def __len__(self) -> int:
        return len(self.time)

    @property
    def pitch(self) -> Array:
        """Of the robot, theta + phi [rad], (n,)."""
        return self.theta + self.phi

    @property
    def position_W(self) -> Array:
        """Of P seen from the anchor, ENU [m], (n, 3). Heading 0 is towards x, and turns to the right."""
        away = self.distance * np.sin(self.theta)
        down = self.distance * np.cos(self.theta)
        return np.column_stack([away * np.cos(self.heading), -away * np.sin(self.heading), -down])

    def state(self, index: int) -> AvocadoState:
        """One of the states, to go on from."""
        return AvocadoState(
            **{name: float(getattr(self, name)[index]) for name in AvocadoState.__annotations__}
        )
