"""A curve pulled taut: the shortest one that it can be deformed into with its ends held."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.polygon import ON, convex_hull, cross
from tetherlab.planning.taut_tether import TautTether, taut_tether
from tetherlab.planning.visibility import Corners, bends, corners
from tetherlab.planning.words import free_curve

Array = NDArray[np.float64]


def taut(world: PlanarWorld, curve: ArrayLike) -> TautTether:
    """The taut tether of the class of a free curve through the points (n, 2).

    The curve is laid out point by point, and pulled taut after each: where it bends round nothing, the bend
    gives way towards the chord between its neighbours until it lies on the corners in between.
    """
    points = free_curve(world, curve)
    places = corners(world)
    line = [points[0]]
    for point in points[1:]:
        line.append(point)
        _pull(places, line)
    if len(line) == 1:
        line.append(points[-1])
    return taut_tether(world, np.array(line))


def _pull(places: Corners, line: list[Array]) -> None:
    """Pull a line of which all but the last bend is taut."""
    k = len(line) - 2
    while k > 0:
        if _holds(places, line[k - 1], line[k], line[k + 1]):
            k -= 1
            continue
        between = _given_way(places, line[k - 1], line[k], line[k + 1])
        line[k : k + 1] = between
        k = min(k + len(between), len(line) - 2)  # the bends on both sides of it may hold no longer


def _holds(places: Corners, u: Array, v: Array, w: Array) -> bool:
    """Whether the line u-v-w bends round what is solid at v."""
    near = np.flatnonzero(np.abs(places.points - v).max(axis=1, initial=0.0) <= ON)
    if len(near) == 0:
        return False
    side = int(places.side(near[:1], (v - u)[None])[0])
    return side != 0 and side == places.side(near[:1], (w - v)[None])[0] and bool(bends(side, v - u, w - v))


def _given_way(places: Corners, u: Array, v: Array, w: Array) -> list[Array]:
    """The corners that a line from u over v to w comes to lie on when v gives way."""
    turn = float(cross(v - u, w - v))
    longest = max(np.hypot(*(v - u)), np.hypot(*(w - v)))
    if abs(turn) <= ON * longest:
        return []
    sign = np.sign(turn)
    c = places.points
    inside = np.ones(len(c), dtype=bool)
    for a, b in ((u, v), (v, w), (w, u)):
        inside &= sign * cross(b - a, c - a) >= -ON * np.hypot(*(b - a))
        inside &= np.abs(c - a).max(axis=1, initial=0.0) > ON  # not u, v, w themselves
    if not inside.any():
        return []
    hull = convex_hull(np.concatenate((c[inside], u[None], w[None])))
    if sign < 0.0:
        hull = hull[::-1]
    # From u to w the hull goes round the side of v first.
    first = int(np.argmin(np.abs(hull - u).sum(axis=1)))
    hull = np.roll(hull, -first, axis=0)
    last = int(np.argmin(np.abs(hull - w).sum(axis=1)))
    return list(hull[1:last])
