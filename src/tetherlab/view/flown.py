"""What somebody did by hand, as a scenario that flies it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.contracts.documents import write_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.map_files import relative_map_files
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.simulation import Simulation
from tetherlab.scenario.trajectory import Waypoint, write_trajectory

TRAJECTORY, SCENARIO = "trajectory.csv", "scenario.yaml"


class Flown:
    """The places where the team was sent, one after another; their order counts, not their time."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self.waypoints: list[Waypoint] = []
        self._took_off = self._landed = False
        self._length: float | None = None  # that the winch was told to keep [m]
        self._wind: list[float] | None = None  # [m/s]

    def take_off(self, simulation: Simulation) -> None:
        """The drone was told to climb."""
        if self.waypoints or not self._scenario.uav.on_platform:
            self.go(simulation)
        self._took_off, self._landed = True, False

    def go(self, simulation: Simulation) -> None:
        """The vehicles were told where to go."""
        mission = simulation.mission
        uav, ugv = ((float(x), float(y), float(z)) for x, y, z in (mission.uav.target, mission.ugv.target))
        waypoint = Waypoint(uav, ugv, self._length)
        if self.waypoints[-1:] != [waypoint]:
            self.waypoints.append(waypoint)

    def land(self) -> None:
        """The drone was told to land."""
        self._landed = True

    def keep(self, length: float | None, simulation: Simulation) -> None:
        """The winch was told to keep a length [m], or None: something else."""
        self._length = length
        if self.waypoints or not simulation.mission.armed:
            self.go(simulation)

    def blow(self, velocity: Any) -> None:
        """The wind was changed [m/s], (3,)."""
        self._wind = np.asarray(velocity, float).tolist()

    def save(self, folder: Path) -> Path:
        """Write the places and a scenario that flies them into a folder; returns the scenario's path."""
        if not self.waypoints:
            raise InputError("there is nothing to save: send the drone or the rover somewhere first")
        folder.mkdir(parents=True, exist_ok=True)
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
        write_yaml(data, folder / SCENARIO, comment=f"tetherlab run {folder / SCENARIO}")
        return folder / SCENARIO
