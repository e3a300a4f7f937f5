"""The same missions on another vehicle: its autopilot takes velocities, north, east and down."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tetherlab.sim.commander import PlantCommander
from tetherlab.sim.crew import Crew
from tetherlab.sim.mission import TAKE_OFF_SPEED, Mission
from tetherlab.sim.observation import Observed

Vector = NDArray[np.float64]


class TakesSetPoints(Protocol):
    """An autopilot that is told what to keep."""

    velocity_NED: Vector  # north, east, down [m/s], (3,)
    heading: float  # from north, clockwise [rad]


class SetPointCommander(PlantCommander):
    """A `Commander` of a drone with an autopilot of its own; rover and winch are commanded as ever.

    Nobody tells the drone a place: it takes off by climbing until it is high enough.
    """

    def __init__(self, autopilot: TakesSetPoints, mission: Mission, crew: Crew, state: Observed) -> None:
        super().__init__(mission, crew, state)
        self._autopilot = autopilot
        self._height = math.nan  # that it takes off to [m]

    def take_off(self, height: float) -> None:
        """Straight up by a height [m]."""
        super().take_off(height)
        self._height = float(self._state.uav.position[2]) + height
        self._send()

    def fly(self, velocity_H: Vector, turn: float = 0.0) -> None:
        """At a velocity [m/s], (3,), turning to the left [rad/s]."""
        self._height = math.nan
        super().fly(velocity_H, turn)

    def advance(self, dt: float) -> None:
        """Tell the autopilot what holds for the next dt [s]."""
        super().advance(dt)
        if self._flies:  # to no place, so that it is never off it
            self._mission.uav.position[:] = self._state.uav.position
        self._send()

    def _send(self) -> None:
        """From the drone's levelled frame to north, east and down."""
        x, y, z = self.velocity_H.tolist()
        if not math.isnan(self._height):
            x = y = 0.0
            z = min(max(self._height - float(self._state.uav.position[2]), -TAKE_OFF_SPEED), TAKE_OFF_SPEED)
        c, s = math.cos(self._state.uav.yaw), math.sin(self._state.uav.yaw)
        east, north, up = np.array((c * x - s * y, s * x + c * y, z)) - self.velocity_error
        self._autopilot.velocity_NED = np.array((north, east, -up))
        self._autopilot.heading = 0.5 * math.pi - self._mission.uav_yaw
