"""Labels of an arm: ζ picks up, η puts into a container."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tetherlab.planning.problem import Agent
from tetherlab.planning.search import Move
from tetherlab.planning.team import NEAR, Team, shown
from tetherlab.planning.team_state import GROUND, PLACED, THERE, TeamState


def pick(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """The object, when the robot that shall carry it waits within reach."""
    agent, at = team.problem.agents[index], team.problem.object_at
    if at is None or agent.reach is None or state.cargo != THERE:
        return
    if math.dist(agent.start, at) > agent.reach + NEAR:
        team.refuse("ζ", f"the object at {shown(at)} is out of reach of {agent.name}")
    elif _waits(team, agent, state):
        yield team.move(
            agent,
            state._replace(cargo=agent.name),
            [agent.start, at],
            f"{agent.name} picks the object up",
        )


def place(team: Team, index: int, state: TeamState) -> Iterator[Move]:
    """It into the container."""
    agent = team.problem.agents[index]
    if state.cargo == agent.name and team.problem.object_at is not None and _waits(team, agent, state):
        into = state.places[team.names[team.problem.object_into]]
        words = f"{agent.name} puts the object into {team.problem.object_into}"
        yield team.move(agent, state._replace(cargo=PLACED), [team.problem.object_at, into], words)


def _waits(team: Team, arm: Agent, state: TeamState) -> bool:
    """Whether the robot with the container stands within reach."""
    index = team.names[team.problem.object_into]
    assert arm.reach is not None
    near = math.dist(arm.start, state.places[index]) <= arm.reach + NEAR
    if not near:
        team.refuse("ζ", f"{team.problem.object_into} is out of reach of {arm.name}")
    return near and team.problem.agents[index].carry and state.modes[index] == GROUND
