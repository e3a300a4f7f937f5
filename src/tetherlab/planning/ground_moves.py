"""Labels of robots that drive: a drives, a' with a tether, d latches, u lets go."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from tetherlab.planning.plumb import STEP, along_ground, grown_corner
from tetherlab.planning.problem import Point
from tetherlab.planning.search import Move
from tetherlab.planning.team import NEAR, Curve, Team, shown
from tetherlab.planning.team_state import GROUND, Link, TeamState, rounded


def drive(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """Without a tether, to the goal."""
    if state.links[index] is None:
        yield from _driven(team, "a", index, state, team.targets(index))


def drive_tethered(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """To the goal, or to the foot of the face that it can be pulled up."""
    link = state.links[index]
    if link is None or not link.anchored:
        return
    targets = team.targets(index)
    if not link.on_perch:
        foot = grown_corner(team.world, link.hinge, team.problem.agents[index].radius)
        targets.append((foot[0], state.places[index][1]))
    yield from _driven(team, "a'", index, state, targets)


def latch(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """Drive up to a robot that has landed, and hook the tether to it."""
    agent, here = team.problem.agents[index], state.places[index]
    if state.links[index] is not None:
        return
    if not team.stands(agent, here):
        team.refuse("d", f"{agent.name} does not stand on ground that it can drive on at {shown(here)}")
        return
    for partner, other in enumerate(team.problem.agents):
        if state.modes[partner] != GROUND or not other.fly or state.holds(partner):
            continue
        there = state.places[partner]
        away = there[0] - here[0]
        apart = agent.radius + other.radius
        if abs(away) > team.problem.latch_reach + NEAR:
            continue
        target = rounded((there[0] - math.copysign(apart, away), here[1]))
        way = team.rooms.shortest(agent.radius, here, target)
        if way is None:
            continue
        words = f"{agent.name} hooks its tether to {other.name}"
        after = state.moved(index, target).linked(index, Link(partner))._replace(due=("γ'", partner))
        yield team.move(agent, after, way, words, partner=other.name)


def release(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """Standing on the ground, unhook the tether, so that who holds it is free for others."""
    agent, link = team.problem.agents[index], state.links[index]
    if link is None or not link.anchored or state.modes[index] != GROUND:
        return
    here, holder = state.places[index], team.problem.agents[link.holder]
    if team.stands(agent, here):
        words = f"{agent.name} unhooks its tether, {holder.name} is free"
        yield team.move(agent, state.linked(index, None), [here, here], words, partner=holder.name)


def _driven(team: Team, label: str, index: int, state: TeamState, targets: Iterable[Point]) -> Iterator[Move]:
    agent, here = team.problem.agents[index], state.places[index]
    ground = team.supercells(agent)
    mine = ground[team.cells.at(here)]
    if mine < 0:
        team.refuse(label, f"{agent.name} does not stand on ground that it can drive on at {shown(here)}")
        return
    for target in targets:
        if math.dist(here, target) <= NEAR:
            continue
        if ground[team.cells.at(target)] != mine:
            team.refuse(label, f"{agent.name} cannot drive from {shown(here)} to {shown(target)}")
            continue
        assert agent.drive_slope is not None
        within = max(STEP, team.problem.tolerance)
        way = along_ground(team.rooms.of(agent.radius), here, target, agent.drive_slope, within)
        if way is None:
            team.refuse(label, f"there is no room for {agent.name} from {shown(here)} to {shown(target)}")
            continue
        after = state.moved(index, (float(way[-1, 0]), float(way[-1, 1])))
        words = f"{agent.name} drives to {shown(target)}"
        if label == "a":
            yield team.move(agent, after, way, words)
            continue
        yield from _dragging(team, index, state, after, way, words)


def _dragging(
    team: Team, index: int, state: TeamState, after: TeamState, way: Curve, words: str
) -> Iterator[Move]:
    """A drive with the tether on, which must be long enough."""
    agent, link = team.problem.agents[index], state.links[index]
    assert link is not None and agent.winch is not None
    tether = team.rooms.taut(np.array([*way[::-1].tolist(), *link.bends]))
    if tether.length > agent.winch.length + NEAR:
        team.refuse(
            "a'",
            f"the tether of {agent.name} is too short: from {shown(after.places[index])} it takes "
            f"{tether.length:.2f} m, the winch holds {agent.winch.length:g} m",
        )
        return
    after = after.linked(index, Link.along(link.holder, tether))
    yield team.move(agent, after, way, words + ", tethered", tether=tether.points)
