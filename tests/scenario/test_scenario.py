"""Scenarios: packaged ones load, written keys become SI, and what is saved says everything."""

import dataclasses
import math
from importlib.metadata import EntryPoint, EntryPoints

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import tetherlab as tl
from tetherlab.assembly.runs import load_scenario
from tetherlab.contracts.documents import format_yaml, parse_yaml, read_yaml
from tetherlab.scenario.document import parse_assignments
from tetherlab.scenario.library import packaged

NAMES = list(packaged("scenarios"))


@pytest.mark.parametrize("name", NAMES)
def test_every_packaged_scenario_loads(name):
    scenario = load_scenario(name)
    assert scenario.description.endswith(".")
    if isinstance(scenario, tl.CanopyScenario):
        assert scenario.references
    elif isinstance(scenario, tl.Scene):
        assert scenario.commands
    else:
        assert bool(scenario.mission.targets) != (scenario.inspection is not None)


def test_a_key_with_a_unit_becomes_an_attribute_without():
    scenario = tl.Scenario.load("vertical")
    assert scenario.tether.length == 18.95
    assert scenario.winch.exit == (-0.25, 0.0, 0.35)
    assert scenario.winch.rule.factor == 1.05
    assert scenario.uav.robot.rotors[0].position == (0.25, -0.25, 0.03)
    assert scenario.run.record == 50.0


def test_degrees_become_radians_and_are_saved_as_they_were_written():
    scenario = tl.Scenario.load("theatre", {"ugv.yaw_deg": 3.7})
    assert scenario.ugv.yaw == pytest.approx(math.radians(3.7), rel=1e-15)
    assert scenario.ugv.robot.steering_angle_max == pytest.approx(math.radians(100.0))
    assert scenario.to_dict()["ugv"]["yaw_deg"] == 3.7


@hypothesis.given(st.floats(-720.0, 720.0))
@hypothesis.example(math.degrees(0.5))
def test_an_angle_comes_back_with_the_same_bits(degrees):
    scenario = tl.Scenario.load("vertical", {"uav.yaw_deg": degrees})
    again = tl.Scenario.from_dict(scenario.to_dict())
    assert again.uav.yaw == scenario.uav.yaw == math.radians(degrees)


def test_defaults_in_degrees_are_saved_in_degrees():
    assert tl.Scenario.load("vertical").to_dict()["ugv"]["controller"]["turn_rate_max_deg_per_s"] == 45.0


@pytest.mark.parametrize("name", ["theatre", "windy", "recorded_predefined"])
def test_a_saved_scenario_stands_alone_and_is_the_same(name, tmp_path):
    scenario = tl.Scenario.load(name)
    scenario.save(tmp_path / "saved.yaml")
    again = tl.Scenario.load(tmp_path / "saved.yaml")
    assert again.to_dict() == scenario.to_dict()
    written = read_yaml(tmp_path / "saved.yaml")
    assert not [key for key in ("tether", "winch", "world") if not isinstance(written[key], dict)]
    assert isinstance(written["uav"]["robot"], dict) and isinstance(written["ugv"]["robot"], dict)
    assert "trajectory" not in written["mission"]


def test_every_default_is_written_out():
    written = tl.Scenario.load("vertical").to_dict()
    assert written["run"] == {"duration_max_s": 1200.0, "step_s": 0.005, "record_hz": 50.0, "seed": 1}
    assert written["tether"]["drag_coefficient_tangential"] == 0.02
    assert written["world"]["gravity_m_per_s2"] == 9.80665


def test_the_wind_of_a_scenario_replaces_that_of_its_world():
    assert tl.Scenario.load("vertical").world.wind is None
    assert list(tl.Scenario.load("windy").world.wind.velocity) == [5.0, 2.0, 0.0]
    stronger = tl.Scenario.load("windy", {"wind.velocity_m_per_s": [9, 0, 0]})
    assert list(stronger.world.wind.velocity) == [9.0, 0.0, 0.0]


