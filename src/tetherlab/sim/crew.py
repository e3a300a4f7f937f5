"""Those who decide: two controllers and a winch rule, asked in Python or decided by laws in compiled code."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.messages import Reference, UavCommand, UgvCommand, WinchCommand
from tetherlab.math.record import make_records
from tetherlab.plant.command import Command
from tetherlab.plant.laws import DRIVE, FLIGHT, REEL
from tetherlab.sim.decisions import Laws, make_laws
from tetherlab.sim.mission import Mission
from tetherlab.sim.observation import Observed, window
from tetherlab.sim.reference import MovingPoint
from tetherlab.sim.speakers import NAMES, checked, write_drive, write_flight, write_reel

KINDS = (FLIGHT, DRIVE, REEL)  # of laws
FLYING, DRIVING, REELING = 0, 1, 2  # indices of the three
NOBODY = tuple(make_records(0, kind) for kind in KINDS)
DRONE_POINT, ROVER_POINT = 0, 1  # rows of the reference points


class Crew:
    """The three, what they remember, and who of them Python has to ask."""

    def __init__(self, speakers: tuple[Any, Any, Any], every: list[int], *, compiled: bool = True) -> None:
        """every: ticks from one decision of each to the next. compiled: laws may go by the truth."""
        self.speakers = speakers
        self.speaking = FLYING  # who is asked now
        self._every = every
        self._laws = [_law(speaker, who) if compiled else NOBODY[who] for who, speaker in enumerate(speakers)]
        self._wanted: tuple[float, ...] = ()  # headings, length and slack
        self._references: tuple[Reference, Reference]
        self._records = make_laws(1, 1, 1)  # in which compiled laws remember
        self._records.flying["path"] = self._records.reeling["path"] = DRONE_POINT
        self._records.driving["path"] = ROVER_POINT
        for rows, calls in zip(self._turns, every, strict=True):
            rows["every"] = calls
        self._compiled: Laws | None = None  # as they were last
        self.take_winch(None)
        self.remember([speaker.init() for speaker in speakers])

    def take_winch(self, command: WinchCommand | None) -> None:
        """Command the winch in place of its rule; None: it follows the rule again."""
        self.winch_by_hand = command
        self._in_python = [who for who in (FLYING, DRIVING, REELING) if not len(self._laws[who])]
        if command is not None and REELING not in self._in_python:
            self._in_python.append(REELING)
        self._compiled = None

    def replace_rule(self, rule: Any) -> None:
        """Go on with other settings of the winch's rule, and what it remembers."""
        self.speakers = (*self.speakers[:REELING], rule)
        self._laws[REELING] = _law(rule, REELING) if len(self._laws[REELING]) else NOBODY[REELING]
        self.take_winch(None)

    def forget_flight(self) -> None:
        """Let the drone's controller begin anew."""
        self.remember([self.speakers[FLYING].init(), *self.memories[1:]])

    def forget_reeling(self) -> None:
        """Let the winch's rule begin anew."""
        self.remember([*self.memories[:REELING], self.speakers[REELING].init()])

    def remember(self, memories: list[Any]) -> None:
        """Go on with other memories."""
        self.memories, self._compiled = list(memories), None
        flying, driving = self._records.flying, self._records.driving
        if len(self._laws[FLYING]):
            parts = {name: flying[name][0] for name in ("integral", "force", "pull")}
            self.memories[FLYING] = _moved(memories[FLYING], parts)
        if len(self._laws[DRIVING]):
            self.memories[DRIVING] = _moved({"": memories[DRIVING]}, {"": driving["integral"][0]})[""]

    def listen(self, tick: int, mission: Mission, state: Observed, command: Command) -> None:
        """Ask those in Python whose turn it is, and write their commands for the plant."""
        wanted = (mission.uav_yaw, mission.ugv_yaw, mission.length, mission.slack)
        if wanted != self._wanted:  # the rest of a reference is windows
            self._wanted, self._compiled = wanted, None
            up, down = (mission.uav, wanted[0]), (mission.ugv, wanted[1])
            self._references = _reference(*up, *wanted[2:]), _reference(*down, *wanted[2:])
        to_drone, to_rover = self._references
        for who in (FLYING, DRIVING, REELING):
            # Looked up anew each time: one who speaks may command the winch.
            if who in self._in_python and tick % self._every[who] == 0:
                self.speaking = who
                if who == DRIVING:
                    write_drive(command, self._ask(who, state, to_rover, UgvCommand))
                elif who == REELING:
                    reel = self.winch_by_hand
                    if reel is None:
                        reel = self._ask(who, state, to_drone, WinchCommand)
                    write_reel(command, reel)
                elif mission.armed:
                    write_flight(command, self._ask(who, state, to_drone, UavCommand))

    def settings(self, who: int) -> list[Any]:
        """What a checkpoint must find again: calls per second, and the law byte by byte."""
        return [float(self.speakers[who].rate_hz), self._laws[who].tobytes().hex()]

    def ticks_alone(self, tick: int) -> int:
        """Until one of them has to be asked in Python."""
        least = sys.maxsize
        for who in self._in_python:
            least = min(least, self._every[who] - tick % self._every[who])
        return least

    def laws(self) -> Laws:
        """As compiled code takes them, and what was wanted when they listened last."""
        if self._compiled is not None:
            return self._compiled
        flight, flying, drive, driving, reel, reeling = records = self._records
        decided = [bool(len(law)) for law in self._laws]
        decided[REELING] = decided[REELING] and self.winch_by_hand is None
        for rows, turns, law, by_law in zip(
            (flight, drive, reel), self._turns, self._laws, decided, strict=True
        ):
            turns["by_law"] = by_law
            if by_law:
                rows[:] = law
        flying["yaw"], driving["yaw"], reeling["slack"] = self._wanted[0], self._wanted[1], self._wanted[3]
        self._compiled = Laws(*records)
        return self._compiled

    @property
    def _turns(self) -> tuple[NDArray[Any], ...]:
        return self._records.flying, self._records.driving, self._records.reeling

    def _ask(self, who: int, state: Observed, reference: Reference, kind: type) -> Any:
        self.memories[who], command = checked(self.speakers[who](self.memories[who], state, reference), kind)
        return command


def _moved(memory: dict[str, Any], parts: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """A memory in the place where compiled code goes on with it."""
    for name, part in parts.items():
        part[...] = memory[name]
    return parts


def _law(speaker: Any, who: int) -> Any:
    """Its law, or an empty one: then it is asked. Who derives from a controller with a law means another."""
    law = getattr(speaker, "law", None) if "law" in vars(type(speaker)) else None
    if not isinstance(law, np.ndarray) or law.dtype != KINDS[who]:
        return NOBODY[who]
    for name in KINDS[who].names or ():
        if not np.isfinite(law[name]).all():
            kind = type(speaker).__name__
            raise InputError(f"{NAMES[who]}: {kind} has {name} {law[name][0]:g}, which must be finite")
    return law


def _reference(point: MovingPoint, yaw: float, length: float, slack: float) -> Reference:
    position, velocity, acceleration, target = map(window, point[:4])
    return Reference(position, velocity, acceleration, yaw, target, length, slack)
