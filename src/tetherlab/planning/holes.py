"""Obstacles that a tether can pass on either side: those that touch nothing that reaches the border."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.polygon import ON, pieces_meet

Array = NDArray[np.float64]


class Holes(NamedTuple):
    """From a point inside each hole a ray goes straight up. Sorted from left to right."""

    rays: Array  # where they begin [m], (k, 2)
    obstacle: NDArray[np.int64]  # one obstacle of each hole, in which its ray begins, (k,)


def holes(world: PlanarWorld) -> Holes:
    """One for each joined group of obstacles that does not touch the border."""
    polygons = world.polygons
    low, high = np.array(world.bounds[:2]), np.array(world.bounds[2:])
    groups = _groups(polygons)
    fixed = {
        group
        for group, polygon in zip(groups, polygons, strict=True)
        if (polygon < low + ON).any() or (polygon > high - ON).any()
    }
    chosen = [groups.index(group) for group in sorted(set(groups) - fixed)]
    corners = np.unique(np.concatenate([*polygons, [low, high]])[:, 0])
    rays = [_inside(polygons[k], corners, (i + 1.0) / (len(chosen) + 1.0)) for i, k in enumerate(chosen)]
    order = sorted(range(len(rays)), key=lambda i: rays[i])
    return Holes(
        np.array([rays[i] for i in order]).reshape(-1, 2),
        np.array([chosen[i] for i in order], dtype=np.int64),
    )


def _groups(polygons: tuple[Array, ...]) -> list[int]:
    """Number of the group of each obstacle: what touches belongs together."""
    group = list(range(len(polygons)))
    for i in range(len(polygons)):
        for j in range(i):
            if group[i] != group[j] and _touch(polygons[i], polygons[j]):
                old, new = group[i], group[j]
                group = [new if g == old else g for g in group]
    return group


def _touch(p: Array, q: Array) -> bool:
    """Whether two polygons have a point in common."""
    if (p.max(axis=0) < q.min(axis=0) - ON).any() or (q.max(axis=0) < p.min(axis=0) - ON).any():
        return False
    return (
        any(pieces_meet(p[i - 1], p[i], q[j - 1], q[j]) for i in range(len(p)) for j in range(len(q)))
        or _contains(p, q[0])
        or _contains(q, p[0])
    )


def _contains(polygon: Array, point: Array) -> bool:
    a, b = polygon, np.roll(polygon, -1, axis=0)
    spans = (a[:, 1] > point[1]) != (b[:, 1] > point[1])
    a, b = a[spans], b[spans]
    at = a[:, 0] + (point[1] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return bool((point[0] < at).sum() % 2)


def _inside(polygon: Array, corners: Array, share: float) -> tuple[float, float]:
    """A point well inside a polygon, at no corner's x. `share` of a gap between corners: no two rays meet."""
    within = corners[(corners >= polygon[:, 0].min()) & (corners <= polygon[:, 0].max())]
    widest = int(np.argmax(np.diff(within)))
    x = within[widest] + share * (within[widest + 1] - within[widest])
    a, b = polygon, np.roll(polygon, -1, axis=0)
    spans = (a[:, 0] > x) != (b[:, 0] > x)
    a, b = a[spans], b[spans]
    heights = np.sort(a[:, 1] + (x - a[:, 0]) / (b[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1]))
    tallest = 2 * int(np.argmax(heights[1::2] - heights[::2]))
    return float(x), float(0.5 * (heights[tallest] + heights[tallest + 1]))
