"""Labels of robots on a winch, as the judge sees them: f' goes up the tether, r' along a steep face."""

from __future__ import annotations

import math

import numpy as np

from tetherlab.planning.plan import Curve, Step
from tetherlab.planning.problem import Agent
from tetherlab.planning.validator.edges import TOUCH
from tetherlab.planning.validator.flight import detour_faults
from tetherlab.planning.validator.geometry import simplified
from tetherlab.planning.validator.ropes import (
    force_faults,
    hinge_faults,
    hinge_of,
    is_anchored,
    rope_faults,
    tether_of,
    trailing,
)
from tetherlab.planning.validator.team import Team


def hoist(team: Team, agent: Agent, step: Step) -> list[str]:
    """f': up its tether to the first hinge; under the perch it is lowered again."""
    if not is_anchored(team, agent):
        return [f"{agent.name} has no anchored tether"]
    tether = tether_of(team, agent)
    k = hinge_of(tether)
    faults = force_faults(team, agent, tether) + hinge_faults(tether, k, step)
    if k < len(tether) - 1:
        faults += _to_corner(team, agent, step, tether, k)
    else:
        faults += _to_perch(team, agent, step, tether)
    return faults + rope_faults(team, agent, step, trailing(team, agent, step))


def _to_corner(team: Team, agent: Agent, step: Step, tether: Curve, k: int) -> list[str]:
    x, z = tether[k]
    goals = team.plane.grown_corners((x, z), agent.radius)
    away = float(np.linalg.norm(goals - step.way[-1], axis=1).min())
    faults = detour_faults(team, agent, step.way)
    if away > TOUCH:
        faults.append(f"ends {away:.3g} m away from beside the corner ({x:.3g}, {z:.3g})")
    hoisted = np.vstack([step.way, tether[k]])
    if team.plane.word(hoisted) != team.plane.word(tether[: k + 1]):
        faults.append("the way passes an obstacle on the other side than the tether")
    return faults


def _to_perch(team: Team, agent: Agent, step: Step, tether: Curve) -> list[str]:
    holder = team.problem.agent(team.links[agent.name].holder)
    perch = tether[-1]
    top = perch - np.array((0.0, holder.radius + agent.radius))
    away = np.linalg.norm(step.way - top, axis=1)
    k = int(np.argmin(away))
    if away[k] > TOUCH:
        return [f"does not come up to ({top[0]:.3g}, {top[1]:.3g}), below the perch"]
    faults = detour_faults(team, agent, step.way[: k + 1])
    lowered = step.way[k:]
    aside = float(np.abs(lowered[:, 0] - perch[0]).max())
    if aside > TOUCH or np.any(np.diff(lowered[:, 1]) > TOUCH):
        faults.append(f"is lowered {aside:.3g} m beside the plumb line of the perch, or not straight down")
    if team.plane.word(np.vstack([step.way[: k + 1], perch])) != team.plane.word(tether):
        faults.append("the way passes an obstacle on the other side than the tether")
    end, goal = step.way[-1], team.problem.goal.get(agent.name)
    at_goal = goal is not None and np.linalg.norm(end - np.array(goal)) <= team.problem.tolerance + 1e-9
    if not at_goal and not team.stands(agent, end, 0.5 * math.pi - 1e-3):
        faults.append(f"is left hanging at ({end[0]:.3g}, {end[1]:.3g}), neither at its goal nor on ground")
    return faults


def climb(team: Team, agent: Agent, step: Step) -> list[str]:
    """r': along a steep face in contact, below the corner that the tether comes over."""
    if not is_anchored(team, agent):
        return [f"{agent.name} has no anchored tether"]
    tether = tether_of(team, agent)
    faults = force_faults(team, agent, tether)
    rises = step.way[-1][1] >= step.way[0][1]
    over = tether if rises or step.tether is None else simplified(np.asarray(step.tether))
    k = hinge_of(over)
    faults += hinge_faults(over, k, step)
    x, z = over[k]
    if not any(follows(agent, step.way, *face, team.cell) for face in team.plane.faces_at((x, z))):
        faults.append(f"does not stay at a steep face below its hinge ({x:.3g}, {z:.3g})")
    if rises:
        goals = team.plane.grown_corners((x, z), agent.radius)
        away = float(np.linalg.norm(goals - step.way[-1], axis=1).min())
        if away > TOUCH:
            faults.append(f"ends {away:.3g} m away from beside the corner ({x:.3g}, {z:.3g})")
    elif agent.drive_slope is None or not team.stands(agent, step.way[-1], agent.drive_slope):
        faults.append("does not end on ground on which it can drive")
    return faults + rope_faults(team, agent, step, trailing(team, agent, step))


def follows(agent: Agent, way: Curve, corner: Curve, foot: Curve, gap: float) -> bool:
    """Whether a disc stays at a face, which goes down steeply from a corner to its foot."""
    along = (foot - corner) / float(np.linalg.norm(foot - corner))
    inclination = math.atan2(-along[1], abs(along[0]))
    if inclination <= (agent.drive_slope or 0.0):
        return False
    away = way - corner
    beside = np.abs(along[0] * away[:, 1] - along[1] * away[:, 0])
    down = away @ along
    reach = float(np.linalg.norm(foot - corner))
    on_it = (down >= -2.0 * agent.radius) & (down <= reach)
    return bool(np.all(on_it & (beside >= agent.radius - TOUCH) & (beside <= agent.radius + gap)))