def test_overrides_reach_into_what_a_name_stands_for():
    scenario = tl.Scenario.load(
        "vertical",
        {
            "tether.length_m": 12,
            "uav.robot.rotors[2].direction": 1,
            "ugv.robot": "differential_ugv",
            "mission.targets[0].uav_m": [0, 0, 4],
            "run.seed": 7,
        },
    )
    assert scenario.tether.length == 12.0
    assert scenario.uav.robot.rotors[2].direction == 1
    assert scenario.ugv.robot.drive == "differential"
    assert scenario.mission.targets[0].uav == (0.0, 0.0, 4.0)
    assert scenario.seed == 7
    assert tl.Scenario.load("vertical").tether.length == 18.95


def test_one_value_of_a_part_that_is_not_written_out_can_be_overridden():
    overrides = {"uav.controller.bandwidth_rad_per_s": 3, "ugv.controller.gain_per_s": 0.5}
    scenario = tl.Scenario.load("vertical", {**overrides, "winch.rule.factor": 1.2})
    assert (scenario.uav.controller.type, scenario.uav.controller.bandwidth) == ("position", 3.0)
    assert (scenario.ugv.controller.type, scenario.ugv.controller.gain) == ("drive", 0.5)
    assert (scenario.winch.rule.type, scenario.winch.rule.factor) == ("follow_distance", 1.2)
    assert scenario.to_dict()["uav"]["controller"]["type"] == "position"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"ugv.controller.gian_per_s": 1},
            "override: ugv.controller.gian_per_s: unknown key. Did you mean 'gain_per_s'?",
        ),
        ({"tether.lenght_m": 12}, "override: tether.lenght_m: unknown key. Did you mean 'length_m'?"),
        ({"tether.length_cm": 12}, "override: tether.length_cm: unknown key. Write 'length_m', in m"),
        ({"tether.length_m": -1}, "override: tether.length_m: must be > 0, got -1"),
        ({"tether..length_m": 1}, "override: 'tether..length_m' is not a path such as"),
        ({"mission.targets[99].uav_m": 1}, "override: mission.targets[99].uav_m: there is no such place"),
        ({"run.seed.more": 1}, "override: run.seed.more: there is no such place"),
        ({"mission.targets.1.uav_m": 1}, "put a value. Did you mean 'mission.targets[1].uav_m'?"),
        ({"mission.targets.1": 1}, "put a value. Did you mean 'mission.targets[1]'?"),
        ({"teher.length_m": 1}, "override: teher: unknown key. Did you mean 'tether'?"),
        ({"tether": "papr"}, "override: tether: no tether is called 'papr'. Did you mean 'paper'?"),
    ],
)
def test_a_wrong_override_is_answered_with_its_path(overrides, message):
    with pytest.raises(tl.InputError) as caught:
        tl.Scenario.load("windy", {"run.seed": 3, **overrides})
    assert message in str(caught.value)


def test_assignments_are_read_as_yaml():
    assert parse_assignments(["tether.length_m=12", "uav.robot=x500", "mission.take_off=false"]) == {
        "tether.length_m": 12,
        "uav.robot": "x500",
        "mission.take_off": False,
    }
    with pytest.raises(tl.InputError, match="must be KEY=VALUE"):
        parse_assignments(["tether.length_m"])


def test_one_of_a_kind_with_changes_keeps_the_rest():
    scenario = tl.Scenario.load("theatre")
    assert scenario.winch.exit == (0.0, 0.0, 0.9)
    assert scenario.winch.rule.type == "from_trajectory"
    assert scenario.winch.drum_radius == tl.Scenario.load("vertical").winch.drum_radius


