"""Packaged robots can fly, the schema is that of the models, and the plan fits into the theatre."""

import json
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import tetherlab as tl
from tetherlab.scenario.library import find, packaged
from tetherlab.scenario.reach import floor_below, uav_clearance
from tetherlab.scenario.schema import scenario_schema

QUADROTORS = ["paper_quadrotor", "x500", "qav250", "oxpecker"]
EXIT = np.array([0.0, 0.0, 0.9])  # where the mission was planned to leave the ground robot [m]


def scenario_with(robot, tether):
    return tl.Scenario.load("vertical", {"uav.robot": robot, "tether": tether, "tether.paid_out_m": 1.0})


@pytest.mark.parametrize(
    ("robot", "tether"),
    [
        ("paper_quadrotor", "paper"),
        ("x500", "oxpecker"),
        ("qav250", "tether_inertial"),
        ("oxpecker", "oxpecker"),
    ],
)
def test_a_drone_lifts_itself_and_eight_metres_of_its_tether_twice(robot, tether):
    scenario = scenario_with(robot, tether)
    mass = scenario.uav.robot.mass + 8.0 * scenario.tether.linear_density
    assert scenario.uav.robot.thrust_max > 2.0 * mass * scenario.world.gravity


@pytest.mark.parametrize("robot", QUADROTORS)
def test_rotors_of_a_drone_balance(robot):
    rotors = scenario_with(robot, "paper").uav.robot.rotors
    assert sum(rotor.direction for rotor in rotors) == 0
    assert np.allclose(np.sum([rotor.position for rotor in rotors], axis=0)[:2], 0.0)
    assert sum(rotor.direction * rotor.position[0] for rotor in rotors) == pytest.approx(0.0)
    assert sum(rotor.direction * rotor.position[1] for rotor in rotors) == pytest.approx(0.0)


@pytest.mark.parametrize("robot", ["paper_ugv", "differential_ugv", "rhino"])
def test_wheels_stand_on_the_ground(robot):
    ugv = tl.Scenario.load("vertical", {"ugv.robot": robot}).ugv.robot
    assert {wheel[2] for wheel in ugv.wheels} == {ugv.wheel_radius}


@pytest.mark.parametrize("robot", ["paper_ugv", "differential_ugv", "rhino"])
def test_no_tether_gets_under_the_edge_of_a_platform(robot):
    ugv = tl.Scenario.load("vertical", {"ugv.robot": robot}).ugv.robot
    lowest = ugv.platform if ugv.chassis is None else ugv.chassis  # a deck that turns is thin
    assert lowest.lower[2] < ugv.wheel_radius


@pytest.mark.parametrize("kind", ["robots", "tethers", "winches"])
def test_every_packaged_number_says_where_it_comes_from(kind):
    for name in packaged(kind):
        for line in find(kind, name, Path()).text.splitlines():
            has_number = any(character.isdigit() for character in line.partition("#")[0].partition(":")[2])
            item = line.lstrip().startswith("- ")  # of a list whose first line says it
            assert not has_number or item or "#" in line, f"{name}: {line}"


def test_the_packaged_schema_is_that_of_the_models():
    text = (resources.files("tetherlab") / "data" / "scenario.schema.json").read_text(encoding="utf-8")
    assert json.loads(text) == scenario_schema(), "run `python -m tetherlab.scenario.schema`"


def test_the_schema_names_units_defaults_and_shorthands():
    schema = scenario_schema()
    assert schema["$defs"]["TetherSection"]["properties"]["length_m"]["unit"] == "m"
    assert schema["$defs"]["Autopilot"]["properties"]["tilt_max_deg"]["default"] == 35.0
    assert "trajectory" in schema["$defs"]["Mission"]["properties"]
    assert schema["$defs"]["Scenario"]["properties"]["tether"]["anyOf"][0]["type"] == "string"


@pytest.fixture(scope="module")
def theatre():
    return tl.Scenario.load("theatre")


def targets(scenario):
    uav = np.array([target.uav for target in scenario.mission.targets])
    ugv = np.array([target.ugv for target in scenario.mission.targets])
    return uav, np.column_stack([ugv[:, :2], floor_below(scenario, ugv)])


def test_the_drone_keeps_half_a_metre_from_the_theatre_at_and_between_all_targets(theatre):
    uav, _ = targets(theatre)
    above = np.add(theatre.uav_start, [0.0, 0.0, theatre.mission.take_off_height])
    way = np.vstack([above, uav])
    points = np.concatenate([np.linspace(a, b, 20) for a, b in pairwise(way)])
    assert uav_clearance(theatre, points).min() > 0.5


def test_the_ground_robot_touches_nothing_but_the_floor_of_the_theatre(theatre):
    _, ugv = targets(theatre)
    rest = tl.World([shape for shape in theatre.world.shapes if shape.name != "floor"])
    points = np.concatenate([np.linspace(a, b, 10) for a, b in pairwise(ugv)])
    for part in theatre.ugv.robot.hull:
        reach = np.hypot(*part.center[:2]) + part.radius  # whatever its heading
        assert rest.distance(points + np.array([0.0, 0.0, part.center[2]])).min() > reach


def test_the_tether_of_the_plan_hangs_free_in_the_theatre(theatre):
    uav, ugv = targets(theatre)
    for target, start, end in zip(theatre.mission.targets, ugv + EXIT, uav, strict=True):
        assert theatre.world.distance(np.linspace(start, end, 60)).min() > 0.2
        hanging = tl.Catenary.between(start, end, target.length).sample(100)
        assert theatre.world.distance(hanging).min() > 0.2
