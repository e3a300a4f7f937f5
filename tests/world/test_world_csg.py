"""Unions and differences: who is inside, bounds on the distance, and which object answers."""

import numpy as np
from scipy.spatial import cKDTree
from world_scenes import TWINS

from tetherlab.world import World
from tetherlab.world import shapes as S
from tetherlab.world.field import nearest

SPHERE, BOX, TURNED_BOX, CYLINDER, CAPSULE = TWINS
WALL = S.Box(lower=(-1, -0.2, 0), upper=(1, 0.2, 2))
DOOR = S.Box(lower=(-0.4, -1, -1), upper=(0.4, 1, 1.5))


def test_distance_to_a_union_is_the_smallest_and_exact_outside(random):
    parts = [twin.shape for twin in TWINS]
    points = random.uniform(-2.5, 3.0, (5000, 3))
    smallest = np.min([World([part]).distance(points) for part in parts], axis=0)
    np.testing.assert_array_equal(World([S.Union(shapes=parts)]).distance(points), smallest)
    np.testing.assert_array_equal(World(parts).distance(points), smallest)


def test_nested_unions_and_differences_hold_the_points_that_logic_says(random):
    carved = S.Difference(
        shape=S.Union(shapes=[SPHERE.shape, S.Union(shapes=[BOX.shape, CYLINDER.shape])]),
        minus=S.Difference(shape=TURNED_BOX.shape, minus=CAPSULE.shape),
    )
    points = random.uniform(-1.5, 2.0, (20_000, 3))
    solid = SPHERE.inside(points) | BOX.inside(points) | CYLINDER.inside(points)
    hole = TURNED_BOX.inside(points) & ~CAPSULE.inside(points)
    np.testing.assert_array_equal(World([carved]).distance(points) < 0.0, solid & ~hole)


def test_distance_to_a_difference_never_exceeds_the_true_one_on_either_side(random):
    carved = World([S.Difference(shape=BOX.shape, minus=CAPSULE.shape)])
    box_skin, capsule_skin = BOX.surface(random, 100_000), CAPSULE.surface(random, 100_000)
    skin = np.concatenate([box_skin[~CAPSULE.inside(box_skin)], capsule_skin[BOX.inside(capsule_skin)]])
    points = random.uniform(-2.0, 2.5, (5000, 3))
    true_within_sampling, _ = cKDTree(skin).query(points)
    assert np.all(np.abs(carved.distance(points)) <= true_within_sampling + 1e-12)


def test_a_doorway_is_free_and_its_frame_pushes_back_into_it():
    wall = World([S.Difference(shape=WALL, minus=DOOR)])
    assert wall.distance((0.0, 0.0, 0.7)) > 0.39
    np.testing.assert_allclose(wall.gradient((0.35, 0.0, 0.7)), (-1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(wall.gradient((0.0, 0.0, 1.45)), (0, 0, -1), atol=1e-12)


def test_gradient_of_a_carved_union_equals_the_finite_difference(random):
    world = World([S.Difference(shape=S.Union(shapes=[WALL, SPHERE.shape]), minus=DOOR), CAPSULE.shape])
    points = random.uniform(-2.0, 2.5, (3000, 3))
    step = 1e-6
    difference = np.stack(
        [
            (world.distance(points + step * e) - world.distance(points - step * e)) / (2 * step)
            for e in np.eye(3)
        ],
        axis=1,
    )
    smooth = np.linalg.norm(difference, axis=1) > 1.0 - 1e-6
    assert smooth.mean() > 0.98
    np.testing.assert_allclose(world.gradient(points)[smooth], difference[smooth], atol=1e-5)


def test_skipping_far_objects_changes_no_answer(random):
    """Poles and pebbles: bounding balls skip most of them, a plain minimum skips none."""
    poles = [
        S.Capsule(start=(x, y, 0), end=(x + 0.3, y, 3), radius=0.1)
        for x, y in random.uniform(-8, 8, (100, 2))
    ]
    pebbles = [S.Sphere(center=center, radius=0.05) for center in random.uniform(-1, 1, (100, 3))]
    world = World([S.Plane(point=(0, 0, -2)), *poles, *pebbles])
    points = np.concatenate([random.uniform(-9, 9, (300, 3)), random.uniform(-1, 1, (300, 3))])
    each = np.array([World([shape]).distance(points) for shape in world.shapes])
    np.testing.assert_array_equal(world.distance(points), each.min(axis=0))
    for point, who in zip(points, each.argmin(axis=0), strict=True):
        assert nearest(world.field, *point)[4] == who
