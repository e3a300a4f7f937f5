"""The page of a run with all that belongs to it: a replay, and the plan that it carried out."""

import sys
from pathlib import Path

from tetherlab.assembly.cooperation_team import find_team, hook_drone, lift
from tetherlab.assembly.runs import scenario_of
from tetherlab.contracts.extras import MissingExtraError
from tetherlab.contracts.log import Log
from tetherlab.report import write_report
from tetherlab.report.carried_out_figure import CarriedOutPlan
from tetherlab.scenario.team_plan import TeamPlan


def write_page(log: Log, path: Path, other: Log | None = None) -> Path:
    """The report of a run, laid over another one if that is given; its replay needs the extra `view`."""
    replay = None
    try:
        from tetherlab.view.share import replay_page

        replay = replay_page(log, other)
    except MissingExtraError as error:
        print(f"tetherlab: the report has no replay: {error}", file=sys.stderr)
    return write_report(log, path, compare=other, replay=replay, plan=plan_of(log))


def plan_of(log: Log) -> CarriedOutPlan | None:
    """What a log says that was carried out; None if that is no plan of a team."""
    scenario = scenario_of(log) if "steps" in log else None
    if not isinstance(scenario, TeamPlan):
        return None
    _, uav = find_team(scenario.problem)
    return CarriedOutPlan(scenario.problem, scenario.plan, lift(hook_drone(), uav.radius))
