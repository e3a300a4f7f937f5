"""Labels of robots that hang on their tether: f' swings to a hinge or is lowered, r' climbs a face."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tetherlab.planning.lifting import pull_over, pull_past
from tetherlab.planning.plumb import grown_corner, vertical_room
from tetherlab.planning.problem import Point
from tetherlab.planning.search import Move
from tetherlab.planning.team import NEAR, Team, shown
from tetherlab.planning.team_state import AIR, GROUND, Link, TeamState, rounded

GRAVITY = 9.80665  # [m/s^2]


def swing(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """Be pulled up to the first hinge; from the perch, be lowered."""
    link = _loaded(team, "f'", index, state)
    if link is None:
        return
    if link.on_perch:
        yield from _lowered(team, index, state, link)
    else:
        corner = grown_corner(team.world, link.hinge, team.problem.agents[index].radius)
        yield from _hoisted(team, "f'", index, state, link, corner)


def climb(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """Straight up a face that it touches, to the hinge above."""
    link = _loaded(team, "r'", index, state)
    if link is None or link.on_perch:
        return
    here = state.places[index]
    corner = grown_corner(team.world, link.hinge, team.problem.agents[index].radius)
    if abs(corner[0] - here[0]) <= NEAR and corner[1] > here[1] + NEAR:
        yield from _hoisted(team, "r'", index, state, link, corner)


def _loaded(team: Team, label: str, index: int, state: TeamState) -> Link | None:
    """The tether, if winch and perch can take the robot's weight."""
    agent, link = team.problem.agents[index], state.links[index]
    if link is None or not link.anchored or agent.winch is None:
        return None
    weight, here = agent.mass * GRAVITY, state.places[index]
    over = 1.0 if link.on_perch else pull_over(link.hinge, link.beyond)
    corners = [(float(x), float(z)) for polygon in team.world.polygons for x, z in polygon]
    line = [here, *link.bends[: link.upper.index(True) + 1]]
    past = pull_past(corners, line, here[1] - agent.radius)
    pull = weight * max(over, past)
    if agent.winch.force_max < pull:
        where = "" if link.on_perch else f" over the corner {shown(link.hinge)}"
        where = " over what stands below its tether" if past > over else where
        takes = (
            f"it takes {pull:.0f} N" if math.isfinite(pull) else "no force does, the tether is level there"
        )
        team.refuse(
            label, f"the winch of {agent.name} pulls {agent.winch.force_max:g} N, to lift it{where} {takes}"
        )
        return None
    holder = team.problem.agents[link.holder]
    held = 0.0 if holder.perch_force is None else holder.perch_force
    load = weight * math.exp(team.problem.friction * link.turn)
    if held < load:
        team.refuse(
            label,
            f"{holder.name} holds {held:g} N at the perch, {agent.name} may pull {load:.0f} N with the "
            f"friction of the corners",
        )
        return None
    return link


def _hoisted(
    team: Team, label: str, index: int, state: TeamState, link: Link, corner: Point
) -> Iterator[Move]:
    """To a corner, which it then passes."""
    agent, here, hinge = team.problem.agents[index], state.places[index], link.hinge
    held = [here, *link.bends[: link.upper.index(True) + 1]]
    way = team.rooms.beside(agent.radius, here, corner, held)
    if way is None:
        team.refuse(
            label, f"there is no room for {agent.name} from {shown(here)} to the hinge {shown(hinge)}"
        )
        return
    tether = team.rooms.taut(np.array([*way[::-1].tolist(), *link.bends]))
    verb = "swings and is pulled" if label == "f'" else "climbs along the face"
    words = f"{agent.name} {verb} up to the hinge {shown(hinge)}"
    after = state.moved(index, corner, AIR).linked(index, Link.along(link.holder, tether))
    yield team.move(agent, after, way, words, hinge=hinge, tether=tether.points)


def _lowered(team: Team, index: int, state: TeamState, link: Link) -> Iterator[Move]:
    """Up to the perch, then down its plumb line: to the goal, or to the ground below."""
    agent, holder = team.problem.agents[index], team.problem.agents[link.holder]
    here, perch, room = state.places[index], link.hinge, team.rooms.of(agent.radius)
    top = rounded((perch[0], perch[1] - agent.radius - holder.radius))
    if not room.free(np.array([top]))[0]:
        team.refuse("f'", f"there is no room for {agent.name} below the perch {shown(perch)}")
        return
    up = team.rooms.beside(agent.radius, here, top, [here, *link.bends])
    if up is None:
        team.refuse("f'", f"there is no room for {agent.name} from {shown(here)} to the perch {shown(perch)}")
        return
    lowest = vertical_room(room, top)[0]
    exits = {rounded((top[0], lowest)): "to the ground at"}
    for goal in team.targets(index):
        if abs(goal[0] - top[0]) <= team.problem.tolerance + NEAR and lowest - NEAR <= goal[1] <= top[1]:
            exits[rounded((top[0], goal[1]))] = "to its goal"
    for place, words in exits.items():
        assert agent.winch is not None
        length = perch[1] - place[1]
        if length > agent.winch.length + NEAR:
            team.refuse(
                "f'",
                f"the tether of {agent.name} is too short: from the perch {shown(perch)} down to "
                f"{shown(place)} it takes {length:.2f} m, the winch holds {agent.winch.length:g} m",
            )
            continue
        mode = GROUND if place[1] <= lowest + NEAR else AIR
        now = Link(link.holder, (perch,), (True,))
        after = state.moved(index, place, mode).linked(index, now)
        if after == state:
            continue
        sentence = f"{agent.name} is pulled up to the perch {shown(perch)} and lowered {words} {shown(place)}"
        way, tether = np.array([*up.tolist(), place]), np.array([place, perch])
        yield team.move(agent, after, way, sentence, hinge=perch, tether=tether)
