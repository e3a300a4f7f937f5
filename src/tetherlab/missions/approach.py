"""Turn towards a wall and fly to it, until it is as near as the pictures want it."""

from __future__ import annotations

import math

import numpy as np

from tetherlab.contracts.autonomy import Commander, Readings, TaskStatus
from tetherlab.missions.map_wall import FollowSpec, limited
from tetherlab.missions.tasks import STILL
from tetherlab.missions.wall import WallSpec, WallView, view_wall

TURNED = 0.05  # near enough to a heading [rad]
FACING_FROM = 3.0  # of the wall on it is faced as it stands [m]


class Approach:
    """By odometry only the heading; the rest by the depth camera."""

    def __init__(
        self,
        *,
        distance: float,
        speed: float = 0.35,
        wall: WallSpec | None = None,
        follow: FollowSpec | None = None,
        reached: float = 0.1,
        patience: float = 90.0,
        name: str = "approach",
    ) -> None:
        """distance: to the wall [m]. speed [m/s]. reached: how near to that distance [m]. patience [s]."""
        self.name, self.details = name, ""
        self.distance, self.speed, self.reached, self.patience = distance, speed, reached, patience
        self.wall = WallSpec() if wall is None else wall
        self.follow = FollowSpec() if follow is None else follow
        self.heading = math.nan  # of the wall, in the frame of the odometry [rad]; NaN: straight ahead
        self.begin(Readings(time=0.0))

    def begin(self, readings: Readings) -> None:
        """In the air, anywhere."""
        self.details, self._since, self._turned = "turns", readings.time, False
        self._view: WallView | None = None

    def step(self, readings: Readings, commander: Commander) -> TaskStatus:
        """Turn, then go on until the wall is near."""
        if readings.time - self._since > self.patience:
            self.details = f"no wall {self.distance:g} m ahead after {self.patience:g} s"
            return TaskStatus.FAILED
        image, follow = readings.depth, self.follow
        if image is not None and (self._view is None or image.time > self._view.time):
            self._view = view_wall(image, self.wall, height=readings.height, headroom=readings.headroom)
        off = 0.0 if math.isnan(self.heading + readings.yaw) else _wrapped(self.heading - readings.yaw)
        if not self._turned:
            self._turned = abs(off) < TURNED
            commander.fly(STILL, limited(follow.turn_gain * off, follow.turn_max))
            return TaskStatus.GOING_ON
        view = self._view
        if view is None or not view.seen:
            self.details = "sees no wall yet"
            commander.fly(np.array((self.speed, 0.0, 0.0)))
            return TaskStatus.GOING_ON
        self.details = f"{view.distance:.1f} m from the wall"
        away = view.distance - self.distance
        if abs(away) < self.reached:
            commander.fly(STILL)
            return TaskStatus.DONE
        turn = limited(follow.turn_gain * view.bearing, follow.turn_max) if away < FACING_FROM else 0.0
        commander.fly(np.array((limited(follow.distance_gain * away, self.speed), 0.0, 0.0)), turn)
        return TaskStatus.GOING_ON


def _wrapped(angle: float) -> float:
    """The same angle between -pi and pi [rad]."""
    return math.remainder(angle, 2.0 * math.pi)
