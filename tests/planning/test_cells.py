"""Cells and supercells: ground is below, walls are not ground, and nothing leads through a thin wall."""

import math

import numpy as np
import pytest
from window_world import box

from tetherlab import InputError
from tetherlab.planning.cells import Cells
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.plumb import along_ground, grown_corner, vertical_room

BOUNDS = (-2.0, -2.0, 2.0, 2.0)
SLOPE = math.radians(20.0)


@pytest.mark.parametrize("count", [20, 40, 80, 160])
def test_a_wall_is_no_ground(count: int) -> None:
    world = PlanarWorld(BOUNDS, [box(-0.2, -2.0, 0.2, 0.2)])
    cells = Cells(world, count)
    ground = cells.supercells(cells.ground(0.1, SLOPE))
    left, right, top = (ground[cells.at(place)] for place in ((-1.0, -1.9), (1.0, -1.9), (0.0, 0.3)))
    assert min(left, right, top) >= 0 and len({left, right, top}) == 3
    assert ground.max() == 2


@pytest.mark.parametrize("count", [8, 20, 33])
def test_nothing_leads_through_a_thin_wall(count: int) -> None:
    world = PlanarWorld(BOUNDS, [box(0.01, -2.0, 0.02, 2.0)])
    cells = Cells(world, count)
    parts = cells.supercells(cells.room(0.0))
    assert parts[cells.at((-1.0, 0.0))] != parts[cells.at((1.0, 0.0))]


def test_a_centre_on_a_side_stands_only_if_the_side_looks_up() -> None:
    cells = Cells(PlanarWorld(BOUNDS, [box(-0.3, 0.9, 0.3, 1.3)]), 20)  # centres lie on all four sides
    ground = cells.ground(0.1, SLOPE)
    beside = [(-0.3, 1.1), (0.3, 1.1), (-0.1, 0.9), (0.1, 0.9), (-0.3, 0.9), (0.3, 0.9)]
    assert not ground[[cells.at(place) for place in beside]].any()
    assert ground[[cells.at(place) for place in ((-0.1, 1.3), (0.1, 1.3), (0.0, -1.9))]].all()


def test_a_ramp_is_ground_as_far_as_one_can_climb_it() -> None:
    ramp = [(-1.0, -2.0), (1.0, -2.0), (1.0, -1.5)]  # 14 degrees
    cells = Cells(PlanarWorld(BOUNDS, [ramp]), 80)
    for slope, climbs in ((20.0, True), (10.0, False)):
        ground = cells.supercells(cells.ground(0.1, math.radians(slope)))
        low, high = ground[cells.at((-1.8, -1.9))], ground[cells.at((0.5, -1.53))]
        assert bool(low == high and low >= 0) is climbs


def test_a_hinge_is_seen_past_corners() -> None:
    cells = Cells(PlanarWorld(BOUNDS, [box(-0.2, -2.0, 0.2, 0.2)]), 40)
    seen = cells.seeing((-1.1, 1.5))
    assert seen[cells.at((-1.1, -1.9))] and seen[cells.at((0.3, 0.4))]
    assert not seen[cells.at((0.5, -1.9))] and not seen[cells.at((0.0, 0.0))]


def test_up_and_down() -> None:
    room = PlanarWorld(BOUNDS, [box(-0.2, -2.0, 0.2, 0.2), box(-0.3, 0.9, 0.3, 1.3)]).inflated(0.1)
    assert vertical_room(room, (0.0, 0.5)) == pytest.approx((0.3, 0.8))
    assert vertical_room(room, (1.0, 0.5)) == pytest.approx((-1.9, 1.9))
    assert vertical_room(room, (0.3, 0.0)) == pytest.approx((-1.9, 0.8))  # along the side of the wall


def test_a_drive_follows_the_ground() -> None:
    ramp = [(-1.0, -2.0), (1.0, -2.0), (1.0, -1.5)]
    room = PlanarWorld(BOUNDS, [ramp]).inflated(0.1)
    way = along_ground(room, (-1.8, -1.9), (0.5, -1.5), SLOPE)
    assert way is not None
    assert (np.diff(way[:, 0]) > 0.0).all() and way[-1][1] == pytest.approx(-1.5, abs=0.02)
    assert along_ground(room, (-1.8, -1.9), (1.5, -1.9), SLOPE) is None  # down the step behind it


def test_the_grown_corner_is_on_the_free_side() -> None:
    world = PlanarWorld(BOUNDS, [box(-0.2, -2.0, 0.2, 0.2)])
    assert grown_corner(world, (0.2, 0.2), 0.1) == pytest.approx((0.3, 0.3))
    assert grown_corner(world, (-0.2, 0.2), 0.1) == pytest.approx((-0.3, 0.3))


def test_too_few_cells_are_refused() -> None:
    with pytest.raises(InputError, match="cells must be a whole number >= 2"):
        Cells(PlanarWorld(BOUNDS), 1)
