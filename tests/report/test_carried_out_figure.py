"""The picture of a plan that was carried out."""

import numpy as np

from tetherlab.assembly.cooperation import carry_out
from tetherlab.planning.plan import Plan, PlanStatus, Step
from tetherlab.planning.problem import Agent, Problem, Winch
from tetherlab.report.carried_out_figure import draw_carried_out


def test_it_shows_both_ways():
    ugv = Agent(name="rover", start=(1.0, -1.9), drive_slope=0.3, winch=Winch(length=8.0), latch=True)
    uav = Agent(name="drone", start=(0.6, -1.8), radius=0.2, fly=True, land=True, perch_force=300.0)
    problem = Problem(
        bounds=(-2.0, -2.0, 2.0, 2.0), perches=[(0.0, 1.6)], agents=[ugv, uav], goal={"rover": (1.4, -1.9)}
    )
    drive = Step("a", "rover", np.array([(1.0, -1.9), (1.4, -1.9)]), 0.2, "rover drives")
    plan = Plan(PlanStatus.SOLVED, (drive,))
    done = carry_out(problem, plan)
    assert done.succeeded
    figure = draw_carried_out(problem, plan, done.log, done.lift)
    plane, length, tension = figure.axes
    assert plane.get_xlim() == (-2.0, 2.0)
    lines = {line.get_label(): line for line in plane.get_lines()}
    went = np.asarray(lines["rover"].get_xdata())
    assert went[0] == 1.0 and abs(went[-1] - 1.4) < 0.02
    assert np.asarray(lines["drone"].get_ydata())[-1] > -2.0
    assert "as planned" in lines and "goal of rover" in lines
    assert length.get_ylabel() == "tether out [m]" and "tension" in tension.get_ylabel()
