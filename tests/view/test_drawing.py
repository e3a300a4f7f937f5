"""What is drawn: surfaces of shapes, moments of a log, colours."""

import numpy as np
import pytest
import trimesh

import tetherlab as tl
from tetherlab.math.kernel import plain
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.vehicles.linkage import turn_deck
from tetherlab.view.colors import tension_colors
from tetherlab.view.drawn_robots import hollow_deck, roll_then_pitch
from tetherlab.view.record import Record
from tetherlab.view.solids import triangles
from tetherlab.view.stage import place_camera
from tetherlab.view.surface import surface_of

SHAPES = {
    "sphere": (tl.shapes.Sphere(center=(1, 2, 3), radius=0.5), 4 / 3 * np.pi * 0.5**3),
    "box": (tl.shapes.Box(lower=(0, 0, 0), upper=(1, 2, 3)), 6.0),
    "turned box": (
        tl.shapes.OrientedBox(center=(1, 1, 1), size=(1, 2, 3), rotation=(0.5, 0.5, 0.7, 0.1)), 6.0
    ),
    "cylinder": (tl.shapes.Cylinder(start=(0, 0, 0), end=(1, 1, 1), radius=0.2), np.pi * 0.04 * 3**0.5),
    "capsule": (
        tl.shapes.Capsule(start=(0, 0, 0), end=(1, 1, 1), radius=0.2),
        np.pi * 0.04 * 3**0.5 + 4 / 3 * np.pi * 0.2**3,
    ),
    "two boxes": (
        tl.shapes.Union(
            shapes=[tl.shapes.Box(lower=(k, 0, 0), upper=(k + 1, 1, 1)) for k in (0, 2)]
        ),
        2.0,
    ),
    "box with a dent": (
        tl.shapes.Difference(
            shape=tl.shapes.Box(lower=(-1, -1, -1), upper=(1, 1, 1)),
            minus=tl.shapes.Sphere(center=(1, 0, 0), radius=0.6),
        ),
        8.0 - 2 / 3 * np.pi * 0.6**3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_has_a_closed_surface_of_its_own_volume_that_looks_outwards(name):
    shape, volume = SHAPES[name]
    vertices, faces = triangles(shape)
    mesh = trimesh.Trimesh(vertices, faces)
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(volume, rel=0.03)
    depth = np.abs(tl.World([shape]).distance(np.asarray(vertices, float)))
    assert depth.max() < 0.03


def test_a_pillar_is_drawn_where_its_rock_is_and_looks_outwards():
    mine = tl.Mine(pillar=(4.0, 5.0), height=4.0, entry=5.0)
    pillar = mine.shapes[2]
    vertices, faces = triangles(pillar)
    drawn = vertices[np.unique(faces)].astype(float)
    world = tl.World([pillar])
    assert np.abs(world.distance(drawn)).max() < 0.03
    corners = vertices[faces].astype(float)
    looks = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outwards = np.sum(looks * world.gradient(corners.mean(axis=1)), axis=1) > 0.0
    assert outwards.mean() > 0.99  # at an edge the other face may be the nearer one
    side = mine.face("pillar_1", "east")
    seen = side.in_face(drawn)
    assert np.ptp(seen[:, 0]) > side.width and np.ptp(seen[:, 1]) > side.height


def test_the_surface_of_a_grid_is_where_its_values_change_sign():
    ticks = np.arange(-1.0, 1.0 + 1e-9, 0.1)
    x, y, z = np.meshgrid(ticks, ticks, ticks, indexing="ij")
    vertices, faces = surface_of(np.sqrt(x**2 + y**2 + z**2) - 0.7, np.full(3, -1.0), 0.1)
    assert np.linalg.norm(vertices, axis=1) == pytest.approx(0.7, abs=0.005)
    assert trimesh.Trimesh(vertices, faces).volume == pytest.approx(4 / 3 * np.pi * 0.7**3, rel=0.03)


def test_tension_has_the_dark_end_at_zero_and_the_bright_end_at_the_largest():
    colors = tension_colors(np.array([-1.0, 0.0, 5.0, 10.0, 99.0, np.nan]), 10.0).astype(int).sum(axis=1)
    assert colors[0] == colors[1] == colors[5]
    assert colors[1] < colors[2] < colors[3] == colors[4]


@pytest.fixture(scope="module")
def short_log():
    simulation = tl.Simulation("vertical")
    simulation.run(until=4.0)
    return simulation.log


def test_a_moment_of_a_log_is_the_last_row_before_it(short_log):
    record = Record(short_log)
    uav, tether = short_log["uav"], short_log["tether"]
    for time in (0.0, 1.234, 3.9, 99.0):
        frame = record.at(time)
        row = max(int(np.searchsorted(uav["time_s"], time, side="right")) - 1, 0)
        assert frame.poses["uav"].position == pytest.approx(
            [uav[name][row] for name in ("x_m", "y_m", "z_m")]
        )
        assert frame.tethers["tether"].points[-1] == pytest.approx(
            [tether[name][row] for name in ("x_40_m", "y_40_m", "z_40_m")]
        )
        assert np.linalg.norm(frame.poses["uav"].wxyz) == pytest.approx(1.0, abs=1e-6)
    assert record.at(3.0).tethers["tether"].length > record.at(0.1).tethers["tether"].length


def test_a_log_with_the_drones_path_alone_can_be_shown():
    table = tl.Table({"time_s": [0.0, 1.0], "x_m": [0.0, 1.0], "y_m": [0.0, 0.0], "z_m": [1.0, 2.0]})
    frame = Record(tl.Log(tables={"uav": table})).at(1.0)
    assert frame.poses["uav"].position == pytest.approx((1.0, 0.0, 2.0))
    assert "ugv" not in frame.poses and not frame.tethers


def test_a_log_without_positions_is_refused():
    with pytest.raises(tl.InputError, match="nothing to show"):
        Record(tl.Log(tables={"winch": tl.Table({"time_s": [0.0], "length_m": [1.0]})}))


def test_the_camera_stands_where_nothing_hides_the_way():
    room = [
        tl.shapes.Difference(
            shape=tl.shapes.Box(lower=(-6, -6, -1), upper=(6, 6, 6)),
            minus=tl.shapes.Box(lower=(-5, -5, 0), upper=(5, 5, 5)),
        ),
        tl.shapes.Box(lower=(1, -3, 0), upper=(1.2, 3, 5)),
    ]
    world = tl.World(room)

    class Camera:
        position = look_at = up = None

    camera, lower, upper = Camera(), np.array((-3.0, -3.0, 0.5)), np.array((0.5, 3.0, 3.0))
    place_camera(camera, lower, upper, world)
    assert world.distance(camera.position) > 0.0
    way = camera.look_at - camera.position
    free = world.raycast(camera.position[None], way[None] / np.linalg.norm(way), 50.0)[0]
    assert free > 0.98 * np.linalg.norm(way)


def test_a_deck_with_a_depression_is_a_closed_octagon_that_turns_as_the_plant_turns_it():
    dish = np.array((0.24, 0.34, 0.07))
    lower, upper = np.array((-0.45, -0.45, 0.76)), np.array((0.45, 0.45, 0.86))
    deck = hollow_deck(lower, upper, dish)
    assert deck.is_watertight
    np.testing.assert_allclose(deck.bounds, (lower, upper), atol=1e-12)
    R = np.empty((3, 3))
    plain(turn_deck)(0.3, -0.2, R)
    np.testing.assert_allclose(matrix_from_quaternion(np.array(roll_then_pitch(0.3, -0.2))), R, atol=1e-15)
