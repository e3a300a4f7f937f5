"""Scenarios of a robot in the canopy: told from a team's, checked like all others, complete when saved."""

import math
from dataclasses import fields, replace

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.assembly.runs import load_scenario, make_simulation
from tetherlab.contracts.documents import write_yaml
from tetherlab.scenario.avocado import NOT_HERE, WRITTEN
from tetherlab.scenario.canopy_plan import shell_centers, start_state
from tetherlab.sim.canopy import CanopyRun
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.state import AvocadoCommand

NAMES = ("canopy_branch", "canopy_indoor", "canopy_outdoor")


def loaded(overrides=None):
    return tl.CanopyScenario.load("canopy_branch", overrides)


def refusal(overrides):
    with pytest.raises(tl.InputError) as caught:
        loaded(overrides)
    return str(caught.value)


def test_the_section_canopy_tells_the_kind():
    assert isinstance(load_scenario("canopy_branch"), tl.CanopyScenario)
    assert isinstance(load_scenario("vertical"), tl.Scenario)
    with pytest.raises(tl.InputError, match=r"scenarios/canopy_branch.yaml: .*use tl.CanopyScenario"):
        tl.Scenario.load("canopy_branch")
    with pytest.raises(tl.InputError, match="canopy: missing"):
        tl.CanopyScenario.load("vertical")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_saved_stands_alone_and_is_the_same(name, tmp_path):
    scenario = tl.CanopyScenario.load(name)
    scenario.save(tmp_path / "mine.yaml")
    assert load_scenario(tmp_path / "mine.yaml").to_dict() == scenario.to_dict()


def test_a_robot_has_all_numbers_of_its_spec_and_their_defaults():
    known = {field.name for field in fields(AvocadoRobotSpec)}
    assert {*WRITTEN, *NOT_HERE} == known
    assert loaded().spec == AvocadoRobotSpec()
    moon = loaded({"world.gravity_m_per_s2": 1.62, "robot.mass_kg": 0.9, "robot.motor_lag_s": 0.1}).spec
    assert moon == replace(AvocadoRobotSpec(), gravity=1.62, mass=0.9, motor_lag=0.1)


def test_a_robot_may_be_like_another(tmp_path):
    write_yaml({"like": "avocado", "mass_kg": 0.8}, tmp_path / "heavy.yaml")
    data = loaded().to_dict() | {"robot": {"like": "heavy.yaml", "thrust_max_N": 6.0}}
    spec = tl.CanopyScenario.from_dict(data, folder=tmp_path).spec
    assert (spec.mass, spec.thrust_max, spec.mass_arm) == (0.8, 6.0, 0.154)


def test_what_the_paper_does_not_print_is_assumed_until_it_is_given():
    assumed = loaded().assumed
    assert assumed["robot.motor_lag_s"] == "the paper does not print it"
    assert "robot.mass_kg" not in assumed
    assert "references" in assumed and "canopy.branches[0].stiffness_N_m_per_rad" in assumed
    given = loaded({"robot.motor_lag_s": 0.05, "canopy.branches[0].radius_m": 0.02}).assumed
    assert not {"robot.motor_lag_s", "canopy.branches[0].radius_m"} & set(given)
    assert tl.CanopyScenario.from_dict(loaded().to_dict()).assumed == assumed


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        ({"robot.mass_g": 800}, "robot.mass_g: unknown key. Write 'mass_kg', in kg"),
        ({"robot.mass_kg": -1}, "robot.mass_kg: must be > 0, got -1"),
        ({"robot.shell_thickness_m": 0.5}, "robot.shell_thickness_m: must be below 0.23 m"),
        ({"canopy.branches[0].stifness_N_m_per_rad": 2}, "Did you mean 'stiffness_N_m_per_rad'"),
        (
            {"canopy.branches[0].tip_m": [0.13, 0.5, -0.483]},
            "canopy.branches[0]: tip must be more than two radii",
        ),
        ({"canopy.branches[0].bent_up_deg": 85}, "bent must be within 80 deg"),
        (
            {"canopy.anchor_m": [0.13, 0.0, -0.483]},
            "canopy.anchor_m: must not lie in 'branch', got 15 mm below its surface",
        ),
        ({"references[2].theta_deg": 60}, "references[2].theta_deg: must be at most 42.95 deg"),
        ({"references[2].tether_m": 20}, "references[2].tether_m: there are 10 m of tether, got 20"),
        ({"references[2].time_s": 1}, "references: times must not fall"),
        ({"start.tether_m": 12}, "start.tether_m: must be from 0.02"),
        ({"start.theta_deg": 50}, "start.theta_deg: must be at most 42.95 deg"),
        ({"controller.type": "papr"}, "controller: unknown type 'papr'. Did you mean 'paper'"),
        ({"sensing": "onboard"}, "sensing: must be 'true_state', 'on_board' or 'on_board_outdoors', got"),
        ({"run.record_hz": 30}, "run.record_hz: must divide the controllers' 100 Hz, got 30"),
        ({"failures.lefft_s": 3}, "failures.lefft_s: unknown key. Did you mean 'left_s'"),
        (
            {"world.shapes": [{"type": "sphere", "name": "branch", "center_m": [3, 0, 0], "radius_m": 0.1}]},
            "canopy.branches[0].name: another object is called 'branch', too",
        ),
        (
            {"world.shapes": [{"type": "sphere", "name": "ball", "center_m": [0, 0, -1.7], "radius_m": 0.1}]},
            "start: the robot would be 0.1",
        ),
    ],
)
def test_a_mistake_is_answered_at_its_key(overrides, told):
    assert told in refusal(overrides)


