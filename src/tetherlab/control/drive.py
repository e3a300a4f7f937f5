"""The rover follows a moving point on the ground."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.messages import Observation, Reference, UgvCommand
from tetherlab.math.kernel import njit
from tetherlab.math.record import make_records
from tetherlab.plant.laws import DRIVE, drive_law


@dataclass(frozen=True, kw_only=True)
class DriveController:
    """Drives towards the reference: its velocity, plus what the error asks for, up to a speed.

    holonomic: goes any way without turning. Otherwise it turns towards the point first.
    """

    holonomic: bool = True
    gain: float = 0.8  # speed per error [1/s]
    integral_gain: float = 0.05  # [1/s^2]
    turn_gain: float = 1.5  # [1/s]
    speed_max: float = 0.5  # [m/s]
    turn_max: float = 0.8  # [rad/s]
    stop_within: float = 0.01  # of a point at rest [m]
    yaw: float | None = None  # heading to keep if holonomic; None: that of the reference [rad]
    rate_hz: float = 50.0

    @cached_property
    def law(self) -> NDArray[Any]:
        """With which compiled code decides in its place."""
        row = make_records(1, DRIVE)
        for name in (
            "holonomic", "gain", "integral_gain", "turn_gain", "speed_max", "turn_max", "stop_within"
        ):  # fmt: skip
            row[name] = getattr(self, name)
        row["keeps_yaw"], row["yaw"] = self.yaw is not None, self.yaw or 0.0
        row["dt"] = 1.0 / self.rate_hz
        return row

    def init(self) -> NDArray[np.float64]:
        """Integral of the error [m s], (2,)."""
        return np.zeros(2)

    def __call__(
        self, memory: NDArray[np.float64], observation: Observation, reference: Reference
    ) -> tuple[NDArray[np.float64], UgvCommand]:
        """Velocity in the rover's frame."""
        forward, left, turn = _drive(
            self.law, observation.ugv_origin, observation.ugv.rotation,
            reference.position, reference.velocity, reference.yaw, memory,
        )  # fmt: skip
        return memory, UgvCommand(forward, left, turn)


@njit(cache=True, error_model="numpy", _nrt=False)
def _drive(laws, p, R, p_ref, v_ref, yaw_ref, integral):
    return drive_law(laws[0], p, R, p_ref, v_ref, yaw_ref, integral)
