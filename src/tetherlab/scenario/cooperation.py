"""A cooperative plan carried out in the plant: with tether, winch, contact and flight instead of ways."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.planning.plan import Plan, Step
from tetherlab.planning.problem import Agent, Point, Problem
from tetherlab.plant import hoist_model as H
from tetherlab.plant.hoist_build import stands
from tetherlab.scenario.cooperation_crew import Crew
from tetherlab.scenario.library import find
from tetherlab.scenario.plane_world import plane_world
from tetherlab.scenario.robots import Quadrotor
from tetherlab.scenario.simulation import quadrotor_spec
from tetherlab.sim.hoist import HoistRun
from tetherlab.tether.spec import TetherSpec
from tetherlab.vehicles.climber import climber_spec, climber_winch
from tetherlab.vehicles.spec import QuadrotorSpec

Vector = NDArray[np.float64]
PULL = 3.0  # times its weight, that a winch pulls with if the problem names no limit
REST, UNDAMPED = 0.03, 1e3  # swings that are left alone, to each side [m]
PLANE = [0, 2]
NEAR = 0.5  # of a radius: so near to the perch is a hinge the perch itself


def hook_drone(name: str = "qav250") -> QuadrotorSpec:
    """A drone of the package, hooked just below its centre of mass, where a pull hardly turns it.

    Tied 6 cm below, the cord of a rover would tilt this one by 30 degrees at 2 N.
    """
    data, _ = find("robots", name, Path()).read()
    return replace(quadrotor_spec(Quadrotor.model_validate(data)), attachment=np.array([0.0, 0.0, -0.01]))


def thin_tether(friction: float) -> TetherSpec:
    """A cord of aramid of 4 mm; friction: at corners. Assumed."""
    return TetherSpec(
        linear_density=0.015,
        diameter=0.004,
        axial_stiffness=2e4,
        axial_damping=100.0,
        bending_damping=1e-4,
        strength=800.0,
        friction=friction,
    )


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Execution:
    """How a plan is carried out."""

    scale: float = 2.0  # metres of the plant for one of the plan
    reel_speed: float = 0.3  # [m/s]
    speed: float = 0.5  # of flying and driving [m/s]
    damped: bool = (
        True  # whether the winch takes the swing out; False: it goes to lengths, as the paper's does
    )
    drone: QuadrotorSpec = field(default_factory=hook_drone)

    def __post_init__(self) -> None:
        for name in ("scale", "reel_speed", "speed"):
            check.positive(name, getattr(self, name))


@dataclass(frozen=True)
class CarriedOut:
    """A step, as it was planned and as it went. In metres and newtons of the plant."""

    label: str
    agent: str
    sentence: str  # of the plan
    planned: tuple[float, float]  # where it should end
    place: tuple[float, float]  # where it did
    length_planned: float  # of the taut tether after it; NaN: there is none
    length: float  # that was out
    tension_peak: float  # at the winch [N]
    perch_peak: float  # [N]
    start: float  # [s]
    end: float
    trouble: str = ""  # why it failed

    @property
    def error(self) -> float:
        """Between where it should have ended and where it did [m]."""
        return math.dist(self.planned, self.place)


@dataclass(frozen=True)
class Executed:
    """What came of a plan."""

    steps: tuple[CarriedOut, ...]
    errors: dict[str, float]  # distance of each agent from its goal in the end, in space [m]
    places: dict[str, Point]  # of all agents in the end, as the plan has them: where to plan from again
    tether: Vector | None  # as it lies then, from the ground robot on, as the plan has it, (n, 2)
    scale: float  # metres of the plant for one of the plan
    lift: float  # of the middle of the drone's disc above its centre of mass, which the log has [m]
    log: Log

    @property
    def succeeded(self) -> bool:
        """Whether every step was carried out, and all came to their goals."""
        return self.log.outcome is Outcome.COMPLETED

    def __str__(self) -> str:
        lines = [
            f"{s.label:>3}  {s.end - s.start:5.1f} s  off by {s.error:.2f} m  {s.trouble or s.sentence}"
            for s in self.steps
        ]
        lines += [f"{name} is {error:.3f} m from its goal" for name, error in self.errors.items()]
        return "\n".join([*lines, self.log.outcome_sentence])


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
    how = execution or Execution()
    if not plan.status.has_plan:
        raise InputError(f"there is nothing to carry out: {plan.status.value}")
    ugv, uav = _team(problem)
    run = _run(problem, ugv, uav, how)
    airborne = run.world.distance(run.drone) > 1.25 * uav.radius * how.scale
    rest = REST if how.damped else UNDAMPED
    crew = Crew(run, ugv.radius * how.scale, how.reel_speed, how.speed, rest, bool(airborne))
    done: list[CarriedOut] = []
    for i, step in enumerate(plan.steps):
        if progress is not None:
            progress(i / len(plan.steps), step.sentence)
        done.append(_carry_out(crew, problem, step, how.scale, step.agent == ugv.name))
        if done[-1].trouble:
            break
    at = {ugv.name: run.rover, uav.name: run.drone}
    goals = {name: _deep(goal, how.scale) for name, goal in problem.goal.items() if name in at}
    errors = {name: float(np.linalg.norm(at[name] - goal)) for name, goal in goals.items()}
    if run.outcome is None:
        _finish(run, done, errors, problem.tolerance * how.scale)
    return Executed(
        steps=tuple(done),
        errors=errors,
        places={name: (float(x / how.scale), float(z / how.scale)) for name, (x, _, z) in at.items()},
        tether=None if run.link == H.APART else run.nodes[:, PLANE] / how.scale,
        scale=how.scale,
        lift=float(run.plant.drone_origin[2]),
        log=run.log,
    )


def _finish(run: HoistRun, done: list[CarriedOut], errors: dict[str, float], tolerance: float) -> None:
    """Say how it ended."""
    astray = [f"{name} is {error:.2f} m from its goal" for name, error in errors.items() if error > tolerance]
    if done and done[-1].trouble:
        run.finish(Outcome.BROKEN_OFF, f"{done[-1].label}: {done[-1].trouble}")
    elif astray:
        run.finish(Outcome.BROKEN_OFF, f"{' and '.join(astray)} after all steps, {tolerance:g} m are allowed")
    else:
        run.finish(Outcome.COMPLETED, f"all {len(done)} steps were carried out")


def _team(problem: Problem) -> tuple[Agent, Agent]:
    """The ground robot with a winch and the flying one."""
    ground = [agent for agent in problem.agents if agent.winch is not None]
    flying = [agent for agent in problem.agents if agent.fly]
    if len(ground) != 1 or len(flying) != 1:
        raise InputError(
            "a plan is carried out by one ground robot with a winch and one that flies, got "
            f"{len(ground)} and {len(flying)}"
        )
    return ground[0], flying[0]


def _run(problem: Problem, ugv: Agent, uav: Agent, how: Execution) -> HoistRun:
    """Everything at its start."""
    assert ugv.winch is not None
    radius, scale, winch = ugv.radius * how.scale, how.scale, ugv.winch
    _check_fit(how.drone, uav.radius * scale)
    world = plane_world(problem, scale)
    force = min(winch.force_max, PULL * ugv.mass * float(world.gravity))
    tether, length = thin_tether(problem.friction), 1.1 * winch.length * scale
    return HoistRun(
        world,
        tether,
        how.drone,
        climber_spec(radius, ugv.mass),
        climber_winch(radius, force, 1.2 * how.reel_speed, length, tether.diameter),
        length=length,
        rover_position=_deep(ugv.start, scale),
        drone_position=_deep(uav.start, scale),
        drone_radius=uav.radius * scale,
        perch_force=math.inf if uav.perch_force is None else uav.perch_force,
    )


def _check_fit(drone: QuadrotorSpec, radius: float) -> None:
    """Whether the drone is within the disc that the planner takes it for."""
    hull = np.asarray(drone.hull)
    up = hull[:, 2] - (radius - stands(drone))
    reach = float((np.hypot(hull[:, 0], up) + hull[:, 3]).max())
    if reach > radius:
        raise InputError(
            f"the drone reaches {reach:.2f} m from the middle of its disc, whose radius is {radius:g} m: "
            "take a larger scale or a smaller drone"
        )


def _carry_out(crew: Crew, problem: Problem, step: Step, scale: float, ground: bool) -> CarriedOut:
    """One step, whatever comes of it."""
    run, way = crew.run, np.asarray(step.way, float) * scale
    start, crew.peaks = run.time, np.zeros(2)
    run.note("step", f"{step.label}: {step.sentence}")
    run.target[1 if ground else 0] = _deep(way[-1], 1.0)
    trouble = _act(crew, step, way, scale)
    place = run.rover if ground else run.drone
    planned = np.nan if step.tether is None else scale * _length(step.tether)
    return CarriedOut(
        label=step.label,
        agent=step.agent,
        sentence=step.sentence,
        planned=(float(way[-1, 0]), float(way[-1, 1])),
        place=(float(place[0]), float(place[2])),
        length_planned=planned,
        length=run.length if run.link != H.APART else np.nan,
        tension_peak=float(crew.peaks[0]),
        perch_peak=float(crew.peaks[1]),
        start=start,
        end=run.time,
        trouble=trouble,
    )


def _act(crew: Crew, step: Step, way: Vector, scale: float) -> str:
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
    if label not in ("f'", "r'"):
        return f"nobody in the plant can do {label}"
    perch = crew.run.plant.perch[PLANE]
    hinge = perch if step.hinge is None else np.asarray(step.hinge, float) * scale
    if label == "f'" and np.linalg.norm(hinge - perch) < NEAR * crew.radius + _below(crew):
        return crew.swing(way, perch)
    return crew.climb(way, hinge)


def _below(crew: Crew) -> float:
    """How far below the drone's middle the tether is tied to it [m]."""
    plant = crew.run.plant
    return float(np.linalg.norm(plant.place[2] - plant.place[3]))


def _deep(point: Point | Vector, scale: float) -> Vector:
    return np.array([point[0] * scale, 0.0, point[1] * scale])


def _length(curve: Vector) -> float:
    return float(np.linalg.norm(np.diff(curve, axis=0), axis=1).sum())
