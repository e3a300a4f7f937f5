"""What every landing along the tether does: pull it taut, follow a field, mind the guards, touch down.

Only the direction of the tether at the drone, two range finders, and length and tension at the winch count.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.autonomy import Commander, Readings, TaskStatus
from tetherlab.missions.tasks import STILL, Vector
from tetherlab.missions.touch_down import TouchDown

CEILING, ODOMETRY = "ceiling", "odometry"  # names in `Readings.lost`; the first is the finder that looks up
DETOUR = 0.5  # tether that may be out beyond the height when the drone touches down on its platform [m]
RAISED = 0.8  # share of the tension that is waited for
SLACK = 0.7  # tension over the weight of the tether below which its direction is not trusted any more
UPRIGHT = math.sin(math.radians(65.0))  # of a tether that leads down rather than aside
LOW_FOR = 3  # readings in a row before the rotors stop: one may be wrong


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class LandingSettings:
    """How to come home. Values of paper 003, section 5.2, where it prints them."""

    speed: float = 0.15  # V [m/s]
    slow_down_height: float = 0.5  # h_1, from which on the drone comes down ever slower [m]
    landed_height: float = 0.2  # h_2, of the altimeter, at which the rotors may stop [m]
    tension: float = 6.0  # of the tether meanwhile [N]; less lets 12 m of power cable sag too much
    tether_weight: float = 0.373  # per length [N/m]; with less tension than its weight it is not taut
    settle_time: float = 2.0  # taut and at rest before it starts [s]
    headroom_min: float = 1.0  # that is kept below the ceiling [m]
    patience: float = 20.0  # with a sensor that is silent, or a tether that is not taut [s]

    def __post_init__(self) -> None:
        for name in ("speed", "slow_down_height", "landed_height", "tension", "tether_weight", "patience"):
            check.positive(name, getattr(self, name))
        check.non_negative("settle_time", self.settle_time)
        check.non_negative("headroom_min", self.headroom_min)


class Landing(ABC):
    """A landing; a kind of it says where to fly from what is seen."""

    name = "land"

    def __init__(self, settings: LandingSettings) -> None:
        self.settings = settings
        self.details = ""
        self._touch_down = TouchDown()
        self._last = math.nan  # time of the last step [s]
        self._taut_for = 0.0  # [s]
        self._trouble_for = 0.0  # [s]
        self._low_for = 0  # readings
        self._told, self._started = False, False  # the winch; the drone

    def begin(self, readings: Readings) -> None:
        """Forget everything and start here."""
        self.details = "the tether is pulled taut"
        self._touch_down = TouchDown()
        self._last = readings.time
        self._taut_for = self._trouble_for = 0.0
        self._low_for, self._told, self._started = 0, False, False
        self._forget()

    def step(self, readings: Readings, commander: Commander) -> TaskStatus:
        """Look, command, and say how it stands."""
        passed, self._last = readings.time - self._last, readings.time
        if not self._told:
            commander.keep_tension(self.settings.tension)
            self._told = True
        readings = _with_height(readings)
        trouble = self._trouble(readings)
        if trouble or not self._is_started(readings, passed):
            return self._wait(trouble, readings, passed, commander)
        self._trouble_for = 0.0
        assert readings.tether_H is not None
        up = -np.asarray(readings.tether_H, float)  # from the base along the tether, at the drone
        reason = self._refusal(up, readings)
        if reason:
            return self._fail(reason, commander)
        if self._has_landed(up, readings):
            commander.fly(STILL)
            commander.disarm()
            self.details = "has landed"
            return TaskStatus.DONE
        velocity = self._under_ceiling(self._wanted(up, self._steady(readings), passed), up, readings)
        near = readings.height < self.settings.slow_down_height
        self._touch_down.look(readings.time, readings.height, velocity[2] if near else 0.0)
        commander.fly(velocity)
        return TaskStatus.GOING_ON

    @abstractmethod
    def _wanted(self, up: Vector, readings: Readings, passed: float) -> Vector:
        """Velocity that the field has here [m/s], (3,).

        up: unit, along the tether from the base to the drone, as it is at the drone, (3,).
        passed: since the last step [s].
        """

    @abstractmethod
    def _forget(self) -> None:
        """What this kind remembers."""

    def _has_landed(self, up: Vector, readings: Readings) -> bool:
        """Upright above the platform it is low enough, or stands: it comes down, and comes no lower."""
        low = up[2] > UPRIGHT and readings.height < self.settings.landed_height
        self._low_for = self._low_for + 1 if low else 0
        stands = self._low_for >= LOW_FOR or self._touch_down.happened(readings.time)
        return stands and not self._beyond(readings)

    def _trouble(self, readings: Readings) -> str:
        """Why it has to wait, or nothing."""
        if readings.tether_H is None or not np.isfinite(readings.tether_H).all():
            return "the angle sensor of the tether is silent"
        if math.isnan(readings.height):
            return "altimeter and length are silent"
        least = self._tension_min(readings.length)
        if readings.tension < least:
            self._taut_for = 0.0
            return f"the tether is not taut: {readings.tension:.1f} N, at least {least:.1f} N are needed"
        return ""

    def _tension_min(self, length: float) -> float:
        """That the tether needs to show where the base is [N]; NaN: nobody knows the length [m]."""
        raised = RAISED * self.settings.tension
        weight = self.settings.tether_weight * length
        if math.isnan(length):
            return raised
        if length <= self.settings.slow_down_height:
            # No winch holds the tension of so little tether well, and it is too short to mislead.
            return 0.0
        return SLACK * weight if self._started else max(raised, weight)

    def _steady(self, readings: Readings) -> Readings:
        """Without odometry it does not slow down: its velocity errs by more, and it would seem to stand."""
        if ODOMETRY not in readings.lost:
            return readings
        return replace(readings, height=max(readings.height, self.settings.slow_down_height))

    def _is_started(self, readings: Readings, passed: float) -> bool:
        """Taut and at rest for long enough, once; without a tension: as long as any winch takes."""
        self._taut_for += passed
        untold = math.isnan(readings.tension)
        enough = self.settings.patience if untold else self.settings.settle_time
        self._started = self._started or self._taut_for >= enough
        return self._started

    def _wait(self, trouble: str, readings: Readings, passed: float, commander: Commander) -> TaskStatus:
        if readings.tether_H is None and ODOMETRY in readings.lost:
            return self._fail("without odometry and tether nothing holds the drone where it is", commander)
        if trouble:  # which may come and go: only a start forgets it
            self._trouble_for += passed
        if self._trouble_for > self.settings.patience:
            return self._fail(f"{trouble}, for {self.settings.patience:g} s", commander)
        self.details = trouble or "the tether is pulled taut"
        self._touch_down = TouchDown()
        commander.fly(STILL)
        return TaskStatus.GOING_ON

    def _fail(self, reason: str, commander: Commander) -> TaskStatus:
        self.details = reason
        commander.fly(STILL)
        return TaskStatus.FAILED

    def _refusal(self, up: Vector, readings: Readings) -> str:
        """Why it cannot go on here, or nothing."""
        if up[2] < UPRIGHT:
            above = readings.length * up[2]  # the platform, if the tether is straight
            low = not above > self.settings.slow_down_height
            no_room = low and climb_max(readings, self.settings) <= 0.0
            return "the drone is hardly above its platform and has no room to climb" if no_room else ""
        if self._touch_down.happened(readings.time) and self._beyond(readings):
            return (
                f"this is not the platform: it is {readings.height:.1f} m below, "
                f"but {readings.length:.1f} m of tether are out, which may be caught somewhere"
            )
        return ""

    def _beyond(self, readings: Readings) -> bool:
        """More tether is out than reaches from here to a platform below."""
        return readings.length - readings.height > DETOUR

    def _under_ceiling(self, velocity: Vector, up: Vector, readings: Readings) -> Vector:
        """What is not allowed upwards goes towards the base instead, at the same speed."""
        most = climb_max(readings, self.settings)
        if velocity[2] <= most:
            return velocity
        speed = float(np.linalg.norm(velocity))
        return level_and_climb(up, math.sqrt(max(speed**2 - most**2, 0.0)), most)


def climb_max(readings: Readings, settings: LandingSettings) -> float:
    """Vertical speed that the ceiling allows [m/s]: none one `slow_down_height` before the guard."""
    if CEILING in readings.lost:
        return 0.0
    if math.isnan(readings.headroom):
        return settings.speed  # nothing above within the sensor's range
    left = (readings.headroom - settings.headroom_min) / settings.slow_down_height
    return settings.speed * min(max(left - 1.0, -1.0), 1.0)


def _with_height(readings: Readings) -> Readings:
    """Without an altimeter: what a straight tether rises by, which is the same above the platform."""
    if readings.tether_H is None or not math.isnan(readings.height):
        return readings
    return replace(readings, height=-readings.length * float(readings.tether_H[2]))


def level_and_climb(up: Vector, level: float, climb: float) -> Vector:
    """A velocity: level towards the base, and upwards [m/s], (3,)."""
    across = math.hypot(up[0], up[1])
    share = -level / across if across > 0.0 else 0.0
    return np.array((share * up[0], share * up[1], climb))
