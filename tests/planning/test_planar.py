"""A plane with obstacles: what is free and what sees what, also where things touch."""

import itertools
import math

import numpy as np
import pytest
from planar_scenes import box_world, free_boxes, pierces, random_world

from tetherlab.contracts.errors import InputError
from tetherlab.planning.planar import PlanarWorld, box

BOUNDS = (0.0, 0.0, 10.0, 5.0)
ONE = PlanarWorld(BOUNDS, [box(4.0, 2.0, 6.0, 3.0)])


def test_inside_is_not_free_and_edges_are():
    points = [(5.0, 2.5), (4.0, 2.5), (4.0, 2.0), (5.0, 1.9), (0.0, 0.0), (-0.1, 1.0), (5.0, 5.1)]
    assert ONE.free(points).tolist() == [False, True, True, True, True, False, False]


def test_vertices_are_kept_counter_clockwise():
    there, back = box(4.0, 2.0, 6.0, 3.0), box(4.0, 2.0, 6.0, 3.0)[::-1]
    for polygon in PlanarWorld(BOUNDS, [there, back]).polygons:
        d = np.roll(polygon, -1, axis=0) - polygon
        e = np.roll(d, -1, axis=0)
        assert (d[:, 0] * e[:, 1] - d[:, 1] * e[:, 0] > 0.0).all()


@pytest.mark.parametrize(
    ("a", "b", "seen"),
    [
        ((1.0, 2.5), (9.0, 2.5), False),
        ((1.0, 3.0), (9.0, 3.0), True),  # along the upper side
        ((4.5, 3.0), (5.5, 3.0), True),  # on a part of it
        ((4.0, 2.0), (6.0, 3.0), False),  # from corner to corner, through the inside
        ((3.0, 4.0), (5.0, 2.0), False),  # over a corner, into the inside
        ((3.0, 2.0), (5.0, 4.0), True),  # grazes a corner
        ((4.0, 2.5), (1.0, 2.5), True),  # away from a side
        ((4.0, 2.5), (6.0, 2.5), False),  # between two sides
        ((4.0, 2.5), (4.0, 2.5), True),
        ((5.0, 2.5), (5.0, 2.5), False),
        ((1.0, 1.0), (-1.0, 1.0), False),  # out of the bounds
    ],
)
def test_sight_past_a_box(a, b, seen):
    assert ONE.visible(a, b) is seen
    assert ONE.visible(b, a) is seen


def test_there_is_no_way_between_obstacles_that_touch():
    at_a_corner = PlanarWorld(BOUNDS, [box(2.0, 1.0, 3.0, 2.0), box(3.0, 2.0, 4.0, 3.0)])
    assert at_a_corner.free([(3.0, 2.0)])[0]
    assert at_a_corner.visible((2.5, 2.5), (3.0, 2.0))
    assert not at_a_corner.visible((2.5, 2.5), (3.5, 1.5))
    assert not at_a_corner.visible((3.0, 1.0), (3.0, 3.0))  # along a side of one, then of the other
    side_by_side = PlanarWorld(BOUNDS, [box(2.0, 1.0, 3.0, 3.0), box(3.0, 0.5, 4.0, 2.0)])
    assert side_by_side.free([(3.0, 1.5), (3.0, 2.0), (3.0, 2.5)]).tolist() == [False, True, True]
    assert not side_by_side.visible((3.0, 2.5), (3.0, 1.0))
    assert side_by_side.visible((3.0, 4.0), (3.0, 2.0))
    on_the_floor = PlanarWorld(BOUNDS, [box(2.0, 0.0, 3.0, 1.0)])
    assert not on_the_floor.visible((1.0, 0.0), (4.0, 0.0))
    assert not on_the_floor.free([(2.5, 0.0)])[0]
    assert on_the_floor.visible((1.0, 0.0), (2.0, 0.0))


def test_a_corner_that_touches_a_side_shuts_it():
    wedge = [(5.0, 3.0), (6.0, 4.0), (4.0, 4.0)]  # its tip stands on the box
    world = PlanarWorld(BOUNDS, [box(4.0, 2.0, 6.0, 3.0), wedge])
    assert not world.visible((4.0, 3.0), (6.0, 3.0))
    assert world.visible((4.0, 3.0), (5.0, 3.0))


