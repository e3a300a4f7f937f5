"""A polyline as it is travelled: from rest to rest on every leg, so that no corner is cut."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.messages import Reference

Vector = NDArray[np.float64]
PEAK_SPEED, PEAK_ACCELERATION = 1.875, 5.7735  # of 10 t^3 - 15 t^4 + 6 t^5: its slope, its curvature


class Way:
    """Where to be at a time; velocity and acceleration are continuous."""

    def __init__(self, points: ArrayLike, speed: float = 0.5, acceleration: float = 0.8) -> None:
        """points: (n, 3) [m]. speed, acceleration: largest on a leg [m/s], [m/s^2]."""
        points = check.points("points", points)
        steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
        self.points = points[np.concatenate([[True], steps > 1e-6])]
        self.legs = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        check.positive("speed", speed)
        check.positive("acceleration", acceleration)
        self._times = np.array(
            [max(PEAK_SPEED * s / speed, math.sqrt(PEAK_ACCELERATION * s / acceleration)) for s in self.legs]
        )
        self._starts = np.concatenate([[0.0], np.cumsum(self._times)])

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self._starts[-1])

    def __call__(self, time: float) -> Reference:
        """At a time since its start [s]; before and after it is at rest at its ends."""
        goal, still = self.points[-1], np.zeros(3)
        if time >= self.duration:
            return Reference(goal, still, still, 0.0, goal, math.nan)
        i = int(np.searchsorted(self._starts, max(time, 0.0), side="right")) - 1
        span = self._times[i]
        t = min(max((time - self._starts[i]) / span, 0.0), 1.0)
        leg = self.points[i + 1] - self.points[i]
        return Reference(
            position=self.points[i] + leg * (t**3 * (10.0 - 15.0 * t + 6.0 * t * t)),
            velocity=leg * (30.0 * t * t * (1.0 - t) ** 2 / span),
            acceleration=leg * (60.0 * t * (1.0 - t) * (1.0 - 2.0 * t) / span**2),
            yaw=0.0,
            target=goal,
            length=math.nan,
        )
