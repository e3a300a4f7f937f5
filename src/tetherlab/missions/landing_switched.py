"""Landing by the switched field of paper 003: climb, approach, descend, settle, by bands of the elevation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.autonomy import Readings, Task
from tetherlab.contracts.errors import InputError
from tetherlab.missions.landing import Landing, LandingSettings, Vector, level_and_climb
from tetherlab.missions.tasks import STILL

HALF = math.sqrt(0.5)  # sine and cosine of 45 degrees


class Action(Enum):
    """The rows of Table 1."""

    ASCENT = "45° ascent"
    APPROACH = "XY approach"
    DESCENT = "45° descent"
    VERTICAL = "vertical descent"
    SETTLE = "descent with P control"


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class SwitchedSettings(LandingSettings):
    """With the thresholds of paper 003, section 5.2."""

    elevations: tuple[float, float, float] = (math.radians(65.0), math.radians(75.0), math.radians(85.0))
    # phi_1 to phi_3: below the first it climbs, below the second it flies level, above the last straight down
    ramp_time: float = 1.0  # in which the velocity goes over from one action to the next [s]; assumed
    length_max: float = 15.0  # all the tether that there is [m]
    length_margin: float = 0.3  # that is never asked for [m]; assumed

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.elevations[0] < self.elevations[1] < self.elevations[2] < 0.5 * math.pi:
            raise InputError(f"elevations must rise from 0 to pi/2, got {self.elevations}")
        for name in ("length_max", "length_margin"):
            check.positive(name, getattr(self, name))
        check.non_negative("ramp_time", self.ramp_time)


class SwitchedLanding(Landing):
    """One action at a time; the bands of the elevation count first, heights only above the last of them."""

    settings: SwitchedSettings

    def __init__(self, settings: SwitchedSettings | None = None) -> None:
        super().__init__(settings or SwitchedSettings())
        self._forget()

    def _forget(self) -> None:
        self.action = Action.ASCENT
        self._ramp_from, self._ramped_for = STILL, 0.0
        self._velocity = STILL

    def _wanted(self, up: Vector, readings: Readings, passed: float) -> Vector:
        action = next_action(self.action, up, readings.height, self.settings)
        if action is not self.action:
            self.action, self._ramp_from, self._ramped_for = action, self._velocity, 0.0
        self.details = action.value
        self._ramped_for += passed
        ramp = self.settings.ramp_time
        share = min(self._ramped_for / ramp, 1.0) if ramp > 0.0 else 1.0
        wanted = self._within_tether(table(action, up, readings.height, self.settings), up, readings.length)
        self._velocity = self._ramp_from + share * (wanted - self._ramp_from)
        return self._velocity

    def _has_landed(self, up: Vector, readings: Readings) -> bool:
        return self.action is Action.SETTLE and super()._has_landed(up, readings)

    def _within_tether(self, velocity: Vector, up: Vector, length: float) -> Vector:
        """With ever less of what leads outwards along the tether while the last of it goes out; NaN: none."""
        margin = self.settings.length_margin
        left = (self.settings.length_max - length) / margin - 1.0
        share = min(max(left, 0.0), 1.0) if left == left else 0.0
        return np.asarray(velocity - (1.0 - share) * max(float(velocity @ up), 0.0) * up)


def next_action(action: Action, up: Vector, height: float, settings: SwitchedSettings) -> Action:
    """The action here, after another; once it settles it goes on, unless the drone is thrown far off."""
    elevation = math.atan2(up[2], math.hypot(up[0], up[1]))
    climb, level, upright = settings.elevations
    if elevation < climb:
        return Action.ASCENT
    if action is Action.SETTLE:
        return Action.SETTLE
    if elevation < level:
        return Action.APPROACH
    if elevation < upright:
        return Action.DESCENT
    return Action.VERTICAL if height > settings.slow_down_height else Action.SETTLE


def table(action: Action, up: Vector, height: float, settings: SwitchedSettings) -> Vector:
    """A row of Table 1 [m/s], (3,); Eq. (10) with V as its scale."""
    aside = math.atan2(math.hypot(up[0], up[1]), up[2]) / (0.5 * math.pi)
    level, climb = {
        Action.ASCENT: (HALF, HALF),
        Action.APPROACH: (1.0, 0.0),
        Action.DESCENT: (HALF, -HALF),
        Action.VERTICAL: (aside, -1.0),
        Action.SETTLE: (aside, -min(height / settings.slow_down_height, 1.0)),
    }[action]
    return level_and_climb(up, settings.speed * level, settings.speed * climb)


def switched_field(up: Vector, height: float, settings: SwitchedSettings | None = None) -> Vector:
    """Velocity where the tether comes up along this unit vector, (3,), this high [m/s], without ramps."""
    settings = settings or SwitchedSettings()
    return table(next_action(Action.ASCENT, up, height, settings), up, height, settings)


if TYPE_CHECKING:
    _: Task = SwitchedLanding()
