"""Where everybody is in the middle of a plan, and who hangs on whom, as the judge sees it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from tetherlab.planning.plan import Curve
from tetherlab.planning.problem import Agent, Problem
from tetherlab.planning.validator.edges import TOUCH
from tetherlab.planning.validator.geometry import Plane

FLAT = math.radians(10.0)  # on which one can land
LEDGE = 0.1  # by which the grounds of two that latch may differ in height [m]


@dataclass
class Link:
    """The tether of a ground robot."""

    holder: str  # flying robot at its other end
    tether: Curve | None = None  # taut, to where the holder is perched; None: latched only
    trail: Curve = field(default_factory=lambda: np.zeros((0, 2)))  # where it was carried along till now


@dataclass
class Team:
    """Where everybody is, and who hangs on whom."""

    problem: Problem
    plane: Plane
    cell: float  # [m]
    places: dict[str, Curve] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)  # of flying robots: air, ground, perched
    links: dict[str, Link] = field(default_factory=dict)  # by ground robot
    is_picked: bool = False  # the object is in the gripper
    is_placed: bool = False  # it is in the container

    @classmethod
    def at_start(cls, problem: Problem, plane: Plane, cell: float) -> Team:
        """Nobody is linked but those who are held already; who stands on flat ground has landed."""
        team = cls(problem, plane, cell)
        for agent in problem.agents:
            team.places[agent.name] = np.array(agent.start)
            if agent.fly:
                landed = plane.stands(team.places[agent.name], agent.radius, FLAT, TOUCH)
                team.modes[agent.name] = "ground" if landed else "air"
        for held in problem.held:
            link = team.links[held.tether_of] = Link(held.by)
            between = np.array(held.along, dtype=np.float64).reshape(-1, 2)
            if held.perched:
                team.modes[held.by] = "perched"
                link.tether = np.vstack([team.places[held.tether_of], between, team.places[held.by]])
            else:
                team.modes[held.by], link.trail = "air", between
        return team

    def stands(self, agent: Agent, point: Curve, slope: float) -> bool:
        """Whether it stands on ground that is no steeper."""
        return self.plane.stands(point, agent.radius, slope, self.cell)

    def link_of(self, holder: str) -> str:
        """The ground robot whose tether a flying robot has, or nothing."""
        return next((name for name, link in self.links.items() if link.holder == holder), "")

    def spot_fault(self, agent: Agent, spot: Curve) -> str:
        """Why a flying robot cannot be latched where it landed; nothing if it can."""
        if not self.stands(agent, spot, FLAT):
            return f"no flat ground below ({spot[0]:.3g}, {spot[1]:.3g})"
        away = math.inf
        for other in self.problem.agents:
            if other.fly or other.drive_slope is None:
                continue
            place = self.places[other.name]
            apart = abs(float(place[0] - spot[0]))
            ledge = abs(float(place[1] - other.radius - spot[1] + agent.radius))
            near = apart <= self.problem.latch_reach + TOUCH and ledge <= LEDGE + self.cell
            if near and apart >= agent.radius + other.radius - TOUCH:
                return ""
            away = min(away, apart)
        return f"the nearest ground robot is {away:.3g} m to the side: too near, too far, or on other ground"