def test_files_are_looked_for_beside_the_file_that_names_them(tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "rope.yaml").write_text(
        "linear_density_kg_per_m: 0.05\ndiameter_m: 0.01\nstrength_N: 100\nlength_m: 9\n"
    )
    data = tl.Scenario.load("vertical").to_dict() | {"tether": "parts/rope.yaml"}
    monkeypatch.chdir("/")
    assert tl.Scenario.from_dict(data, folder=tmp_path).tether.length == 9.0


def test_an_unknown_scenario_is_answered_with_a_guess():
    with pytest.raises(tl.InputError, match=r"no scenario is called 'theater'\. Did you mean 'theatre'"):
        tl.Scenario.load("theater")


def test_the_material_of_the_tether_is_what_the_engine_takes():
    spec = tl.Scenario.load("vertical").tether.spec
    assert isinstance(spec, tl.TetherSpec)
    assert dataclasses.asdict(spec)["linear_density"] == 0.067


def test_a_drone_on_the_platform_stands_on_its_feet():
    scenario = tl.Scenario.load("theatre")
    x, y, z = scenario.uav_start
    top = scenario.ugv.start[2] + scenario.ugv.robot.platform.upper[2]
    robot = scenario.uav.robot
    assert z + robot.feet[0][2] - robot.foot_radius == pytest.approx(top)
    assert (x, y) == pytest.approx((-2.495, -1.52 + 0.2))  # the robot faces +y


def test_data_of_the_caller_stays_as_it_is():
    data = {"schema": 1, "world": "plain", "tether": {"like": "paper"}}
    with pytest.raises(tl.InputError):
        tl.Scenario.from_dict(data)
    assert data == {"schema": 1, "world": "plain", "tether": {"like": "paper"}}


def test_an_override_of_the_trajectory_takes_the_place_of_targets_and_the_reverse():
    assert len(tl.Scenario.load("windy", {"mission.trajectory": "vertical"}).mission.targets) == 20
    target = {"uav_m": [0, 0, 2], "ugv_m": [0, 0, 0]}
    assert len(tl.Scenario.load("vertical", {"mission.targets": [target]}).mission.targets) == 1


def test_numbers_of_numpy_are_numbers():
    overrides = {"tether.length_m": np.int64(12), "winch.exit_m": np.array([-0.2, 0.0, 0.4])}
    scenario = tl.Scenario.load("vertical", overrides)
    assert (scenario.tether.length, scenario.winch.exit) == (12.0, (-0.2, 0.0, 0.4))


def test_one_like_another_that_is_like_a_third_has_all_of_them(tmp_path):
    (tmp_path / "thin.yaml").write_text("like: paper\ndiameter_m: 0.004\n")
    data = tl.Scenario.load("vertical").to_dict() | {"tether": {"like": "thin.yaml", "length_m": 9}}
    tether = tl.Scenario.from_dict(data, folder=tmp_path).tether
    assert (tether.linear_density, tether.diameter, tether.length) == (0.067, 0.004, 9.0)


def test_a_circle_of_likes_is_refused(tmp_path):
    (tmp_path / "a.yaml").write_text("like: b.yaml\n")
    (tmp_path / "b.yaml").write_text("like: a.yaml\n")
    data = tl.Scenario.load("vertical").to_dict() | {"tether": "a.yaml"}
    with pytest.raises(tl.InputError, match="a circle"):
        tl.Scenario.from_dict(data, folder=tmp_path)


def test_maps_are_found_from_everywhere_after_saving(tmp_path, monkeypatch):
    (tmp_path / "cloud.xyz").write_text("".join(f"5 {i / 10} 1\n" for i in range(10)))
    world = {"shapes": [{"type": "plane"}, {"type": "map", "file": "cloud.xyz", "resolution_m": 0.1}]}
    data = tl.Scenario.load("vertical").to_dict() | {"world": world}
    tl.Scenario.from_dict(data, folder=tmp_path).save(tmp_path / "saved.yaml")
    monkeypatch.chdir("/")
    assert len(tl.Scenario.load(tmp_path / "saved.yaml").world.names) == 2


