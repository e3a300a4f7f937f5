"""Labels of an arm, as the judge sees them: ζ picks the object, η puts it into a container."""

from __future__ import annotations

import numpy as np

from tetherlab.planning.plan import Step
from tetherlab.planning.problem import Agent
from tetherlab.planning.validator.edges import TOUCH
from tetherlab.planning.validator.team import Team


def pick(team: Team, agent: Agent, step: Step) -> list[str]:
    """ζ: the object into the gripper, while somebody waits who can carry it."""
    if team.problem.object_at is None:
        return ["there is nothing to be picked"]
    faults = ["the object was picked already"] if team.is_picked or team.is_placed else []
    faults += _within_reach(team, agent, step, (agent.start, team.problem.object_at))
    team.is_picked = True
    return faults


def place(team: Team, agent: Agent, step: Step) -> list[str]:
    """η: the object into the container."""
    if team.problem.object_at is None or not team.is_picked:
        return ["nothing was picked"]
    carrier = team.places[team.problem.object_into]
    faults = _within_reach(team, agent, step, (team.problem.object_at, carrier))
    team.is_picked, team.is_placed = False, True
    return faults


def _within_reach(team: Team, agent: Agent, step: Step, ends: tuple[object, object]) -> list[str]:
    faults = []
    for what, point in zip(("starts", "ends"), ends, strict=True):
        away = float(np.linalg.norm(step.way[0 if what == "starts" else -1] - np.array(point)))
        if away > TOUCH:
            faults.append(f"the gripper {what} {away:.3g} m away from where it should")
    carrier = team.problem.agent(team.problem.object_into)
    at = team.places[carrier.name]
    reach = agent.reach or 0.0
    for what, point in (("the object", np.array(team.problem.object_at)), (carrier.name, at)):
        away = float(np.linalg.norm(point - np.array(agent.start)))
        if away > reach + TOUCH:
            faults.append(f"{what} is {away:.3g} m away from {agent.name}, which reaches {reach:g} m")
    if not carrier.carry:
        faults.append(f"{carrier.name} has no container")
    if carrier.drive_slope is None or not team.stands(carrier, at, carrier.drive_slope):
        faults.append(f"{carrier.name} does not stand on its ground")
    return faults
