"""Navigation functions on cells: 0 at a goal, 1 at everything that must not be touched, and no other hollow.

`harmonic` solves Laplace's equation: no cell can be lower than all its neighbours. `rimon_koditschek` is the
function of the paper, which has hollows of its own unless its exponent is large enough for the world.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import spsolve

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.planning.cells import Cells, Mask
from tetherlab.planning.problem import Point

Values = NDArray[np.float64]  # of each cell, 1 where there is no room


def harmonic(cells: Cells, room: Mask, goal: Point) -> Values:
    """The chance that a walk at random leaves the room before it comes to the goal.

    room: cells that may be walked in. Cells from which no way leads to the goal have the value 1.
    """
    target = _goal_cell(cells, room, goal)
    values = np.ones(len(cells))
    values[target] = 0.0
    part = cells.supercells(room)
    inside = np.flatnonzero((part == part[target]) & (np.arange(len(cells)) != target))
    if len(inside) == 0:
        return values
    number = np.full(len(cells), -1)
    number[inside] = np.arange(len(inside))
    rows, columns, known = [np.arange(len(inside))], [np.arange(len(inside))], np.zeros(len(inside))
    entries = [np.ones(len(inside))]
    for neighbours, exists in _four_neighbours(cells, inside):
        value = np.where(exists, values[neighbours], 1.0)  # beyond the border
        unknown = exists & (number[neighbours] >= 0)
        known += 0.25 * np.where(unknown, 0.0, value)
        rows.append(np.flatnonzero(unknown))
        columns.append(number[neighbours[unknown]])
        entries.append(np.full(int(unknown.sum()), -0.25))
    matrix = csr_matrix(
        (np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), shape=(len(inside),) * 2
    )
    values[inside] = np.clip(spsolve(matrix, known), 0.0, 1.0)
    return values


def rimon_koditschek(cells: Cells, room: Mask, goal: Point, exponent: float = 4.0) -> Values:
    """phi = d² / (d^(2k) + beta)^(1/k): d the distance to the goal, beta the room there squared, both scaled.

    With the room to the nearest obstacle in place of a product over round ones, so that it takes any world.
    """
    target = _goal_cell(cells, room, goal)
    k = check.positive("exponent", exponent)
    size = float(np.ptp(cells.centres, axis=0).max())
    distance = np.hypot(*(cells.centres - cells.centres[target]).T) / size
    beta = (cells.world.clearance(cells.centres) / size) ** 2
    values = np.ones(len(cells))
    with np.errstate(divide="ignore", invalid="ignore"):
        values[room] = (distance**2 / (distance ** (2.0 * k) + beta) ** (1.0 / k))[room]
    values[target] = 0.0
    return np.clip(np.nan_to_num(values, nan=1.0), 0.0, 1.0)


def hollows(cells: Cells, room: Mask, values: Values) -> NDArray[np.int64]:
    """Cells of the room that are lower than their four neighbours, (n,); there should be one: the goal."""
    inside = np.flatnonzero(room & (values < 1.0))
    lowest = np.ones(len(inside), dtype=bool)
    for neighbours, exists in _four_neighbours(cells, inside):
        lowest &= ~exists | (values[neighbours] > values[inside])
    return inside[lowest]


def _four_neighbours(cells: Cells, of: NDArray[np.int64]) -> list[tuple[NDArray[np.int64], Mask]]:
    """Neighbours to the left, right, below and above, and whether there is one."""
    row, column = np.divmod(of, cells.columns)
    found = []
    for down, right in ((0, -1), (0, 1), (-1, 0), (1, 0)):
        exists = (
            (row + down >= 0)
            & (row + down < cells.rows)
            & (column + right >= 0)
            & (column + right < cells.columns)
        )
        neighbour = np.where(exists, of + down * cells.columns + right, of)
        found.append((neighbour, exists))
    return found


def _goal_cell(cells: Cells, room: Mask, goal: Point) -> int:
    target = cells.at(goal)
    if not room[target]:
        raise InputError(f"goal ({goal[0]:g}, {goal[1]:g}) is in a cell without room")
    return target
