"""A mission on board in the loop of a run: now and then it is told what sensors say, and commands."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import Autonomy, Readings
from tetherlab.plant.model import Plant
from tetherlab.sim.commander import PlantCommander
from tetherlab.sim.observation import Observed


class Senses(Protocol):
    """All sensors on board."""

    def read(self, plant: Plant, state: Observed) -> Readings:
        """What they say by now."""

    @property
    def velocity_error(self) -> NDArray[np.float64]:
        """Of the odometry that the drone flies by, world frame [m/s], (3,)."""


class Pilot:
    """Sensors and mission of a run."""

    def __init__(self, autonomy: Autonomy, senses: Senses) -> None:
        self.autonomy, self.senses = autonomy, senses
        self.rate_hz = autonomy.rate_hz
        self.readings: Readings | None = None  # the last

    def step(self, plant: Plant, state: Observed, commander: PlantCommander) -> list[str]:
        """Sense, think, command; what happened, a sentence each."""
        self.readings = self.senses.read(plant, state)
        commander.velocity_error[:] = self.senses.velocity_error
        commander.advance(1.0 / self.rate_hz)
        return self.autonomy.step(self.readings, commander)
