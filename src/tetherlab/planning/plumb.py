"""Straight up and down in the room of a robot's centre: where it stands, and how high it can rise."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.problem import Point

ROUNDING = 1e-9  # [m]
STEP = 0.02  # that a wheel takes [m]


def vertical_room(room: PlanarWorld, place: Point) -> tuple[float, float]:
    """Lowest and highest z that can be reached straight from a free place [m].

    room: as `PlanarWorld.inflated` makes it, with convex obstacles.
    """
    x, z = place
    low, high = room.bounds[1], room.bounds[3]
    for polygon in room.polygons:
        if not polygon[:, 0].min() + ROUNDING < x < polygon[:, 0].max() - ROUNDING:
            continue  # beside it, or along its side
        bottom, top = _section(polygon, x)
        if top <= z + ROUNDING:
            low = max(low, top)
        elif bottom >= z - ROUNDING:
            high = min(high, bottom)
    return low, high


def along_ground(
    room: PlanarWorld, start: Point, end: Point, slope: float, within: float = STEP
) -> NDArray[np.float64] | None:
    """The way of a robot that drives, at the bottom of the room of its centre, (n, 2); None: there is none.

    slope: steepest that it climbs [rad]. within: of the height of the end, in which the ground must be [m].
    """
    corners = np.concatenate([polygon[:, 0] for polygon in room.polygons] or [np.empty(0)])
    low, high = sorted((start[0], end[0]))
    between = np.unique(corners[(corners > low + ROUNDING) & (corners < high - ROUNDING)])
    way, steep = [start], math.tan(slope)
    for x in [*(between if end[0] >= start[0] else between[::-1]).tolist(), end[0]]:
        rise = steep * abs(x - way[-1][0]) + STEP
        above = (x, min(way[-1][1] + rise, room.bounds[3]))
        if not room.free(np.array([above]))[0]:
            return None
        place = (x, vertical_room(room, above)[0])
        if way[-1][1] - place[1] > rise or not room.visible(way[-1], place):
            return None  # a drop, or something in between
        way.append(place)
    return np.array(way) if abs(way[-1][1] - end[1]) <= within else None


def _section(polygon: NDArray[np.float64], x: float) -> tuple[float, float]:
    """Of a convex polygon at x: lowest and highest z [m]."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    across = (a[:, 0] <= x) != (b[:, 0] <= x)
    share = (x - a[across, 0]) / (b[across, 0] - a[across, 0])
    z = a[across, 1] + share * (b[across, 1] - a[across, 1])
    return float(z.min()), float(z.max())


def grown_corner(world: PlanarWorld, corner: Point, margin: float) -> Point:
    """Where the centre of a robot of this radius passes an upper corner: out by it to the side, and up [m].

    The side is the one on which the corner's obstacle is not.
    """
    x, z = corner
    beside = 1e-6
    right = bool(world.free(np.array([[x + beside, z - beside]]))[0])
    left = bool(world.free(np.array([[x - beside, z - beside]]))[0])
    aside = margin if right else -margin if left else 0.0
    return x + aside, z + margin
