"""What the team is to do: take off, go from target to target, stay, land; or what it is told meanwhile."""

import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import njit
from tetherlab.sim.reference import Paths, near_targets

Vector = NDArray[np.float64]
ACCELERATION_UAV, ACCELERATION_UGV = 0.5, 0.3  # of the reference points [m/s^2]
TAKE_OFF_SPEED, LANDING_SPEED = 0.4, 0.15  # [m/s]
SPIN_UP = 0.5  # before it climbs [s]
CLOSE = 0.05  # to its place above the deck before it comes down [m]
STAND_STILL = np.zeros(3)  # [m/s]
HEIGHT = 1.0  # of take-off and return, where the plan does not say [m]


class Phase(IntEnum):
    """Where the mission is."""

    TAKE_OFF = 0
    TARGETS = 1
    HOLD = 2
    RETURN = 3
    LAND = 4
    MANUAL = 5
    DONE = 6


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Targets and how to go from one to the next."""

    targets: Vector  # drone (3), rover (3), length of tether or NaN [m], (n, 7)
    slack: Vector  # length over distance at each target, or NaN, (n,)
    take_off_height: float | None  # above the start [m]; None: it starts in the air
    land: bool
    switch_uav: float  # how near the drone must be, in space [m]
    switch_ugv: float  # how near the rover must be, on the ground [m]
    uav_speed: float  # [m/s]
    uav_slow_down: float  # [m]
    ugv_speed: float  # [m/s]
    hold_last: float  # [s]


class Mission:
    """The plan as it goes on."""

    def __init__(
        self, plan: Plan, uav: Vector, ugv: Vector, uav_yaw: float = 0.0, ugv_yaw: float = 0.0
    ) -> None:
        """uav, ugv: where they start [m], (3,), and their headings, which they keep [rad]."""
        self.plan = plan
        limits = [(TAKE_OFF_SPEED, 0.0, ACCELERATION_UAV), (plan.ugv_speed, 0.0, ACCELERATION_UGV)]
        self.paths = Paths.at([uav, ugv], limits)
        self.uav, self.ugv = self.paths.point(0), self.paths.point(1)
        self.near = np.array((plan.switch_uav, plan.switch_ugv))  # to the goal, for the next one [m]
        self.goal = np.full(6, np.nan)  # where drone and rover should be at the target [m]
        self.index = 0
        self.since = 0.0  # when the phase began [s]
        self.length, self.slack = math.nan, math.nan  # that the target asks for [m], over the distance there
        self.began = np.full(len(plan.targets), np.nan)  # when each became the target [s]
        self.reached = np.full(len(plan.targets), np.nan)
        self.armed = True
        self.by_hand = False  # the plan was left
        self.uav_yaw, self.ugv_yaw = uav_yaw, ugv_yaw
        self.phase = Phase.TARGETS
        if len(plan.targets) == 0:  # it stands and waits to be told
            self.phase, self.armed, self.by_hand = Phase.MANUAL, False, True
        elif plan.take_off_height is None:
            self._aim(0.0)
        else:
            self.phase = Phase.TAKE_OFF

    def advance(self, time: float, dt: float, uav: Vector, ugv: Vector, deck: Vector) -> str:
        """Move the references on; returns what happened, if anything: an event's sentence.

        uav, ugv: where they are. deck: where the drone would stand on the rover [m], (3,).
        """
        event = ""
        phase, plan = self.phase, self.plan
        if phase is Phase.TARGETS:
            if not _reached(uav, ugv, self.goal, self.near):
                self.paths.advance(dt)
                return event
            event = self._next(time)
        elif phase is Phase.TAKE_OFF:
            event = self._take_off(time)
        elif phase is Phase.HOLD and time - self.since >= plan.hold_last:
            event = self._end(time)
        elif phase in (Phase.RETURN, Phase.LAND):
            event = self._land(time, uav, deck)
        if not self.armed:  # it rides on the rover, wherever that goes
            self.uav.position[:] = self.uav.target[:] = uav
        self.paths.advance(dt)
        return event

    def leave_plan(self, time: float) -> None:
        """From here on by hand: who is told nothing else comes to rest."""
        self.uav.limits[:2] = self.plan.uav_speed, self.plan.uav_slow_down
        if self.phase != Phase.MANUAL:
            self.phase, self.since, self.by_hand = Phase.MANUAL, time, True
            self.hold()

    def hold(self) -> None:
        """Both vehicles come to rest and stay there."""
        self.uav.keep(STAND_STILL)
        self.ugv.keep(STAND_STILL)

    def take_off(self) -> None:
        """Straight up from where the drone is, by hand."""
        self.armed = True
        self.uav.limits[:2] = TAKE_OFF_SPEED, 0.0
        self.uav.go_to(self.uav.position + self._above())

    def land(self, time: float) -> None:
        """Back to the deck, by hand; the rover waits."""
        self.hold()
        self.phase, self.since = Phase.RETURN, time

    def _above(self) -> Vector:
        """So far it climbs before it goes anywhere [m], (3,)."""
        return np.array((0.0, 0.0, self.plan.take_off_height or HEIGHT))

    def _aim(self, time: float) -> None:
        target = self.plan.targets[self.index]
        self.uav.limits[:2] = self.plan.uav_speed, self.plan.uav_slow_down
        self.goal[:] = target[:6]
        self.uav.target[:] = target[:3]
        self.ugv.target[:2] = target[3:5]  # its height is that of the ground
        self.length, self.slack = float(target[6]), float(self.plan.slack[self.index])
        self.began[self.index] = time

    def _next(self, time: float) -> str:
        self.reached[self.index] = time
        said = f"target {self.index + 1} of {len(self.plan.targets)} reached"
        if self.index + 1 < len(self.plan.targets):
            self.index += 1
            self._aim(time)
            return said
        self.phase, self.since = Phase.HOLD, time
        return said

    def _take_off(self, time: float) -> str:
        assert self.plan.take_off_height is not None
        if time < SPIN_UP:
            return ""
        if not self.since:
            self.since = time
            self.uav.target[2] += self.plan.take_off_height
            return "takes off"
        if self.uav.arrived:
            self.phase, self.since = Phase.TARGETS, time
            self._aim(time)
        return ""

    def _end(self, time: float) -> str:
        if not self.plan.land:
            self.phase = Phase.DONE
            return ""
        self.phase, self.since = Phase.RETURN, time
        return "returns to the deck"

    def _land(self, time: float, uav: Vector, deck: Vector) -> str:
        point = self.uav
        if self.phase == Phase.RETURN:
            point.go_to(deck + self._above())
            if point.arrived and float(np.linalg.norm(uav - point.position)) < CLOSE:
                self.phase, self.since = Phase.LAND, time
                point.limits[:2] = LANDING_SPEED, 0.0
                point.go_to(deck - np.array((0.0, 0.0, 0.05)))
            return ""
        if uav[2] < deck[2] + 0.005:
            self.phase = Phase.MANUAL if self.by_hand else Phase.DONE
            self.armed = False
            point.keep(STAND_STILL)
            point.velocity[:] = 0.0
            return "has landed"
        return ""

    @property
    def done(self) -> bool:
        """Nothing is left to do."""
        return self.phase is Phase.DONE


@njit(cache=True, error_model="numpy", _nrt=False)
def _reached(uav, ugv, goal, near):
    return near_targets(uav, ugv, goal, near[0], near[1])
