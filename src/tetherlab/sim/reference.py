"""Points that move towards their targets, or at a velocity: where the vehicles should be now."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import kernel, njit

Vector = NDArray[np.float64]
ARRIVED_WITHIN, ARRIVED_BELOW = 1e-3, 5e-3  # [m], [m/s]


class MovingPoint(NamedTuple):
    """One of them: windows on the arrays of all."""

    position: Vector  # [m], (3,)
    velocity: Vector  # [m/s], (3,)
    acceleration: Vector  # [m/s^2], (3,)
    target: Vector  # [m], (3,); at a velocity: where it is
    cruise: Vector  # velocity that it keeps instead of going to a target, or NaN [m/s], (3,)
    limits: Vector  # speed [m/s], distance of slowing down [m], acceleration [m/s^2], (3,)

    def go_to(self, target: Vector) -> None:
        """Move to a place and stay there [m], (3,)."""
        self.target[:], self.cruise[:] = target, math.nan

    def keep(self, velocity: Vector) -> None:
        """Move at a velocity until told otherwise [m/s], (3,)."""
        self.cruise[:] = velocity

    @property
    def arrived(self) -> bool:
        """At rest on the target, as far as a target that rides on a vehicle rests itself."""
        near = bool(np.abs(self.target - self.position).max() < ARRIVED_WITHIN)
        return near and bool(np.abs(self.velocity).max() < ARRIVED_BELOW)


class Paths(NamedTuple):
    """All of them: the arrays of `MovingPoint`, one row each, (n, 3)."""

    position: Vector
    velocity: Vector
    acceleration: Vector
    target: Vector
    cruise: Vector
    limits: Vector

    @classmethod
    def at(cls, positions: Sequence[Vector], limits: Sequence[tuple[float, float, float]]) -> Paths:
        """Points at rest; limits: of each, as in `MovingPoint`."""
        start = np.array(positions, float)
        together = np.zeros((len(cls._fields), *start.shape))
        paths = cls(*together)
        paths.position[:] = paths.target[:] = start
        paths.cruise[:], paths.limits[:] = math.nan, limits
        return paths

    @property
    def together(self) -> Vector:
        """All of these in one array, (6, n, 3)."""
        return np.asarray(self.position.base)

    def point(self, i: int) -> MovingPoint:
        """One of them."""
        return MovingPoint(*(array[i] for array in self))

    def advance(self, dt: float) -> None:
        """Move on by dt [s], with limited speed and acceleration, slower near the targets."""
        _move(self, dt)


@njit(cache=True, error_model="numpy", _nrt=False)
def _move(paths, dt):
    move_points(paths, dt)


@kernel
def move_points(paths, dt):
    """All by dt [s]."""
    p, v, a, target = paths.position, paths.velocity, paths.acceleration, paths.target
    cruise, limits = paths.cruise, paths.limits
    for i in range(p.shape[0]):
        if cruise[i, 0] == cruise[i, 0]:
            _push(p[i], v[i], a[i], (cruise[i, 0], cruise[i, 1], cruise[i, 2]), limits[i, 2], dt)
            for k in range(3):
                target[i, k] = p[i, k]
                if abs(v[i, k] - cruise[i, k]) < 1e-9:
                    v[i, k] = cruise[i, k]  # so that a point that stands is known to stand
        else:
            _approach(p[i], v[i], a[i], target[i], limits[i], dt)


@kernel
def _approach(p, v, a, target, limits, dt):
    """Towards the target, slower near it."""
    speed, slow_down, most = limits[0], limits[1], limits[2]
    d0, d1, d2 = target[0] - p[0], target[1] - p[1], target[2] - p[2]
    far = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    still = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if far < 1e-4 and still <= most * dt + 1e-3:
        for i in range(3):
            p[i], v[i], a[i] = target[i], 0.0, 0.0
        return
    pace = min(speed, math.sqrt(2.0 * 0.7 * most * far))
    if slow_down > 0.0:
        pace = min(pace, max(speed * far / slow_down, 0.05 * speed))
    pace = min(pace, far / dt)
    size = far + 1e-12
    _push(p, v, a, (pace * d0 / size, pace * d1 / size, pace * d2 / size), most, dt)


@kernel
def _push(p, v, a, wanted, most, dt):
    """To a velocity, with at most so much acceleration."""
    square = 0.0
    for i in range(3):
        a[i] = (wanted[i] - v[i]) / dt
        square += a[i] * a[i]
    size = math.sqrt(square)
    limit = most / size if size > most else 1.0
    for i in range(3):
        a[i] *= limit
        p[i] += dt * (v[i] + 0.5 * dt * a[i])
        v[i] += dt * a[i]


@kernel
def near_targets(uav, ugv, goal, near_uav, near_ugv):
    """Whether the drone is near its target in space, and the rover on the ground; goal: both [m], (6,)."""
    apart = math.sqrt((uav[0] - goal[0]) ** 2 + (uav[1] - goal[1]) ** 2 + (uav[2] - goal[2]) ** 2)
    return apart < near_uav and math.hypot(ugv[0] - goal[3], ugv[1] - goal[4]) < near_ugv
