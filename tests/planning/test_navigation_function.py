"""Navigation functions have one hollow, and the harmonic one is what a walk at random says."""

import numpy as np
import pytest
from window_world import box

from tetherlab import InputError
from tetherlab.planning.cells import Cells
from tetherlab.planning.navigation_function import harmonic, hollows, rimon_koditschek
from tetherlab.planning.planar import PlanarWorld

WORLD = PlanarWorld((-2.0, -2.0, 2.0, 2.0), [box(-0.2, -2.0, 0.2, 0.2), box(-0.3, 0.9, 0.3, 1.3)])
GOAL = (-1.1, -1.5)


@pytest.mark.parametrize("count", [20, 60])
def test_the_harmonic_one_has_one_hollow(count: int) -> None:
    cells = Cells(WORLD, count)
    room = cells.room(0.1)
    values = harmonic(cells, room, GOAL)
    assert hollows(cells, room, values).tolist() == [cells.at(GOAL)]
    assert values[cells.at(GOAL)] == 0.0 and (values[~room] == 1.0).all()


def test_it_is_the_mean_of_its_neighbours() -> None:
    cells = Cells(WORLD, 40)
    room = cells.room(0.1)
    values = harmonic(cells, room, GOAL).reshape(cells.rows, cells.columns)
    padded = np.pad(values, 1, constant_values=1.0)
    mean = 0.25 * (padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:])
    inside = room.reshape(values.shape) & (values > 0.0)
    np.testing.assert_allclose(values[inside], mean[inside], atol=1e-10)


def test_a_walk_at_random_agrees() -> None:
    """In a row of cells the chance to come to the goal first is the share of the way."""
    cells = Cells(PlanarWorld((0.0, 0.0, 10.0, 1.0)), 10)
    room = np.ones(len(cells), dtype=bool)
    values = harmonic(cells, room, (5.5, 0.5))
    rates = np.log((1 - values[5:-1]) / (1 - values[6:]))
    assert (np.diff(values[5:]) > 0.0).all() and (rates > 0.0).all()


def test_where_no_way_leads_it_is_one() -> None:
    closed = PlanarWorld((-2.0, -2.0, 2.0, 2.0), [box(-0.2, -2.0, 0.2, 2.0)])
    cells = Cells(closed, 40)
    values = harmonic(cells, cells.room(0.1), GOAL)
    assert (values[cells.centres[:, 0] > 0.3] == 1.0).all()
    assert (values[cells.centres[:, 0] < -0.5] < 1.0).any()


def test_the_papers_function_may_have_hollows() -> None:
    cells = Cells(WORLD, 40)
    room = cells.room(0.1)
    values = rimon_koditschek(cells, room, GOAL)
    assert values[cells.at(GOAL)] == 0.0 and values.min() == 0.0 and values.max() == 1.0
    assert cells.at(GOAL) in hollows(cells, room, values)


def test_a_goal_without_room_is_refused() -> None:
    cells = Cells(WORLD, 40)
    with pytest.raises(InputError, match="cell without room"):
        harmonic(cells, cells.room(0.1), (0.0, -1.0))
