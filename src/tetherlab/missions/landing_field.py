"""Landing by a continuous field: home above the straight way, and upright at its end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tetherlab.contracts.autonomy import Readings, Task
from tetherlab.missions.landing import Landing, LandingSettings, Vector, level_and_climb

SLOWEST = 0.2  # share of the speed at which it touches down at last
LIFT_FAR = 0.5  # the least that a tether with a tension of its own weight cannot pull below the straight way
LIFT_NEAR = 1.0  # circles, on which it stands upright over the platform before it is low
NEAR = 2.0  # slow-down heights of tether that are flown on circles


class FieldLanding(Landing):
    """Follows `landing_field`; it has no other parameters than every landing has."""

    def __init__(self, settings: LandingSettings | None = None) -> None:
        super().__init__(settings or LandingSettings())

    def _forget(self) -> None:
        pass

    def _wanted(self, up: Vector, readings: Readings, passed: float) -> Vector:
        self.details = "comes home"
        slow = self.settings.slow_down_height
        direction = landing_field(up, landing_lift(readings.length, NEAR * slow))
        low = min(max(readings.height / slow, SLOWEST), 1.0)
        # Slower near what is below, as far as it flies down: what is passed by on the level does not count.
        share = 1.0 - (1.0 - low) * max(-direction[2], 0.0)
        return self.settings.speed * share * direction


def landing_field(up: Vector, lift: float) -> Vector:
    """Unit direction of flight where the tether comes up along this unit vector, (3,).

    lift: angle by which it flies above the way back along the tether, as a share of the angle of that way
    from the vertical. What would then lead backwards over the vertical goes straight up.
    """
    aside = math.atan2(math.hypot(up[0], up[1]), up[2])
    turned = min((1.0 + lift) * aside, math.pi)  # from straight down
    return level_and_climb(up, math.sin(turned), -math.cos(turned))


def landing_lift(length: float, near: float) -> float:
    """Of the field with so much tether out [m]; NaN: nobody knows. Within `near` [m]: that of circles."""
    return max(LIFT_NEAR * near / length, LIFT_FAR) if length > near else LIFT_NEAR


if TYPE_CHECKING:
    _: Task = FieldLanding()
