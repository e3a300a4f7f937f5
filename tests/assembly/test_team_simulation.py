"""A written plan, run like a scenario: the same as by hand, kept when stopped, told when it fails."""

import math

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.cooperation import carry_out
from tetherlab.assembly.runs import make_simulation
from tetherlab.assembly.team_simulation import TeamSimulation
from tetherlab.scenario.team_plan import TeamPlan


def step(label, agent, way, sentence):
    return {"label": label, "agent": agent, "sentence": sentence, "cost_m": 1.0, "way_m": way}


def document(*steps, goal=(1.4, -1.9)):
    """A rover on a floor that drives, and a drone that stands beside it."""
    return {
        "plane": {"bounds_m": [-2, -2, 2, 2], "perches_m": [[0, 1.6]]},
        "agents": {
            "rover": {
                "start_m": [1.0, -1.9],
                "can": {"drive": {}, "winch": {"length_m": 8.0}, "latch": {}},
            },
            "drone": {
                "start_m": [0.6, -1.8],
                "radius_m": 0.2,
                "can": {"fly": {}, "land": {}, "perch": {"force_max_N": 300.0}},
            },
        },
        "goal": {"rover": {"at_m": list(goal)}},
        "cost_m": float(len(steps)),
        "steps": list(steps),
    }


THERE = step("a", "rover", [[1.0, -1.9], [1.4, -1.9]], "rover drives there")
BACK = step("a", "rover", [[1.4, -1.9], [1.2, -1.9]], "rover drives back a little")
OVER = step("f'", "rover", [[1.4, -1.9], [0.0, -1.9]], "rover is pulled up, by nobody")


def test_it_is_what_carrying_out_by_hand_gives(tmp_path):
    simulation = make_simulation(document(THERE, BACK, goal=(1.2, -1.9)))
    assert isinstance(simulation, TeamSimulation) and simulation.time == 0.0
    said = []
    assert simulation.step() and simulation.time == 0.0  # before the first step
    simulation.run(progress=lambda share, text: said.append((share, text)))
    assert said[:2] == [(0.0, "rover drives there"), (0.5, "rover drives back a little")]
    assert said[-1][0] == 1.0
    log, plan = simulation.log, simulation.scenario
    done = carry_out(plan.problem, plan.plan)
    assert log.outcome is tl.Outcome.COMPLETED and log.outcome_sentence == done.log.outcome_sentence
    for name, table in done.log.tables.items():
        for column in table.columns:
            np.testing.assert_array_equal(log[name][column], table[column])
    steps = log["steps"]
    assert steps["time_s"].tolist() == pytest.approx([s.start for s in done.steps])
    assert steps["ended_s"][-1] == pytest.approx(simulation.time)
    assert steps["planned_x_m"].tolist() == [1.4, 1.2] and steps["failed"].sum() == 0
    assert steps["place_x_m"].tolist() == pytest.approx([1.4, 1.2], abs=0.02)
    assert np.isnan(steps["length_m"]).all()  # no tether is out
    assert log.metrics["steps"] == log.metrics["steps_carried_out"] == 2
    assert log.metrics["goal_error_rover_m"] == done.errors["rover"] < 0.05
    assert log.metrics["step_error_max_m"] == pytest.approx(max(s.error for s in done.steps), abs=1e-8)
    assert not any(name.startswith("track_") for name in log.metrics)


def test_what_a_log_holds_is_run_again(tmp_path):
    first = tl.run(document(THERE), folder=tmp_path / "first")
    kept = tl.Log.load(tmp_path / "first")
    assert kept.events[0].sentence == "a: rover drives there"
    again = tl.run(kept.scenario)
    np.testing.assert_array_equal(again["ugv"]["x_m"], first["ugv"]["x_m"])


def test_an_override_reaches_how_it_is_done():
    slow = tl.run(document(THERE), {"execution.speed_m_per_s": 0.1})
    quick = tl.run(TeamPlan.from_dict(document(THERE)), {"execution.speed_m_per_s": 0.4})
    assert slow["steps"]["ended_s"][0] > quick["steps"]["ended_s"][0] + 1.5
    with pytest.raises(tl.InputError, match=r"override: execution.sped_m_per_s: unknown key. Did you mean"):
        tl.run(document(THERE), {"execution.sped_m_per_s": 0.1})


def test_a_step_that_fails_is_told():
    log = tl.run(document(THERE, OVER, BACK), {"execution.replans": 0})
    assert log.outcome is not tl.Outcome.COMPLETED
    assert log["steps"]["failed"].tolist() == [0.0, 1.0] and log.metrics["steps_carried_out"] == 1
    kinds = [event.kind for event in log.events]
    assert kinds == ["step", "step", "trouble", "outcome"]
    assert log.events[2].sentence.removeprefix("f': ") in log.outcome_sentence


def test_ctrl_c_keeps_what_there_is(monkeypatch):
    simulation = TeamSimulation(document(THERE, BACK))
    crew = simulation._work.crew
    original, ticks = crew.tick, [0]

    def tick(*values, **named):
        ticks[0] += len(simulation._work.done)
        if ticks[0] == 50:  # of the second step
            raise KeyboardInterrupt
        return original(*values, **named)

    monkeypatch.setattr(crew, "tick", tick)
    simulation.run()
    log = simulation.log
    assert log.outcome is tl.Outcome.STOPPED and "Ctrl-C after 1 of 2 steps" in log.outcome_sentence
    assert len(log["steps"]) == 1
    assert log["ugv"]["time_s"][-1] == pytest.approx(log["steps"]["ended_s"][0] + 0.49, abs=0.05)
    assert math.isfinite(log.metrics["goal_error_rover_m"])
    assert not simulation.step()


def test_what_a_plan_has_no_use_for_is_refused():
    with pytest.raises(tl.InputError, match=r"seed is not for a plan: .* nothing is left to chance"):
        tl.run(document(THERE), seed=3)
    with pytest.raises(tl.InputError, match="winch_rule is not for a plan"):
        tl.run(document(THERE), winch_rule=object())
    lonely = document(THERE)
    del lonely["agents"]["drone"]
    with pytest.raises(tl.InputError, match="one ground robot with a winch and one that flies, got 1 and 0"):
        make_simulation(lonely)
