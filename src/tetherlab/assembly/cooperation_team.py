"""The team of a cooperative plan as machines: who they are, and a run with everything at its start."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.hoist_run import HoistRun, lift
from tetherlab.contracts.errors import InputError
from tetherlab.missions.crew import Crew
from tetherlab.missions.reach import Reach
from tetherlab.planning.problem import Agent, Point, Problem
from tetherlab.scenario.library import find
from tetherlab.scenario.plane_world import plane_world
from tetherlab.scenario.robots import Quadrotor
from tetherlab.scenario.simulation import quadrotor_spec
from tetherlab.tether.spec import TetherSpec
from tetherlab.vehicles.arm import TwoJointArm
from tetherlab.vehicles.climber import climber_spec, climber_winch
from tetherlab.vehicles.spec import QuadrotorSpec

PULL = 3.0  # times its weight, that a winch pulls with if the problem names no limit
SPARE = 1.1  # of the planned length that is on the drum
HASTE = 1.2  # of the reel speed that the winch has to spare


def packaged_drone(name: str = "qav250") -> Quadrotor:
    """A drone of the package."""
    data, _ = find("robots", name, Path()).read()
    return Quadrotor.model_validate(data)


def hook_drone(name: str = "qav250") -> QuadrotorSpec:
    """A drone of the package, hooked just below its centre of mass, where a pull hardly turns it.

    Tied 6 cm below, the cord of a rover would tilt this one by 30 degrees at 2 N.
    """
    return replace(quadrotor_spec(packaged_drone(name)), attachment=np.array([0.0, 0.0, -0.01]))


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


def find_team(problem: Problem) -> tuple[Agent, Agent]:
    """The ground robot with a winch and the flying one; all others must be arms."""
    ground = [agent for agent in problem.agents if agent.winch is not None]
    flying = [agent for agent in problem.agents if agent.fly]
    if len(ground) != 1 or len(flying) != 1:
        raise InputError(
            "a plan is carried out by one ground robot with a winch and one that flies, got "
            f"{len(ground)} and {len(flying)}"
        )
    for agent in problem.agents:
        stands = agent.reach is not None and agent.drive_slope is None
        if agent.name not in (ground[0].name, flying[0].name) and not stands:
            raise InputError(f"nobody in the plant stands for {agent.name}: further robots can only be arms")
    return ground[0], flying[0]


def find_arms(problem: Problem, crew: Crew) -> dict[str, Reach]:
    """All that can reach, by name, folded up."""
    return {
        agent.name: Reach(
            crew,
            TwoJointArm(agent.start, agent.reach),
            agent.name,
            problem.object_at,
            problem.object_into or "",
        )
        for agent in problem.agents
        if agent.reach is not None
    }


def make_run(problem: Problem, ugv: Agent, uav: Agent, drone: QuadrotorSpec, reel_speed: float) -> HoistRun:
    """Everything at its start."""
    assert ugv.winch is not None
    radius, winch = ugv.radius, ugv.winch
    _check_fit(drone, uav.radius)
    world = plane_world(problem)
    force = min(winch.force_max, PULL * ugv.mass * float(world.gravity))
    tether, length = thin_tether(problem.friction), SPARE * winch.length
    return HoistRun(
        world,
        tether,
        drone,
        climber_spec(radius, ugv.mass),
        climber_winch(radius, force, HASTE * reel_speed, length, tether.diameter),
        length=length,
        rover_position=deep(ugv.start),
        drone_position=deep(uav.start),
        drone_radius=uav.radius,
        element_length=radius,
        perch_force=math.inf if uav.perch_force is None else uav.perch_force,
    )


def _check_fit(drone: QuadrotorSpec, radius: float) -> None:
    """Whether the drone is within the disc that the planner takes it for."""
    hull = np.asarray(drone.hull)
    up = hull[:, 2] - lift(drone, radius)
    reach = float((np.hypot(hull[:, 0], up) + hull[:, 3]).max())
    if reach > radius:
        raise InputError(
            f"the drone reaches {reach:.2f} m from the middle of its disc, whose radius is {radius:g} m: "
            "take a larger disc or a smaller drone"
        )


def deep(point: Point) -> NDArray[np.float64]:
    """A point of the plan in the space of the plant [m], (3,)."""
    return np.array([point[0], 0.0, point[1]])
