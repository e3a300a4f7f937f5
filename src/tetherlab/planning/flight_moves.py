"""Labels of flying robots: δ flies, β lands, γ' carries a tether to a perch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tetherlab.planning.plumb import vertical_room
from tetherlab.planning.problem import Agent, Point
from tetherlab.planning.search import Move
from tetherlab.planning.team import NEAR, Team, shown
from tetherlab.planning.team_state import AIR, GROUND, PERCHED, Link, TeamState, rounded
from tetherlab.planning.ways import length_of

LEDGE = 0.1  # by which a landing spot may be higher or lower than the robot beside it stands [m]
HOVER_MIN = 0.1  # above a landing spot [m]


def fly(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """To above a landing spot beside a robot that wants to be lifted, or to its own goal."""
    agent = team.problem.agents[index]
    if state.holds(index):
        return
    room = team.rooms.of(agent.radius)
    for partner, other in enumerate(team.problem.agents):
        if other.latch and state.links[partner] is None and agent.land:
            for spot in _spots(team, agent, other, state.places[partner]):
                height = min(vertical_room(room, spot)[1] - spot[1], team.problem.hover_height)
                if height < HOVER_MIN:
                    team.refuse("δ", f"there is no room for {agent.name} above {shown(spot)}")
                    continue
                target = (spot[0], spot[1] + height)
                words = f"{agent.name} flies to {shown(target)}, above where it will land beside {other.name}"
                yield from _flown(team, "δ", index, state, target, words, other.name, ("β", index))
    own = team.problem.goal.get(agent.name)
    if own is not None:
        yield from _flown(team, "δ", index, state, own, f"{agent.name} flies to its goal {shown(own)}")


def land(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """Straight down to a spot beside a robot."""
    agent, place = team.problem.agents[index], state.places[index]
    if state.modes[index] != AIR:
        return
    for partner, other in enumerate(team.problem.agents):
        if not (other.latch and state.links[partner] is None):
            continue
        for spot in _spots(team, agent, other, state.places[partner]):
            if abs(spot[0] - place[0]) > NEAR or spot[1] > place[1] + NEAR:
                continue
            words = f"{agent.name} lands at {shown(spot)} beside {other.name}"
            after = state.moved(index, spot, GROUND)._replace(due=("d", partner))
            yield team.move(agent, after, [place, spot], words, partner=other.name)


def perch(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """With the tether of a robot, to each perch, on each way that differs."""
    for owner, link in enumerate(state.links):
        if link is None or link.anchored or link.holder != index:
            continue
        taken = {state.places[i] for i, mode in enumerate(state.modes) if mode == PERCHED}
        for perch in (p for p in team.problem.perches if rounded(p) not in taken):
            yield from _carried(team, index, owner, state, link, perch)


def _carried(
    team: Team, index: int, owner: int, state: TeamState, link: Link, perch: Point
) -> Iterator[Move]:
    """One move for each class of ways to a perch."""
    agent, other = team.problem.agents[index], team.problem.agents[owner]
    assert other.winch is not None
    length_max = other.winch.length
    here, base = state.places[index], state.places[owner]
    found = False
    for way in team.rooms.ways(agent.radius, here, perch):
        found = True
        tether = team.rooms.taut(np.array([base, *link.trail, *way.tolist()]))
        if tether.length > length_max + NEAR:
            team.refuse(
                "γ'",
                f"the tether of {other.name} is too short: from {shown(base)} to the perch {shown(perch)} it "
                f"takes {tether.length:.2f} m, the winch holds {length_max:g} m",
            )
            continue
        words = (
            f"{agent.name} carries the tether of {other.name} to the perch {shown(perch)}, "
            f"{tether.length:.2f} m of it, and holds on"
        )
        after = state.moved(index, perch, PERCHED).linked(owner, Link.along(index, tether))
        yield team.move(agent, after, way, words, partner=other.name, tether=tether.points)
    if not found:
        team.refuse("γ'", f"there is no way for {agent.name} from {shown(here)} to the perch {shown(perch)}")


def _flown(
    team: Team,
    label: str,
    index: int,
    state: TeamState,
    target: Point,
    words: str,
    partner: str = "",
    due: tuple[str, int] | None = None,
) -> Iterator[Move]:
    agent, here = team.problem.agents[index], state.places[index]
    way = team.rooms.shortest(agent.radius, here, target)
    if way is None:
        team.refuse(label, f"there is no way for {agent.name} from {shown(here)} to {shown(target)}")
    elif length_of(way) > NEAR:
        after = state.moved(index, target, AIR)._replace(due=due)
        yield team.move(agent, after, way, words, partner=partner)


def _spots(team: Team, agent: Agent, other: Agent, place: Point) -> Iterator[Point]:
    """Where a flying robot can stand beside another."""
    apart = agent.radius + other.radius
    if apart > team.problem.latch_reach:
        team.refuse("d", f"{agent.name} and {other.name} are too large to come within latch_reach")
        return
    room = team.rooms.of(agent.radius)
    found = False
    for side in (-apart, apart):
        above = (place[0] + side, place[1] - other.radius + agent.radius + LEDGE)
        if not room.free(np.array([above]))[0]:
            continue
        spot = rounded((above[0], vertical_room(room, above)[0]))
        if above[1] - spot[1] <= 2.0 * LEDGE + NEAR and team.stands(agent, spot):
            found = True
            yield spot
    if not found:
        team.refuse("β", f"there is no room for {agent.name} to land beside {other.name} at {shown(place)}")
