"""Whether a tether that starts as a polygon lies in an obstacle, however thin."""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import kernel, njit
from tetherlab.world.ask import nearest
from tetherlab.world.world import World

OUTSIDE = 0.5  # radii, by which inner nodes and the middles of elements lie outside of everything
FINEST = 0.1  # radii: an obstacle thicker than this is met


def first_inside(
    nodes: NDArray[np.float64], radius: float, world: World
) -> tuple[NDArray[np.float64], str] | None:
    """The first place (3,) where a polygon (n, 3) lies in an obstacle, and the obstacle's name.

    Between nodes and middles it may touch, as the chords of a shape that bends round something do, but not
    run through. Next to its ends, which may be tied to something, it may lie as deep as they do.
    """
    halves = np.empty((2 * len(nodes) - 1, 3))
    halves[::2], halves[1::2] = nodes, 0.5 * (nodes[1:] + nodes[:-1])
    depths = np.minimum(np.asarray(world.distance(nodes[[0, -1]])), 0.0)
    where = np.zeros(3)
    who = _walk(world.field, halves, depths, radius, where)
    return None if who < 0 else (where, world.names[who])


def cutting_elements(nodes: NDArray[np.float64], radius: float, world: World) -> NDArray[np.bool_]:
    """Which elements of a polygon (n, 3) come closer to an obstacle than half a radius, (n - 1,)."""
    cuts = np.zeros(len(nodes) - 1, np.bool_)
    _cut(world.field, nodes, OUTSIDE * radius, FINEST * radius, cuts)
    return cuts


@njit(cache=True, nogil=True)
def _cut(field, nodes, outside, finest, cuts):
    where = np.zeros(3)
    for i in range(cuts.shape[0]):
        cuts[i] = _meet(field, nodes[i], nodes[i + 1], outside, outside, finest, where) >= 0


@njit(cache=True, nogil=True)
def _walk(field, points, depths, radius, where):
    """Number of the first obstacle met, -1: none."""
    finest, last = FINEST * radius, points.shape[0] - 2
    for i in range(last + 1):
        floor = (depths[0] if i == 0 else depths[1] if i == last else 0.0) - finest
        first = OUTSIDE * radius if i > 0 else floor
        who = _meet(field, points[i], points[i + 1], first, floor, finest, where)
        if who >= 0:
            return who
    return -1


@kernel
def _meet(field, p, q, first, floor, finest, where):
    """Number of the obstacle to which a line from p to q comes closer than `floor`, or p than `first` [m].

    -1: none. The distance to the nearest obstacle is a step that passes none.
    """
    length = math.sqrt((q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2 + (q[2] - p[2]) ** 2)
    way = 0.0
    while way < length:
        for k in range(3):
            where[k] = p[k] + way / length * (q[k] - p[k])
        d, _, _, _, who = nearest(field, where[0], where[1], where[2])
        if d < (first if way == 0.0 else floor):
            return who
        way += max(d - max(floor, 0.0), finest)
    return -1
