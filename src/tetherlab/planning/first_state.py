"""Where a team is before its first step: at its starts, and with the tethers that are held already."""

from __future__ import annotations

import numpy as np

from tetherlab.planning.plumb import vertical_room
from tetherlab.planning.problem import Agent, Held
from tetherlab.planning.team import NEAR, Team
from tetherlab.planning.team_state import AIR, GROUND, PERCHED, Link, TeamState, rounded


def first_state(team: Team) -> TeamState:
    """As the problem says."""
    agents = team.problem.agents
    state = TeamState(
        tuple(rounded(agent.start) for agent in agents),
        tuple(AIR if agent.fly and not _landed(team, agent) else GROUND for agent in agents),
        (None,) * len(agents),
    )
    for held in team.problem.held:
        state = _with(team, state, held)
    return state


def _landed(team: Team, agent: Agent) -> bool:
    """Whether a flying robot stands on the ground."""
    low, _ = vertical_room(team.rooms.of(agent.radius), agent.start)
    return agent.start[1] <= low + NEAR and team.stands(agent, agent.start)


def _with(team: Team, state: TeamState, held: Held) -> TeamState:
    """And one tether that is not free."""
    owner, holder = team.names[held.tether_of], team.names[held.by]
    along = tuple(rounded(point) for point in held.along)
    if not held.perched:
        # A pair finishes what it began.
        return state.linked(owner, Link(holder, trail=along))._replace(due=("γ'", holder))
    here, perch = state.places[owner], state.places[holder]
    tether = team.rooms.taut(np.array([here, *along, perch]))
    mode = GROUND if team.stands(team.problem.agents[owner], here) else AIR
    state = state.moved(owner, here, mode).moved(holder, perch, PERCHED)
    return state.linked(owner, Link.along(holder, tether))
