"""The shape of a tether over time, at stations equally spaced in unstretched length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import STATION_COUNT

Array = NDArray[np.float64]
ROWS = 500  # that are worked out at once


class Stations:
    """What is cheap to copy of each row; positions and tensions at the stations when somebody asks."""

    def __init__(self, done: Array | None = None) -> None:
        """done: rows that there are already, as `rows` returns them."""
        self._kept: list[tuple[Array, Array, Array]] = []
        self._done = [] if done is None else [done]  # (rows, 4 STATION_COUNT) each

    def keep(self, nodes: Array, tension: Array, rest: Array) -> None:
        """One more row: nodes (n + 1, 3) [m], tension [N] and unstretched length [m] of elements (n,)."""
        self._kept.append((nodes.copy(), tension.copy(), rest.copy()))

    def rows(self) -> Array:
        """Positions, then tensions, of all rows, (rows, 4 STATION_COUNT)."""
        for group in _of_equal_size(self._kept):
            nodes, tension, rest = (np.array(arrays) for arrays in zip(*group, strict=True))
            self._done.append(_sampled(nodes, tension, rest))
        self._kept = []
        self._done = [np.concatenate([np.zeros((0, 4 * STATION_COUNT)), *self._done])]
        return self._done[0]


def _of_equal_size(rows: list[tuple[Array, Array, Array]]) -> list[list[tuple[Array, Array, Array]]]:
    """Rows one after another with as many nodes, and not too many at once."""
    groups: list[list[tuple[Array, Array, Array]]] = []
    for row in rows:
        if not groups or len(groups[-1][0][0]) != len(row[0]) or len(groups[-1]) == ROWS:
            groups.append([])
        groups[-1].append(row)
    return groups


def _sampled(nodes: Array, tension: Array, rest: Array) -> Array:
    """Of rows of as many nodes; the tension at a station is that of the element that it is in."""
    along = np.concatenate([np.zeros((len(rest), 1)), np.cumsum(rest, axis=1)], axis=1)
    stations = along[:, -1:] * np.linspace(0.0, 1.0, STATION_COUNT)
    element = (along[:, None, 1:-1] <= stations[:, :, None]).sum(axis=2)
    start = np.take_along_axis(along, element, axis=1)
    share = (stations - start) / np.take_along_axis(rest, element, axis=1)
    first, second = (np.take_along_axis(nodes, (element + k)[:, :, None], axis=1) for k in (0, 1))
    points = first + share[:, :, None] * (second - first)
    return np.hstack([points.reshape(len(points), -1), np.take_along_axis(tension, element, axis=1)])
