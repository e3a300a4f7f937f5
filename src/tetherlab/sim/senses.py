"""The sensors of an inspection drone in a run: from the plant as it is to what the mission is told."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import Readings
from tetherlab.plant.model import Plant
from tetherlab.sensors.inspection_suite import InspectionSuite
from tetherlab.sensors.inspection_truth import InspectionTruth
from tetherlab.sim.navigation import tether_truth
from tetherlab.sim.observation import Observed

Vector = NDArray[np.float64]
NOTHING = np.zeros(3)
ODOMETRY = "odometry"  # its name in the suite


class Follower(Protocol):
    """What hears all sensors and says what a drone flies home by."""

    def hear(self, sender: str, message: Any) -> None:
        """Take what a sensor says."""

    @property
    def velocity_H(self) -> Vector:
        """Of the drone, in its level frame [m/s], (3,)."""

    @property
    def base_H(self) -> Vector:
        """From the drone to its base, in the same frame [m], (3,); NaN: nobody knows."""


class InspectionSenses:
    """`Senses` of a run. The drone flies by its odometry, and by its `home` filter where that is lost."""

    def __init__(
        self,
        suite: InspectionSuite,
        home: Follower,
        *,
        attachment: Vector,
        light: float,
        spotlights: bool = True,
    ) -> None:
        """attachment: of the tether, in the drone's frame [m], (3,). light: of the surroundings [lx]."""
        self.suite, self.home = suite, home
        self.spotlights = spotlights  # whether they are on
        self._attachment, self._light = attachment, light
        self._yaw, self._velocity = 0.0, NOTHING
        self._lost = False  # the odometry

    def read(self, plant: Plant, state: Observed) -> Readings:
        """What they say by now."""
        readings = self.suite.read(self._truth(plant, state))
        self._lost = ODOMETRY in readings.lost
        for sender, message in self.suite.messages:
            if not (self._lost and sender == ODOMETRY):
                self.home.hear(sender, message)
        return replace(readings, base_H=self.home.base_H)

    def begun(self) -> list[str]:
        """Faults that have begun since this was last asked, a sentence each."""
        return self.suite.begun()

    @property
    def velocity_error(self) -> Vector:
        """Of what the drone flies by, world frame [m/s], (3,)."""
        if self.suite.odometry is None:
            return NOTHING
        c, s = math.cos(self._yaw), math.sin(self._yaw)
        x, y, z = self.home.velocity_H if self._lost else self.suite.odometry.velocity_error_H
        believed = np.array((c * x - s * y, s * x + c * y, z))
        return believed - self._velocity if self._lost else believed

    def _truth(self, plant: Plant, state: Observed) -> InspectionTruth:
        self._yaw = state.uav.yaw
        known = tether_truth(plant, state, self._attachment)
        self._velocity = known["velocity"]
        power, up = state.power, float(state.deck_rotation[2, 2])
        return InspectionTruth(
            **known,
            field=plant.field,
            pose=plant.pose,
            ambient_light=self._light,
            spotlights=self.spotlights,
            voltage=math.nan if power is None else power.voltage,
            power_share=math.nan if power is None else power.power_share,
            energy_left=math.nan if power is None else power.energy_left,
            base_tilt=math.acos(min(1.0, up)),
        )
