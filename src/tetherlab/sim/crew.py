"""Those who decide: two controllers and a winch rule, asked in Python or decided by laws in compiled code."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tetherlab.contracts.messages import Reference, UavCommand, UgvCommand, WinchCommand
from tetherlab.math.record import make_records
from tetherlab.plant.laws import DRIVE, FLIGHT, REEL
from tetherlab.sim.mission import Mission
from tetherlab.sim.observation import Observed, window
from tetherlab.sim.reference import MovingPoint
from tetherlab.sim.speakers import Vector, checked, write_drive, write_flight, write_reel
from tetherlab.sim.ticks import Laws

LAWS = (FLIGHT, DRIVE, REEL)
FLYING, DRIVING, REELING = 0, 1, 2  # indices of the three
NOBODY = tuple(make_records(0, kind) for kind in LAWS)
NO_MEMORY = {name: np.zeros(3) for name in ("integral", "pull", "force")}
NO_INTEGRAL = np.zeros(2)


class Crew:
    """The three, what they remember, and who of them Python has to ask."""

    def __init__(self, speakers: tuple[Any, Any, Any], every: list[int]) -> None:
        """every: ticks from one decision of each to the next."""
        self.speakers = speakers
        self.memories = [speaker.init() for speaker in speakers]
        self.speaking = FLYING  # who is asked now
        self._every = every
        self._laws = [_law(who, kind) for who, kind in zip(speakers, LAWS, strict=True)]
        self._asked: tuple[float, ...] = ()
        self._references: tuple[Reference, Reference]
        self._compiled: Laws | None = None  # as they were last
        self.take_winch(None)

    def take_winch(self, command: WinchCommand | None) -> None:
        """Command the winch in place of its rule; None: it follows the rule again."""
        self.winch_by_hand = command
        self._in_python = [who for who in (FLYING, DRIVING, REELING) if not len(self._laws[who])]
        if command is not None and REELING not in self._in_python:
            self._in_python.append(REELING)
        self._compiled = None

    def forget_flight(self) -> None:
        """Let the drone's controller begin anew."""
        self.remember([self.speakers[FLYING].init(), *self.memories[1:]])

    def remember(self, memories: list[Any]) -> None:
        """Go on with other memories."""
        self.memories, self._compiled = memories, None

    def listen(self, tick: int, mission: Mission, state: Observed, command: Vector) -> None:
        """Ask those in Python whose turn it is, and write their commands for the plant."""
        asked = (mission.uav_yaw, mission.ugv_yaw, mission.length, mission.slack)
        if asked != self._asked:  # the rest of a reference is windows
            self._asked, self._compiled = asked, None
            self._references = (
                _reference(mission.uav, asked[0], *asked[2:]), _reference(mission.ugv, asked[1], *asked[2:])
            )  # fmt: skip
        up, down = self._references
        for who in self._in_python:
            if tick % self._every[who] == 0:
                self.speaking = who
                if who == DRIVING:
                    write_drive(command, self._ask(who, state, down, UgvCommand))
                elif who == REELING:
                    write_reel(command, self.winch_by_hand or self._ask(who, state, up, WinchCommand))
                elif mission.armed:
                    write_flight(command, self._ask(who, state, up, UavCommand))

    def ticks_alone(self, tick: int) -> int:
        """Until one of them has to be asked in Python."""
        least = sys.maxsize
        for who in self._in_python:
            least = min(least, self._every[who] - tick % self._every[who])
        return least

    def laws(self) -> Laws:
        """As compiled code takes them, and what was asked when they listened last."""
        if self._compiled is not None:
            return self._compiled
        reeling = NOBODY[REELING] if self.winch_by_hand else self._laws[REELING]
        flying, driving = self._laws[FLYING], self._laws[DRIVING]
        flight = self.memories[FLYING] if len(flying) else NO_MEMORY
        self._compiled = Laws(
            flying, driving, reeling,
            flight["integral"], flight["pull"], flight["force"],
            self.memories[DRIVING] if len(driving) else NO_INTEGRAL,
            np.array(self._every), np.array((self._asked[0], self._asked[1], self._asked[3])),
        )  # fmt: skip
        return self._compiled

    def _ask(self, who: int, state: Observed, reference: Reference, kind: type) -> Any:
        self.memories[who], command = checked(self.speakers[who](self.memories[who], state, reference), kind)
        return command


def _law(speaker: Any, kind: np.dtype[Any]) -> Any:
    """Its law, or an empty one: then it is asked. Who derives from a controller with a law means another."""
    law = getattr(speaker, "law", None) if "law" in vars(type(speaker)) else None
    known = isinstance(law, np.ndarray) and law.dtype == kind
    return law if known else make_records(0, kind)


def _reference(point: MovingPoint, yaw: float, length: float, slack: float) -> Reference:
    position, velocity, acceleration, target = map(window, point[:4])
    return Reference(position, velocity, acceleration, yaw, target, length, slack)
