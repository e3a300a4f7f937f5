"""What the labels of a team have in common: its problem, where it can go, what ways cost, and why not."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tetherlab.planning.cells import Cells
from tetherlab.planning.navigation_function import harmonic
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.problem import Agent, Point, Problem
from tetherlab.planning.search import Move
from tetherlab.planning.team_state import TeamState
from tetherlab.planning.ways import Rooms, length_of

Curve = NDArray[np.float64]
FLAT = math.radians(10.0)  # steepest ground that a flying robot lands on
NEAR = 1e-6  # of equal places [m]
TINY = 1e-6  # change of a navigation function that counts as none


class Team:
    """A problem in its plane. Each guard that does not hold leaves a sentence in `refused`."""

    def __init__(self, problem: Problem, world: PlanarWorld, cells: Cells) -> None:
        self.problem, self.world, self.cells = problem, world, cells
        self.rooms = Rooms(world)
        self.names = {agent.name: index for index, agent in enumerate(problem.agents)}
        self.refused: dict[str, dict[str, None]] = {}  # by label: sentences
        self._ground: dict[str, NDArray[np.int64]] = {}  # supercells of drivable ground, by agent
        self._phi: dict[str, NDArray[np.float64]] = {}  # navigation functions, by agent

    def supercells(self, agent: Agent) -> NDArray[np.int64]:
        """Of the ground that an agent drives on, or lands on, by cell."""
        if agent.name not in self._ground:
            slope = FLAT if agent.drive_slope is None else agent.drive_slope
            self._ground[agent.name] = self.cells.supercells(self.cells.ground(agent.radius, slope))
        return self._ground[agent.name]

    def stands(self, agent: Agent, place: Point) -> bool:
        """Whether there is such ground below."""
        return bool(self.supercells(agent)[self.cells.at(place)] >= 0)

    def targets(self, index: int) -> list[Point]:
        """Where an agent shall be, if anywhere."""
        goal = self.problem.goal.get(self.problem.agents[index].name)
        return [] if goal is None else [goal]

    def refuse(self, label: str, sentence: str) -> None:
        """Note why a label does not fire."""
        self.refused.setdefault(label, {})[sentence] = None

    def move(
        self,
        agent: Agent,
        after: TeamState,
        way: Iterable[Point] | Curve,
        words: str,
        *,
        partner: str = "",
        hinge: Point | None = None,
        tether: Curve | None = None,
    ) -> Move:
        """A step with its price."""
        curve = np.array(way, float)
        details = {
            "agent": agent.name, "way": curve, "sentence": words, "partner": partner, "hinge": hinge,
            "tether": tether,
        }  # fmt: skip
        return Move(after, self._price(agent, curve), details)

    def _price(self, agent: Agent, way: Curve) -> float:
        """Of a way, in metres of driving; those of the paper have another unit and are no metric."""
        costs = self.problem.costs
        fixed = self.problem.flight_cost if agent.fly else costs.action
        if costs.kind == "metric":
            return fixed + (costs.flight_per_metre if agent.fly else 1.0) * length_of(way)
        straight = math.dist(way[0], way[-1])
        phi = self._navigation(agent)
        fall = abs(float(phi[self.cells.at(tuple(way[0]))] - phi[self.cells.at(tuple(way[-1]))]))
        return fixed + min(straight / max(fall, TINY), 1.0 / TINY)

    def _navigation(self, agent: Agent) -> NDArray[np.float64]:
        """The function that leads an agent: to its goal, or a flying one to the first perch."""
        if agent.name not in self._phi:
            places = [self.problem.goal.get(agent.name), *self.problem.perches, agent.start]
            goal = next(place for place in places if place is not None)
            self._phi[agent.name] = harmonic(self.cells, self.cells.room(agent.radius), goal)
        return self._phi[agent.name]


def shown(place: Point) -> str:
    """A place in a sentence."""
    return f"({place[0]:.2f}, {place[1]:.2f})"