def test_sight_among_boxes_is_that_of_whole_numbers(random):
    for _ in range(8):
        boxes = free_boxes(random, 4)
        world = box_world(boxes)
        grid = [(int(x), int(z)) for x, z in random.integers(0, 21, (40, 2))]
        grid = [p for p in grid if world.free([p])[0]]
        for a, b in itertools.pairwise(grid):
            assert world.visible(a, b) == (not any(pierces(box, a, b) for box in boxes)), (boxes, a, b)


def test_sight_is_that_of_many_points(random):
    share = np.linspace(0.0, 1.0, 2001)[:, None]
    seen = 0
    for _ in range(15):
        world = random_world(random, 5, on_grid=False)
        for a, b in random.uniform(0.0, 10.0, (20, 2, 2)):
            free = world.free((1.0 - share) * a + share * b).all()
            assert world.visible(a, b) == free
            seen += free
    assert 25 < seen < 275


def test_clearance_is_the_distance_to_the_nearest_side():
    points = [(5.0, 3.5), (3.0, 1.0), (1.0, 2.5), (5.0, 2.5), (4.0, 2.5)]
    assert ONE.clearance(points) == pytest.approx([0.5, 1.0, 1.0, 0.0, 0.0])
    assert ONE.clearance([(3.4, 1.2)]) == pytest.approx([math.hypot(0.6, 0.8)])


def test_boxes_grow_to_boxes_and_the_bounds_shrink():
    world = ONE.inflated(0.25)
    assert world.bounds == (0.25, 0.25, 9.75, 4.75)
    (grown,) = world.polygons
    assert grown.min(axis=0) == pytest.approx([3.75, 1.75]) and grown.max(axis=0) == pytest.approx(
        [6.25, 3.25]
    )


def test_what_a_square_robot_may_do_is_what_its_corners_may(random):
    for _ in range(5):
        world = random_world(random, 4, on_grid=False)
        margin = 0.3
        centres = random.uniform(0.0, 10.0, (100, 2))
        low, high = np.array(world.bounds[:2]) + margin, np.array(world.bounds[2:]) - margin
        within = ((centres > low) & (centres < high)).all(axis=1)
        lattice = np.linspace(-margin, margin, 41)
        square = np.stack(np.meshgrid(lattice, lattice), axis=-1).reshape(-1, 2)
        sampled = np.array([world.free(centre + square).all() for centre in centres])
        free = world.inflated(margin).free(centres)
        assert (free <= sampled).all()  # a sliver may reach between the samples
        assert (free != sampled).mean() < 0.02
        assert not free[~within].any()


def test_a_robot_too_wide_for_a_gap_finds_it_shut():
    world = PlanarWorld(BOUNDS, [box(4.0, 0.0, 5.0, 2.0), box(4.0, 2.5, 5.0, 5.0)])
    assert world.visible((1.0, 2.25), (9.0, 2.25))
    assert not world.inflated(0.3).visible((1.0, 2.25), (9.0, 2.25))


@pytest.mark.parametrize(
    ("polygon", "word"),
    [
        ([(1.0, 1.0), (2.0, 1.0)], "at least three"),
        ([(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)], "no area"),
        ([(1.0, 1.0), (3.0, 3.0), (3.0, 1.0), (1.0, 4.0)], "meets itself"),
        ([(1.0, 1.0), (3.0, 1.0), (3.0, 2.0), (3.0, 1.0), (2.0, 3.0)], "meets itself"),
        ([(1.0, 1.0), (3.0, 1.0), (3.0, 6.0)], "outside of the bounds"),
        ([(1.0, 1.0), (3.0, 1.0), (3.0, math.nan)], "finite"),
        ([(1.0, 1.0, 0.0), (3.0, 1.0, 0.0), (3.0, 2.0, 0.0)], "shape"),
    ],
)
def test_polygons_that_are_none_are_refused(polygon, word):
    with pytest.raises(InputError, match=word):
        PlanarWorld(BOUNDS, [box(4.0, 2.0, 6.0, 3.0), polygon])


def test_other_mistakes_are_refused():
    with pytest.raises(InputError, match="x_min"):
        PlanarWorld((5.0, 0.0, 1.0, 5.0))
    with pytest.raises(InputError, match="x_max > x_min"):
        box(1.0, 1.0, 1.0, 2.0)
    with pytest.raises(InputError, match="no room"):
        ONE.inflated(3.0)
    with pytest.raises(InputError, match="Did you mean"):
        PlanarWorld(BOUNDS, obstacle=[])