def test_a_plug_in_is_known_by_its_entry_point_and_not_imported(monkeypatch):
    offered = EntryPoints([EntryPoint("my_rule", "nowhere.to.be:found", "tetherlab.winch_rules")])
    monkeypatch.setattr("tetherlab.scenario.plug_in.entry_points", lambda group: offered.select(group=group))
    rule = {"type": "my_rule", "gain_N_per_m": 3}
    scenario = tl.Scenario.load("vertical", {"winch.rule": rule})
    assert scenario.winch.rule.type == "my_rule"
    assert scenario.winch.rule.settings == {"gain_N_per_m": 3}
    assert scenario.to_dict()["winch"]["rule"] == rule


def test_what_comments_call_assumed_is_listed_until_it_is_given():
    scenario = tl.Scenario.load("vertical", {"winch.gear_ratio": 5.0})
    assert scenario.assumed["tether.strength_N"] == "a light power cable"
    assert "tether.diameter_m" not in scenario.assumed and "winch.gear_ratio" not in scenario.assumed
    again = tl.Scenario.from_dict(scenario.to_dict(), {"tether.strength_N": 250})
    assert set(scenario.assumed) - set(again.assumed) == {"tether.strength_N"}


def test_a_file_of_ones_own_may_call_values_assumed(tmp_path):
    text = "drum_width_m: 0.2  # assumed: a guess\nlike: paper\n"
    (tmp_path / "mine.yaml").write_text(text)
    scenario = tl.Scenario.load("vertical", {"winch": str(tmp_path / "mine.yaml")})
    assert scenario.assumed["winch.drum_width_m"] == "a guess"


@pytest.mark.parametrize("yaw", [0.0, 90.0, 180.0])
def test_a_length_at_a_target_counts_from_the_exit_of_a_turned_rover(yaw):
    targets = [{"uav_m": [2.0, 0.0, 1.35], "ugv_m": [0.0, 0.0, 0.0], "length_m": 4.0}]
    changes = {
        "mission.targets": targets,
        "winch.rule": {"type": "from_trajectory", "margin_m": 0.0},
        "winch.exit_m": [-0.75, 0.0, 0.35],
        "ugv.yaw_deg": yaw,
        "uav.yaw_deg": yaw,
        "tether.paid_out_m": 1.2,
    }
    simulation = tl.Simulation("vertical", changes)
    state = simulation.state
    place = np.array(targets[0]["uav_m"]) + state.attachment - state.uav.position
    apart = np.linalg.norm(place - (state.exit - state.ugv_origin))
    assert simulation.mission.plan.slack[0] * apart == pytest.approx(4.0, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("run-1", "run-1: is a folder, not a scenario. Did you mean 'run-1/scenario.yaml'?"),
        ("empty", "empty: is a folder, not a scenario"),
        ("mine.txt", "mine.txt: a scenario is a file that ends in .yaml; rename it"),
        ("./mine", "./mine: a scenario is a file that ends in .yaml; rename it"),
    ],
)
def test_what_is_there_but_is_no_scenario_is_named(name, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("run-1", "empty"):
        (tmp_path / folder).mkdir()
    for file in ("run-1/scenario.yaml", "mine.txt", "mine"):
        (tmp_path / file).write_text("schema: 1\n")
    with pytest.raises(tl.InputError) as said:
        tl.Scenario.load(name)
    assert str(said.value) == sentence


def test_a_seed_that_no_file_can_hold_is_refused():
    largest = tl.Simulation("vertical", seed=2**63 - 1).scenario.to_dict()
    assert tl.Scenario.from_dict(parse_yaml(format_yaml(largest), "saved")).seed == 2**63 - 1
    with pytest.raises(tl.InputError, match=r"run\.seed: must be <= 9\.22337e\+18"):
        tl.Simulation("vertical", seed=2**63)
