"""Moments of a robot in the canopy: from its log, or from a simulation that goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.canopy_simulation import CanopySimulation
from tetherlab.contracts.columns import STATION_COUNT, STATION_POSITIONS, STATION_TENSIONS
from tetherlab.contracts.log import Log
from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.plant.branch import Branch
from tetherlab.scenario.canopy import CanopyScenario
from tetherlab.scenario.written import in_the_canopy
from tetherlab.view.frame import CLOSE, NOTHING, Pose, Record, pose_at, values_at

Vector = NDArray[np.float64]
FINE = 10  # points that are looked at between two of the tether
THRUST = ("thrust_left_N", "thrust_right_N")


@dataclass(frozen=True, kw_only=True)
class CanopyFrame:
    """What is seen at one moment; what a record does not hold is None or empty."""

    time: float  # [s]
    robot: Pose | None = None  # of the point where its tether leaves it
    tether: Vector  # points from the robot to the anchor [m], (n, 3)
    tension: Vector  # at them [N], (n,)
    contacts: Vector  # where the tether touches something [m], (k, 3)
    length: float | None = None  # of tether that is out [m]
    thrust: Vector  # of the left and the right propeller [N], (2,)
    bends: Vector  # of the branches, sideways and up [rad], (branches, 2)


class Bends:
    """Where branches are when they are bent."""

    def __init__(self, branches: Sequence[Branch]) -> None:
        self.branches = tuple(branches)

    def rotation(self, number: int, bent: Vector) -> Vector:
        """From a branch as it grew to how it is, (3, 3)."""
        return self.branches[number].rotation(bent)

    def quaternion(self, number: int, bent: Vector) -> Vector:
        """The same, wxyz, (4,)."""
        return quaternion_from_matrix(self.rotation(number, bent))

    def touched(self, tether: Vector, bends: Vector) -> Vector:
        """Where a tether, (n, 3), comes nearest to each branch that it touches [m], (k, 3)."""
        if len(tether) < 2 or not self.branches:
            return NOTHING
        steps = np.linspace(0.0, 1.0, FINE, endpoint=False)[:, None]
        fine = (tether[:-1, None] * (1.0 - steps) + tether[1:, None] * steps).reshape(-1, 3)
        found = []
        for k, branch in enumerate(self.branches):
            way = self.rotation(k, bends[k]) @ (branch.tip - branch.root)
            share = np.clip((fine - branch.root) @ way / (way @ way), 0.0, 1.0)
            apart = np.linalg.norm(fine - branch.root - share[:, None] * way, axis=1)
            nearest = int(np.argmin(apart))
            if apart[nearest] < branch.radius + CLOSE:
                found.append(fine[nearest])
        return np.array(found) if found else NOTHING


class CanopyRecord(Record):
    """The moments of a log of a robot in the canopy."""

    followed: ClassVar[dict[str, str]] = {"robot": "robot"}

    def __init__(self, log: Log) -> None:
        super().__init__(log)
        self._robot = log.tables.get("robot")
        self._branches = log.tables.get("branches")
        self.bends = Bends(branches_of(self.scenario))

    @property
    def begun_contacts(self) -> Vector:
        """None: what the robot hangs from is in the events."""
        return np.zeros(0)

    def at(self, time: float) -> CanopyFrame:  # type: ignore[override]
        """The moment that was recorded last before a time [s]."""
        time = min(max(time, self.start), self.end)
        points = values_at(self._tether, STATION_POSITIONS, time)
        tether = NOTHING if points is None else points.reshape(STATION_COUNT, 3)
        loads = values_at(self._tether, STATION_TENSIONS, time)
        length = values_at(self._robot, ("length_m",), time)
        thrust = values_at(self._robot, THRUST, time)
        bends = self._bends(time)
        return CanopyFrame(
            time=time,
            robot=pose_at(self._robot, time),
            tether=tether,
            tension=np.zeros(len(tether)) if loads is None else loads,
            contacts=np.concatenate([tether[self._touching(tether)], self.bends.touched(tether, bends)]),
            length=None if length is None else float(length[0]),
            thrust=np.zeros(2) if thrust is None else thrust,
            bends=bends,
        )

    def _bends(self, time: float) -> Vector:
        names = [f"{b.name}_{way}_deg" for b in self.bends.branches for way in ("sideways", "up")]
        found = values_at(self._branches, tuple(names), time) if names else None
        if found is None:
            return np.zeros((len(self.bends.branches), 2))
        return np.radians(found).reshape(-1, 2)

    def _touching(self, points: Vector) -> NDArray[np.bool_]:
        if self.scenario is None or not len(points) or not self.scenario.world.shapes:
            return np.zeros(len(points), bool)
        return np.asarray(self.scenario.world.distance(points) < CLOSE)


def branches_of(scenario: object) -> list[Branch]:
    """Those of a scenario that is known."""
    if not isinstance(scenario, CanopyScenario):
        return []
    return [section.branch for section in scenario.canopy.branches]


def record_of(log: Log) -> Record:
    """The record of a log, whatever moved in it."""
    return CanopyRecord(log) if in_the_canopy(log.scenario) or "robot" in log else Record(log)


def canopy_frame(simulation: CanopySimulation, bends: Bends) -> CanopyFrame:
    """A simulation as it is drawn now."""
    tether, tension = simulation.stations
    bent = simulation.bends
    return CanopyFrame(
        time=simulation.time,
        robot=Pose(simulation.position, quaternion_from_matrix(simulation.rotation)),
        tether=tether,
        tension=tension,
        contacts=bends.touched(tether, bent),
        length=simulation.state.tether_length,
        thrust=simulation.thrusts,
        bends=bent,
    )
