"""The JSON Schema says yes to what the loader takes, and no to a key that does not exist."""

import copy
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import tetherlab as tl
from tetherlab.assembly.runs import load_scenario
from tetherlab.scenario.library import find, packaged
from tetherlab.scenario.schema import scenario_schema

SCHEMA = scenario_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
PARTS = {
    "worlds": ["World"],
    "tethers": ["TetherSection"],
    "winches": ["WinchSection"],
    "robots": ["Quadrotor", "GroundRobot", "Avocado"],
}
EXAMPLES = ["theatre", "windy", "constant_tension", "recorded_predefined"]


def problems(value):
    """What an editor would underline."""
    return [error.message for error in VALIDATOR.iter_errors(value)]


def written(name):
    return find("scenarios", name, Path()).read()[0]


def mappings(value, path=()):
    """The path of each mapping in plain data."""
    if isinstance(value, dict):
        yield path
        for key, item in value.items():
            yield from mappings(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from mappings(item, (*path, index))


def with_misspelt_key(data, path):
    data = copy.deepcopy(data)
    place = data
    for part in path:
        place = place[part]
    place["lenght_m"] = 1.0
    return data


def test_it_is_a_schema_itself():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", packaged("scenarios"))
def test_packaged_scenarios_are_valid_as_written_and_as_resolved(name):
    assert problems(written(name)) == []
    assert problems(load_scenario(name).to_dict()) == []


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in PARTS for name in packaged(kind)])
def test_packaged_parts_are_valid(kind, name):
    data = find(kind, name, Path()).read()[0]
    parts = [{"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{part}"} for part in PARTS[kind]]
    assert any(Draft202012Validator(part).is_valid(data) for part in parts)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_misspelt_key_is_refused_wherever_it_stands(name):
    for data in (written(name), tl.Scenario.load(name).to_dict()):
        del data["mission"].get("targets", [])[2:]
        accepted = [path for path in mappings(data) if VALIDATOR.is_valid(with_misspelt_key(data, path))]
        assert accepted == []


def test_a_misspelt_key_of_a_scene_is_refused_wherever_it_stands():
    for data in (written("drone_on_two_winches"), tl.Scene.load("drone_on_two_winches").to_dict()):
        named = [("hands",), ("bodies",), ("tethers",), ("joints",), ("branches",), ("control",)]
        places = [path for path in mappings(data) if path not in named and path[-1:] != ("sites_m",)]
        accepted = [path for path in places if VALIDATOR.is_valid(with_misspelt_key(data, path))]
        assert len(places) > 12 and accepted == []


def test_a_controller_of_another_package_may_have_any_key():
    data = written("vertical")
    data["uav"]["controller"] = {"type": "my_controller", "anything": 1}
    assert problems(data) == []


@pytest.mark.parametrize("mission", [{}, {"trajectory": "vertical", "targets": []}])
def test_a_mission_has_either_a_trajectory_or_targets(mission):
    assert problems({**written("vertical"), "mission": mission})
