"""Labels that a robot owns, by what it can do."""

from __future__ import annotations

from tetherlab.planning.problem import Agent


def abilities(agent: Agent) -> tuple[str, ...]:
    """Labels that an agent owns, by what it can do."""
    drives, hoists = agent.drive_slope is not None, agent.winch is not None
    owned = {
        "δ": agent.fly,
        "β": agent.land,
        "γ'": agent.perch_force is not None,
        "a": drives,
        "d": drives and agent.latch,
        "a'": drives and hoists,
        "f'": hoists,
        "r'": hoists,
        "u": drives and agent.latch,
        "ζ": agent.reach is not None,
        "η": agent.reach is not None,
    }
    return tuple(label for label, has in owned.items() if has)
