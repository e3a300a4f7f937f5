"""What the labels of paper 004 do to a team, when it has reached its goal, and what that costs at least.

`docs/theory/cooperative.md` has the guards of the labels with what was wrong in print.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from tetherlab.planning.abilities import abilities
from tetherlab.planning.arm_moves import pick, place
from tetherlab.planning.first_state import first_state
from tetherlab.planning.flight_moves import fly, land, perch
from tetherlab.planning.ground_moves import drive, drive_tethered, latch, release
from tetherlab.planning.hoist_moves import climb, swing
from tetherlab.planning.search import Move
from tetherlab.planning.team import NEAR, Team
from tetherlab.planning.team_state import GROUND, PLACED, THERE, TeamState

LABELS: Mapping[str, Callable[[Team, int, TeamState], Iterator[Move]]] = {
    "δ": fly, "β": land, "γ'": perch, "a": drive, "d": latch, "a'": drive_tethered, "u": release,
    "f'": swing, "r'": climb, "ζ": pick, "η": place,
}  # fmt: skip


class TeamMoves:
    """`Activities` of a team."""

    def __init__(self, team: Team) -> None:
        self.team = team

    def start(self) -> TeamState:
        """As the problem says."""
        return first_state(self.team)

    def moves(self, label: str, state: TeamState) -> Iterator[Move]:
        """Of `label`, or `label:agent`, by each agent that has the ability."""
        kind, _, name = label.partition(":")
        for index, agent in enumerate(self.team.problem.agents):
            on_turn = state.due is None or state.due == (kind, index)
            if on_turn and (not name or agent.name == name) and kind in abilities(agent):
                yield from LABELS[kind](self.team, index, state._replace(due=None))

    def finished(self, state: TeamState) -> bool:
        """Everybody is where it shall be, and so is the object."""
        near = self.team.problem.tolerance + NEAR
        there = all(
            math.dist(state.places[self.team.names[name]], at) <= near
            for name, at in self.team.problem.goal.items()
        )
        return there and (self.team.problem.object_at is None or state.cargo == PLACED)

    def at_least(self, state: TeamState) -> float:
        """Straight ways to all goals, less what a goal may be missed by, and what the object still needs."""
        left = 0.0
        if self.team.problem.costs.kind != "metric":
            return left  # a cost that is no metric has no such bound
        for name, at in self.team.problem.goal.items():
            index = self.team.names[name]
            away = math.dist(state.places[index], at) - self.team.problem.tolerance
            rate = self.team.problem.costs.flight_per_metre if self.team.problem.agents[index].fly else 1.0
            left += max(rate * away, 0.0)
        left += self._actions_left(state)
        if self.team.problem.object_at is not None and state.cargo != PLACED:
            left += self.team.problem.costs.action * (2.0 if state.cargo == THERE else 1.0)
        return left

    def _actions_left(self, state: TeamState) -> float:
        """What the actions cost that nobody is spared who must be lifted: to land, hook, perch, and hoist."""
        flights = hooks = hoists = waiting = 0
        for name, at in self.team.problem.goal.items():
            index = self.team.names[name]
            agent, here, link = self.team.problem.agents[index], state.places[index], state.links[index]
            if agent.fly or agent.winch is None or math.dist(here, at) <= self.team.problem.tolerance + NEAR:
                continue
            ground = self.team.supercells(agent)
            mine, goal = ground[self.team.cells.at(here)], ground[self.team.cells.at(at)]
            if mine == goal and mine >= 0 and state.modes[index] == GROUND:
                continue  # it can drive there
            hoists += 1
            flights += link is None or not link.anchored
            hooks += link is None
            waiting += link is None
        modes = [mode for mode, agent in zip(state.modes, self.team.problem.agents, strict=True) if agent.fly]
        ready = modes.count(GROUND)
        due = state.due is not None and state.due[0] == "β"
        flights += max(waiting - ready, 0) + max(waiting - ready - due, 0)
        return flights * self.team.problem.flight_cost + (hooks + hoists) * self.team.problem.costs.action
