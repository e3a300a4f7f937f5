"""What somebody did by hand, as a scenario that flies it again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.contracts.documents import write_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.map_files import relative_map_files
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.simulation import Simulation
from tetherlab.scenario.trajectory import Waypoint, write_trajectory

TRAJECTORY = "trajectory.csv"


class Flown:
    """The places where the team was sent, one after another; their order counts, not their time."""

    def __init__(self, scenario: Scenario, name: str) -> None:
        """name: of what it is written as."""
        self._scenario, self._name = scenario, name
        self.waypoints: list[Waypoint] = []
        self._took_off = self._landed = False
        self._length: float | None = None  # that the winch was told to keep [m]
        self._wind: list[float] | None = None  # [m/s]

    def take_off(self, simulation: Simulation) -> None:
        """The drone was told to climb."""
        self.go(simulation)
        self._took_off = True

    def go(self, simulation: Simulation) -> None:
        """The vehicles were told where to go."""
        mission, state = simulation.mission, simulation.state
        uav, ugv = mission.uav.target, mission.ugv.target
        if not mission.armed:  # it rides on the rover; when this is flown again, it will hover above it
            uav = ugv + (state.deck - state.ugv_origin) + (0.0, 0.0, self._scenario.mission.take_off_height)
        waypoint = Waypoint(_place(uav), _place(ugv), self._length)
        if self.waypoints and self.waypoints[-1][:2] == waypoint[:2]:
            self.waypoints.pop()  # only the length is another one
        self.waypoints.append(waypoint)
        self._landed = False

    def land(self) -> None:
        """The drone was told to land."""
        self._landed = True

    def keep(self, length: float | None, simulation: Simulation) -> None:
        """The winch was told to keep a length [m], or None: something else."""
        self._length = length
        if self.waypoints:
            landed = self._landed
            self.go(simulation)
            self._landed = landed

    def blow(self, velocity: Any) -> None:
        """The wind was changed [m/s], (3,)."""
        self._wind = np.asarray(velocity, float).tolist()

    def save(self, new_folder: Callable[[], Path]) -> Path:
        """Write the places and a scenario that flies them into a new folder; returns the scenario's path."""
        if not self.waypoints:
            raise InputError("there is nothing to save: send the drone or the rover somewhere first")
        folder = new_folder()
        write_trajectory(folder / TRAJECTORY, self.waypoints)
        data = relative_map_files(self._scenario.to_dict(), folder)
        data["description"] = "Flown by hand."
        del data["mission"]["targets"]
        data["mission"] |= {
            "trajectory": TRAJECTORY,
            "take_off": self._took_off and self._scenario.uav.on_platform,
            "land": self._landed,
        }
        if any(waypoint.length is not None for waypoint in self.waypoints):
            data["winch"]["rule"] = {"type": "from_trajectory", "margin_m": 0.0}
        if self._wind is not None:
            data["world"]["wind"] = {**data["world"].get("wind", {}), "velocity_m_per_s": self._wind}
        path = folder / f"{self._name}.yaml"
        write_yaml(data, path, comment=f"tetherlab run {path}")
        return path


def _place(point: Any) -> tuple[float, float, float]:
    x, y, z = map(float, point)
    return x, y, z
