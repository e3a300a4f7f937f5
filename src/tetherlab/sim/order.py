"""What a vehicle is told while the run goes on: a place, or a velocity."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.messages import WinchCommand
from tetherlab.sim.reference import MovingPoint

Vector = NDArray[np.float64]


class Order(NamedTuple):
    """One of the two; the other one is None."""

    place: Vector | None  # [m], (3,)
    velocity: Vector | None  # [m/s], (3,)

    def give(self, point: MovingPoint) -> None:
        """Let a vehicle's reference follow it."""
        if self.place is not None:
            point.go_to(self.place)
        if self.velocity is not None:
            point.keep(self.velocity)

    def __str__(self) -> str:
        if self.place is not None:
            return f"to {np.round(self.place, 2).tolist()} m"
        return f"at {np.round(np.asarray(self.velocity), 3).tolist()} m/s"


def uav_order(place: Any, velocity: Any, speed_max: float) -> Order | None:
    """Of the drone, from what a user gave, (3,); None: nothing."""
    _only_one("uav", place, velocity)
    if place is not None:
        return Order(check.vector("uav", place), None)
    if velocity is not None:
        return Order(None, _slow_enough("uav", check.vector("uav_velocity", velocity), speed_max))
    return None


def ugv_order(place: Any, velocity: Any, speed_max: float, height: float) -> Order | None:
    """Of the rover, (2,), on the ground; height: of its reference, which does not count [m]."""
    _only_one("ugv", place, velocity)
    if place is not None:
        # Whoever has a point of space may give it as it is.
        x, y = check.array("ugv", place[:2] if np.shape(place) == (3,) else place, (2,))
        return Order(np.array([x, y, height]), None)
    if velocity is not None:
        x, y = check.array("ugv_velocity", velocity, (2,))
        return Order(None, _slow_enough("ugv", np.array([x, y, 0.0]), speed_max))
    return None


def winch_order(length: Any, tension: Any, length_max: float) -> WinchCommand | None:
    """Of the winch: a length [m], at most all that there is, or a tension [N]; None: nothing."""
    if length is not None and tension is not None:
        raise InputError("give the winch a length or a tension, not both")
    if tension is not None:
        return WinchCommand(tension=check.positive("tension", tension))
    if length is None:
        return None
    if check.positive("length", length) > length_max:
        raise InputError(f"length must be at most {length_max:g} m, all that is on the drum, got {length:g}")
    return WinchCommand(length=float(length))


def _only_one(who: str, place: Any, velocity: Any) -> None:
    if place is not None and velocity is not None:
        raise InputError(f"give either {who}, a place, or {who}_velocity, not both")


def _slow_enough(who: str, velocity: Vector, speed_max: float) -> Vector:
    speed = float(np.linalg.norm(velocity))
    if speed > speed_max * (1.0 + 1e-9):
        raise InputError(
            f"{who}_velocity is {speed:.3g} m/s, but the mission's {who}_speed is {speed_max:g} m/s: "
            f"go slower, or start with a higher mission.{who}_speed_m_per_s"
        )
    return velocity
