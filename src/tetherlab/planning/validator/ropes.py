"""A tether that is taut, of a length that the winch holds, and strong enough, as the judge sees it."""

from __future__ import annotations

import math

import numpy as np

from tetherlab.planning.plan import Curve, Step
from tetherlab.planning.problem import Agent
from tetherlab.planning.validator.edges import TOUCH
from tetherlab.planning.validator.geometry import bends, length, presses_down, simplified
from tetherlab.planning.validator.team import Team

GRAVITY = 9.80665  # [m/s²]


def is_anchored(team: Team, agent: Agent) -> bool:
    """Whether a ground robot hangs on somebody who is perched."""
    return agent.name in team.links and team.links[agent.name].tether is not None


def tether_of(team: Team, agent: Agent) -> Curve:
    """Taut, from a ground robot to the perch."""
    tether = team.links[agent.name].tether
    assert tether is not None
    return simplified(tether)


def trailing(team: Team, agent: Agent, step: Step) -> Curve:
    """The tether before it is pulled taut again: back along the way, then as it was."""
    return np.vstack([step.way[::-1], tether_of(team, agent)])


def hinge_of(tether: Curve) -> int:
    """From which vertex a robot at the first one hangs: the first corner that carries it, or the perch."""
    inner = range(1, len(tether) - 1)
    return next((i for i in inner if presses_down(tether, i)), len(tether) - 1)


def hinge_faults(tether: Curve, k: int, step: Step) -> list[str]:
    """Whether a step names the vertex from which the robot hangs."""
    x, z = tether[k]
    if step.hinge is None:
        return [f"names no hinge, it is ({x:.3g}, {z:.3g})"]
    if np.linalg.norm(np.array(step.hinge) - tether[k]) <= TOUCH:
        return []
    return [f"the hinge is ({x:.3g}, {z:.3g}), not ({step.hinge[0]:.3g}, {step.hinge[1]:.3g})"]


def force_faults(team: Team, agent: Agent, tether: Curve) -> list[str]:
    """Whether winch and perch hold the robot; friction at the bends at its worst."""
    weight = agent.mass * GRAVITY
    pull = weight * math.exp(team.problem.friction * bends(tether))
    holder = team.problem.agent(team.links[agent.name].holder)
    faults = []
    standing = float(team.places[agent.name][1]) - agent.radius
    lift = weight * max(lifting_share(tether), passing_share(team, tether, standing))
    if agent.winch is not None and agent.winch.force_max < lift:
        faults.append(
            f"it takes {lift:.4g} N to lift {agent.name}, its winch pulls {agent.winch.force_max:.4g} N"
        )
    if holder.perch_force is not None and holder.perch_force < pull:
        faults.append(
            f"the perch is pulled with {pull:.4g} N, {holder.name} holds {holder.perch_force:.4g} N"
        )
    return faults


def lifting_share(tether: Curve) -> float:
    """Times its weight that a robot must pull with: over a corner the tether goes up with a slope beyond it.

    Up the face it slides with a friction of 0.3, T (sin - 0.3 cos) = 1, or it rolls with its centre of mass a
    quarter of a radius below the middle, T sin = 1.25.
    """
    k = hinge_of(tether)
    if k == len(tether) - 1:
        return 1.0
    x, z = tether[k + 1] - tether[k]
    slope = math.atan2(z, abs(x))
    pulls = (math.sin(slope) / 1.25, math.sin(slope) - 0.3 * math.cos(slope))
    return 1.0 / max(pulls) if max(pulls) > 0.0 else math.inf


def passing_share(team: Team, tether: Curve, standing: float) -> float:
    """The same for obstacles that reach up below the tether, between a robot and what it hangs from first.

    standing: height of the ground under the robot [m].
    """
    hanging = tether[: hinge_of(tether) + 1]
    share, away = 1.0, np.sign(hanging[-1, 0] - hanging[0, 0])
    for corner in (corner for polygon in team.plane.polygons for corner in polygon):
        ahead = away * (hanging[:, 0] - corner[0])
        if away == 0.0 or corner[1] <= standing + 1e-6 or ahead[0] >= -1e-6 or ahead[-1] <= 1e-6:
            continue
        k = int(np.argmax(ahead > 0.0))
        leg = hanging[k] - hanging[k - 1]
        height = hanging[k, 1] + leg[1] * (corner[0] - hanging[k, 0]) / leg[0]
        if height > corner[1] + 1e-6:
            share = max(share, lifting_share(np.vstack([corner - (0.0, 1.0), corner, hanging[k]])))
    return share


def rope_faults(team: Team, agent: Agent, step: Step, carried: Curve) -> list[str]:
    """Whether the tether after a step is the taut one of what was carried along; takes it down."""
    link = team.links[agent.name]
    if step.tether is None:
        link.tether = carried
        return ["does not say how the tether lies"]
    tether = np.asarray(step.tether, dtype=np.float64)
    link.tether = tether
    faults = []
    for what, k in (("starts", 0), ("ends", -1)):
        away = float(np.linalg.norm(tether[k] - carried[k]))
        if away > TOUCH:
            faults.append(f"the tether {what} {away:.3g} m away from where it is held")
    at = team.plane.crossed(tether)
    if at is not None:
        faults.append(f"the tether goes through an obstacle at ({at[0]:.3g}, {at[1]:.3g})")
    at = team.plane.slack_bend(tether)
    if at is not None:
        faults.append(f"the tether is not taut, it bends at ({at[0]:.3g}, {at[1]:.3g}) around nothing")
    if team.plane.word(tether) != team.plane.word(carried):
        faults.append("the tether passes an obstacle on the other side than it was carried")
    if agent.winch is not None and length(tether) > agent.winch.length + TOUCH:
        faults.append(f"the tether is {length(tether):.4g} m long, the winch holds {agent.winch.length:g} m")
    return faults
