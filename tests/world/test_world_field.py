"""The compiled interface: objects that move, the empty world, use from kernels and threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numba import njit, typeof
from scipy.spatial.transform import Rotation

from tetherlab.contracts.errors import InputError
from tetherlab.world import Wind, World
from tetherlab.world import shapes as S
from tetherlab.world.field import Field, distance, nearest, raycast, velocity_at, with_pose

BOX = S.Box(lower=(-0.5, -0.5, -0.5), upper=(0.5, 0.5, 0.5), name="box", friction=0.3)


@njit
def _height_of_free_fall(field, pose, x, y, z):
    """A kernel that moves an object by itself and steps down along the distance until it meets it."""
    moved = with_pose(field, pose)
    for _ in range(100):
        z -= distance(moved, x, y, z)
    return z


def test_an_empty_world_is_far_from_everything():
    world = World()
    assert world.distance((1.0, 2.0, 3.0)) == 1e6
    assert nearest(world.field, 0.0, 0.0, 0.0) == (1e6, 0.0, 0.0, 1.0, -1)
    assert raycast(world.field, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 50.0) == (50.0, -1)
    assert velocity_at(world.field, -1, 0.0, 0.0, 0.0) == (0.0, 0.0, 0.0)


def test_every_world_has_the_same_compiled_type():
    grid = S.VoxelGrid(values=np.ones((3, 3, 3)), origin=(0, 0, 0), spacing=1.0)
    types = {
        typeof(World(shapes).field) for shapes in ([], [BOX], [grid], [grid, BOX, S.Union(shapes=[grid])])
    }
    assert len(types) == 1


def test_a_kernel_may_move_objects_with_a_pose_of_its_own():
    world = World([BOX])
    world.place("box", position=(0, 0, 0))
    pose = world.field.pose.copy()
    pose[0, 11] = 2.0
    assert _height_of_free_fall(world.field, pose, 0.1, 0.2, 9.0) == pytest.approx(2.5)
    assert world.distance((0.1, 0.2, 9.0)) == pytest.approx(8.5)  # the world itself has not moved


def test_material_velocity_is_the_time_derivative_of_a_point_that_rides_along():
    world = World([S.Plane(), BOX])
    position, velocity, omega = (
        np.array([1.0, -2.0, 3.0]),
        np.array([0.4, 0.5, -0.6]),
        np.array([0.7, -0.2, 0.9]),
    )
    start = Rotation.from_rotvec([0.2, 0.1, -0.4])
    world.place(
        "box",
        position=position,
        rotation_wxyz=start.as_quat(scalar_first=True),
        velocity=velocity,
        angular_velocity=omega,
    )
    body_point, dt = np.array([0.3, -0.1, 0.5]), 1e-6

    def ride(t):
        return position + t * velocity + (Rotation.from_rotvec(t * omega) * start).apply(body_point)

    measured = velocity_at(world.field, 1, *ride(0.0))
    np.testing.assert_allclose(measured, (ride(dt) - ride(-dt)) / (2 * dt), atol=1e-8)
    assert velocity_at(world.field, 0, *ride(0.0)) == (0.0, 0.0, 0.0)


def test_nearest_names_the_object_and_turns_its_normal():
    world = World([S.Plane(), BOX])
    quarter = Rotation.from_euler("z", 45, degrees=True).as_quat(scalar_first=True)
    world.place("box", position=(0, 0, 2), rotation_wxyz=quarter)
    for side in (np.array([1, 1, 0]), np.array([-1, 1, 0])):
        d, *normal, who = nearest(world.field, *(side + np.array([0.0, 0.0, 2.0])))
        assert (d, who) == (pytest.approx(np.sqrt(2) - 0.5), 1)
        np.testing.assert_allclose(normal, side / np.sqrt(2), atol=1e-12)
    assert nearest(world.field, 0.0, 0.0, 0.1)[4] == 0


def test_friction_and_names_follow_the_objects():
    world = World([S.Plane(), BOX, S.Sphere(center=(0, 0, 9), radius=1, name="ball")])
    assert world.names == ("plane_0", "box", "ball")
    np.testing.assert_array_equal(world.field.friction, [np.nan, 0.3, np.nan])
    assert World.ground(friction=0.7).field.friction.tolist() == [0.7]


def test_a_copy_moves_alone_and_a_field_taken_before_stays():
    world = World([BOX])
    world.place("box", position=(0, 0, 0))
    other, before = world.copy(), world.field
    other.place("box", position=(0, 0, 10), velocity=(1, 0, 0))
    assert not world.field.twist.any()
    assert world.distance((0, 0, 2)) == pytest.approx(1.5)
    assert other.distance((0, 0, 2)) == pytest.approx(7.5)
    world.place("box", position=(0, 0, 5))
    assert distance(before, 0.0, 0.0, 2.0) == pytest.approx(1.5)


def test_two_threads_get_the_same_answers_as_one(random):
    shapes = [S.Plane(), BOX, S.Difference(shape=S.Sphere(center=(1, 1, 1), radius=0.7), minus=BOX)]
    world = World(shapes)
    points = random.uniform(-2, 2, (100_000, 3))
    alone = world.gradient(points), world.distance(points), world.raycast(points, -points, 5.0)
    with ThreadPoolExecutor(2) as pool:
        tasks = [
            pool.submit(
                lambda: (world.gradient(points), world.distance(points), world.raycast(points, -points, 5.0))
            )
            for _ in range(4)
        ]
        for task in tasks:
            for here, there in zip(alone, task.result(), strict=True):
                np.testing.assert_array_equal(here, there)


def test_a_point_that_is_not_a_number_does_no_harm():
    grid = S.VoxelGrid(values=np.ones((3, 3, 3)), origin=(0, 0, 0), spacing=1.0)
    field: Field = World([grid, BOX]).field
    for point in ((np.nan, 0.0, 0.0), (np.inf, -np.inf, np.nan), (1e300, 1e300, -1e300)):
        *_, who = nearest(field, *point)
        assert -1 <= who < 2


def test_unknown_and_double_names_are_refused_with_a_hint():
    world = World([BOX])
    with pytest.raises(InputError, match=r"no object 'bax'\. Did you mean 'box'"):
        world.place("bax", position=(0, 0, 0))
    with pytest.raises(InputError, match="different names, got 'box' more than once"):
        World([BOX, BOX])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w: w.distance([[0, 0]]), r"points must have shape \(n, 3\), got \(1, 2\)"),
        (lambda w: w.distance([0, 0, np.nan]), "points must be finite"),
        (lambda w: w.gradient("here"), "points must be an array of numbers"),
        (
            lambda w: w.raycast([0, 0, 1], [0, 0, 0], 5.0),
            r"directions must not be zero, got zero at directions\[0\]",
        ),
        (lambda w: w.raycast([0, 0, 1], [0, 0, 1], 0.0), "range_max must be > 0, got 0"),
        (
            lambda w: w.raycast(np.zeros((2, 3)), np.ones((3, 3)), 1.0),
            "origins and directions must match, got 2 and 3",
        ),
        (lambda w: w.place("box", position=(0, 0)), r"position must have shape \(3,\)"),
        (lambda w: w.place("box", position=(0, 0, 0), rotation_wxyz=(1, 1, 0, 0)), "unit quaternion wxyz"),
        (lambda w: World(["box"]), r"shapes\[0\] must be a shape such as tl.shapes.Box"),
        (lambda w: World(gravity=-1), "gravity must be >= 0, got -1"),
        (lambda w: World(air_density="thin"), "air_density must be a number, got 'thin'"),
        (lambda w: World(wind="strong"), "wind must be a tl.Wind or None, got 'strong'"),
    ],
)
def test_bad_questions_get_one_clear_sentence(call, message):
    with pytest.raises(InputError, match=message):
        call(World([BOX]))


@pytest.mark.parametrize(
    ("name", "value"), [("gravity", 0.0), ("air_density", 1.0), ("wind", None), ("shapes", ()), ("names", ())]
)
def test_what_tethers_have_read_cannot_be_changed_later(name, value):
    world = World([S.Plane()])
    before = getattr(world, name)
    with pytest.raises(AttributeError, match=f"{name} of a World cannot be changed, .*: make a new World"):
        setattr(world, name, value)
    assert getattr(world, name) is before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: World(S.Plane()), r"shapes must be a list of shapes, got a single Plane: write \[shape\]"),
        (lambda: World("box"), "shapes must be a list of shapes, got 'box'"),
        (lambda: World(3), "shapes must be a list of shapes, got 3"),
        (lambda: World().index("wall"), "the world has no object 'wall': it is empty$"),
        (lambda: World().distance((1, 2)), r"points must have shape \(3,\), got \(2,\)"),
        (lambda: Wind.calm().at((1, 2)), r"points must have shape \(3,\), got \(2,\)"),
    ],
)
def test_a_wrong_argument_of_a_world_is_named(make, message):
    with pytest.raises(InputError, match=message):
        make()
