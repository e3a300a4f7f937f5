"""Worlds in YAML: every key, every message, and the way back."""

from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from tetherlab.contracts.errors import InputError
from tetherlab.world import Wind, World
from tetherlab.world import shapes as S

COMPLETE = """
gravity_m_per_s2: 3.71
air_density_kg_per_m3: 0.02
wind:
  velocity_m_per_s: [4, 1, 0]
  reference_height_m: 10
  exponent: 0.2
  gusts: {intensity_m_per_s: 0.8, length_scale_m: 15, seed: 7}
shapes:
  - {type: plane, name: ground, friction: 0.6}
  - {type: plane, point_m: [0, 0, 30], normal: [0, 0, -1]}
  - {type: sphere, center_m: [5, 0, 1], radius_m: 0.5}
  - {type: box, lower_m: [1, 1, 0], upper_m: [2, 2, 3e0], name: tower}
  - {type: oriented_box, center_m: [0, 5, 1], size_m: [1, 2, 3], roll_pitch_yaw_deg: [10, 20, 30]}
  - {type: oriented_box, center_m: [0, 9, 1], size_m: [1, 2, 3], rotation_wxyz: [0, 0, 0, 1]}
  - {type: cylinder, start_m: [-3, 0, 0], end_m: [-3, 0, 4], radius_m: 0.3}
  - {type: capsule, start_m: [-5, 0, 2], end_m: [-5, 3, 2], radius_m: 0.1, name: branch}
  - type: difference
    name: wall
    shape:
      type: union
      shapes:
        - {type: box, lower_m: [-9, -6, 0], upper_m: [9, -5, 3]}
        - {type: box, lower_m: [8, -6, 0], upper_m: [9, 6, 3]}
    minus: {type: sphere, center_m: [0, -5.5, 1], radius_m: 1}
  - type: map
    name: crate
    file: meshes/crate.stl
    resolution_m: 0.1
    margin_m: 0.3
    friction: 0.2
    place: {position_m: [3, 3, 0.5], roll_pitch_yaw_deg: [0, 0, 45], velocity_m_per_s: [0, 0, 1]}
"""


@pytest.fixture
def complete_file(tmp_path: Path) -> Path:
    (tmp_path / "meshes").mkdir()
    trimesh.creation.box(extents=(1, 1, 1)).export(tmp_path / "meshes" / "crate.stl")
    path = tmp_path / "yard.yaml"
    path.write_text(COMPLETE)
    return path


def test_a_file_with_every_key_makes_the_world_it_describes(complete_file, random):
    world = World.load(complete_file)
    turn = Rotation.from_euler("xyz", [10, 20, 30], degrees=True).as_quat(scalar_first=True)
    wall = S.Union(
        shapes=[S.Box(lower=(-9, -6, 0), upper=(9, -5, 3)), S.Box(lower=(8, -6, 0), upper=(9, 6, 3))]
    )
    twin = World(
        [
            S.Plane(),
            S.Plane(point=(0, 0, 30), normal=(0, 0, -1)),
            S.Sphere(center=(5, 0, 1), radius=0.5),
            S.Box(lower=(1, 1, 0), upper=(2, 2, 3)),
            S.OrientedBox(center=(0, 5, 1), size=(1, 2, 3), rotation=turn),
            S.OrientedBox(center=(0, 9, 1), size=(1, 2, 3), rotation=(0, 0, 0, 1)),
            S.Cylinder(start=(-3, 0, 0), end=(-3, 0, 4), radius=0.3),
            S.Capsule(start=(-5, 0, 2), end=(-5, 3, 2), radius=0.1),
            S.Difference(shape=wall, minus=S.Sphere(center=(0, -5.5, 1), radius=1)),
        ]
    )
    points = random.uniform((-10, -8, -1), (10, 10, 6), (4000, 3))
    points = points[np.linalg.norm(points - (3, 3, 0.5), axis=1) > 3.0]  # the crate is looked at below
    near = twin.distance(points) < 1.0
    np.testing.assert_allclose(world.distance(points)[near], twin.distance(points)[near], atol=1e-12)
    assert (world.gravity, world.air_density) == (3.71, 0.02)
    assert world.names[3] == "tower" and world.names[-1] == "crate"
    np.testing.assert_array_equal(world.field.friction[[0, 1, -1]], [0.6, np.nan, 0.2])
    # The crate stands at (3, 3), turned by 45 degrees: its corner looks along x.
    assert world.distance((3 + np.sqrt(0.5) + 0.2, 3, 0.5)) == pytest.approx(0.2, abs=0.03)
    assert world.field.twist[-1].tolist() == [0, 0, 1, 0, 0, 0]
    expected = Wind.shear((4, 1, 0), 10, 0.2).with_gusts(0.8, 15, 7)
    np.testing.assert_array_equal(world.wind.at(points, 3.0), expected.at(points, 3.0))


def test_a_saved_world_loads_as_the_same_world(complete_file, random, tmp_path):
    world = World.load(complete_file)
    world.place("branch", position=(1, 2, 3), rotation_wxyz=(0.6, 0, 0.8, 0), angular_velocity=(0, 0, 2))
    (tmp_path / "saved").mkdir()
    world.save(tmp_path / "saved" / "copy.yaml")
    again = World.load(tmp_path / "saved" / "copy.yaml")
    points = random.uniform(-10, 10, (3000, 3))
    np.testing.assert_allclose(again.distance(points), world.distance(points), atol=1e-12)
    np.testing.assert_array_equal(again.wind.at(points, 2.0), world.wind.at(points, 2.0))
    np.testing.assert_array_equal(again.field.twist, world.field.twist)
    np.testing.assert_array_equal(again.field.friction, world.field.friction)
    assert (again.names, again.gravity, again.air_density) == (world.names, 3.71, 0.02)


