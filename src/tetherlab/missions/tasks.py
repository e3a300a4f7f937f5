"""Simple tasks: take off, fly straight for a while, wait, drive to the next place."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import Commander, Readings, TaskStatus
from tetherlab.missions.guards import Needs

Vector = NDArray[np.float64]
STILL = np.zeros(3)
STILL.setflags(write=False)


class TakeOff:
    """Straight up, with little tension, so that the tether does not hold it back."""

    def __init__(
        self, *, height: float, tension: float, patience: float = 30.0, name: str = "take off"
    ) -> None:
        """height: above the platform [m]. tension: of the tether meanwhile [N]. patience [s]."""
        self.name, self.details = name, ""
        self.height, self.tension, self.patience = height, tension, patience
        self._since = math.nan

    def begin(self, readings: Readings) -> None:
        """On the platform."""
        self.details, self._since = "", math.nan

    def step(self, readings: Readings, commander: Commander) -> TaskStatus:
        """Once commanded, it waits until the drone is there."""
        if math.isnan(self._since):
            self._since = readings.time
            commander.keep_tension(self.tension)
            commander.take_off(self.height)
            return TaskStatus.GOING_ON
        if commander.arrived:
            self.details = f"{self.height:g} m above the platform"
            return TaskStatus.DONE
        if readings.time - self._since > self.patience:
            self.details = f"not {self.height:g} m above the platform after {self.patience:g} s"
            return TaskStatus.FAILED
        return TaskStatus.GOING_ON


class Move:
    """At one velocity for some time, as the paper's "Mission Move"; then it hovers."""

    def __init__(self, *, velocity_H: Vector, duration: float, name: str = "move") -> None:
        """velocity_H [m/s], (3,); duration [s]."""
        self.name, self.details = name, ""
        self.velocity_H, self.duration = np.asarray(velocity_H, float), duration
        self._since = math.nan

    def begin(self, readings: Readings) -> None:
        """From here."""
        self.details, self._since = "", readings.time

    def step(self, readings: Readings, commander: Commander) -> TaskStatus:
        """On and on."""
        if readings.time - self._since >= self.duration:
            commander.fly(STILL)
            self.details = f"{self.duration:g} s"
            return TaskStatus.DONE
        commander.fly(self.velocity_H)
        return TaskStatus.GOING_ON


class Drive:
    """The rover takes the drone along a route, and does not let it go without its sensors."""

    def __init__(
        self,
        *,
        route: Vector,
        tension: float,
        patience: float = 600.0,
        needs: Needs | None = None,
        wait: float = 5.0,
        name: str = "drive",
    ) -> None:
        """route: places of the map [m], (n, 2). tension: of the tether meanwhile [N]. patience: each [s].

        needs: sensors that must speak before the drone may take off; wait: for how long they may not [s].
        """
        self.name, self.details = name, ""
        self.route, self.tension, self.patience = np.atleast_2d(np.asarray(route, float)), tension, patience
        self.needs, self.wait, self._there = Needs() if needs is None else needs, wait, math.nan
        self._next, self._since = 0, math.nan

    def begin(self, readings: Readings) -> None:
        """At the start of the route."""
        self.details, self._next, self._since, self._there = "", 0, math.nan, math.nan

    def step(self, readings: Readings, commander: Commander) -> TaskStatus:
        """The next place when one is reached."""
        late = not math.isnan(self._since) and readings.time - self._since > self.patience
        if late and math.isnan(self._there):
            x, y = self.route[self._next - 1]
            self.details = f"({x:.1f}, {y:.1f}) m was not reached in {self.patience:g} s"
            return TaskStatus.FAILED
        if self._next > 0 and not commander.arrived:
            return TaskStatus.GOING_ON
        if self._next == len(self.route):
            return self._ready(readings)
        commander.keep_tension(self.tension)
        commander.drive_to(self.route[self._next])
        self._next, self._since = self._next + 1, readings.time
        return TaskStatus.GOING_ON

    def _ready(self, readings: Readings) -> TaskStatus:
        """Whether the drone may take off."""
        if math.isnan(self._there):
            self._there = readings.time
        missing = self.needs(readings)
        self.details = missing or f"{len(self.route)} places"
        if not missing:
            return TaskStatus.DONE
        return TaskStatus.FAILED if readings.time - self._there > self.wait else TaskStatus.GOING_ON
