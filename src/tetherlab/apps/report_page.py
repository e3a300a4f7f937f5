"""The page of a run with all that belongs to it: a replay, and the plan that it carried out."""

from pathlib import Path

from tetherlab.contracts.log import Log
from tetherlab.report import write_report
from tetherlab.report.carried_out_figure import CarriedOutPlan
from tetherlab.scenario.cooperation_team import find_team, hook_drone, lift
from tetherlab.scenario.team_plan import TeamPlan
from tetherlab.view.frame import scenario_of
from tetherlab.view.share import replay_page


def write_page(log: Log, path: Path, other: Log | None = None) -> Path:
    """The report of a run, laid over another one if that is given."""
    return write_report(log, path, compare=other, replay=replay_page(log, other), plan=plan_of(log))


def plan_of(log: Log) -> CarriedOutPlan | None:
    """What a log says that was carried out; None if that is no plan of a team."""
    scenario = scenario_of(log) if "steps" in log else None
    if not isinstance(scenario, TeamPlan):
        return None
    _, uav = find_team(scenario.problem)
    return CarriedOutPlan(scenario.problem, scenario.plan, lift(hook_drone(), uav.radius))
