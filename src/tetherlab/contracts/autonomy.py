"""What a mission on board is told and may command: readings of sensors in, velocities out. SI, radians.

Frame H is the drone's, levelled: x along its heading, y to its left, z up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
UNKNOWN = np.full(3, math.nan)
UNKNOWN.setflags(write=False)


@lru_cache(maxsize=8)
def pixel_rays(rows: int, columns: int, tan_half_width: float, tan_half_height: float) -> Vector:
    """Where each pixel looks, in the camera's frame C, 1 along its axis, (rows, columns, 3).

    A pixel with coordinates u, v in (-1, 1), to the left and up, looks along (1, u tan_half_width,
    v tan_half_height).
    """
    u = 1.0 - (2.0 * np.arange(columns) + 1.0) / columns
    v = 1.0 - (2.0 * np.arange(rows) + 1.0) / rows
    rays = np.ones((rows, columns, 3))
    rays[:, :, 1], rays[:, :, 2] = u * tan_half_width, v[:, None] * tan_half_height
    rays.setflags(write=False)
    return rays


class DepthImage(NamedTuple):
    """What a depth camera saw: rows from top to bottom, columns from left to right.

    Its frame C: x along its axis, y to the left, z up.
    """

    time: float  # when it was taken [s]
    depth: NDArray[np.float32]  # along the camera's axis [m], (rows, columns); NaN: nothing within range
    tan_half_width: float
    tan_half_height: float
    rotation: Vector  # R_HC: attitude of the camera, levelled by the drone's own attitude, (3, 3)

    @property
    def rays(self) -> Vector:
        """Where each pixel looks, frame C, 1 along the axis, (rows, columns, 3); times the depth: a point."""
        return pixel_rays(*self.depth.shape, self.tan_half_width, self.tan_half_height)


@dataclass(frozen=True, kw_only=True)
class Readings:
    """The newest of every sensor, as a mission may know it; NaN or None where there is nothing."""

    time: float  # [s]
    height: float = math.nan  # above what is straight below: ground, deck or rubble [m]
    headroom: float = math.nan  # below what is straight above [m]
    tether_H: Vector | None = None  # unit, from the drone along the tether towards the base, (3,)
    length: float = math.nan  # of tether that is out [m]
    tension: float = math.nan  # at the winch [N]
    velocity_H: Vector = field(default_factory=lambda: UNKNOWN)  # by odometry [m/s], (3,)
    position: Vector = field(default_factory=lambda: UNKNOWN)  # by odometry, in its own frame [m], (3,)
    yaw: float = math.nan  # by odometry, in its own frame [rad]
    base_H: Vector = field(default_factory=lambda: UNKNOWN)  # from the drone to its base, by all [m], (3,)
    depth: DepthImage | None = None
    voltage: float = math.nan  # at the drone [V]
    power_share: float = math.nan  # that the drone draws, of the most that the cable can transfer
    energy_left: float = math.nan  # of the battery, share
    base_tilt: float = math.nan  # of the platform against the horizon [rad]
    lost: tuple[str, ...] = ()  # names of sensors that are silent, or know themselves that they fail


class Commander(Protocol):
    """The only part of a mission that knows the vehicle."""

    def take_off(self, height: float) -> None:
        """Straight up by a height [m]."""

    def fly(self, velocity_H: Vector, turn: float = 0.0) -> None:
        """At a velocity [m/s], (3,), turning to the left [rad/s], until told otherwise."""

    def disarm(self) -> None:
        """Stop the rotors."""

    def keep_tension(self, tension: float) -> None:
        """Of the tether, at the winch [N]."""

    def drive_to(self, place: Vector) -> None:
        """The rover, with the drone on it, to a place of the map [m], (2,)."""

    @property
    def arrived(self) -> bool:
        """The last `take_off` or `drive_to` is done."""


class TaskStatus(Enum):
    """How a task stands; `value` is the sentence."""

    GOING_ON = "goes on"
    DONE = "is done"
    FAILED = "cannot be done"


class Task(Protocol):
    """One thing to do: take off, move, map, land. It is begun, then stepped until it is done."""

    name: str
    details: str  # of what it does now, or why it failed

    def begin(self, readings: Readings) -> None:
        """Forget everything and start here."""

    def step(self, readings: Readings, commander: Commander) -> TaskStatus:
        """Look, command, and say how it stands."""


class Autonomy(Protocol):
    """A whole mission: asked so many times a second, it looks and commands until it is done."""

    rate_hz: float

    def step(self, readings: Readings, commander: Commander) -> list[str]:
        """Go on; what happened, a sentence each."""

    @property
    def done(self) -> bool:
        """Nothing is left to do."""

    @property
    def progress(self) -> tuple[float, str]:
        """Share that is done, and a few words of what is being done."""

    @property
    def ending(self) -> tuple[bool, str]:
        """Whether all was done that should be, and a sentence of what was."""
