"""Runs of scenarios in the canopy: both controllers get through, and the log says what happened."""

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.vehicles.avocado.state import AvocadoCommand

SHORT = {"run.duration_s": 0.5}


@pytest.fixture(scope="module")
def log():
    return tl.run("canopy_branch")


def test_the_log_holds_all_that_moved(log):
    assert list(log.tables) == ["robot", "tether", "branches", "reference"]
    assert {len(table) for table in log.tables.values()} == {1501}
    assert log.name == "canopy_branch"
    assert log.scenario == tl.CanopyScenario.load("canopy_branch").to_dict()


def test_the_reference_is_that_of_the_file(log):
    theta = log["reference"]["theta_deg"]
    assert np.interp([0, 2, 6, 10, 18, 22, 26, 30], log["reference"]["time_s"], theta) == pytest.approx(
        [0, 0, 15, 30, 30, 15, 0, 0]
    )


def test_it_says_what_the_robot_hangs_from(log):
    said = [event.sentence for event in log.events if event.kind == "contact"]
    assert said == ["the robot hangs from branch", "the robot hangs from anchor"]
    times = [event.time for event in log.events]
    assert times == sorted(times) and log.events[-1].kind == "outcome"
    rows = log["robot"]["hangs_from"]
    changes = log["robot"]["time_s"][1:][np.diff(rows) != 0]
    assert changes == pytest.approx(times[:2], abs=0.021)


@pytest.mark.parametrize(
    "name",
    [
        "canopy_branch",
        pytest.param("canopy_indoor", marks=pytest.mark.slow),
        pytest.param("canopy_outdoor", marks=pytest.mark.slow),
    ],
)
def test_the_controller_that_knows_the_model_gets_through_without_a_scratch(name):
    log = tl.run(name, {"controller": {"type": "model"}})
    assert log.outcome is tl.Outcome.COMPLETED
    assert log.metrics["shell_contacts"] == 0
    assert log.metrics["theta_error_max_deg"] < 4.0


def test_the_paper_controller_gets_through_the_hoop_without_a_scratch():
    log = tl.run("canopy_indoor")
    assert log.outcome is tl.Outcome.COMPLETED
    assert log.metrics["shell_contacts"] == 0
    names = {name: value for name, value in log.metrics.items() if name.startswith("hung_from")}
    assert set(names) == {"hung_from_anchor_s", "hung_from_branch_s"}
    robot = log["robot"]
    center, normal = np.array([-0.2, 0.0, -1.616]), np.array([-0.5, 0.0, -0.866])
    ahead = (robot.rows("x_m", "y_m", "z_m") - center) @ normal
    through = np.flatnonzero(np.diff(np.sign(ahead)))
    assert len(through) == 2  # down and up again
    assert np.linalg.norm(robot.rows("x_m", "y_m", "z_m")[through] - center, axis=1).max() < 0.1


def test_a_seed_is_one_of_the_gusts():
    def end(seed):
        return tl.run("canopy_outdoor", SHORT, seed=seed)["robot"]["y_m"][-1]

    assert end(1) == end(1) != end(2)


def test_a_branch_that_is_let_go_shakes_the_robot():
    held = {
        "start": {"via_m": [[0.147, 0.0, -0.483]]},
        "canopy.branches[0].bent_sideways_deg": -5.0,
        "canopy.branches[0].release_s": 0.5,
        "run.duration_s": 1.0,
    }
    bent = tl.run("canopy_branch", held)["branches"]["branch_sideways_deg"]
    assert bent[:25] == pytest.approx(-5.0)
    assert abs(bent[-1] + 5.0) > 0.5


def test_a_propeller_that_fails_runs_down():
    log = tl.run(
        "canopy_branch",
        {**SHORT, "failures": {"left_s": 0.2}},
        controller=lambda time, state: AvocadoCommand(thrust=1.0),
    )
    left, right = (log["robot"][f"thrust_{side}_N"] for side in ("left", "right"))
    assert left[-1] < 0.01 and right[-1] > 0.49
    assert left[10] > 0.4


def test_what_the_robot_believes_is_recorded():
    log = tl.run("canopy_branch", {"sensing": "on_board", "run.duration_s": 1.0})
    believed = log["believed"]
    assert believed["time_s"][-1] == pytest.approx(1.0)
    assert believed["free_length_m"][-1] == pytest.approx(log["robot"]["free_length_m"][-1], abs=0.05)


def test_ctrl_c_keeps_what_there_is(tmp_path):
    def impatient(time, state):
        if time > 0.3:
            raise KeyboardInterrupt
        return AvocadoCommand()

    tl.run("canopy_branch", controller=impatient, folder=tmp_path)
    log = tl.Log.load(tmp_path)
    assert log.outcome is tl.Outcome.STOPPED
    assert log["robot"]["time_s"][-1] == pytest.approx(0.3, abs=0.021)


def test_an_error_of_a_controller_ends_the_run_and_keeps_its_data(tmp_path):
    def faulty(time, state):
        return AvocadoCommand(thrust=1.0 / (0.2 - round(time, 2)))

    tl.run("canopy_branch", controller=faulty, folder=tmp_path)
    log = tl.Log.load(tmp_path)
    assert log.outcome is tl.Outcome.CONTROLLER_FAILED
    assert "ZeroDivisionError" in log.outcome_sentence and "test_canopy_simulation.py" in log.outcome_sentence
