"""A plan as a file, and what comes of it with flight, tether, winch and contact: as planned, and with less.

What is written by `tetherlab plan --out` is carried out by `tetherlab run`, or as here by `tl.run`. Overrides
ask what the plan stands: a perch that holds a sixth of what it should gives way while the rover climbs.
"""

import tempfile
from pathlib import Path

import tetherlab as tl
from tetherlab.planning.cooperative import plan
from tetherlab.scenario.team_plan import TeamPlan
from tetherlab.scenario.team_problem import TeamProblem


def main(show=True):
    """Plan, write, carry out; then once more with a weak perch."""
    given = TeamProblem.load("over_the_wall")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.yaml"
        TeamPlan.of(given, plan(given.problem, automata=given.automata)).save(path)
        done = tl.run(path)
        weak = tl.run(path, {"agents.uav.can.perch.force_max_N": 65})
    if show:
        for name, log in (("as planned", done), ("with a weak perch", weak)):
            print(f"{name}: {log.outcome_sentence}")
            for event in log.events:
                print(f"  {event.time:6.1f} s  {event.sentence}")
    return done, weak


def check(result):
    """The rover stands at its goal; the weak perch is lost in the step that pulls the rover up."""
    done, weak = result
    assert done.outcome is tl.Outcome.COMPLETED and done.metrics["goal_error_ugv_m"] < 0.05
    assert done["steps"]["failed"].sum() == 0.0
    assert weak.outcome is tl.Outcome.PERCH_LOST
    failed = TeamPlan.from_dict(weak.scenario).steps[int(weak.metrics["steps_carried_out"])]
    assert failed.label == "f'" and failed.hinge == (0.2, 0.2)


if __name__ == "__main__":
    check(main())
