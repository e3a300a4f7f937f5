"""The plan of two ground robots that become one, carried out by simple bodies on a floor.

A wheeled robot with limits of speed and turning, a walker, magnets that hold up to a force, and a switch that
must be pushed far enough. All numbers are assumed: the paper prints none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.planning.dual_ugv import DualUgvProblem
from tetherlab.planning.plan import Plan, Step

Vector = NDArray[np.float64]
GRAVITY = 9.80665  # [m/s^2]
TICK = 0.01  # [s]
THERE, FACING = 0.005, math.radians(0.5)  # how near to a place [m], a heading [rad]
PATIENCE = 30.0  # beyond what a step should take [s]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class DualUgvBodies:
    """What both robots and the switch are like."""

    speed: float = 0.3  # of the wheeled robot [m/s]
    turn_rate: float = 1.0  # [rad/s]
    acceleration: float = 0.5  # [m/s^2]
    walker_speed: float = 0.1  # [m/s]
    walker_mass: float = 1.0  # [kg]
    magnet_force: float = 10.0  # that pulls them apart [N]
    magnet_reach: float = 0.25  # from which they snap together, middle to middle [m]
    magnet_cone: float = math.radians(10.0)  # to each side, within which they must face [rad]
    switch_travel: float = 0.03  # by which it must be pushed [m]
    leg_stroke: float = 0.05  # of a lifted leg [m]
    leg_reach: float = 0.05  # from where the joined robot should stand, within which it hits the switch [m]

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            check.positive(name, getattr(self, name))

    @property
    def towed(self) -> float:
        """Largest pull of the magnets: the walker carried with its legs up, and accelerated [N]."""
        return self.walker_mass * math.hypot(GRAVITY, self.acceleration)


@dataclass(frozen=True)
class DualStep:
    """A step as it was planned and as it went."""

    label: str
    sentence: str
    planned: tuple[float, float]  # where it should end [m]
    place: tuple[float, float]  # where it did [m]
    duration: float  # [s]
    trouble: str = ""  # why it failed

    @property
    def error(self) -> float:
        """[m]."""
        return math.dist(self.planned, self.place)


class DualUgvRun:
    """Both robots on the floor, from above."""

    def __init__(self, problem: DualUgvProblem, bodies: DualUgvBodies) -> None:
        self.problem, self.bodies = problem, bodies
        self.wheeled, self.heading, self.forward = np.asarray(problem.wheeled, float), problem.heading, 0.0
        self.walker, self.time = np.zeros(2), 0.0
        self.joined = self.flipped = False

    def act(self, step: Step) -> str:
        """One label; what went wrong, in words, or nothing."""
        if step.label == "r":
            return self._drive(step.way[-1])
        if step.label == "p":
            return self._turn_to(0.0)
        if step.label == "c":
            return self._join()
        if step.label == "a":
            return self._walk(step.way[-1])
        if step.label == "j":
            # The walker must be where the plan has it: in front of the wheeled robot, along x.
            return self._drive(step.way[-1]) or self._turn_to(0.0) if self.joined else "they are not joined"
        if step.label == "i":
            return self._flip()
        raise InputError(f"nobody here can do {step.label}")

    def _drive(self, goal: Vector) -> str:
        """Turn towards a place, then drive there; brake in time, and keep the course."""
        away = goal - self.wheeled
        late = self.time + float(np.linalg.norm(away)) / self.bodies.speed + PATIENCE
        trouble = self._turn_to(math.atan2(away[1], away[0])) if np.linalg.norm(away) > THERE else ""
        while not trouble and self.time < late:
            away = goal - self.wheeled
            left = float(np.linalg.norm(away))
            if left < THERE:
                self.forward = 0.0
                return ""
            course = math.remainder(math.atan2(away[1], away[0]) - self.heading, math.tau)
            wanted = min(self.bodies.speed, math.sqrt(self.bodies.acceleration * left)) * math.cos(course)
            self._move(wanted, 2.0 * course)
        return trouble or f"the wheeled robot is still {left:.2f} m from where it drives to"

    def _turn_to(self, heading: float) -> str:
        """On the spot."""
        while abs(left := math.remainder(heading - self.heading, math.tau)) > FACING:
            self._move(0.0, 3.0 * left)
        return ""

    def _join(self) -> str:
        """The magnets snap if both are near and face each other, and hold the walker with its legs up."""
        away = self.walker - self.wheeled
        far = float(np.linalg.norm(away))
        aside = abs(math.remainder(math.atan2(away[1], away[0]) - self.heading, math.tau))
        if far > self.bodies.magnet_reach:
            return f"the magnets are {far:.2f} m apart, they pull from {self.bodies.magnet_reach:g} m"
        if aside > self.bodies.magnet_cone:
            return f"the magnets face {math.degrees(aside):.0f} deg past each other"
        if self.bodies.magnet_force < self.bodies.towed:
            return (
                f"the magnets are too weak: they hold {self.bodies.magnet_force:g} N, the walking robot with "
                f"its legs up pulls with {self.bodies.towed:.1f} N"
            )
        self.joined = True
        return ""

    def _walk(self, goal: Vector) -> str:
        """The walker goes along x, and cannot turn."""
        if self.joined:
            return "the walking robot has its legs up"
        while abs(left := float(goal[0] - self.walker[0])) > THERE:
            self.walker[0] += math.copysign(min(self.bodies.walker_speed * TICK, abs(left)), left)
            self.time += TICK
        return ""

    def _flip(self) -> str:
        """Push the switch with a leg, where the robot physically stands."""
        x, y = self.problem.switch
        off = math.dist(self.walker, (x + self.problem.gap, y))
        if not self.joined:
            return "they are not joined"
        if off > self.bodies.leg_reach:
            return f"the switch is out of reach: the walker stands {off:.2f} m from where it should"
        pushed = self.bodies.leg_stroke - off
        self.time += 1.0
        if pushed < self.bodies.switch_travel:
            return f"the switch was pushed by {pushed:.3f} m, it flips at {self.bodies.switch_travel:g} m"
        self.flipped = True
        return ""

    def _move(self, wanted: float, turn: float) -> None:
        """For a tick, within the limits of the wheels; a joined walker goes with it."""
        most = self.bodies.acceleration * TICK
        self.forward += min(max(wanted - self.forward, -most), most)
        self.heading += min(max(turn, -self.bodies.turn_rate), self.bodies.turn_rate) * TICK
        ahead = np.array([math.cos(self.heading), math.sin(self.heading)])
        self.wheeled = self.wheeled + self.forward * TICK * ahead
        if self.joined:
            self.walker = self.wheeled + self.problem.gap * ahead
        self.time += TICK


def carry_out_dual_ugv(
    plan: Plan, problem: DualUgvProblem | None = None, bodies: DualUgvBodies | None = None
) -> tuple[DualStep, ...]:
    """Carry out the steps of a plan one by one; the first that fails is the last."""
    if not plan.status.has_plan:
        raise InputError(f"there is nothing to carry out: {plan.status.value}")
    run = DualUgvRun(problem or DualUgvProblem(), bodies or DualUgvBodies())
    done: list[DualStep] = []
    for step in plan.steps:
        start = run.time
        trouble = run.act(step)
        x, y = run.wheeled if step.agent == "wheeled" else run.walker
        planned = (float(step.way[-1, 0]), float(step.way[-1, 1]))
        place = (float(x), float(y))
        done.append(DualStep(step.label, step.sentence, planned, place, run.time - start, trouble))
        if trouble:
            break
    return tuple(done)
