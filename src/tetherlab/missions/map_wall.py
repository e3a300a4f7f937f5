"""Sweep a wall in rows by what the depth camera and the altimeter say now; no map, no position."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from enum import Enum

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.autonomy import Commander, Readings, TaskStatus
from tetherlab.missions.sweep import Sweep, SweepSpec, plan_sweep
from tetherlab.missions.tasks import STILL
from tetherlab.missions.wall import WallSpec, WallView, view_wall

LEFT, RIGHT = 1.0, -1.0
PICTURES_AGREE = 2  # that a wall ends, before it is believed
HEIGHTS_KEPT = 5  # of the altimeter, whose median counts


class Leg(Enum):
    """What it does now; `value` is the sentence."""

    SEEK = "flies to the right border"
    SWEEP = "sweeps a row"
    CLIMB = "goes to the next row"


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class FollowSpec:
    """How it follows a wall."""

    distance_gain: float = 0.8  # speed per error of the distance [1/s]
    turn_gain: float = 0.8  # rate per error of the heading [1/s]
    height_gain: float = 0.8  # [1/s]
    speed_max: float = 0.3  # towards the wall and upwards [m/s]
    turn_max: float = 0.4  # [rad/s]
    headroom_min: float = 0.7  # it does not climb any nearer to the ceiling [m]
    tether_rise_max: float = 0.0  # towards a base that is higher: it would lead into the rotors [rad]
    tension_low: float = 3.0  # below it flies slower, so that the winch can take the tether in [N]
    row_reached: float = 0.1  # how near to a row's height it must be [m]
    picture_age_max: float = 1.0  # before it waits for a new one [s]
    patience: float = 10.0  # without a wall or a picture, before it gives up [s]
    row_time_max: float = 600.0  # before a row is given up [s]


class MapWall:
    """Row after row, each to where the wall ends. `rows` tells when each was flown."""

    def __init__(
        self,
        *,
        sweep: SweepSpec,
        wall: WallSpec | None = None,
        follow: FollowSpec | None = None,
        frame_rate: float = 5.0,
        wall_height: float | None = None,
        name: str = "map",
    ) -> None:
        """wall_height: how far up to go [m]; None: to the ceiling, as its range finder says."""
        self.name, self.details = name, ""
        self.sweep_spec = sweep
        self.wall = WallSpec() if wall is None else wall
        self.follow = FollowSpec() if follow is None else follow
        self.frame_rate, self.wall_height = frame_rate, wall_height
        self.begin(Readings(time=0.0))

    def begin(self, readings: Readings) -> None:
        """In front of a wall."""
        self.details = Leg.SEEK.value
        self.sweep: Sweep | None = None
        self.view: WallView | None = None
        self.rows: list[tuple[float, float, float]] = []  # of each that is done: height [m], start, end [s]
        self.row, self.leg, self._side = 0, Leg.SEEK, RIGHT
        self._since = self._good_at = readings.time
        self._ends = 0  # pictures in a row that say that the wall ends
        self._heights: deque[float] = deque(maxlen=HEIGHTS_KEPT)

    def step(self, readings: Readings, commander: Commander) -> TaskStatus:
        """Look at the newest picture, keep distance, heading and height, and go along."""
        if not math.isnan(readings.height):
            self._heights.append(readings.height)
        fresh = self._look(readings)
        view = self.view
        if view is None or not view.seen or readings.time - view.time > self.follow.picture_age_max:
            return self._without_wall(readings, commander)
        self._good_at = readings.time
        if self.sweep is None:
            trouble = self._plan(readings)
            if trouble:
                return self._give_up(trouble)
        if fresh and self._turn_point(readings, view) is TaskStatus.DONE:
            commander.fly(STILL)
            self.details = f"{len(self.rows)} rows"
            return TaskStatus.DONE
        if readings.time - self._since > self.follow.row_time_max:
            return self._give_up(f"row {self.row + 1} has no end after {self.follow.row_time_max:g} s")
        commander.fly(*self._command(readings, view))
        return TaskStatus.GOING_ON

    def _look(self, readings: Readings) -> bool:
        """Whether there is a new picture."""
        image = readings.depth
        if image is None or (self.view is not None and image.time <= self.view.time):
            return False
        self.view = view_wall(image, self.wall, height=self._height, headroom=readings.headroom)
        return True

    @property
    def _height(self) -> float:
        """Above the floor, by the median of the last readings [m]."""
        return float(np.median(self._heights)) if self._heights else math.nan

    def _plan(self, readings: Readings) -> str:
        """Lay the rows; what is missing, if so."""
        image = readings.depth
        assert image is not None
        tall = self._height + readings.headroom if self.wall_height is None else self.wall_height
        if math.isnan(tall):
            return "the height of the wall is not known: neither given nor is there a ceiling in range"
        self.sweep = plan_sweep(
            self.sweep_spec,
            height=tall,
            tan_half_width=image.tan_half_width,
            tan_half_height=image.tan_half_height,
            frame_rate=self.frame_rate,
        )
        return ""

    def _without_wall(self, readings: Readings, commander: Commander) -> TaskStatus:
        """Back to where the wall was, slowly, for a while."""
        if readings.time - self._good_at > self.follow.patience:
            return self._give_up("there is no wall in sight, and no picture")
        lost = self.view is not None and not self.view.seen and self.leg is not Leg.CLIMB
        commander.fly(np.array((0.0, -0.3 * self._side * self.sweep_spec.speed_max if lost else 0.0, 0.0)))
        return TaskStatus.GOING_ON

    def _give_up(self, why: str) -> TaskStatus:
        self.details = why
        return TaskStatus.FAILED

    def _turn_point(self, readings: Readings, view: WallView) -> TaskStatus:
        """Go on to the next leg where the wall ends, or where the height of a row is reached."""
        assert self.sweep is not None
        if self.leg is Leg.CLIMB:
            if abs(self._row_height(readings) - self._height) < self.follow.row_reached:
                self._next(Leg.SWEEP, readings.time)
            return TaskStatus.GOING_ON
        void = view.void_left if self._side == LEFT else view.void_right
        self._ends = self._ends + 1 if void >= self.wall.side_share else 0
        if self._ends < PICTURES_AGREE:
            return TaskStatus.GOING_ON
        if self.leg is Leg.SEEK:
            self._side = LEFT
            self._next(Leg.CLIMB, readings.time)
            return TaskStatus.GOING_ON
        self.rows.append((self._height, self._since, readings.time))
        if self.row + 1 == len(self.sweep.heights):
            return TaskStatus.DONE
        self.row, self._side = self.row + 1, -self._side
        self._next(Leg.CLIMB, readings.time)
        return TaskStatus.GOING_ON

    def _next(self, leg: Leg, time: float) -> None:
        assert self.sweep is not None
        self.leg, self._since, self._ends = leg, time, 0
        self.details = f"{leg.value}, {self.row + 1} of {len(self.sweep.heights)}"

    def _row_height(self, readings: Readings) -> float:
        """That the present row has, as far as ceiling and tether let it [m]."""
        assert self.sweep is not None
        wanted = max(float(self.sweep.heights[self.row]), self._lowest(readings))
        if math.isnan(readings.headroom):
            return wanted
        return min(wanted, self._height + readings.headroom - self.follow.headroom_min)

    def _lowest(self, readings: Readings) -> float:
        """Height below which the tether would rise from the drone too steeply, as if it were straight [m]."""
        if readings.tether_H is None or math.isnan(readings.length):
            return -math.inf
        rise = float(readings.tether_H[2]) - math.sin(self.follow.tether_rise_max)
        return self._height + rise * readings.length

    def _taut(self, readings: Readings) -> float:
        """How taut the tether is, 0 to 1: one that lies on the floor is dragged below its base, and hooks."""
        if math.isnan(readings.tension):
            return 1.0
        return min(max(readings.tension / self.follow.tension_low, 0.0), 1.0)

    def _command(self, readings: Readings, view: WallView) -> tuple[np.ndarray, float]:
        """Velocity in frame H [m/s], (3,), and rate of turn [rad/s]."""
        spec, sweep = self.follow, self.sweep
        assert sweep is not None
        off = view.distance - self.sweep_spec.distance
        ahead = limited(spec.distance_gain * off, spec.speed_max)
        turn = limited(spec.turn_gain * view.bearing, spec.turn_max)
        climb = limited(spec.height_gain * (self._row_height(readings) - self._height), spec.speed_max)
        if math.isnan(climb):
            climb = 0.0
        # Along the wall only as far as distance and heading are right.
        calm = max(0.0, 1.0 - abs(off) / (0.3 * self.sweep_spec.distance)) * max(0.0, math.cos(view.bearing))
        along = 0.0 if self.leg is Leg.CLIMB else self._side * sweep.speed * calm * self._taut(readings)
        # Along the wall and towards it, as the wall is turned, not as the drone is.
        c, s = math.cos(view.bearing), math.sin(view.bearing)
        return np.array((c * ahead - s * along, s * ahead + c * along, climb)), turn


def limited(value: float, most: float) -> float:
    """No larger than that, either way."""
    return min(max(value, -most), most)