def test_all_mistakes_are_answered_together():
    said = refusal({"robot.mass_g": 800, "sensing": "onboard"})
    assert len(said.splitlines()) == 2


def test_the_start_is_that_of_the_first_reference_unless_given():
    first = {"references[0].theta_deg": 20, "references[0].heading_deg": 30}
    state = start_state(loaded(first))
    assert math.degrees(state.theta) == pytest.approx(20.0)
    assert math.degrees(state.heading) == pytest.approx(30.0)
    assert state.tether_length == 1.5 and state.distance == pytest.approx(1.5, rel=1e-3)
    other = start_state(loaded({**first, "start.theta_deg": 5, "start.tether_m": 1.0}))
    assert (math.degrees(other.theta), other.tether_length) == (pytest.approx(5.0), 1.0)


def test_a_tether_may_start_over_a_branch():
    scenario = loaded({"start": {"via_m": [[0.147, 0.0, -0.483]], "theta_deg": 0}})
    state = start_state(scenario)
    assert state.tether_length == 1.5
    assert state.distance == pytest.approx(1.5 - math.hypot(0.147, 0.483), rel=1e-3)
    run = tl.CanopySimulation(scenario)
    run.run(until=0.2)
    assert run.hangs_from == "branch"


def test_a_tether_that_starts_through_something_is_told_where_to_go():
    told = "start: the tether would run through 'branch': give via_m, points round it"
    assert told in refusal({"references[0].theta_deg": 15})
    assert told in refusal({"references[0].theta_deg": 15, "canopy.anchor_m": [0.0, 0.1, 0.0]})
    loaded({"references[0].theta_deg": 18})
    held = {"name": "held", "root_m": [0, -1, 0.03], "tip_m": [0, 1, 0.03], "radius_m": 0.03}
    held |= {"stiffness_N_m_per_rad": 20.0, "damping_N_m_s_per_rad": 0.4, "inertia_kg_m2": 0.03}
    tl.CanopySimulation(loaded({"canopy.branches": [held]})).step()  # the anchor is tied to its bark


def test_the_shell_is_where_the_plant_has_it():
    overrides = {"references[0].theta_deg": 25, "references[0].heading_deg": 200}
    scenario = loaded(overrides)
    run = tl.CanopySimulation(scenario)
    body = run.plant.memory.body[0]
    there = body["p_W"] + scenario.spec.shell[:, :3] @ np.array(body["R_WB"]).T
    found = shell_centers(scenario.spec, start_state(scenario), np.zeros(3))
    assert np.allclose(found, there, atol=1e-6)


def made_of(run):
    """All that a run is computed from, as bytes."""

    def deep(value):
        if isinstance(value, np.ndarray):
            return value.tobytes()
        return tuple(map(deep, value)) if isinstance(value, tuple) else repr(value)

    rest = (run.duration, run._steps, run._every, run.spec, run.references)
    return deep(tuple(run.plant)), repr(rest)


def test_every_number_of_a_file_reaches_the_run():
    overrides = {
        "start": {"tether_m": 1.4, "theta_deg": 3.0, "heading_deg": 2.0},
        "failures": {"left_s": 40.0, "right_s": 41.0},
        "canopy.branches[0].bent_sideways_deg": 1.0,
        "canopy.branches[0].bent_up_deg": 1.0,
        "canopy.branches[0].release_s": 1.0,
        "run.duration_s": 30.0,
    }
    data = loaded(overrides).to_dict()
    del data["references"][2:]
    before = made_of(tl.CanopySimulation(data))
    ignored = []
    for path, value in numbers(data):
        if path[0] in ("schema", "world") or path == ("run", "seed"):
            continue
        copy = tl.CanopyScenario.from_dict(data).to_dict()
        place = copy
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = {"record_hz": 25.0, "step_s": 0.001}.get(path[-1], value * 1.01 or 0.01)
        if made_of(tl.CanopySimulation(copy)) == before:
            ignored.append(path)
    assert ignored == []


def numbers(value, path=()):
    if isinstance(value, dict):
        for key, item in value.items():
            yield from numbers(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from numbers(item, (*path, index))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


def test_a_hoop_is_a_shape_of_a_world():
    hoop = {"type": "hoop", "center_m": [0, 0, 2], "normal": [1, 0, 0], "diameter_m": 0.6, "radius_m": 0.02}
    world = tl.World.from_dict({"shapes": [hoop]})
    assert world.names == ("hoop",)
    assert world.distance([[0.0, 0.0, 2.0]])[0] == pytest.approx(0.3, abs=0.01)
    with pytest.raises(tl.InputError, match=r"shapes\[0\].normal: missing"):
        tl.World.from_dict({"shapes": [{"type": "hoop", "center_m": [0, 0, 2]}]})
    with pytest.raises(tl.InputError, match="diameter_m must be"):
        tl.World.from_dict({"shapes": [{**hoop, "diameter_m": -1}]})


def test_a_team_keeps_its_own_arguments():
    with pytest.raises(tl.InputError, match="winch_rule is for a team"):
        make_simulation("canopy_branch", winch_rule=lambda *_: None)


def test_one_may_bring_a_controller():
    run = make_simulation("canopy_branch", controller=lambda time, state: AvocadoCommand(thrust=1.0))
    assert isinstance(run, CanopyRun)
    run.run(until=1.0)
    assert run.plant.robot["thrust"][0].sum() == pytest.approx(1.0, rel=1e-6)
