"""Simple tasks: take off, fly straight for a while, wait, drive to the next place."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import Commander, Readings, TaskStatus

Vector = NDArray[np.float64]
STILL = np.zeros(3)  # [m/s]
STILL.setflags(write=False)
UNREADY_FOR = 3.0  # before a take-off is given up [s]


class TakeOff:
    """Straight up, with little tension, so that the tether does not hold it back; not before it is ready."""

    def __init__(
        self,
        *,
        height: float,
        tension: float,
        patience: float = 30.0,
        unready: Callable[[Readings], str] = lambda readings: "",
        name: str = "take off",
    ) -> None:
        """height: above the platform [m]. tension: of the tether meanwhile [N]. patience [s].

        unready: why it must stay on the ground, or nothing.
        """
        self.name, self.details = name, ""
        self.height, self.tension, self.patience, self.unready = height, tension, patience, unready
        self._since, self._told = math.nan, False

    def begin(self, readings: Readings) -> None:
        """On the platform."""
        self.details, self._since, self._told = "", readings.time, False

    def step(self, readings: Readings, commander: Commander) -> TaskStatus:
        """Once commanded, it waits until the drone is there."""
        if not self._told:
            return self._start(readings, commander)
        if commander.arrived:
            self.details = f"{self.height:g} m above the platform"
            return TaskStatus.DONE
        if readings.time - self._since > self.patience:
            self.details = f"not {self.height:g} m above the platform after {self.patience:g} s"
            return TaskStatus.FAILED
        return TaskStatus.GOING_ON

    def _start(self, readings: Readings, commander: Commander) -> TaskStatus:
        self.details = self.unready(readings)
        if self.details:
            return TaskStatus.FAILED if readings.time - self._since > UNREADY_FOR else TaskStatus.GOING_ON
        self._since, self._told = readings.time, True
        commander.keep_tension(self.tension)
        commander.take_off(self.height)
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
    """The rover takes the drone along a route, from place to place."""

    def __init__(
        self, *, route: Vector, tension: float, patience: float = 600.0, name: str = "drive"
    ) -> None:
        """route: places of the map [m], (n, 2). tension: of the tether meanwhile [N]. patience: each [s]."""
        self.name, self.details = name, ""
        self.route, self.tension, self.patience = np.atleast_2d(np.asarray(route, float)), tension, patience
        self._next, self._since = 0, math.nan

    def begin(self, readings: Readings) -> None:
        """At the start of the route."""
        self.details, self._next, self._since = "", 0, math.nan

    def step(self, readings: Readings, commander: Commander) -> TaskStatus:
        """The next place when one is reached."""
        if not math.isnan(self._since) and readings.time - self._since > self.patience:
            x, y = self.route[self._next - 1]
            self.details = f"({x:.1f}, {y:.1f}) m was not reached in {self.patience:g} s"
            return TaskStatus.FAILED
        if self._next > 0 and not commander.arrived:
            return TaskStatus.GOING_ON
        if self._next == len(self.route):
            self.details = f"{len(self.route)} places"
            return TaskStatus.DONE
        commander.keep_tension(self.tension)
        commander.drive_to(self.route[self._next])
        self._next, self._since = self._next + 1, readings.time
        return TaskStatus.GOING_ON
