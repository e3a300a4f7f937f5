"""Wall after wall: drive there, take off, map it, come home along the tether, drive on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import Commander, Readings, Task
from tetherlab.missions.approach import Approach
from tetherlab.missions.guards import Limits, Needs, OverTime, WayHome
from tetherlab.missions.machine import Change, Guard, State, StateMachine
from tetherlab.missions.tasks import Drive

Vector = NDArray[np.float64]
DRIVE, TAKE_OFF, APPROACH, MAP, LAND, ABORT = "drive", "take off", "approach", "map", "land", "abort"
COME_DOWN = "come down"
COMPLETED, ABORTED, STRANDED = "completed", "aborted", "stranded"
OUT_THERE = (APPROACH, MAP)
FLYING = (TAKE_OFF, APPROACH, MAP)
POWER_LOW, BATTERY_LOW, WAY_HOME = "power low", "battery low", "way home"  # after these nothing is begun
STEPS = 7.0  # states of a wall, for the progress
NEEDED = (
    "depth_camera", "odometry", "altimeter", "drone_angles",
    "ceiling", "length", "tension",  # without which other guards see nothing
)  # fmt: skip
SILENCE = 1.0  # of a sensor before the mission is broken off [s]


@dataclass(frozen=True)
class Stop:
    """A wall to be inspected, and the way to it."""

    name: str
    route: Vector  # places of the map that the rover drives to, the last is where it waits [m], (n, 2)
    heading: float  # of the wall from there, in the frame of the drone's odometry [rad]


def inspection_machine(
    *,
    drive: Task,
    take_off: Task,
    approach: Task,
    map_wall: Task,
    land: Task,
    abort: Task,
    come_down: Task,
    limits: Limits,
) -> StateMachine:
    """The table of one wall; the tasks are called as above."""
    states = [
        State(task=drive, done=TAKE_OFF, failed=STRANDED),
        State(task=take_off, done=APPROACH, failed=ABORT),
        State(task=approach, done=MAP, failed=ABORT),
        State(task=map_wall, done=LAND, failed=ABORT),
        State(task=land, done=COMPLETED, failed=COME_DOWN),
        State(task=abort, done=ABORTED, failed=COME_DOWN),
        State(task=come_down, done=ABORTED, failed=STRANDED),
    ]
    guards = [
        Guard(name=POWER_LOW, watch=limits.power, target=ABORT, states=FLYING, lasting=2.0),
        Guard(name=BATTERY_LOW, watch=limits.power, target=ABORTED, states=(DRIVE,), lasting=2.0),
        Guard(
            name=WAY_HOME,
            watch=WayHome(speed=limits.landing_speed),
            target=ABORT,
            states=FLYING,
            lasting=1.0,
        ),
        Guard(
            name="over time",
            watch=OverTime(speed=limits.landing_speed, length_total=limits.length_total),
            target=COME_DOWN,
            states=(LAND, ABORT),
        ),
        Guard(name="tension high", watch=limits.tension, target=ABORT, states=OUT_THERE, lasting=0.5),
        Guard(name="tether short", watch=limits.tether, target=ABORT, states=OUT_THERE, lasting=0.5),
        Guard(name="ceiling near", watch=limits.ceiling, target=ABORT, states=FLYING, lasting=0.3),
        Guard(
            name="sensor lost",
            watch=Needs(*NEEDED),
            target=ABORT,
            states=OUT_THERE,
            lasting=SILENCE,
        ),
    ]
    return StateMachine(states, guards, start=DRIVE, ends={COMPLETED: True, ABORTED: False, STRANDED: False})


class Inspection:
    """An `Autonomy` over many walls. A wall that had to be left is passed over, unless power is low."""

    def __init__(self, machine: StateMachine, stops: Sequence[Stop], *, rate_hz: float = 20.0) -> None:
        """machine: of one wall, as `inspection_machine` makes it."""
        self.machine, self.stops, self.rate_hz = machine, tuple(stops), rate_hz
        self.index = 0
        self.results: list[tuple[str, str, str]] = []  # of each wall: name, end, and why it was left
        self._stranded = ""
        self._prepare()

    def step(self, readings: Readings, commander: Commander) -> list[str]:
        """Go on; what happened."""
        if self.done:
            return []
        change = self.machine.step(readings, commander)
        if change is None:
            return []
        said = [self._sentence(change)]
        if self.machine.done:
            self._finish(change)
        return said

    def _prepare(self) -> None:
        """For the next wall."""
        if self.index == len(self.stops):
            return
        stop = self.stops[self.index]
        self.machine.restart()
        drive, approach = self.machine.states[DRIVE].task, self.machine.states[APPROACH].task
        if isinstance(drive, Drive):
            drive.route = np.atleast_2d(stop.route)
        if isinstance(approach, Approach):
            approach.heading = stop.heading

    def _finish(self, change: Change) -> None:
        stop = self.stops[self.index]
        left = [line for line in self.machine.log if line.target in (ABORT, ABORTED, COME_DOWN, STRANDED)]
        why = f"{left[0].cause}: {left[0].details}" if left else ""
        if change.target == STRANDED and change is not left[0]:
            why += f"; {change.details}"
        self.results.append((stop.name, change.target, why))
        if change.target == STRANDED or (left and left[0].cause in (POWER_LOW, BATTERY_LOW, WAY_HOME)):
            self._stranded = f"{stop.name}: {why}"
            return
        self.index += 1
        self._prepare()

    def _sentence(self, change: Change) -> str:
        details = f" ({change.details})" if change.details else ""
        where = f"{self.stops[self.index].name}: " if len(self.stops) > 1 else ""
        return f"{where}{change.source}, {change.cause}{details}: {change.target}"

    @property
    def done(self) -> bool:
        """All walls were visited, or it cannot go on."""
        return bool(self._stranded) or self.index == len(self.stops)

    @property
    def progress(self) -> tuple[float, str]:
        """Walls that were visited, and what is done at the next one."""
        count = len(self.stops)
        if self.done:
            return 1.0, f"{self._mapped} of {count} walls mapped"
        share = (self.index + list(self.machine.states).index(self.machine.state) / STEPS) / count
        return share, f"wall {self.index + 1} of {count}, {self.machine.state}"

    @property
    def _mapped(self) -> int:
        return sum(end == COMPLETED for _, end, _ in self.results)

    @property
    def ending(self) -> tuple[bool, str]:
        """Whether all walls were mapped, and a sentence of it."""
        mapped = self._mapped
        sentence = f"{mapped} of {len(self.stops)} walls were mapped"
        aborted = [f"{name} was left, {why}" for name, end, why in self.results if end != COMPLETED]
        return mapped == len(self.stops), "; ".join([sentence, *aborted])
