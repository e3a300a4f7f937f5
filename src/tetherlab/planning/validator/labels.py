"""Who owns a label, and the rule by which the judge replays it.

A rule gives the faults of a step, and takes down what the step does to modes and links of the team.
"""

from __future__ import annotations

from collections.abc import Callable

from tetherlab.planning.plan import Step
from tetherlab.planning.problem import Agent
from tetherlab.planning.validator.arm import pick, place
from tetherlab.planning.validator.flight import fly, land, perch
from tetherlab.planning.validator.ground import drive, drive_anchored, latch, release
from tetherlab.planning.validator.hoist import climb, hoist
from tetherlab.planning.validator.team import Team

OWNERS: dict[str, Callable[[Agent], bool]] = {
    "δ": lambda agent: agent.fly,
    "β": lambda agent: agent.land,
    "γ'": lambda agent: agent.perch_force is not None,
    "d": lambda agent: agent.latch and agent.winch is not None and agent.drive_slope is not None,
    "a": lambda agent: agent.drive_slope is not None,
    "a'": lambda agent: agent.drive_slope is not None and agent.winch is not None,
    "f'": lambda agent: agent.winch is not None,
    "r'": lambda agent: agent.winch is not None,
    "u": lambda agent: agent.latch and agent.drive_slope is not None,
    "ζ": lambda agent: agent.reach is not None,
    "η": lambda agent: agent.reach is not None,
}

RULES: dict[str, Callable[[Team, Agent, Step], list[str]]] = {
    "δ": fly,
    "β": land,
    "γ'": perch,
    "d": latch,
    "a": drive,
    "a'": drive_anchored,
    "f'": hoist,
    "r'": climb,
    "u": release,
    "ζ": pick,
    "η": place,
}
