"""Taut tethers among obstacles: closed forms, another search, and laws that hold for any world."""

import itertools
import math

import numpy as np
import pytest
from planar_scenes import box_world, classes_of_boxes, free_boxes, random_curve, random_world

from tetherlab.contracts.errors import InputError
from tetherlab.planning.homotopy import (
    Ended,
    inverse,
    reduced,
    shortest_first,
    signature,
    taut,
    taut_tethers,
)
from tetherlab.planning.planar import PlanarWorld, box

BOUNDS = (0.0, 0.0, 10.0, 5.0)
ONE = PlanarWorld(BOUNDS, [box(4.0, 2.0, 6.0, 3.0)])
LEFT, RIGHT = (1.0, 2.5), (9.0, 2.5)
ANY = 1000.0  # windings: as many as there are


def length_of(curve):
    return float(np.hypot(*np.diff(curve, axis=0).T).sum())


def scene(random, number):
    """A world and a free curve in it that does not squeeze through where obstacles touch."""
    on_grid = number % 2 == 0
    while True:
        world = random_world(random, int(random.integers(1, 6)), on_grid=on_grid)
        curve = random_curve(random, world, int(random.integers(3, 12)), on_grid=on_grid)
        try:
            signature(world, curve)
        except InputError:
            continue
        return world, curve


# One box.


def test_a_box_is_passed_above_or_below():
    found = taut_tethers(ONE, LEFT, RIGHT)
    assert found.ended is Ended.ALL
    assert [t.length for t in found] == pytest.approx([2.0 + 2.0 * math.hypot(3.0, 0.5)] * 2)
    below, above = sorted(found, key=lambda t: len(t.signature))
    assert below.signature == () and above.signature == (1,)
    assert above.points.tolist() == [[1.0, 2.5], [4.0, 3.0], [6.0, 3.0], [9.0, 2.5]]
    assert [b.upper for b in above.bends] == [True, True]
    assert above.bends[0].turn == pytest.approx(-math.atan2(0.5, 3.0))
    assert above.hinges.tolist() == [[4.0, 3.0], [6.0, 3.0], [9.0, 2.5]]
    assert [b.upper for b in below.bends] == [False, False]
    assert below.hinges.tolist() == [[9.0, 2.5]]


def test_the_one_that_is_seen_is_straight():
    found = taut_tethers(ONE, (1.0, 4.0), (9.0, 4.0), windings=0.6)
    assert found[0].length == 8.0 and found[0].bends == () and found[0].signature == (1,)
    assert found[1].length == pytest.approx(2.0 + 2.0 * math.hypot(3.0, 2.0))
    assert found[1].signature == () and len(found) == 2