def test_an_empty_document_part_leaves_the_usual_gravity_and_air_and_no_wind(tmp_path):
    (tmp_path / "empty.yaml").write_text("shapes: []\n")
    world = World.load(tmp_path / "empty.yaml")
    assert (world.names, world.gravity, world.air_density, world.wind) == ((), 9.80665, 1.225, None)


BAD = [
    ("shapes: 3", "shapes: must be a list, got 3"),
    ("[1, 2]", "the document: must be a mapping, got [1, 2]"),
    ("shapes: [7]", "shapes[0]: must be a mapping with a key 'type', got 7"),
    (
        "shape: []",
        "shape: unknown key. Did you mean 'shapes'? "
        "Known: air_density_kg_per_m3, gravity_m_per_s2, illuminance_lux, mine, shapes, wind.",
    ),
    ("gravity_m_per_s2: -1", "gravity_m_per_s2 must be >= 0, got -1"),
    ("air_density_kg_per_m3: -1", "air_density_kg_per_m3 must be >= 0, got -1"),
    ("shapes: [{lower: [0, 0, 0]}]", "shapes[0]: key 'type' is missing; allowed: plane, sphere, box,"),
    ("shapes: [{type: bax}]", "shapes[0].type: unknown shape 'bax'. Did you mean 'box'?"),
    ("shapes: [{type: sphere, radius_m: 1}]", "shapes[0].center_m: missing"),
    (
        "shapes: [{type: sphere, center_m: [0, 0, 0], radius: 1}]",
        "shapes[0].radius: unknown key. Did you mean",
    ),
    (
        "shapes: [{type: sphere, center_m: [0, 0, 0], radius_m: -1}]",
        "shapes[0]: radius_m must be > 0, got -1",
    ),
    (
        "shapes: [{type: oriented_box, center_m: [0, 0, 0], size_m: [1, 1, 1],"
        " rotation_wxyz: [1, 0, 0, 0], roll_pitch_yaw_deg: [0, 0, 0]}]",
        "shapes[0].roll_pitch_yaw_deg: give either this or the other way to write it",
    ),
    ("shapes: [{type: union, shapes: [{type: plain}]}]", "shapes[0].shapes[0].type: unknown shape 'plain'."),
    ("shapes: [{type: difference, shape: {type: plane}}]", "shapes[0].minus: missing"),
    ("shapes: [{type: map, file: none.bt}]", "none.bt: no such file"),
    ("shapes: [{type: map, file: 3}]", "shapes[0].file: must be the name of a file, got 3"),
    ("shapes: [{type: [box]}]", "shapes[0].type: unknown shape ['box']."),
    ("shapes: [{type: map}]", "shapes[0].file: missing"),
    ("shapes: [{type: plane, place: {}}]", "shapes[0].place.position_m: missing"),
    (
        "shapes: [{type: plane, place: {position_m: [0, 0]}}]",
        "[0].place: position_m must have shape (3,), got (2,)",
    ),
    (
        "shapes: [{type: sphere, center_m: [0, .nan, 0], radius_m: 1}]",
        "shapes[0]: center_m must be finite, got nan at center_m[1]",
    ),
    ("shapes: [{type: map, file: crate.stl, lower_m: [0, 0, 0]}]", "crate.stl: lower_m cannot be chosen"),
    ("shapes: [{type: plane, name: a}, {type: plane, name: a}]", "different names, got 'a' more than once"),
    ("wind: {velocity_m_per_s: fast}", "wind: velocity_m_per_s must be an array of numbers"),
    (
        "wind: {exponent: 0.2, velocity_m_per_s: [1, 0, 0]}",
        "wind.exponent: needs reference_height_m beside it",
    ),
    (
        "wind: {velocity_m_per_s: [1, 0, 0], gusts: {intensity_m_per_s: 1, length_scale_m: 0, seed: 1}}",
        "wind.gusts: length_scale_m must be > 0, got 0",
    ),
    ("wind: {velocity_m_per_s: [1, 0, 0], gusts: {seed: 1}}", "wind.gusts.intensity_m_per_s: missing"),
    ("wind: {speed_m_per_s: 3}", "wind.speed_m_per_s: unknown key."),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_a_mistake_is_answered_with_its_file_place_and_remedy(text, message, tmp_path):
    trimesh.creation.box().export(tmp_path / "crate.stl")
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        World.load(path)
    assert message in str(caught.value)
    assert all(line.startswith(str(path)) for line in str(caught.value).splitlines())


def test_all_problems_of_a_file_are_reported_at_once(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(
        "gravity_m_per_s2: -1\nwind: {}\nshapes:\n"
        "- {type: sphere, center_m: [0, 0, 0], radius_m: 0}\n- {type: boks}\n- {type: plane}\n"
    )
    with pytest.raises(InputError) as caught:
        World.load(path)
    assert len(str(caught.value).splitlines()) == 4


def test_options_belong_into_the_yaml_file_itself(complete_file):
    with pytest.raises(InputError, match=r"options of a map stand in the YAML file itself, got \['margin'\]"):
        World.load(complete_file, margin=1.0)
