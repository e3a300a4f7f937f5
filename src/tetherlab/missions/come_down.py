"""The last way down, where no tether leads home: onto the platform by what else is known, or straight down.

A distance alone has no direction. So the drone flies one circle round where it takes its base to be, before
it comes down: from another side each, distances tell where that is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tetherlab.contracts.autonomy import Commander, Readings, Task, TaskStatus
from tetherlab.missions.landing import ODOMETRY, LandingSettings, Vector, climb_max
from tetherlab.missions.touch_down import TouchDown

ABOVE = 1.0  # height over the base at which it flies there [m]
ROUND = 0.4  # radius of the circle [m]
RATE = 0.5  # at which it corrects where it is, in share per second
OVER = 0.2  # distance from the middle beyond which it does not come low [m]
STANDS = 0.5  # tether out at most, when the drone stands on its platform [m]
HASTE = 3.0  # times the speed at which it comes down from above where nothing but a radio holds it
BLIND = 0.5  # share of the speed at which it comes down where nothing tells the height
SLOWEST = 0.2  # share of the speed at which it touches down at last
BASE = 1.5  # height of a platform, at most [m]
FARTHEST = 20.0  # that it sinks if nothing tells when it stands, and nobody knows the length [m]
LOST = "nobody knows where the platform is"
LOW = "the drone is lower than its platform and has no room to climb"


class ComeDown:
    """Done: it stands on its platform. Failed: it stands elsewhere. Its rotors are off in both cases."""

    name = "come down"

    def __init__(self, settings: LandingSettings) -> None:
        self.settings = settings
        self.details = ""
        self._last = math.nan  # time of the last step [s]
        self._forget()

    def begin(self, readings: Readings) -> None:
        """Forget everything and start here."""
        self._last = readings.time
        self._forget()

    def _forget(self) -> None:
        self.details = ""
        self._told = False  # the winch
        self._why = ""  # it comes straight down
        self._circled = 0.0  # part of the circle that is flown [rad]
        self._sunk = 0.0  # for which it sank without a height [m]
        self._touch_down = TouchDown()

    def step(self, readings: Readings, commander: Commander) -> TaskStatus:
        """Look, command, and say how it stands."""
        passed, self._last = readings.time - self._last, readings.time
        if not self._told:
            commander.keep_tension(self.settings.tension)
            self._told = True
        if self._stands(readings):
            commander.disarm()
            return self._ending(readings)
        self._why = self._why or self._lost(readings)
        if self._why:
            self.details = f"{self._why}: straight down"
            velocity = np.array((0.0, 0.0, self._sinking(readings)))
        else:
            velocity = self._homewards(readings, passed)
        self._feel(readings, float(velocity[2]), passed)
        commander.fly(velocity)
        return TaskStatus.GOING_ON

    def _feel(self, readings: Readings, climb: float, passed: float) -> None:
        """For a touch-down, by the altimeter where it is near, or by odometry, which knows no edges."""
        height = readings.height
        if math.isnan(height):
            height = float(readings.position[2])
        elif height > self.settings.slow_down_height:
            climb = 0.0
        if math.isnan(height):
            self._sunk -= passed * min(climb, 0.0)
        else:
            self._touch_down.look(readings.time, height, climb)

    def _lost(self, readings: Readings) -> str:
        """Why it cannot go home, or nothing."""
        if not np.isfinite(readings.base_H).all():
            return LOST
        low = -readings.base_H[2] < self.settings.slow_down_height and self._circled == 0.0
        return LOW if low and climb_max(readings, self.settings) <= 0.0 else ""

    def _homewards(self, readings: Readings, passed: float) -> Vector:
        """Over the base, round it, and down onto it."""
        base = np.asarray(readings.base_H, float)
        far, above = math.hypot(base[0], base[1]), -float(base[2])
        if readings.length < STANDS or self._circled >= math.tau:
            self.details = "comes down onto its platform"
            low = readings.height < self.settings.slow_down_height
            climb = self._sinking(readings) if low or far < OVER else 0.0
            return np.array((*self._level(RATE * base[:2]), climb))
        near = far < 2.0 * ROUND or self._circled > 0.0
        most = self.settings.speed
        climb = min(max(RATE * (ABOVE - above), -most if near else 0.0), most)
        climb = min(climb, climb_max(readings, self.settings))
        if not near:
            self.details = f"{far:.1f} m from its platform"
            level = base[:2] if above > self.settings.slow_down_height else np.zeros(2)
            return np.array((*self._level(level), climb))
        self.details = "circles above its platform"
        if above < 1.5 * ABOVE:
            self._circled += passed * most / ROUND
        out = -base[:2] / far if far > 1e-6 else np.array((1.0, 0.0))
        across = np.array((-out[1], out[0]))
        return np.array((*self._level(most * across + RATE * (ROUND - far) * out), climb))

    def _level(self, velocity: Vector) -> Vector:
        """No faster than it may [m/s], (2,)."""
        return velocity * min(1.0, self.settings.speed / max(math.hypot(*velocity), 1e-9))

    def _sinking(self, readings: Readings) -> float:
        """Vertical speed on the way down [m/s]."""
        near = readings.height / self.settings.slow_down_height
        # Without odometry the velocity errs by more than a slow descent: it would seem to stand.
        least, most = (1.0, HASTE) if ODOMETRY in readings.lost else (SLOWEST, 1.0)
        share = BLIND if math.isnan(near) else min(max(near, least), most)
        return -share * self.settings.speed

    def _stands(self, readings: Readings) -> bool:
        """It is told to come down and comes no lower, or has come down as far as it can have been up."""
        farthest = FARTHEST if math.isnan(readings.length) else readings.length + BASE
        return self._touch_down.happened(readings.time) or self._sunk > farthest

    def _ending(self, readings: Readings) -> TaskStatus:
        if readings.length < STANDS or (math.isnan(readings.length) and not self._why):
            self.details = "stands on its platform"
            return TaskStatus.DONE
        reason = f": {self._why}" if self._why else ""
        self.details = f"came down beside its platform{reason}"
        return TaskStatus.FAILED


if TYPE_CHECKING:
    _: Task = ComeDown(LandingSettings())