def test_windings_add_the_girth_of_the_box_each():
    lengths = [t.length for t in taut_tethers(ONE, LEFT, RIGHT, windings=3.1)]
    once = 2.0 + 2.0 * math.hypot(3.0, 0.5)
    assert lengths == pytest.approx([once + 6.0 * (k // 2) for k in range(8)])
    words = {t.signature for t in taut_tethers(ONE, LEFT, RIGHT, windings=3.1)}
    assert words == {(), (1,), (-1,), (1, 1), (-1, -1), (1, 1, 1), (-1, -1, -1), (1, 1, 1, 1)}


def test_a_tether_turns_to_one_side_no_more_than_it_may(random):
    world = random_world(random, 4, on_grid=False)
    start, anchor = random_curve(random, world, 2, on_grid=False)
    few = taut_tethers(world, start, anchor, length_max=30.0, windings=0.5)
    many = taut_tethers(world, start, anchor, length_max=30.0, windings=ANY, count_max=10**5)
    assert few.ended is many.ended is Ended.ALL

    def wraps(tether):
        runs = itertools.groupby((b.turn for b in tether.bends), key=lambda turn: turn > 0.0)
        return max((abs(sum(run)) for _, run in runs), default=0.0) > math.pi

    assert [t.signature for t in few] == [t.signature for t in many if not wraps(t)]
    assert len(few) < len(many)


def test_a_limit_that_is_met_exactly_is_kept():
    around = taut_tethers(
        ONE, (1.0, 3.0), (1.0, 2.0), windings=0.5
    )  # out along the top, back along the bottom
    assert sorted(t.length for t in around) == pytest.approx([1.0, 11.0])
    assert len(taut_tethers(ONE, (1.0, 3.0), (1.0, 2.0), windings=0.5, length_max=11.0)) == 2
    assert len(taut_tethers(ONE, (1.0, 3.0), (1.0, 2.0), windings=0.499)) == 1


# Hinges.


def test_hinges_are_upper_corners_and_the_anchor():
    # Over a post that stands on the floor, under a lintel that hangs from the ceiling, over another post.
    world = PlanarWorld(BOUNDS, [box(2.0, 0.0, 2.5, 3.0), box(4.5, 2.0, 5.0, 5.0), box(7.0, 0.0, 7.5, 3.0)])
    (only,) = taut_tethers(world, (1.0, 1.0), (9.0, 1.0))
    assert only.signature == ()
    assert [b.upper for b in only.bends] == [True, True, False, False, True, True]
    hinges = [(2.0, 3.0), (2.5, 3.0), (7.0, 3.0), (7.5, 3.0), (9.0, 1.0)]
    assert only.hinges.tolist() == [list(hinge) for hinge in hinges]


def test_a_bend_straight_above_the_robot_is_a_hinge_whatever_the_shape():
    diamond = [(5.0, 2.0), (6.0, 3.0), (5.0, 4.0), (4.0, 3.0)]
    world = PlanarWorld(BOUNDS, [diamond])
    for anchor in [(4.5, 4.5), (5.9, 4.9), (3.0, 3.6), (1.0, 3.2)]:
        tether = min(
            taut_tethers(world, (6.0, 0.5), anchor), key=lambda t: (len(t.bends) == 0, -t.points[1][0])
        )
        assert tether.points[1].tolist() == [6.0, 3.0]
        assert tether.hinges[0].tolist() == [6.0, 3.0]


# Another search.


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_classes_are_those_of_a_search_over_words(count, random):
    more = 0
    for _ in range(4):
        boxes = free_boxes(random, count)
        world = box_world(boxes)
        start, anchor = (0, int(random.integers(1, 19))), (20, int(random.integers(1, 19)))
        limit = 1.4 * math.dist(start, anchor) + 6.0
        expected = classes_of_boxes(boxes, start, anchor, limit)
        found = taut_tethers(world, start, anchor, length_max=limit, windings=ANY)
        assert found.ended is Ended.ALL
        assert [t.length for t in found] == pytest.approx(expected, abs=1e-9)
        more += len(expected)
    assert more > 4 * count


# Laws.


@pytest.mark.parametrize("number", range(40))
def test_a_pulled_curve_is_the_one_of_its_class(number, random):
    world, curve = scene(random, number)
    pulled = taut(world, curve)
    assert pulled.signature == signature(world, curve)
    assert pulled.length <= length_of(curve) + 1e-9
    assert (pulled.points[0] == curve[0]).all() and (pulled.points[-1] == curve[-1]).all()
    found = taut_tethers(world, curve[0], curve[-1], length_max=pulled.length + 1e-6, windings=ANY)
    assert found.ended is Ended.ALL
    (same,) = [t for t in found if t.signature == pulled.signature]
    assert same.points == pytest.approx(pulled.points, abs=1e-8)
    assert len({t.signature for t in found}) == len(found)


@pytest.mark.parametrize("number", range(20))
def test_a_taut_tether_is_free_and_no_bend_can_be_cut(number, random):
    world, curve = scene(random, number)
    for tether in taut_tethers(world, curve[0], curve[-1], count_max=30):
        signature(world, tether.points)  # raises if it meets an obstacle
        for u, v, w in zip(tether.points, tether.points[1:], tether.points[2:], strict=False):
            for cut in (1e-3, 0.1):
                a, b = v + cut * (u - v), v + cut * (w - v)
                assert not world.visible(a, b)


@pytest.mark.parametrize("number", range(20))
def test_words_do_not_change_with_the_drawing_of_a_curve(number, random):
    world, curve = scene(random, number)
    word = signature(world, curve)
    middle = 0.5 * (curve[1:] + curve[:-1])
    finer = np.insert(curve, range(1, len(curve)), middle, axis=0)
    assert signature(world, finer) == word
    assert signature(world, curve[::-1]) == inverse(word)
    cut = int(random.integers(1, len(curve)))
    parts = signature(world, curve[: cut + 1]) + signature(world, curve[cut:])
    assert reduced(parts) == word
    shaken = finer.copy()
    for k in range(1, len(finer) - 1):  # one point at a time, if the triangles it sweeps are free of corners
        moved = shaken.copy()
        moved[k] += random.normal(0.0, 0.2, 2)
        swept = [np.linspace(shaken[k], moved[k], 30)]
        path = [world.visible(shaken[j], p) for j in (k - 1, k + 1) for p in swept[0] if world.free([p])[0]]
        if world.free(swept[0]).all() and all(path):
            shaken = moved
    assert signature(world, shaken) == word
    assert taut(world, shaken).length == pytest.approx(taut(world, curve).length, abs=1e-9)


@pytest.mark.parametrize("angle", [0.3, 1.0, 2.5])
def test_a_turned_world_has_turned_tethers(angle, random):
    """Corners in line and obstacles that touch stay so but for rounding."""
    turn = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
    wide = (-20.0, -20.0, 20.0, 20.0)
    for _ in range(6):
        polygons = random_world(random, 6, on_grid=True).polygons
        world, turned = PlanarWorld(wide, polygons), PlanarWorld(wide, [p @ turn for p in polygons])
        points = np.round(2.0 * random.uniform(0.0, 10.0, (40, 2))) / 2.0
        assert (world.free(points) == turned.free(points @ turn)).all()
        start, *_, anchor = points = points[world.free(points)]
        for a, b in itertools.pairwise(points):
            assert world.visible(a, b) == turned.visible(a @ turn, b @ turn)
        options = {"length_max": 14.0, "windings": 0.7}
        lengths = [t.length for t in taut_tethers(world, start, anchor, **options)]
        found = taut_tethers(turned, start @ turn, anchor @ turn, **options)
        assert [t.length for t in found] == pytest.approx(lengths, abs=1e-8)


@pytest.mark.parametrize("number", range(10))
def test_reversed_and_mirrored_worlds_have_reversed_and_mirrored_tethers(number, random):
    world, curve = scene(random, number)
    start, anchor = curve[0], curve[-1]
    limit = 1.3 * taut(world, curve).length
    options = {"length_max": limit, "windings": 0.8, "count_max": 10**4}
    there = taut_tethers(world, start, anchor, **options)
    back = taut_tethers(world, anchor, start, **options)
    assert {t.signature for t in there} == {inverse(t.signature) for t in back}
    assert [t.length for t in there] == pytest.approx([t.length for t in back])

    def mirrored(points):
        return np.asarray(points) * [-1.0, 1.0]

    mirror = PlanarWorld((-10.0, 0.0, 0.0, 10.0), [mirrored(p) for p in world.polygons])
    seen = taut_tethers(mirror, mirrored(start), mirrored(anchor), **options)
    assert [t.length for t in seen] == pytest.approx([t.length for t in there])
    hinges = sorted(mirrored(t.hinges).round(9).tolist() for t in seen)
    for mine, other in zip(hinges, sorted(t.hinges.round(9).tolist() for t in there), strict=True):
        assert mine == pytest.approx(np.array(other), abs=1e-8)


def test_the_lazy_search_gives_the_same_in_order(random):
    world = random_world(random, 5, on_grid=False)
    start, anchor = random_curve(random, world, 2, on_grid=False)
    lazily = list(itertools.islice(shortest_first(world, start, anchor), 20))
    lengths = [t.length for t in lazily]
    assert lengths == pytest.approx(sorted(lengths))
    assert lengths == pytest.approx([t.length for t in taut_tethers(world, start, anchor, count_max=20)])


# Edges of the matter.


def test_obstacles_that_touch_are_one_and_those_at_the_border_none():
    joined = PlanarWorld(BOUNDS, [box(4.0, 2.0, 5.0, 3.0), box(5.0, 2.0, 6.0, 3.0)])
    assert [t.length for t in taut_tethers(joined, LEFT, RIGHT)] == pytest.approx(
        [t.length for t in taut_tethers(ONE, LEFT, RIGHT)]
    )
    assert all(len(t.points) == 4 for t in taut_tethers(joined, LEFT, RIGHT))  # not the corners between
    at_a_corner = PlanarWorld(BOUNDS, [box(4.0, 1.5, 5.0, 2.5), box(5.0, 2.5, 6.0, 3.5)])
    assert {t.signature for t in taut_tethers(at_a_corner, LEFT, RIGHT)} == {(), (1,)}
    wall = PlanarWorld(BOUNDS, [box(4.0, 0.0, 6.0, 3.0)])
    assert [t.signature for t in taut_tethers(wall, LEFT, RIGHT)] == [()]
    chain = PlanarWorld(BOUNDS, [box(4.0, 0.0, 5.0, 1.0), box(4.5, 0.5, 6.0, 3.0)])  # one overlaps a wall
    assert [t.signature for t in taut_tethers(chain, LEFT, RIGHT)] == [()]


def test_corners_in_line_are_touched_and_not_bent_at():
    row = PlanarWorld(BOUNDS, [box(x, 1.0, x + 0.5, 2.0) for x in (2.0, 4.0, 6.0)])
    above = taut_tethers(row, (1.0, 1.0), (8.0, 1.0))[0]
    over = [t for t in taut_tethers(row, (1.0, 1.5), (8.0, 1.5)) if t.signature == (1, 2, 3)]
    assert over[0].points.tolist() == [[1.0, 1.5], [2.0, 2.0], [6.5, 2.0], [8.0, 1.5]]
    assert above.length == 7.0 and above.signature == ()
    along = taut_tethers(row, (0.0, 2.0), (10.0, 2.0))[0]
    assert along.length == 10.0 and along.bends == () and along.signature == (1, 2, 3)


def test_starts_on_edges_and_corners():
    on_top = taut_tethers(ONE, (5.0, 3.0), (9.0, 0.5), windings=0.5)
    assert on_top[0].points.tolist() == [[5.0, 3.0], [6.0, 3.0], [9.0, 0.5]]
    at_corner = taut_tethers(ONE, (6.0, 3.0), (4.0, 2.0), windings=0.5)
    assert [t.length for t in at_corner] == pytest.approx([3.0, 3.0])
    assert all(len(t.points) == 3 for t in at_corner)


def test_start_and_anchor_may_be_the_same():
    found = taut_tethers(ONE, LEFT, LEFT)
    assert found[0].length == 0.0 and found[0].signature == () and found[0].hinges.tolist() == [list(LEFT)]
    assert sorted(t.signature for t in found) == [(), (-1,), (1,)]
    assert found[1].length == pytest.approx(2.0 * math.hypot(3.0, 0.5) + 5.0)
    assert taut(ONE, [LEFT]).length == 0.0
    assert taut(ONE, [LEFT, (2.0, 4.0), LEFT]).length == 0.0


def test_a_start_where_obstacles_touch_lies_on_both_sides():
    lintel = [(6.0, 3.0), (7.0, 5.0), (5.0, 5.0)]  # its tip touches the corner of the box
    world = PlanarWorld(BOUNDS, [box(4.0, 2.0, 6.0, 3.0), lintel])
    above, round_the_end = taut_tethers(world, (6.0, 3.0), (2.0, 3.0))
    assert above.length == 4.0
    assert round_the_end.points.tolist() == [[6.0, 3.0], [6.0, 2.0], [4.0, 2.0], [2.0, 3.0]]
    assert above.signature == round_the_end.signature == ()  # the word cannot tell the two sides apart


def test_where_there_is_no_way_there_is_no_tether():
    shut = PlanarWorld(BOUNDS, [box(4.0, 0.0, 5.0, 3.0), box(4.0, 3.0, 5.0, 5.0)])
    found = taut_tethers(shut, LEFT, RIGHT)
    assert len(found) == 0 and found.ended is Ended.ALL
    assert len(taut_tethers(ONE, LEFT, RIGHT, length_max=8.0)) == 0


def test_a_pocket_has_classes_of_its_own():
    walls = [
        box(3.0, 1.0, 7.0, 1.5),
        box(3.0, 3.5, 7.0, 4.0),
        box(3.0, 1.0, 3.5, 4.0),
        box(6.5, 1.0, 7.0, 4.0),
    ]
    world = PlanarWorld(BOUNDS, [*walls, box(4.5, 2.0, 5.5, 3.0)])
    inside = taut_tethers(world, (4.0, 2.5), (6.0, 2.5))
    assert [t.length for t in inside] == pytest.approx([1.0 + 2.0 * math.hypot(0.5, 0.5)] * 2)
    assert len({t.signature for t in taut_tethers(world, LEFT, RIGHT)}) == 2
    assert len(taut_tethers(world, LEFT, (4.0, 2.5))) == 0


def test_a_search_says_why_it_ended():
    assert taut_tethers(ONE, LEFT, RIGHT, count_max=2).ended is Ended.ALL
    some = taut_tethers(ONE, LEFT, RIGHT, count_max=1)
    assert some.ended is Ended.COUNT and len(some) == 1
    assert taut_tethers(ONE, LEFT, RIGHT, work_max=1).ended is Ended.WORK


def test_mistakes_are_refused():
    with pytest.raises(InputError, match="start"):
        taut_tethers(ONE, (5.0, 2.5), RIGHT)
    with pytest.raises(InputError, match="anchor"):
        taut_tethers(ONE, LEFT, (5.0, 9.0))
    with pytest.raises(InputError, match="between curve\\[1\\] and curve\\[2\\]"):
        taut(ONE, [LEFT, (2.0, 2.5), RIGHT])
    with pytest.raises(InputError, match="not free"):
        signature(ONE, [LEFT, (5.0, 2.5)])
    with pytest.raises(InputError, match="at least one point"):
        signature(ONE, np.empty((0, 2)))
    with pytest.raises(InputError, match="length_max"):
        taut_tethers(ONE, LEFT, RIGHT, length_max=-1.0)
    with pytest.raises(InputError, match="count_max"):
        taut_tethers(ONE, LEFT, RIGHT, count_max=0)
    at_a_corner = PlanarWorld(BOUNDS, [box(4.0, 1.5, 5.0, 2.5), box(5.0, 2.5, 6.0, 3.5)])
    with pytest.raises(InputError, match="no way between"):
        signature(at_a_corner, [(4.5, 3.0), (5.0, 2.5), (5.5, 2.0)])
