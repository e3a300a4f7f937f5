"""Edges and corners of polygons: what a segment crosses, how far it is, and how deep a point is inside."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tetherlab.planning.plan import Curve
from tetherlab.planning.problem import Point

TOUCH = 1e-3  # two things that are as near as this touch [m]


def cross(a: Curve, b: Curve) -> float:
    """The component that the vector product of two vectors of the plane has."""
    return float(a[0] * b[1] - a[1] * b[0])


def unit(vector: Curve) -> Curve:
    """Of a vector's direction."""
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12))


def mitre(to_last: Curve, to_next: Curve, radius: float) -> float:
    """How far the corner of a grown polygon is from the corner itself [m]."""
    half = 0.5 * math.acos(max(-1.0, min(1.0, float(to_last @ to_next))))
    return radius / max(math.sin(half), 1e-6)


def counter_clockwise(polygon: Sequence[Point]) -> Curve:
    """Corners of a polygon in this order."""
    ring = np.array(polygon, dtype=np.float64)
    after = np.roll(ring, -1, axis=0)
    area = float(np.sum(ring[:, 0] * after[:, 1] - ring[:, 1] * after[:, 0]))
    return ring if area > 0.0 else ring[::-1].copy()


def depth(point: Curve, polygon: Curve) -> float:
    """How deep a point is inside of a polygon; negative outside [m]."""
    after = np.roll(polygon, -1, axis=0)
    distance = float(np.linalg.norm(nearest_on_edges(point, polygon, after) - point, axis=1).min())
    above = (polygon[:, 1] > point[1]) != (after[:, 1] > point[1])
    rise = np.where(above, after[:, 1] - polygon[:, 1], 1.0)
    x = polygon[:, 0] + (point[1] - polygon[:, 1]) * (after[:, 0] - polygon[:, 0]) / rise
    return distance if np.count_nonzero(above & (x > point[0])) % 2 else -distance


def nearest_on_edges(point: Curve, starts: Curve, ends: Curve) -> Curve:
    """Points of edges that are nearest to a point, one of each."""
    along = ends - starts
    t = np.sum((point - starts) * along, axis=1) / np.maximum(np.sum(along * along, axis=1), 1e-300)
    return np.asarray(starts + np.clip(t, 0.0, 1.0)[:, None] * along)


def segment_distances(start: Curve, end: Curve, starts: Curve, ends: Curve) -> list[tuple[float, Curve]]:
    """Of a segment from edges: 0 at a crossing, else from an end of one of them to the other."""
    found = [(0.0, start + t * (end - start)) for t in crossings(start, end, starts, ends)]
    for point in (start, end):
        gaps = np.linalg.norm(nearest_on_edges(point, starts, ends) - point, axis=1)
        found.append((float(gaps.min()), point))
    for corner in starts:
        on = nearest_on_edges(corner, start[None], end[None])[0]
        found.append((float(np.linalg.norm(on - corner)), on))
    return found


def crossings(start: Curve, end: Curve, starts: Curve, ends: Curve) -> list[float]:
    """Where on a segment edges cross it, as fractions; parallel ones do not."""
    way, along = end - start, ends - starts
    below = way[0] * along[:, 1] - way[1] * along[:, 0]
    askew = np.abs(below) > 1e-12
    below = np.where(askew, below, 1.0)
    away = starts - start
    t = (away[:, 0] * along[:, 1] - away[:, 1] * along[:, 0]) / below
    s = (away[:, 0] * way[1] - away[:, 1] * way[0]) / below
    hit = askew & (t > -1e-9) & (t < 1.0 + 1e-9) & (s > -1e-9) & (s < 1.0 + 1e-9)
    return [float(min(1.0, max(0.0, value))) for value in t[hit]]


def cuts(start: Curve, end: Curve, starts: Curve, ends: Curve) -> list[float]:
    """Fractions of a segment between which nothing changes: its ends, crossings, and corners on it."""
    way = end - start
    size = max(float(way @ way), 1e-300)
    found = [0.0, 1.0, *crossings(start, end, starts, ends)]
    for corner in starts:
        t = float((corner - start) @ way) / size
        if 0.0 < t < 1.0 and np.linalg.norm(start + t * way - corner) < TOUCH:
            found.append(t)
    return sorted(found)


def inner_point(polygon: Curve, i: int) -> Point:
    """Well inside of a polygon: on the level between two corners that are far apart in height.

    A little off the middle, each polygon by another amount, so that no two rays are the same.
    """
    levels = np.unique(polygon[:, 1])
    widest = int(np.argmax(np.diff(levels)))
    z = 0.5 * float(levels[widest] + levels[widest + 1])
    after = np.roll(polygon, -1, axis=0)
    passes = (polygon[:, 1] > z) != (after[:, 1] > z)
    a, b = polygon[passes], after[passes]
    x = np.sort(a[:, 0] + (z - a[:, 1]) * (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1]))
    pair = 2 * int(np.argmax(x[1::2] - x[::2]))
    share = 0.5 + 0.003 * ((7 * i) % 31 - 15) + 1e-5 * i
    return float(x[pair] + share * (x[pair + 1] - x[pair])), z
