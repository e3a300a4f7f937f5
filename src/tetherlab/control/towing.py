"""How a drone flies a way with the tether of a rover behind it, and what the rover's winch does meanwhile."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.messages import Reference
from tetherlab.control.position import PositionController
from tetherlab.control.way import Way
from tetherlab.vehicles.winch import SPEED, TENSION

Vector = NDArray[np.float64]
BANDWIDTH = 2.0  # of the drone's position: at 2.5 its tilt comes so late that it rocks by 5 cm [rad/s]
FLIGHT_TENSION = 1.0  # that the winch keeps while the drone carries the tether [N]
TAUT_WITHIN = 1.0  # time over which it is judged whether the tether pulls: longer than the drone rocks [s]
SHARE = 0.9  # of the reel speed with which the drone flies at most: the winch must follow
RATE = 100.0  # of calls [Hz]


class Towed(NamedTuple):
    """What is seen of the tether."""

    along: Vector  # its direction where it comes to the drone, (3,)
    tension: float  # at the winch [N]
    rise: float  # of the drone above the rover [m]


class TowingPilot:
    """Flies the drone, and remembers how taut the tether was."""

    def __init__(
        self, *, mass: float, gravity: float, linear_density: float, speed: float, reel_speed: float
    ) -> None:
        """mass: of the drone [kg]; linear_density: of the tether [kg/m]; speeds [m/s]."""
        self._controller = PositionController(mass=mass, gravity=gravity, bandwidth=BANDWIDTH)
        self._weight, self._speed, self._reel_speed = linear_density * gravity, speed, reel_speed
        self._taut = 0.0  # how much of the winch's tension the tether is under, 0 to 1
        self.begin()

    def begin(self) -> None:
        """Forget what was integrated."""
        self._memory = self._controller.init()

    def way(self, points: Vector, *, tethered: bool = False, share: float = 1.0) -> Way:
        """A way (n, 3) [m]; share: of its speed."""
        self._taut = 0.0
        # Not faster than the winch can follow.
        fastest = min(self._speed, SHARE * self._reel_speed) if tethered else self._speed
        return Way(points, share * fastest)

    def force(self, observation: Any, reference: Reference, towed: Towed | None) -> Vector:
        """That the rotors shall exert [N], (3,); towed: of a tether under tension.

        Up there the pull is larger by the weight of as much tether as hangs in between. To measure it would
        not do: a drone that gives way to every pull and a winch that follows it shake each other. Only
        whether the tether is still slack from taking off is measured, slowly.
        """
        self._memory, command = self._controller(self._memory, observation, reference)
        force: Vector = command.force
        if towed is None:
            return force
        carried = self._taut * (FLIGHT_TENSION + self._weight * max(towed.rise, 0.0)) * towed.along
        share = min(towed.tension / FLIGHT_TENSION, 1.0)
        self._taut += (share - self._taut) / (RATE * TAUT_WITHIN)
        return force + carried

    def follow(self, along: Vector, velocity: Vector) -> tuple[int, float, float]:
        """Keep the tether just taut behind a drone that goes with a velocity along its last element.

        As it should go, not as it goes: the winch would answer to its trembling.
        """
        return TENSION, FLIGHT_TENSION, float(along @ velocity)

    def slacken(self, climb: float) -> tuple[int, float, float]:
        """Pay out as the drone parts from the rover at a speed [m/s], and a little more."""
        return SPEED, max(climb, 0.0) + 0.05, 0.0
