"""A run that diverges leaves a file from which its end is computed again, whoever controlled it."""

import json
import math
import re

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.apps import run
from tetherlab.apps.replay_failure import replay_failure as command
from tetherlab.assembly.failure_replay import replay_failure
from tetherlab.assembly.team_simulation import TeamSimulation
from tetherlab.contracts.failure_file import HEAD, read_failure
from tetherlab.contracts.files import write_archive
from tetherlab.contracts.messages import UavCommand
from tetherlab.control.position import PositionController
from tetherlab.missions.crew import HoistCommand
from tetherlab.vehicles.avocado.state import AvocadoCommand


class Mad(PositionController):
    """Wants a force that no step can follow, from a time on."""

    def __call__(self, memory, state, reference):
        memory, command = super().__call__(memory, state, reference)
        return memory, UavCommand(force=(0, 1e200, 1e250), yaw=0.0) if state.time > 1.3 else command


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def file_of(sentence):
    return re.search(
        r"`tetherlab replay-failure (\S+)` computes the last (?:0\.[5-9]\d*|1) s again", sentence
    )[1]


def test_a_team_that_diverges_is_replayed():
    simulation = tl.Simulation("windy", seed=3, controller=Mad(mass=1.477))
    simulation.run()
    assert simulation.outcome is tl.Outcome.DIVERGED
    again = replay_failure(file_of(simulation.outcome_sentence))
    assert again.recurred and again.reached == simulation.time == again.time
    assert "tether and the drone" in again.what


@pytest.mark.parametrize("scenario", ["windy", "tether_inertial"])
def test_built_in_controllers_are_replayed(scenario):
    """In compiled code, on the way to a target; by an estimator; with the winch commanded by hand."""
    simulation = tl.Simulation(scenario, seed=2)
    simulation.run(until=8.0)
    simulation.command(length=3.0)
    simulation.run(until=8.3)
    simulation.follow_rule()
    simulation.run(until=8.6)
    sentence = simulation.on_failure()  # as if it failed now
    again = replay_failure(file_of(sentence))
    assert not again.recurred and again.reached == simulation.time
    count = int(simulation.plant.graph.memories.number[0, 0])
    elements, tension = again.lines[0], again.lines[1]
    assert f" {count} elements" in elements
    peak = np.abs(simulation.plant.graph.memories.scalars[0, 2, :count]).max()
    assert f"{peak:.4g} N at most" in tension


def test_parts_of_the_rover_that_the_tether_touches_are_named():
    simulation = tl.Simulation("vertical")
    simulation.run(until=0.1)
    path = re.search(r"replay-failure (\S+)`", simulation.on_failure())[1]
    assert "contact     of 1 nodes with the rover's deck, first node 2" in replay_failure(path).lines


def test_a_file_without_the_laws_of_its_controllers_is_answered_with_its_name(tmp_path):
    simulation = tl.Simulation("vertical")
    simulation.run(until=0.1)
    path = re.search(r"replay-failure (\S+)`", simulation.on_failure())[1]
    head, arrays, _ = read_failure(path)
    for change in ({"laws_at": np.zeros(0, np.int64)}, {}):
        write_archive(path, {HEAD: json.dumps(head)}, arrays | change)
        with pytest.raises(tl.InputError, match=f"{re.escape(path)}: .*(what the controllers did|lenght)"):
            replay_failure(path)
        head["scenario"]["tether"]["lenght_m"] = 1.0  # what is wrong with the scenario names the file, too


def test_a_wind_that_was_changed_blows_in_the_replay():
    simulation = tl.Simulation("vertical")
    simulation.run(until=1.0)
    simulation.set_wind(tl.Wind.uniform((1e160, 0.0, 0.0)))
    simulation.run()
    assert simulation.outcome is tl.Outcome.DIVERGED
    path = re.search(r"replay-failure (\S+)`", simulation.outcome_sentence)[1]
    again = replay_failure(path)
    assert again.recurred and again.reached == simulation.time


def test_a_robot_in_the_canopy_is_replayed():
    broken = object.__new__(AvocadoCommand)  # no user can make one that is not checked
    broken.__dict__.update(reel_speed=0.0, thrust=math.nan, torque=0.0)
    simulation = tl.CanopySimulation(
        "canopy_branch", controller=lambda time, state: broken if time > 1.5 else AvocadoCommand()
    )
    simulation.run()
    assert simulation.outcome is tl.Outcome.DIVERGED
    again = replay_failure(file_of(simulation.outcome_sentence))
    assert again.recurred and "robot_tether" in again.what
    assert again.reached == pytest.approx(simulation.time)


def test_a_plan_that_diverges_is_replayed(plan_file):
    run = TeamSimulation(plan_file)._work.run
    for _ in range(80):
        run.tick(HoistCommand())
    while run.tick(HoistCommand(force=(0, 0, 1e250), armed=True)):
        assert run.time < 2.0
    assert run.outcome is tl.Outcome.DIVERGED
    again = replay_failure(file_of(run.outcome_sentence))
    assert again.recurred and again.reached == pytest.approx(run.time)


@pytest.fixture
def plan_file(tmp_path):
    from tetherlab.planning.cooperative import plan
    from tetherlab.scenario.team_plan import TeamPlan
    from tetherlab.scenario.team_problem import TeamProblem

    given = TeamProblem.load("over_the_wall")
    TeamPlan.of(given, plan(given.problem, automata=given.automata)).save(tmp_path / "plan.yaml")
    return tmp_path / "plan.yaml"


def test_the_file_lies_in_the_folder_of_the_run(tmp_path):
    log = tl.run("windy", controller=Mad(mass=1.477), folder=tmp_path / "r")
    assert log.outcome is tl.Outcome.DIVERGED
    assert file_of(log.outcome_sentence) == str(tmp_path / "r" / "failure.npz")
    assert replay_failure(tmp_path / "r" / "failure.npz").recurred
    assert tl.Log.load(tmp_path / "r").outcome is tl.Outcome.DIVERGED


def test_the_command_says_what_happened_and_whether_it_recurred(tmp_path, capsys):
    tl.run("windy", controller=Mad(mass=1.477), folder=tmp_path / "r")
    command(tmp_path / "r" / "failure.npz")
    said = capsys.readouterr().out
    for word in ("failed ", "tension ", "strain ", "steps ", "iterations ", "body ", "The failure recurred."):
        assert word in said
    simulation = tl.Simulation("windy")
    simulation.run(until=1.0)
    with pytest.raises(SystemExit) as ending:
        command(file_of(simulation.on_failure()))  # it did not fail
    said = capsys.readouterr().out
    assert ending.value.code == 1 and "The failure did not recur." in said and "failed " not in said


def test_a_diverging_run_of_the_command_line_names_its_file(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ending:
        run.run("vertical", set=("world.wind.velocity_m_per_s=[1e160,0,0]",), report=False)
    assert ending.value.code == 1
    assert "tetherlab replay-failure runs/vertical-1/failure.npz" in " ".join(capsys.readouterr().out.split())
