"""An independent judge of plans: replays one step by step from the problem alone, and says what is wrong.

It shares no code with the planners. It judges that a plan can be carried out and costs what it says;
that there is no cheaper one, or none at all, is for an exhaustive search to say.

Tolerances: a millimetre where two things touch, follow each other, or bend around a corner; a cell of the
planner's grid between a disc and the ground that it stands on; `problem.tolerance` for goals.
"""

from __future__ import annotations

import math

import numpy as np

from tetherlab.planning.plan import Plan, Step
from tetherlab.planning.problem import Agent, Problem
from tetherlab.planning.validator.edges import TOUCH
from tetherlab.planning.validator.geometry import Plane, length
from tetherlab.planning.validator.labels import OWNERS, RULES
from tetherlab.planning.validator.team import Team
from tetherlab.planning.validator.turns import symbol, turn_faults

COST_TOLERANCE = 1e-4  # [m]


def validate(problem: Problem, plan: Plan, *, cell: float = 0.1) -> list[str]:
    """What is wrong with a plan, one sentence per fault; empty if it is right.

    `cell` is the size of the planner's grid: a disc may stand so far above the ground [m].
    """
    if not plan.status.has_plan:
        return [f"the plan has {len(plan.steps)} steps, but says: {plan.status.value}"] if plan.steps else []
    team = Team.at_start(problem, Plane(problem.bounds, problem.obstacles), cell)
    faults = []
    for i, step in enumerate(plan.steps, 1):
        faults += [f"step {i}, {step.label}: {fault}" for fault in _step_faults(team, step)]
    faults += turn_faults(plan.steps)
    total = sum(step.cost for step in plan.steps)
    if not abs(plan.cost - total) <= COST_TOLERANCE * max(1, len(plan.steps)):
        faults.append(f"the plan says that it costs {plan.cost:.4g}, its steps cost {total:.4g} together")
    return faults + _goal_faults(team)


def _step_faults(team: Team, step: Step) -> list[str]:
    known = [agent.name for agent in team.problem.agents]
    if step.agent not in known:
        return [f"nobody is called {step.agent!r}, the team is {', '.join(known)}"]
    agent = team.problem.agent(step.agent)
    kind = symbol(step.label)
    if kind not in RULES:
        return [f"no such label, there are {' '.join(RULES)}"]
    faults = []
    owner = step.label.partition(":")[2]
    if owner and owner != agent.name:
        faults.append(f"the label is {owner}'s, the step is {agent.name}'s")
    if not OWNERS[kind](agent):
        faults.append(f"{agent.name} does not own this label")
    way = np.asarray(step.way, dtype=np.float64)
    if way.ndim != 2 or way.shape[1:] != (2,) or not len(way) or not np.isfinite(way).all():
        return [*faults, f"the way must be points x, z, it has the shape {way.shape}"]
    faults += _way_faults(team, agent, step)
    faults += RULES[kind](team, agent, step)
    faults += _cost_faults(team, agent, step)
    if agent.reach is None:
        team.places[agent.name] = way[-1]
    return faults


def _way_faults(team: Team, agent: Agent, step: Step) -> list[str]:
    """Whether a robot starts where it is, and gets through."""
    if agent.reach is not None:
        return []
    faults = []
    away = float(np.linalg.norm(step.way[0] - team.places[agent.name]))
    if away > TOUCH:
        faults.append(f"{agent.name} starts {away:.3g} m away from where it is")
    nearest, (x, z) = team.plane.clearance(step.way)
    if nearest < agent.radius - TOUCH:
        faults.append(
            f"{agent.name} is {nearest:.3g} m from an obstacle at ({x:.3g}, {z:.3g}), "
            f"its radius is {agent.radius:g} m"
        )
    return faults


def _cost_faults(team: Team, agent: Agent, step: Step) -> list[str]:
    """Of a step in metres; costs of another kind are not judged."""
    if team.problem.costs.kind != "metric":
        return []
    costs, metres = team.problem.costs, length(step.way)
    right = team.problem.flight_cost + costs.flight_per_metre * metres if agent.fly else costs.action + metres
    if math.isclose(step.cost, right, rel_tol=1e-6, abs_tol=COST_TOLERANCE):
        return []
    return [f"says that it costs {step.cost:.4g}, a way of {metres:.3g} m costs {right:.4g}"]


def _goal_faults(team: Team) -> list[str]:
    faults = []
    for name, goal in team.problem.goal.items():
        away = float(np.linalg.norm(team.places[name] - np.array(goal)))
        if away > team.problem.tolerance + 1e-9:
            faults.append(
                f"at the end {name} is {away:.3g} m away from its goal, "
                f"{team.problem.tolerance:g} m are allowed"
            )
    if team.problem.object_at is not None and not team.is_placed:
        faults.append(f"at the end the object is not in the container of {team.problem.object_into}")
    return faults
