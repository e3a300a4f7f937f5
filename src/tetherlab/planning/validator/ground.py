"""Labels of robots that drive, as the judge sees them: d latches, u lets go, a drives, a' with a tether."""

from __future__ import annotations

import math

from tetherlab.planning.plan import Curve, Step
from tetherlab.planning.problem import Agent
from tetherlab.planning.validator.edges import TOUCH
from tetherlab.planning.validator.geometry import length, samples
from tetherlab.planning.validator.ropes import is_anchored, rope_faults, trailing
from tetherlab.planning.validator.team import LEDGE, Link, Team

SAMPLING = 0.02  # of ways on the ground [m]


def latch(team: Team, agent: Agent, step: Step) -> list[str]:
    """d: drives up to a robot that has landed, and hooks its tether to it."""
    if agent.name in team.links:
        return [f"{agent.name} is latched already"]
    landed = [name for name, mode in team.modes.items() if mode == "ground" and not team.link_of(name)]
    if step.partner and step.partner not in landed:
        return [f"{step.partner} has not landed, or holds another tether"]
    if not landed:
        return ["nobody has landed"]
    here = team.places[agent.name]
    name = step.partner or min(landed, key=lambda other: abs(float(team.places[other][0] - here[0])))
    holder, at = team.problem.agent(name), team.places[name]
    faults = driving_faults(team, agent, step.way)
    apart, touch = abs(float(at[0] - here[0])), holder.radius + agent.radius
    if apart > team.problem.latch_reach + TOUCH:
        faults.append(f"{name} is {apart:.3g} m away, latch_reach is {team.problem.latch_reach:g} m")
    ledge = abs(float(at[1] - holder.radius - here[1] + agent.radius))
    if ledge > LEDGE + team.cell:
        faults.append(f"{name} stands {ledge:.3g} m higher or lower")
    end = abs(float(at[0] - step.way[-1][0]))
    closest = math.sqrt(max(0.0, touch**2 - float(at[1] - step.way[-1][1]) ** 2))
    if not closest - TOUCH <= end <= touch + TOUCH:
        faults.append(f"ends {end:.3g} m beside {name}, they touch at {touch:g} m")
    if length(step.way) > max(0.0, apart - closest) + team.cell:
        faults.append(f"drives {length(step.way):.3g} m, though {name} is {apart:.3g} m away")
    team.links[agent.name] = Link(name)
    return faults


def drive(team: Team, agent: Agent, step: Step) -> list[str]:
    """a: on ground that is not too steep, without a tether."""
    linked = (
        [f"{agent.name} is linked to {team.links[agent.name].holder}"] if agent.name in team.links else []
    )
    return linked + driving_faults(team, agent, step.way)


def drive_anchored(team: Team, agent: Agent, step: Step) -> list[str]:
    """a': the same; the taut tether follows."""
    if not is_anchored(team, agent):
        return [f"{agent.name} has no anchored tether"]
    return driving_faults(team, agent, step.way) + rope_faults(team, agent, step, trailing(team, agent, step))


def release(team: Team, agent: Agent, step: Step) -> list[str]:
    """u: unhooks its tether where it stands; who held it is free."""
    if not is_anchored(team, agent):
        return [f"{agent.name} has no anchored tether"]
    del team.links[agent.name]
    moved = [f"{agent.name} must not move meanwhile"] if length(step.way) > TOUCH else []
    return moved + driving_faults(team, agent, step.way)


def driving_faults(team: Team, agent: Agent, way: Curve) -> list[str]:
    """Whether there is ground below all of a way that is not too steep."""
    slope = agent.drive_slope
    if slope is None:
        return [f"{agent.name} cannot drive"]
    for point in samples(way, SAMPLING):
        if not team.stands(agent, point, slope):
            x, z = point
            return [
                f"{agent.name} drives at ({x:.3g}, {z:.3g}), there is no ground below of less "
                f"than {math.degrees(slope):.3g} deg"
            ]
    return []
