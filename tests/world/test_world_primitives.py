"""The distance of each primitive against its twin, and its normal against finite differences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation
from world_scenes import PRIMITIVE_NAMES, PRIMITIVES, TWINS

from tetherlab.world import World
from tetherlab.world import shapes as S

each_primitive = pytest.mark.parametrize("shape", PRIMITIVES, ids=PRIMITIVE_NAMES)


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_distance_is_that_of_the_nearest_surface_point_inside_and_outside(twin, random):
    points = random.uniform(-2.0, 2.5, (1500, 3))
    surface = twin.surface(random, 60_000)
    sampled, _ = cKDTree(surface).query(points)
    expected = np.where(twin.inside(points), -sampled, sampled)
    distance = World([twin.shape]).distance(points)
    # The nearest sample is up to 2 cm from the true foot: so much may the sampled distance be too long.
    assert np.all(np.abs(distance) <= sampled + 1e-12)
    np.testing.assert_allclose(distance, expected, atol=0.02)


@each_primitive
def test_the_foot_of_every_point_lies_on_the_surface(shape, random):
    """With the Lipschitz bound this makes the distance exact, to rounding."""
    world = World([shape])
    points = random.uniform(-2.0, 2.5, (4000, 3))
    feet = points - world.distance(points)[:, None] * world.gradient(points)
    np.testing.assert_allclose(world.distance(feet), 0.0, atol=1e-12)


@each_primitive
def test_distance_changes_no_faster_than_the_point_moves(shape, random):
    world = World([shape])
    points = random.uniform(-2.0, 2.5, (20_000, 3))
    others = points + random.normal(size=points.shape) * 10.0 ** random.uniform(-4, 0.5, (len(points), 1))
    change = np.abs(world.distance(points) - world.distance(others))
    assert np.all(change <= np.linalg.norm(points - others, axis=1) + 1e-12)


@each_primitive
def test_normal_is_unit_and_equals_the_finite_difference_of_the_distance(shape, random):
    world = World([shape])
    points = random.uniform(-2.0, 2.5, (4000, 3))
    normal = world.gradient(points)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-12)
    step = 1e-6
    difference = np.stack(
        [
            (world.distance(points + step * e) - world.distance(points - step * e)) / (2 * step)
            for e in np.eye(3)
        ],
        axis=1,
    )
    # Where a kink lies within the step the difference is not a derivative; it is then shorter than one.
    smooth = np.linalg.norm(difference, axis=1) > 1.0 - 1e-6
    assert smooth.mean() > 0.99
    np.testing.assert_allclose(normal[smooth], difference[smooth], atol=1e-5)


@pytest.mark.parametrize(
    ("shape", "points"),
    [
        (S.Sphere(center=(1, 2, 3), radius=0.5), [(1, 2, 3)]),
        (S.Box(lower=(0, 0, 0), upper=(2, 2, 2)), [(1, 1, 1), (0, 0, 0), (2, 2, 2), (2, 2, 1), (2, 1, 1)]),
        (S.OrientedBox(center=(0, 0, 0), size=(2, 2, 2)), [(0, 0, 0), (1, 1, 1), (1, -1, 0)]),
        (S.Cylinder(start=(0, 0, 0), end=(0, 0, 2), radius=1), [(0, 0, 1), (0, 0, 2), (1, 0, 2), (0, 0, 5)]),
        (S.Capsule(start=(0, 0, 0), end=(0, 0, 2), radius=1), [(0, 0, 0), (0, 0, 1), (0, 0, 2)]),
        (S.Capsule(start=(0, 0, 0), end=(3, 0, 0), radius=1), [(0, 0, 0), (1, 0, 0), (3, 0, 0)]),
        (S.Capsule(start=(0, 0, 0), end=(0, 3, 0), radius=1), [(0, 1, 0)]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, S.Shape) else "",
)
def test_normal_is_unit_and_points_to_the_surface_at_centres_axes_edges_and_corners(shape, points):
    world = World([shape])
    for point in np.array(points, dtype=float):
        normal, distance = world.gradient(point), world.distance(point)
        assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-12)
        assert world.distance(point - distance * normal) == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_array_equal(normal, world.gradient(point))


def test_offset_of_a_box_edge_is_round():
    box = World([S.Box(lower=(0, 0, 0), upper=(1, 1, 1))])
    angle = np.linspace(0.0, np.pi / 2, 9)
    arc = np.stack([1 + 0.25 * np.cos(angle), 1 + 0.25 * np.sin(angle), np.full(9, 0.5)], axis=1)
    np.testing.assert_allclose(box.distance(arc), 0.25, atol=1e-15)


coordinates = st.floats(-3.0, 3.0)
vectors = st.tuples(coordinates, coordinates, coordinates)


@settings(deadline=None, max_examples=60)
@given(point=vectors, shift=vectors, turn=vectors)
@each_primitive
def test_moving_object_and_point_together_changes_nothing(shape, point, shift, turn):
    rotation = Rotation.from_rotvec(turn)
    still, moved = World([shape]), World([shape])
    (name,) = moved.names
    moved.place(name, position=shift, rotation_wxyz=rotation.as_quat(scalar_first=True))
    carried = rotation.apply(point) + np.array(shift)
    assert moved.distance(carried) == pytest.approx(still.distance(point), abs=1e-12)
    # Next to a kink the rounding of the motion may choose the other side of it.
    if np.linalg.norm(still.gradient(np.add(point, 1e-9)) - still.gradient(np.subtract(point, 1e-9))) < 1e-6:
        np.testing.assert_allclose(moved.gradient(carried), rotation.apply(still.gradient(point)), atol=1e-6)
