"""A cooperative plan carried out in the plant: with tether, winch, contact and flight instead of ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.cooperation_result import CarriedOut, Executed
from tetherlab.assembly.cooperation_team import deep, find_arms, find_team, hook_drone, make_run
from tetherlab.assembly.hoist_run import HoistRun
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.outcome import Outcome
from tetherlab.control.hoist import WinchLaws
from tetherlab.control.towing import Towed, TowingPilot
from tetherlab.missions.climb import Climb
from tetherlab.missions.crew import APART, Crew
from tetherlab.missions.reach import Reach
from tetherlab.planning.after_failure import LIFTED, held_after, problem_after
from tetherlab.planning.cooperative import plan as plan_for
from tetherlab.planning.plan import Plan, Step
from tetherlab.planning.problem import Point, Problem
from tetherlab.scenario.team_plan import ExecutionSection
from tetherlab.vehicles.spec import QuadrotorSpec

__all__ = ["CarriedOut", "Cooperation", "Executed", "Execution", "carry_out"]

Vector = NDArray[np.float64]
REST = 0.3  # of what a goal may be missed by: a swing to each side that is left alone
UNDAMPED = 1e3  # swings that are left alone by a winch that damps none [m]
PLANE = [0, 2]
NEAR = 0.5  # of a radius: so near to the perch is a hinge the perch itself


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Execution:
    """How a plan is carried out."""

    reel_speed: float = 0.3  # [m/s]
    speed: float = 0.5  # of flying and driving [m/s]
    damped: bool = True  # whether the winch takes the swing out, or goes to lengths as the paper's does
    replans: int = 3  # how often it is planned again after a step that failed
    missing: Sequence[Point] = ()  # perches at which the drone finds no hold, which no plan knows
    drone: QuadrotorSpec = field(default_factory=hook_drone)

    def __post_init__(self) -> None:
        for name in ("reel_speed", "speed"):
            check.positive(name, getattr(self, name))
        check.non_negative("replans", self.replans)


def execution_of(given: ExecutionSection) -> Execution:
    """Of the written form."""
    return Execution(
        reel_speed=given.reel_speed,
        speed=given.speed,
        damped=given.damped,
        replans=given.replans,
        missing=given.missing,
    )


class Cooperation:
    """A plan that is being carried out: walk through it, and it goes on step by step."""

    def __init__(self, problem: Problem, plan: Plan, execution: Execution | None = None) -> None:
        how = execution or Execution()
        if not plan.status.has_plan:
            raise InputError(f"there is nothing to carry out: {plan.status.value}")
        self.problem, self.plans = problem, [plan]
        self.replans = how.replans
        self.ugv, self.uav = ugv, uav = find_team(problem)
        self.run = make_run(problem, ugv, uav, how.drone, how.reel_speed)
        airborne = self.run.world.distance(self.run.drone) > 1.25 * uav.radius
        rest = REST * problem.tolerance if how.damped else UNDAMPED
        gravity = float(self.run.world.gravity)
        pilot = TowingPilot(
            mass=how.drone.mass, gravity=gravity, linear_density=self.run.tether.linear_density,
            speed=how.speed, reel_speed=how.reel_speed,
        )  # fmt: skip
        self.crew = Crew(
            self.run, pilot, Towed, radius=ugv.radius, reel_speed=how.reel_speed, speed=how.speed,
            airborne=bool(airborne), missing=how.missing,
        )  # fmt: skip
        self.climb = Climb(self.crew, WinchLaws(how.reel_speed, rest, gravity))
        self.arms = find_arms(problem, self.crew)
        self.done: list[CarriedOut] = []
        self._held = next((held for held in problem.held if held.tether_of == ugv.name), None)

    def __iter__(self) -> Iterator[tuple[float, str]]:
        """Before each step the share that is done, and a sentence; it plans again after one that fails."""
        problem, plan = self.problem, self.plans[0]
        while True:
            yield from self._walk(plan)
            if self.run.outcome is not None or not plan.steps or not self.done[-1].trouble:
                break
            failed = plan.steps[self._at]
            again = self._again(problem, failed)
            if again is None:
                break
            problem, plan = again
            self.plans.append(plan)
        if self.run.outcome is None:
            _finish(self.run, self.done, self.errors, self.problem.tolerance)

    def _walk(self, plan: Plan) -> Iterator[tuple[float, str]]:
        """Step by step, as far as it goes."""
        for self._at, step in enumerate(plan.steps):
            yield self._at / len(plan.steps), step.sentence
            self.done.append(
                _carry_out(self.run, self.crew, self.climb, self.arms, step, step.agent == self.ugv.name)
            )
            if self.done[-1].trouble:
                return
            self._held = held_after(self._held, step, self.ugv.name)

    def _again(self, problem: Problem, failed: Step) -> tuple[Problem, Plan] | None:
        """What is left after a step that failed, and a plan for it; None if there is none."""
        if len(self.plans) > self.replans or failed.agent in self.arms:
            return None
        if failed.label.partition(":")[0] in LIFTED:
            self.climb.back_down()
            if self.run.outcome is not None:
                return None
        places = {name: (float(x), float(z)) for name, (x, _, z) in self._places().items()}
        left = problem_after(problem, failed, self._held, places, self.done[-1].tension_peak)
        plan = plan_for(left, explain=False)
        self.run.note("plan", f"{failed.label} failed; again from here: {plan.symbols or plan.status.value}")
        if not plan.status.has_plan:
            return None
        self._held = left.held[0] if left.held else None
        return left, plan

    @property
    def errors(self) -> dict[str, float]:
        """Distance of each agent from its goal, in space [m]."""
        at = self._places()
        goals = {name: deep(goal) for name, goal in self.problem.goal.items() if name in at}
        return {name: float(np.linalg.norm(at[name] - goal)) for name, goal in goals.items()}

    @property
    def executed(self) -> Executed:
        """What came of it so far."""
        run = self.run
        return Executed(
            steps=tuple(self.done),
            plans=tuple(self.plans),
            errors=self.errors,
            places={name: (float(x), float(z)) for name, (x, _, z) in self._places().items()},
            tether=None if run.link == APART else run.nodes[:, PLANE],
            lift=float(run.drone_origin[2]),
            log=run.log,
        )

    def _places(self) -> dict[str, Vector]:
        return {self.ugv.name: self.run.rover, self.uav.name: self.run.drone}


def carry_out(
    problem: Problem,
    plan: Plan,
    execution: Execution | None = None,
    *,
    progress: Callable[[float, str], None] | None = None,
) -> Executed:
    """Carry out the steps of a plan one by one; the first that fails ends it.

    progress: called before each step with the share that is done and a sentence.
    """
    work = Cooperation(problem, plan, execution)
    for share, sentence in work:
        if progress is not None:
            progress(share, sentence)
    return work.executed


def _finish(run: HoistRun, done: list[CarriedOut], errors: dict[str, float], tolerance: float) -> None:
    """Say how it ended."""
    astray = [f"{name} is {error:.2f} m from its goal" for name, error in errors.items() if error > tolerance]
    if done and done[-1].trouble:
        run.finish(Outcome.BROKEN_OFF, f"{done[-1].label}: {done[-1].trouble}")
    elif astray:
        run.finish(Outcome.BROKEN_OFF, f"{' and '.join(astray)} after all steps, {tolerance:g} m are allowed")
    else:
        failed = sum(bool(step.trouble) for step in done)
        around = f", and new plans led around {failed} that failed" if failed else ""
        run.finish(Outcome.COMPLETED, f"all {len(done) - failed} steps were carried out{around}")


def _carry_out(
    run: HoistRun, crew: Crew, climb: Climb, arms: dict[str, Reach], step: Step, ground: bool
) -> CarriedOut:
    """One step, whatever comes of it."""
    way = np.asarray(step.way, float)
    start, crew.peaks = run.time, np.zeros(2)
    run.note("step", f"{step.label}: {step.sentence}")
    arm = arms.get(step.agent)
    if arm is None:
        run.target[1 if ground else 0] = deep(way[-1].tolist())
    trouble = _act(run, crew, climb, step, way) if arm is None else _reach(arm, step)
    place = (run.rover if ground else run.drone) if arm is None else deep(arm.arm.hand.tolist())
    planned = np.nan if step.tether is None else _length(step.tether)
    return CarriedOut(
        label=step.label,
        agent=step.agent,
        sentence=step.sentence,
        planned=(float(way[-1, 0]), float(way[-1, 1])),
        place=(float(place[0]), float(place[2])),
        length_planned=planned,
        length=run.length if run.link != APART else np.nan,
        tension_peak=float(crew.peaks[0]),
        perch_peak=float(crew.peaks[1]),
        start=start,
        end=run.time,
        trouble=trouble,
    )


def _act(run: HoistRun, crew: Crew, climb: Climb, step: Step, way: Vector) -> str:
    """What a label means."""
    label = step.label.partition(":")[0]
    if label == "δ":
        return crew.fly(way)
    if label == "β":
        return crew.land(way)
    if label == "d":
        return crew.latch(way)
    if label == "γ'":
        return crew.perch(way)
    if label in ("a", "a'"):
        return crew.drive(way)
    if label == "u":
        return crew.unhook()
    if label not in ("f'", "r'"):
        return f"nobody in the plant can do {label}"
    perch = run.perch_place[PLANE]
    hinge = perch if step.hinge is None else np.asarray(step.hinge, float)
    if label == "f'" and np.linalg.norm(hinge - perch) < NEAR * crew.radius + run.hook_below:
        return climb.to_perch(way, perch)
    return climb.to_hinge(way, hinge)


def _reach(arm: Reach, step: Step) -> str:
    """What a label of an arm means."""
    return arm.pick() if step.label.partition(":")[0] == "ζ" else arm.place()


def _length(curve: Vector) -> float:
    return float(np.linalg.norm(np.diff(curve, axis=0), axis=1).sum())
