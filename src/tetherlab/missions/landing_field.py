"""Landing by a continuous field: on a circle that ends upright in the middle of the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tetherlab.contracts.autonomy import Readings, Task
from tetherlab.missions.landing import Landing, LandingSettings, Vector

SLOWEST = 0.2  # share of the speed at which it touches down at last
UPWARDS = np.array((0.0, 0.0, 1.0))


class FieldLanding(Landing):
    """Follows `landing_field`; it has no other parameters than every landing has."""

    def __init__(self, settings: LandingSettings | None = None) -> None:
        super().__init__(settings or LandingSettings())

    def _forget(self) -> None:
        pass

    def _wanted(self, up: Vector, readings: Readings, passed: float) -> Vector:
        self.details = "comes home"
        direction = landing_field(up)
        low = min(max(readings.height / self.settings.slow_down_height, SLOWEST), 1.0)
        # Slower near what is below, as far as it flies down: what is passed by on the level does not count.
        share = 1.0 - (1.0 - low) * max(-direction[2], 0.0)
        return self.settings.speed * share * direction


def landing_field(up: Vector) -> Vector:
    """Unit direction of flight where the tether comes up along this unit vector, (3,).

    With n = up it is e_z - 2 (n e_z) n, the way back along the tether, mirrored at the vertical: as far above
    the line to the base as that is off the vertical. Its lines are the circles through the base that are
    upright there, as round a dipole. Below the level of the base it goes straight up.
    """
    return UPWARDS - 2.0 * max(up[2], 0.0) * up


if TYPE_CHECKING:
    _: Task = FieldLanding()
