"""A robot on a taut tether as a pendulum of variable length in the vertical plane: the twin of the plant.

    l'' = l theta'^2 + g cos(theta) - T / m,    theta'' = -2 l' theta' / l - (g / l) sin(theta)

with the robot at hinge + (l sin(theta), -l cos(theta)). A winch gives either the tension T or the rate l'.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError

Vector = NDArray[np.float64]
GRAVITY = 9.80665  # [m/s^2]


class Hanging(NamedTuple):
    """How it hangs, x to the right and z up."""

    hinge: tuple[float, float]  # [m]
    length: float  # from the hinge to the robot [m]
    angle: float  # from straight down, positive to the right [rad]
    length_rate: float = 0.0  # [m/s]
    angle_rate: float = 0.0  # [rad/s]

    @classmethod
    def of(cls, hinge: ArrayLike, position: ArrayLike, velocity: ArrayLike = (0.0, 0.0)) -> "Hanging":
        """One at a position with a velocity, (2,) each [m], [m/s]."""
        h = check.array("hinge", hinge, (2,))
        x, z = (check.array("position", position, (2,)) - h).tolist()
        vx, vz = check.array("velocity", velocity, (2,)).tolist()
        length = math.hypot(x, z)
        if length < 1e-6:
            raise InputError("position and hinge must be apart: a pendulum has a length")
        return cls(
            hinge=(float(h[0]), float(h[1])),
            length=length,
            angle=math.atan2(x, -z),
            length_rate=(x * vx + z * vz) / length,
            angle_rate=(x * vz - z * vx) / length**2,
        )

    @classmethod
    def in_space(cls, hinge: ArrayLike, position: ArrayLike, velocity: ArrayLike) -> "Hanging":
        """One that may swing across the plane, too, (3,) each [m], [m/s].

        Angle and rate are those of its swing as a whole, without signs: energy and grip do not ask for them.
        """
        x, y, z = _numbers("hinge", hinge)
        px, py, pz = _numbers("position", position)
        vx, vy, vz = _numbers("velocity", velocity)
        dx, dy, dz = px - x, py - y, pz - z
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        rate = (vx * dx + vy * dy + vz * dz) / length
        across = math.sqrt(max(vx * vx + vy * vy + vz * vz - rate * rate, 0.0))
        angle = math.atan2(math.hypot(dx, dy), -dz)
        return cls((x, z), length, angle, rate, across / length)

    @property
    def position(self) -> Vector:
        """[m], (2,)."""
        s, c = math.sin(self.angle), math.cos(self.angle)
        return np.array([self.hinge[0] + self.length * s, self.hinge[1] - self.length * c])

    @property
    def velocity(self) -> Vector:
        """[m/s], (2,)."""
        s, c = math.sin(self.angle), math.cos(self.angle)
        across = self.length * self.angle_rate
        return np.array([self.length_rate * s + across * c, across * s - self.length_rate * c])

    def about(self, hinge: ArrayLike) -> "Hanging":
        """The same motion seen from another hinge: position and velocity stay what they are."""
        return Hanging.of(hinge, self.position, self.velocity)

    def swing_energy(self, gravity: float = GRAVITY) -> float:
        """Of the swing, per mass: what is left if the length is held [J/kg]."""
        rate = self.length * self.angle_rate
        return 0.5 * rate * rate + gravity * self.length * (1.0 - math.cos(self.angle))

    def amplitude(self, gravity: float = GRAVITY) -> float:
        """How far it will swing if the length is held [rad]; pi if it goes over the top."""
        # By the half angle, which keeps its digits where the swing is small.
        square = self.swing_energy(gravity) / (2.0 * gravity * self.length)
        return 2.0 * math.asin(min(math.sqrt(square), 1.0))

    def grip(self, gravity: float = GRAVITY) -> float:
        """s in dE/dt = -l' s: how well paying out takes energy from the swing now [m/s^2]."""
        return self.length * self.angle_rate**2 - gravity * (1.0 - math.cos(self.angle))


def _numbers(name: str, vector: ArrayLike) -> list[float]:
    """Three numbers; those of a simulation need no check, which takes longer than all that follows."""
    known = isinstance(vector, np.ndarray) and vector.shape == (3,) and vector.dtype == np.float64
    numbers: list[float] = (vector if known else check.vector(name, vector)).tolist()  # type: ignore[union-attr]
    return numbers


def swing(
    start: Hanging,
    reel: Callable[[float, Hanging], float],
    duration: float,
    *,
    step: float = 1e-3,
    gravity: float = GRAVITY,
) -> list[Hanging]:
    """Swing while a winch changes the length with the rate that `reel` gives of time [s] and state [m/s].

    The rate is held over a step, of Runge and Kutta's fourth order; one state after each.
    """
    states = [start]
    for i in range(round(check.positive("duration", duration) / check.positive("step", step))):
        now = states[-1]
        states.append(_advance(now, reel(i * step, now), step, gravity))
    return states


def _advance(now: Hanging, rate: float, h: float, gravity: float) -> Hanging:
    def slope(a: float, w: float, t: float) -> tuple[float, float]:
        length = now.length + rate * t
        return w, -2.0 * rate * w / length - gravity / length * math.sin(a)

    a, w = now.angle, now.angle_rate
    a1, w1 = slope(a, w, 0.0)
    a2, w2 = slope(a + 0.5 * h * a1, w + 0.5 * h * w1, 0.5 * h)
    a3, w3 = slope(a + 0.5 * h * a2, w + 0.5 * h * w2, 0.5 * h)
    a4, w4 = slope(a + h * a3, w + h * w3, h)
    return now._replace(
        length=now.length + rate * h,
        angle=a + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4),
        length_rate=rate,
        angle_rate=w + h / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4),
    )
