"""How the rover of a crew climbs, swings and is lowered by its winch; answers as those of `Crew`."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tetherlab.missions.crew import PATIENCE, TICK, Crew
from tetherlab.vehicles.hanging import Hanging
from tetherlab.vehicles.winch import SPEED

Vector = NDArray[np.float64]
FREE_FOR = 0.2  # so long must the rover touch nothing to hang free [s]
STUCK_AFTER = 1.0  # of touching while it should hang free it is pulled on [s]
NEARLY_STILL = 2.0  # times the swing that is left alone, with which it may be set down


class Law(Protocol):
    """A reel speed [m/s] of how the robot hangs, > 0 pays out."""

    def __call__(self, hanging: Hanging) -> float:
        """The speed now."""

    def done(self, hanging: Hanging) -> bool:
        """Whether there is nothing left to do."""


class Damper(Protocol):
    """What takes the swing out."""

    rest: float  # a swing that goes no farther than this to each side is left alone [m]
    gravity: float  # [m/s^2]

    def __call__(self, hanging: Hanging, length: float) -> float:
        """A reel speed about a length [m]."""

    def done(self, hanging: Hanging) -> bool:
        """Whether there is nothing to be damped."""

    def decay(self, length: float) -> float:
        """Rate at which a small swing dies while the length stays [1/s]."""


class WinchLaws(Protocol):
    """What the winch of a hanging robot can do, as `control/hoist.py` has it."""

    damper: Any  # a Damper

    def to_hinge(self, stop_within: float) -> Law:
        """Pull the robot up its tether until it is so near to the hinge [m]."""

    def lowering(self, length: float) -> Law:
        """Go to another length [m]."""


class Climb:
    """The winch of a crew's rover at work."""

    def __init__(self, crew: Crew, laws: WinchLaws) -> None:
        self.crew, self.run, self.radius, self.reel_speed = crew, crew.run, crew.radius, crew.reel_speed
        self.laws = laws
        self.damper: Damper = laws.damper

    def to_hinge(self, way: Vector, hinge: Vector) -> str:
        """Reel in as far as the end of a way beside a hinge, or pay out if that is below."""
        goal, nearest = way[-1], np.inf
        law = self.laws.to_hinge(0.5 * self.radius)
        up = goal[1] > self.run.rover[2]
        start, late = self.run.time, _length(way) / (0.5 * self.reel_speed) + PATIENCE
        while self.run.time - start < late:
            hanging = self.run.hanging(hinge)
            if not self.crew.tick(reel=(SPEED, law(hanging) if up else self.reel_speed, 0.0)):
                return self.run.outcome_sentence
            off = math.dist(self.run.rover[[0, 2]], goal)
            nearest = min(nearest, off)
            grounded = not up and self.run.tension < 0.2 * self._weight and self.run.touches
            past = nearest < self.radius and off > nearest + 0.025 * self.radius
            if past or grounded or off < 0.1 * self.radius:
                return self.crew.wait(0.5)
        return f"the winch brought the rover no nearer than {nearest:.2f} m to the hinge, {self._stalled()}"

    def to_perch(self, way: Vector, hinge: Vector) -> str:
        """Reel in until it hangs free, let the swing die, lower it to the end of the way."""
        for action in (self._pull_free, self._settle):
            trouble = action(hinge)
            if trouble:
                return trouble
        goal = way[-1]
        above = self.run.world.distance(np.array([goal[0], 0.0, goal[1]])) < 1.5 * self.radius
        length = float(hinge[1] - goal[1])
        length -= self._hover(length) if above else 0.0
        trouble = self._lower(hinge, length) or self._settle(hinge)
        return trouble or (self._set_down() if above else "")

    def back_down(self) -> str:
        """Pay out until the rover stands where it was pulled up from, after a lift that failed."""
        start, stood = self.run.time, 0.0
        while self.run.time - start < 2.0 * PATIENCE:
            stood = stood + TICK if self.run.touches and self.run.tension < 0.2 * self._weight else 0.0
            if stood > 0.5:
                return ""
            if not self.crew.tick(reel=(SPEED, self.reel_speed, 0.0)):
                return self.run.outcome_sentence
        return "the rover does not come to stand below"

    def _pull_free(self, hinge: Vector) -> str:
        """Reel in until the rover touches nothing, and the tether nothing but the perch."""
        start, free = self.run.time, 0.0
        late = self.run.length / (0.5 * self.reel_speed) + PATIENCE
        law = self.laws.to_hinge(2.0 * self.radius)
        while self.run.time - start < late:
            if not self.crew.tick(reel=(SPEED, law(self.run.hanging(hinge)), 0.0)):
                return self.run.outcome_sentence
            hangs = self._hangs_from(hinge) and not self.run.touches
            free = free + TICK if hangs and self.run.tension > 0.2 * self._weight else 0.0
            if free > FREE_FOR:
                self.run.note("free", "the rover hangs free")
                return ""
        return f"the rover does not come free, {self._stalled()}"

    def _settle(self, hinge: Vector) -> str:
        """Damp the swing by the winch alone; pull on where it lies against something.

        What goes round and round does not die of that: if it is small enough in the end, it is left.
        """
        start, touched, calm = self.run.time, 0.0, 0.0
        hanging = self.run.hanging(hinge)
        length = hanging.length
        late = 2.0 * math.log(max(self._swing(hanging) / self.damper.rest, 1.0)) / self.damper.decay(length)
        while self.run.time - start < late + PATIENCE:
            hanging = self.run.hanging(hinge)
            touched = touched + TICK if self.run.touches else 0.0
            speed = self.damper(hanging, length)
            if touched > STUCK_AFTER:
                speed, length = -self.reel_speed, hanging.length
            if not self.crew.tick(reel=(SPEED, speed, 0.0)):
                return self.run.outcome_sentence
            calm = calm + TICK if self.damper.done(hanging) and touched == 0.0 else 0.0
            if calm > 0.5:
                return ""
        left = self._swing(hanging)
        if left < NEARLY_STILL * self.damper.rest:
            return ""
        return f"it still swings by {left:.2f} m after {late + PATIENCE:.0f} s"

    def _lower(self, hinge: Vector, length: float) -> str:
        """To a length below the hinge, or as far as the ground."""
        law = self.laws.lowering(max(length, 2.0 * self.radius))
        start, late, stood = self.run.time, self.run.length / (0.2 * self.reel_speed) + PATIENCE, 0.0
        while self.run.time - start < late:
            hanging = self.run.hanging(hinge)
            stood = stood + TICK if self.run.touches and self.run.tension < 0.3 * self._weight else 0.0
            if law.done(hanging) or stood > 0.1:
                return ""
            if not self.crew.tick(reel=(SPEED, law(hanging), 0.0)):
                return self.run.outcome_sentence
        return f"the winch takes longer than {late:.0f} s to lower it, {self._stalled()}"

    def _set_down(self) -> str:
        """Pay out until it stands, and then a hand's breadth more."""
        start, stood = self.run.time, 0.0
        while self.run.time - start < PATIENCE:
            stands = self.run.tension < 0.1 * self._weight and self.run.touches
            stood = stood + TICK if stands else 0.0
            if not self.crew.tick(reel=(SPEED, 0.3 * self.reel_speed, 0.0)):
                return self.run.outcome_sentence
            if stood > 1.0:
                return self.crew.wait(1.0)
        return "the rover did not come to stand where it was lowered to"

    def _hover(self, length: float) -> float:
        """Height above the ground at which the last of the swing is taken out [m].

        The damper pays out for a quarter of a period and reels in for the next: an eighth of a period at its
        speed to each side of the length about which it works; and as much again to spare.
        """
        period = math.tau * math.sqrt(length / self.damper.gravity)
        return 2.0 * self.reel_speed * period / 8.0

    def _hangs_from(self, hinge: Vector) -> bool:
        return math.dist(self.run.last_contact[[0, 2]], hinge) < 0.5 * self.radius

    def _swing(self, hanging: Hanging) -> float:
        """How far it will go to each side [m]."""
        return hanging.length * hanging.amplitude(self.damper.gravity)

    def _stalled(self) -> str:
        return f"it pulls with {self.run.tension:.0f} N and can with {self.run.pull_max:.0f} N"

    @property
    def _weight(self) -> float:
        return self.run.rover_mass * float(self.run.world.gravity)


def _length(way: Vector) -> float:
    return float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
