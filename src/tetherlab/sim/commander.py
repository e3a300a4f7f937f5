"""How a mission on board commands the team in the plant: velocities move the point that the drone follows."""

from __future__ import annotations

import math
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.messages import WinchCommand
from tetherlab.sim.crew import REELING, Crew
from tetherlab.sim.mission import STAND_STILL, TAKE_OFF_SPEED, Mission
from tetherlab.sim.observation import Observed

Vector = NDArray[np.float64]
NEAR_PLACE = 0.1  # of the rover to where it shall be [m]
LIFTED = 0.02  # off the deck, from which on the winch keeps a tension [m]
NEAR_HEIGHT = 0.1  # of the drone, which a tether may hold back [m]


class PlantCommander:
    """A `Commander` of drone, rover and winch in a run.

    The drone flies by its odometry. To follow a point with truth + error is to follow the point - error with
    the truth, so that here the point moves by the wanted velocity less the odometry's error.
    """

    def __init__(self, mission: Mission, crew: Crew, state: Observed) -> None:
        self._mission, self._crew, self._state = mission, crew, state
        self.velocity_error = np.zeros(3)  # of the drone's odometry, world frame [m/s], (3,)
        self.velocity_H, self._turn = STAND_STILL, 0.0  # that it was told last [m/s], [rad/s]
        self._flies = False  # at a velocity, not to a height
        self._place = np.full(2, math.nan)  # that the rover is going to [m]
        self._tension = math.nan  # that was asked for last [N]
        self._docked_at = math.nan  # height of the drone that stands, with a winch that holds [m]

    def dock(self) -> None:
        """The winch holds what is out: neither deck nor drone gives way, and no tension can be kept."""
        self._docked_at = float(self._state.uav.position[2])
        self._crew.take_winch(WinchCommand(length=self._state.length))

    def advance(self, dt: float) -> None:
        """Let what was commanded go on for dt [s]: the drone turns, and its odometry errs."""
        mission = self._mission
        if mission.armed and not math.isnan(self._docked_at) and self._has_left():
            self._reel()
        if not (self._flies and mission.armed):
            return
        mission.uav_yaw += self._turn * dt
        c, s = math.cos(self._state.uav.yaw), math.sin(self._state.uav.yaw)
        x, y, z = self.velocity_H
        mission.uav.keep(np.array((c * x - s * y, s * x + c * y, z)) - self.velocity_error)

    def take_off(self, height: float) -> None:
        """Straight up by a height [m]."""
        mission, point = self._mission, self._mission.uav
        if not mission.armed:
            # What they learned in the last flight is over.
            self._crew.forget_flight()
            self._crew.forget_reeling()
        mission.armed, self._flies = True, False
        mission.uav_yaw = self._state.uav.yaw
        point.limits[:2] = TAKE_OFF_SPEED, 0.0
        point.go_to(point.position + np.array((0.0, 0.0, height)))
        self._place[:] = math.nan

    def fly(self, velocity_H: Vector, turn: float = 0.0) -> None:
        """At a velocity [m/s], (3,), turning to the left [rad/s]."""
        self.velocity_H, self._turn, self._flies = np.asarray(velocity_H, float), turn, True
        self.advance(0.0)

    def disarm(self) -> None:
        """Stop the rotors."""
        mission = self._mission
        mission.armed, self._flies = False, False
        mission.uav.keep(STAND_STILL)
        mission.uav.velocity[:] = 0.0
        self.dock()

    def keep_tension(self, tension: float) -> None:
        """Of the tether [N], as soon as the drone is off its deck."""
        self._tension = tension
        if math.isnan(self._docked_at):
            self._reel()

    def _has_left(self) -> bool:
        """The drone is off its deck, or pulls."""
        risen = float(self._state.uav.position[2]) - self._docked_at
        return risen > LIFTED or self._state.tension > self._tension

    def _reel(self) -> None:
        """By the winch's own rule if it has a set point."""
        tension, self._docked_at = self._tension, math.nan
        rule: Any = self._crew.speakers[REELING]
        if math.isnan(tension):
            self._crew.take_winch(None)
        elif is_dataclass(rule) and not isinstance(rule, type) and hasattr(rule, "tension"):
            self._crew.replace_rule(replace(rule, tension=tension))
        else:
            self._crew.take_winch(WinchCommand(tension=tension))

    def drive_to(self, place: Vector) -> None:
        """The rover, to a place of the map [m], (2,)."""
        self._place[:] = place
        self._mission.ugv.go_to(np.array((*place, self._mission.ugv.position[2])))

    @property
    def arrived(self) -> bool:
        """The last `take_off` or `drive_to` is done."""
        if not math.isnan(self._place[0]):
            away = self._state.ugv_origin[:2] - self._place
            return self._mission.ugv.arrived and math.hypot(*away) < NEAR_PLACE
        point = self._mission.uav
        return point.arrived and abs(float(self._state.uav.position[2] - point.position[2])) < NEAR_HEIGHT
