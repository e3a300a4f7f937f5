"""The sensors of an inspection drone in a run: from the plant as it is to what the mission is told."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import Readings
from tetherlab.plant.model import Plant
from tetherlab.sensors.inspection_suite import InspectionSuite
from tetherlab.sensors.inspection_truth import InspectionTruth
from tetherlab.sensors.truth import Truth
from tetherlab.sim.navigation import true_readings
from tetherlab.sim.observation import Observed

Vector = NDArray[np.float64]
NOTHING = np.zeros(3)
SHARED = [name for name in InspectionTruth._fields if name in Truth._fields]


class InspectionSenses:
    """`Senses` of a run."""

    def __init__(
        self, suite: InspectionSuite, *, attachment: Vector, light: float, spotlights: bool = True
    ) -> None:
        """attachment: of the tether, in the drone's frame [m], (3,). light: of the surroundings [lx]."""
        self.suite = suite
        self._attachment, self._light, self._spotlights = attachment, light, spotlights
        self._yaw = 0.0

    def read(self, plant: Plant, state: Observed) -> Readings:
        """What they say by now."""
        return self.suite.read(self._truth(plant, state))

    def begun(self) -> list[str]:
        """Faults that have begun since this was last asked, a sentence each."""
        return self.suite.begun()

    @property
    def velocity_error(self) -> Vector:
        """Of the odometry that the drone flies by, world frame [m/s], (3,)."""
        if self.suite.odometry is None:
            return NOTHING
        x, y, z = self.suite.odometry.velocity_error_H
        c, s = math.cos(self._yaw), math.sin(self._yaw)
        return np.array((c * x - s * y, s * x + c * y, z))

    def _truth(self, plant: Plant, state: Observed) -> InspectionTruth:
        self._yaw = state.uav.yaw
        known = true_readings(plant, state, self._attachment, _not_asked, 0.0)._asdict()
        power, up = state.power, float(state.deck_rotation[2, 2])
        return InspectionTruth(
            **{name: known[name] for name in SHARED},
            field=plant.field,
            pose=plant.pose,
            ambient_light=self._light,
            spotlights=self._spotlights,
            voltage=math.nan if power is None else power.voltage,
            power_share=math.nan if power is None else power.power_share,
            energy_left=math.nan if power is None else power.energy_left,
            base_tilt=math.acos(min(1.0, up)),
        )


def _not_asked(position: Vector) -> float:
    """The altitude: the range finder looks for itself."""
    return math.nan
