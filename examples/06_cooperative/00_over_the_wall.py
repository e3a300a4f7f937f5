"""A drone carries a rover's tether through a window, so that the rover can pull itself over the wall.

The plan is found, not told. With less tether there is none: the planner says what is missing, and a tether
of exactly that length will do.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from tetherlab.planning.automata import join
from tetherlab.planning.cooperative import PlanStatus, plan
from tetherlab.planning.validator import validate
from tetherlab.report.figure_file import write_figure
from tetherlab.report.plan_figure import draw_plan
from tetherlab.scenario.team_problem import TeamProblem


def with_tether(problem, length):
    """The same team with another length of tether [m]."""
    ugv = problem.agent("ugv")
    changed = replace(ugv, winch=replace(ugv.winch, length=length))
    others = [agent for agent in problem.agents if agent.name != "ugv"]
    return replace(problem, agents=[*others, changed])


def main(show=True):
    """Plan with enough tether, with too little, and with as much as the answer asks for."""
    given = TeamProblem.load("over_the_wall")
    found = plan(given.problem, automata=given.automata)
    short = plan(with_tether(given.problem, 4.0), automata=given.automata)
    needed = max(
        np.hypot(*np.diff(step.tether, axis=0).T).sum() for step in found.steps if step.tether is not None
    )
    enough = plan(with_tether(given.problem, float(needed)), automata=given.automata)
    if show:
        print(found, "\n")
        print("with 4 m of tether:", short, "\n")
        print(f"with {needed:.2f} m: {enough.symbols}")
        folder = Path("runs")
        folder.mkdir(exist_ok=True)
        print(write_figure(draw_plan(given.problem, found), folder / "over_the_wall.svg"))
    return given, found, short, enough


def check(result):
    """None of them could do it alone; the plan stands up to the judge; the reason is the tether."""
    given, found, short, enough = result
    assert found.symbols == "δ β d γ' f' f'"
    assert not validate(given.problem, found)
    word = [*found.labels, "κ"]
    assert join(*given.automata).accepts(word) and not any(one.accepts(word) for one in given.automata)
    assert short.status is PlanStatus.NO_PLAN and "too short: 4 m, 4.54 m are needed" in short.reasons[0]
    assert enough.labels == found.labels


if __name__ == "__main__":
    check(main())
