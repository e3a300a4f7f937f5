"""The three plans of paper 004 carried out: with flight, tether, winch and contact, or by simple bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tetherlab.assembly.cooperation import carry_out
from tetherlab.assembly.dual_ugv import carry_out_dual_ugv
from tetherlab.contracts.log import Log
from tetherlab.planning.dual_ugv import plan_dual_ugv
from tetherlab.report.carried_out_figure import draw_carried_out
from tetherlab.studies.cooperative_plans import NAMES, planner_of
from tetherlab.studies.rows import Row

STUDY = "cooperative"
CARRIED_OUT, OFF = "steps carried out", "UGV from its goal in the end"
NOTE = "2 m for each unit of the paper, which carries out no plan"


def run(
    add: Callable[[Row], None],
    say: Callable[[str], None],
    keep: Callable[[str, Log], None] | None = None,
    picture: Callable[[str, Any], None] = lambda name, figure: None,
) -> None:
    """How many steps each came to, and where the UGV is in the end."""
    for name in ("over_the_wall", "with_an_arm"):
        planner = planner_of(name)
        found = planner.plan()
        done = carry_out(planner.problem, found)
        say(f"{NAMES[name]}: {done.log.outcome_sentence}")
        good = sum(not step.trouble for step in done.steps)
        add(Row(STUDY, f"{NAMES[name]}: {CARRIED_OUT}", "", None, float(good), NOTE))
        add(Row(STUDY, f"{NAMES[name]}: {OFF}", "m", None, done.errors["ugv"], NOTE))
        picture(f"{name}_carried_out", draw_carried_out(planner.problem, found, done.log, done.lift))
        if keep is not None:
            keep(name, done.log)
    steps = carry_out_dual_ugv(plan_dual_ugv())
    good, worst = sum(not step.trouble for step in steps), max(step.error for step in steps)
    say(f"{NAMES['dual_ugv']}: {good} steps")
    bodies = "simple bodies on a floor; the paper carries out no plan"
    add(Row(STUDY, f"{NAMES['dual_ugv']}: {CARRIED_OUT}", "", None, float(good), bodies))
    add(Row(STUDY, f"{NAMES['dual_ugv']}: largest error of a step", "m", None, worst, bodies))
