"""Labels of flying robots, as the judge sees them: δ flies, β lands, γ' carries a tether to a perch."""

from __future__ import annotations

import math

import numpy as np

from tetherlab.planning.plan import Curve, Step
from tetherlab.planning.problem import Agent
from tetherlab.planning.validator.edges import TOUCH
from tetherlab.planning.validator.ropes import rope_faults
from tetherlab.planning.validator.team import Team


def fly(team: Team, agent: Agent, step: Step) -> list[str]:
    """δ: free, to its goal or to where it can land beside a ground robot."""
    faults = []
    holds = team.link_of(agent.name)
    if holds:
        faults.append(f"{agent.name} is not free, it holds the tether of {holds}")
    faults += detour_faults(team, agent, step.way)
    team.modes[agent.name] = "air"
    end = step.way[-1]
    goal = team.problem.goal.get(agent.name)
    if goal is not None and np.linalg.norm(end - np.array(goal)) <= team.problem.tolerance:
        return faults
    ground, above = _drop(team, agent, end)
    spot = np.array((end[0], end[1] - ground))
    fault = team.spot_fault(agent, spot)
    hover = team.problem.hover_height
    if fault:
        faults.append(f"ends above no landing spot: {fault}")
    elif ground > hover + team.cell or (ground < hover - team.cell and above > team.cell):
        faults.append(f"the waypoint is {ground:.3g} m above the spot, hover_height is {hover:g} m")
    return faults


def land(team: Team, agent: Agent, step: Step) -> list[str]:
    """β: straight down, beside a ground robot."""
    faults = []
    if team.modes.get(agent.name) != "air":
        faults.append(f"{agent.name} is not in the air")
    if np.ptp(step.way[:, 0]) > TOUCH or np.any(np.diff(step.way[:, 1]) > TOUCH):
        faults.append("it does not land straight down")
    fault = team.spot_fault(agent, step.way[-1])
    if fault:
        faults.append(f"this is no landing spot: {fault}")
    team.modes[agent.name] = "ground"
    return faults


def perch(team: Team, agent: Agent, step: Step) -> list[str]:
    """γ': with the tether to a perch; the tether is pulled taut in the class of the flight."""
    hooked = team.link_of(agent.name)
    if not hooked or team.links[hooked].tether is not None:
        return [f"{agent.name} is not latched, or perched already"]
    faults = detour_faults(team, agent, step.way)
    end = step.way[-1]
    away = min((float(np.linalg.norm(end - np.array(at))) for at in team.problem.perches), default=math.inf)
    if away > TOUCH:
        faults.append(f"({end[0]:.3g}, {end[1]:.3g}) is no perch, the nearest is {away:.3g} m away")
    others = [name for name, mode in team.modes.items() if mode == "perched" and name != agent.name]
    if any(np.linalg.norm(team.places[other] - end) <= TOUCH for other in others):
        faults.append("somebody is perched there")
    carried = np.vstack([team.places[hooked], team.links[hooked].trail, team.places[agent.name], step.way])
    faults += rope_faults(team, team.problem.agent(hooked), step, carried)
    team.modes[agent.name] = "perched"
    return faults


def _drop(team: Team, agent: Agent, point: Curve) -> tuple[float, float]:
    """How far it can go straight down, and straight up [m]."""
    x, z = float(point[0]), float(point[1])
    _, z_min, _, z_max = team.problem.bounds

    def free(to: float) -> bool:
        return team.plane.clearance(np.array([(x, z), (x, to)]))[0] >= agent.radius - 1e-6

    found = []
    for end in (z_min, z_max):
        near, far = z, end  # free, not free
        for _ in range(30):
            middle = 0.5 * (near + far)
            near, far = (middle, far) if free(middle) else (near, middle)
        found.append(abs(near - z))
    return found[0], found[1]


def detour_faults(team: Team, agent: Agent, way: Curve) -> list[str]:
    """Whether a way bends only where there is something to go around."""
    at = team.plane.slack_bend(way, agent.radius)
    return [] if at is None else [f"the way bends at ({at[0]:.3g}, {at[1]:.3g}) around nothing"]
