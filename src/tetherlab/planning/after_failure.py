"""What is left to plan when a step has failed: from where all are now, and with what the failure taught."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tetherlab.planning.homotopy import taut
from tetherlab.planning.plan import Step
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.problem import Held, Point, Problem, Winch

Vector = NDArray[np.float64]
LIFTED = ("f'", "r'")  # labels by which a winch lifts its robot
NUDGES = (0.0, 0.001, 0.003, 0.01, 0.03)  # by which a body that is pressed into something is moved out [m]
DIRECTIONS = 16


def held_after(held: Held | None, step: Step, owner: str) -> Held | None:
    """Who has the owner's tether after a step that was carried out."""
    label = step.label.partition(":")[0]
    if label == "d":
        return Held(tether_of=owner, by=step.partner, perched=False)
    if label == "u":
        return None
    if step.tether is None or held is None:
        return held
    return replace(held, perched=True, along=_points(np.asarray(step.tether)[1:-1]))


def problem_after(
    problem: Problem, step: Step, held: Held | None, places: dict[str, Point], tension: float
) -> Problem:
    """What is left when a step has failed.

    held: before it. places: where all are now. tension: the most that the winch came to meanwhile [N].
    """
    world = PlanarWorld(problem.bounds, list(problem.obstacles))
    label, agents = step.label.partition(":")[0], []
    for agent in problem.agents:
        if agent.name in places:
            agent = replace(agent, start=_free(world.inflated(agent.radius), places[agent.name]))
        if agent.name == step.agent and label in LIFTED and agent.winch is not None and tension > 0.0:
            # More than it pulled it cannot pull.
            pull = min(agent.winch.force_max, tension)
            agent = replace(agent, winch=Winch(length=agent.winch.length, force_max=pull))
        agents.append(agent)
    perches = problem.perches
    if label == "γ'":
        missed = step.way[-1]
        perches = [perch for perch in perches if math.dist(perch, missed) > problem.tolerance]
    left = replace(problem, agents=agents, perches=perches)
    return left if held is None else replace(left, held=[_moved(world, left, step, held)])


def _moved(world: PlanarWorld, left: Problem, step: Step, held: Held) -> Held:
    """The tether of one who came some of its way."""
    gone = _gone(np.asarray(step.way, float), np.array(left.agent(step.agent).start))
    if step.agent == held.by:
        return replace(held, along=(*held.along, *_points(gone)))
    if not held.perched:
        return held
    owner, perch = left.agent(held.tether_of).start, left.agent(held.by).start
    back = _points(gone[::-1]) if step.agent == held.tether_of else ()
    line = taut(world, np.array([owner, *back, *held.along, perch]))
    return replace(held, along=_points(line.points[1:-1]))


def _gone(way: Vector, here: Vector) -> Vector:
    """The part of a way that lies behind, without where it is now, (n, 2)."""
    legs = np.diff(way, axis=0)
    squares = np.maximum((legs**2).sum(axis=1), 1e-12)
    shares = np.clip(((here - way[:-1]) * legs).sum(axis=1) / squares, 0.0, 1.0)
    nearest = np.linalg.norm(way[:-1] + shares[:, None] * legs - here, axis=1)
    if not len(nearest):
        return way
    leg = int(np.argmin(nearest))
    return np.vstack([way[: leg + 1], way[leg] + shares[leg] * legs[leg]])


def _free(room: PlanarWorld, place: Point) -> Point:
    """The nearest place where a disc touches nothing: what stands or leans is pressed in by a hair."""
    angles = np.linspace(0.5, 2.5, DIRECTIONS, endpoint=False) * math.pi  # up first
    for nudge in NUDGES:
        tried = np.array(place) + nudge * np.column_stack([np.cos(angles), np.sin(angles)])
        free = room.free(tried)
        if free.any():
            return _points(tried[[int(np.argmax(free))]])[0]
    return place


def _points(curve: Vector) -> tuple[Point, ...]:
    return tuple((float(x), float(z)) for x, z in curve)
