"""A mission on board in the loop of a run: now and then it is told what sensors say, and commands."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import Autonomy, Commander, Readings
from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.table import Table
from tetherlab.plant.model import Plant
from tetherlab.sim.observation import Observed


class Senses(Protocol):
    """All sensors on board."""

    def read(self, plant: Plant, state: Observed) -> Readings:
        """What they say by now."""

    def begun(self) -> list[str]:
        """Faults that have begun since this was last asked, a sentence each."""

    @property
    def velocity_error(self) -> NDArray[np.float64]:
        """Of the odometry that the drone flies by, world frame [m/s], (3,)."""


class Vehicle(Commander, Protocol):
    """A `Commander` whose drone flies in a run."""

    velocity_error: NDArray[np.float64]  # of the odometry that it flies by, world frame [m/s], (3,)

    def advance(self, dt: float) -> None:
        """Let what was commanded go on for dt [s]."""

    def dock(self) -> None:
        """At the start, while the drone stands on its deck."""


class Pilot:
    """Sensors and mission of a run."""

    def __init__(self, autonomy: Autonomy, senses: Senses) -> None:
        self.autonomy, self.senses = autonomy, senses
        self.rate_hz = autonomy.rate_hz
        self.readings: Readings | None = None  # the last
        self.watchers: list[Callable[[Readings, Observed], None]] = []  # that see it, and the truth, as well
        self._rows: list[tuple[float, ...]] = []

    def step(self, plant: Plant, state: Observed, commander: Vehicle) -> list[str]:
        """Sense, think, command; what happened, a sentence each."""
        self.readings = self.senses.read(plant, state)
        self._rows.append(_row(self.readings))
        for watch in self.watchers:
            watch(self.readings, state)
        commander.velocity_error[:] = self.senses.velocity_error
        commander.advance(1.0 / self.rate_hz)
        return self.autonomy.step(self.readings, commander)

    def tables(self) -> dict[str, Table]:
        """What the mission was told."""
        columns = COLUMNS["readings"]
        return {"readings": Table.from_rows(columns, np.array(self._rows).reshape(-1, len(columns)))}


def _row(readings: Readings) -> tuple[float, ...]:
    azimuth = elevation = math.nan
    if readings.tether_H is not None:
        x, y, z = readings.tether_H.tolist()
        azimuth, elevation = math.atan2(y, x), math.atan2(-z, math.hypot(x, y))
    age = math.nan if readings.depth is None else readings.time - readings.depth.time
    return (
        readings.time, readings.height, readings.headroom, azimuth, elevation, readings.length,
        readings.tension, *readings.velocity_H.tolist(), *readings.position.tolist(), readings.yaw, age,
        readings.base_tilt,
    )  # fmt: skip
