"""What vehicles, controllers and the simulator say to each other. SI; world frame unless it says body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class VehicleState:
    """A vehicle as it is now. The arrays are windows on the simulation: copy what you keep."""

    position: Vector  # [m], (3,)
    rotation: Vector  # R_WB, (3, 3)
    velocity: Vector  # [m/s], (3,)
    angular_momentum: Vector  # about the centre of mass [N m s], (3,)
    inertia: Vector  # body frame [kg m^2], (3, 3)
    acceleration: Vector  # mean of the last step [m/s^2], (3,)
    tether_force: Vector  # of the tether on the vehicle, mean of the last step [N], (3,)
    mass: float  # [kg]

    @property
    def angular_velocity_body(self) -> Vector:
        """[rad/s], body frame, (3,)."""
        return np.asarray(np.linalg.solve(self.inertia, self.rotation.T @ self.angular_momentum), float)

    @property
    def yaw(self) -> float:
        """Heading of the body's x axis, from +x counter-clockwise [rad]."""
        return float(np.arctan2(self.rotation[1, 0], self.rotation[0, 0]))


class Observation(Protocol):
    """What a controller may look at. The arrays are windows on the simulation: copy what you keep."""

    uav: VehicleState
    ugv: VehicleState
    exit: Vector  # where the tether leaves the winch [m], (3,)
    attachment: Vector  # where it is tied to the drone [m], (3,)

    @property
    def time(self) -> float:
        """[s]."""

    @property
    def ugv_origin(self) -> Vector:
        """Point of the ground on which the rover stands [m], (3,)."""

    @property
    def length(self) -> float:
        """Of tether that is out, by the winch's encoder [m]."""

    @property
    def tension(self) -> float:
        """At the winch, as its sensor sees it [N]."""


class Reference(NamedTuple):
    """Where a vehicle should be now, and what its target is."""

    position: Vector  # [m], (3,)
    velocity: Vector  # [m/s], (3,)
    acceleration: Vector  # [m/s^2], (3,)
    yaw: float  # [rad]
    target: Vector  # where it is going [m], (3,)
    length: float  # of tether that the target asks for; NaN: it does not say [m]
    slack: float = float("nan")  # that length over the distance of winch and drone at the target


class UavCommand(NamedTuple):
    """For the autopilot: the force that the rotors shall exert on the drone, and its heading."""

    force: Any  # world frame [N], (3,)
    yaw: float = 0.0  # [rad]


class UgvCommand(NamedTuple):
    """For the wheels: velocity in the rover's own frame."""

    forward: float  # [m/s]
    left: float = 0.0  # [m/s]; a differential drive cannot
    turn: float = 0.0  # [rad/s]


class WinchCommand(NamedTuple):
    """For the winch's servo: a length, with its rate if that is known, or a speed, or a tension."""

    length: float | None = None  # that shall be out [m]
    speed: float | None = None  # > 0 pays out; with a length or a tension: what to expect meanwhile [m/s]
    tension: float | None = None  # at the exit [N]


class Controller(Protocol):
    """What flies the drone: settings are fields, memory is passed in and out.

    `rate_hz` calls per second; the last command stands in between. `UgvController` and `WinchRule` are alike.
    """

    rate_hz: float

    def init(self) -> Any:
        """Memory at the start."""

    def __call__(self, memory: Any, observation: Observation, reference: Reference) -> tuple[Any, UavCommand]:
        """The next command, and the memory for the next call."""


class UgvController(Protocol):
    """What drives the rover."""

    rate_hz: float

    def init(self) -> Any:
        """Memory at the start."""

    def __call__(self, memory: Any, observation: Observation, reference: Reference) -> tuple[Any, UgvCommand]:
        """The next command, and the memory for the next call."""


class WinchRule(Protocol):
    """What tells the winch how much tether shall be out; its reference is that of the drone."""

    rate_hz: float

    def init(self) -> Any:
        """Memory at the start."""

    def __call__(
        self, memory: Any, observation: Observation, reference: Reference
    ) -> tuple[Any, WinchCommand]:
        """The next command, and the memory for the next call."""
