import numpy as np
import pytest
from relief_scenes import rough

import tetherlab as tl
from tetherlab.world.segment import FINEST, closest_on_segment

GRID_PITCH = 0.05


def grid_of_a_ball():
    ticks = np.arange(-0.5, 0.5 + 1e-9, GRID_PITCH)
    x, y, z = np.meshgrid(ticks, ticks, ticks, indexing="ij")
    values = np.sqrt(x**2 + y**2 + z**2) - 0.2
    return tl.shapes.VoxelGrid(values=values.astype(np.float32), origin=(-0.5,) * 3, spacing=GRID_PITCH)


SHAPES = {
    "plane": tl.shapes.Plane(),
    "sphere": tl.shapes.Sphere(center=(0.1, 0.1, 0.0), radius=0.2),
    "box": tl.shapes.Box(lower=(-0.5, -0.5, -0.5), upper=(0, 0, -0.1)),
    "turned box": tl.shapes.OrientedBox(
        center=(0, 0, 0), size=(0.5, 0.2, 0.1), rotation=(0.5, 0.5, 0.7, 0.1)
    ),
    "thin pole": tl.shapes.Cylinder(start=(0.1, 0, -1), end=(0.1, 0, 1), radius=1e-3),
    "capsule": tl.shapes.Capsule(start=(0.1, 0, 0), end=(0.1, 0.6, 0.5), radius=0.05),
    "two thin poles": tl.shapes.Union(
        shapes=(
            tl.shapes.Cylinder(start=(0.1, 0, -1), end=(0.1, 0, 1), radius=1e-3),
            tl.shapes.Cylinder(start=(-0.1, 0.05, -1), end=(-0.1, 0.05, 1), radius=1e-3),
        )
    ),
    "ball with a hole": tl.shapes.Difference(
        shape=tl.shapes.Sphere(center=(0, 0, 0), radius=0.3),
        minus=tl.shapes.Cylinder(start=(0, 0, -1), end=(0, 0, 1), radius=0.1),
    ),
    "grid": grid_of_a_ball(),
    "relief": rough(1, rms=0.02, origin=(-1.0, -1.0, 0.0)),
    "corner of two reliefs": tl.shapes.Intersection(
        shapes=[
            rough(1, rms=0.02, origin=(-1.5, -1.0, 0.0)),
            rough(
                2, rms=0.02, origin=(0.0, -1.0, 1.5), rotation=(0.5**0.5, 0.0, 0.5**0.5, 0.0), thickness=3.0
            ),
        ]
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_closest_point_of_a_segment_agrees_with_a_search_by_brute_force(name, random):
    world = tl.World([SHAPES[name]])
    t = np.linspace(0.0, 1.0, 4001)
    for _ in range(100):
        a = random.uniform(-0.4, 0.4, 3)
        b = a + 0.15 * random.normal(size=3)
        distances = world.distance(a + t[:, None] * (b - a))
        best, where = closest_on_segment(world.field, 0, *a, *b, 1e9)
        assert best == pytest.approx(distances.min(), abs=FINEST * np.linalg.norm(b - a))
        assert world.distance(a + where * (b - a)) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("name", SHAPES)
def test_the_search_stops_early_with_a_bound_that_is_safe(name, random):
    world = tl.World([SHAPES[name]])
    for _ in range(100):
        a, b = random.uniform(-0.6, 0.6, 3), random.uniform(-0.6, 0.6, 3)
        exact = world.distance(a + np.linspace(0, 1, 2001)[:, None] * (b - a)).min()
        best, _ = closest_on_segment(world.field, 0, *a, *b, 0.1)
        slack = FINEST * np.linalg.norm(b - a)
        if exact > 0.1 + slack:
            assert 0.1 < best <= exact + slack
        elif exact < 0.1 - slack:
            assert best == pytest.approx(exact, abs=slack)


def test_an_object_that_has_moved_is_found_where_it_is():
    world = tl.World([tl.shapes.Cylinder(start=(0, 0, -1), end=(0, 0, 1), radius=0.01, name="pole")])
    world.place("pole", position=(0.3, 0, 0), rotation_wxyz=(0.5**0.5, 0.5**0.5, 0, 0))
    best, where = closest_on_segment(world.field, 0, 0, 0.2, 0.1, 1, 0.2, 0.1, 1e9)
    assert best == pytest.approx(0.09, abs=1e-5)
    assert where == pytest.approx(0.3, abs=FINEST)
