"""Labels of an arm: ζ picks up, η puts into a container."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tetherlab.planning.search import Move
from tetherlab.planning.team import NEAR, Team, shown
from tetherlab.planning.team_state import GROUND, PLACED, THERE, TeamState


def pick(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """The object, when the robot that shall carry it waits within reach."""
    agent, here, at = team.problem.agents[index], state.places[index], team.problem.object_at
    if at is None or agent.reach is None or state.cargo != THERE:
        return
    if math.dist(here, at) > agent.reach + NEAR:
        team.refuse("ζ", f"the object at {shown(at)} is out of reach of {agent.name} at {shown(here)}")
    elif _waits(team, index, state):
        after, words = state._replace(cargo=agent.name), f"{agent.name} picks the object up"
        yield team.move(agent, after, [here, at], words, partner=team.problem.object_into)


def place(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """It into the container."""
    agent = team.problem.agents[index]
    if state.cargo == agent.name and team.problem.object_at is not None and _waits(team, index, state):
        name = team.problem.object_into
        way = [team.problem.object_at, state.places[team.names[name]]]
        words = f"{agent.name} puts the object into {name}"
        yield team.move(agent, state._replace(cargo=PLACED), way, words, partner=name)


def _waits(team: Team, arm: int, state: TeamState) -> bool:
    """Whether the robot with the container stands within reach."""
    name, by, here = team.problem.object_into, team.problem.agents[arm], state.places[arm]
    index = team.names[name]
    at, goals = state.places[index], team.targets(index)
    assert by.reach is not None
    if not team.problem.agents[index].carry:
        team.refuse("ζ", f"{name} has no container")
        return False
    if math.dist(here, at) > by.reach + NEAR:
        never = all(math.dist(here, goal) > by.reach + NEAR for goal in goals)
        hint = ", and has no goal within it" if never else ""
        team.refuse("ζ", f"{name} is out of reach of {by.name} at {shown(at)}{hint}")
        return False
    return state.modes[index] == GROUND
