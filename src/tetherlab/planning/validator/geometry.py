"""Discs, polygons and ropes in a vertical plane, as the judge of plans sees them.

Distances are exact (segments against edges). Nothing is shared with the planners, on purpose.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from tetherlab.planning.plan import Curve
from tetherlab.planning.problem import Box, Point
from tetherlab.planning.validator.edges import (
    TOUCH,
    counter_clockwise,
    cross,
    cuts,
    depth,
    inner_point,
    mitre,
    nearest_on_edges,
    segment_distances,
    unit,
)

TURN_MIN = 1e-4  # a rope that turns by less is straight [rad]


def length(curve: Curve) -> float:
    """Of a polyline [m]."""
    return float(np.linalg.norm(np.diff(curve, axis=0), axis=1).sum())


def samples(curve: Curve, step: float) -> Curve:
    """Points of a polyline that are not further apart than `step` [m], its vertices among them."""
    found = [curve[:1]]
    for start, end in pairwise(curve):
        n = max(1, math.ceil(float(np.linalg.norm(end - start)) / step))
        found.append(start + (end - start) * (np.arange(1, n + 1) / n)[:, None])
    return np.vstack(found)


def simplified(curve: Curve) -> Curve:
    """Without repeated points and without vertices at which it goes straight on."""
    kept = [curve[0]]
    for point in curve[1:]:
        if np.linalg.norm(point - kept[-1]) > 1e-9:
            kept.append(point)
    i = 1
    while i < len(kept) - 1:
        if turn(kept[i - 1], kept[i], kept[i + 1]) < TURN_MIN:
            del kept[i]
        else:
            i += 1
    return np.array(kept)


def turn(before: Curve, at: Curve, after: Curve) -> float:
    """By which angle a polyline changes its direction [rad]."""
    arrives, leaves = at - before, after - at
    return abs(math.atan2(cross(arrives, leaves), float(arrives @ leaves)))


def bends(curve: Curve) -> float:
    """Sum of the angles by which a polyline turns [rad]."""
    return sum(turn(*curve[i - 1 : i + 2]) for i in range(1, len(curve) - 1))


def presses_down(curve: Curve, i: int) -> bool:
    """Whether a taut rope pulls the corner at its vertex `i` downwards: one can hang from such a bend."""
    return float(unit(curve[i - 1] - curve[i])[1] + unit(curve[i + 1] - curve[i])[1]) < -1e-9


class Plane:
    """A rectangle with polygons in it."""

    def __init__(self, bounds: Box, obstacles: Sequence[Sequence[Point]]):
        self.bounds = bounds  # [m]
        self.polygons: list[Curve] = [counter_clockwise(polygon) for polygon in obstacles]
        x_min, z_min, x_max, z_max = bounds
        frame = np.array([(x_min, z_min), (x_max, z_min), (x_max, z_max), (x_min, z_max)])
        rings = [frame, *self.polygons]
        self.starts = np.vstack(rings)  # of all edges, the frame's first
        self.ends = np.vstack([np.roll(ring, -1, axis=0) for ring in rings])
        self._marks = [inner_point(polygon, i) for i, polygon in enumerate(self.polygons)]

    # discs

    def clearance(self, curve: Curve) -> tuple[float, Curve]:
        """Least distance of a polyline from everything [m], and where; 0 where it is inside of something."""
        for point in curve:
            if not self.is_free(point):
                return 0.0, point
        if len(curve) == 1:
            curve = np.vstack([curve, curve])
        nearest, where = math.inf, curve[0]
        for start, end in pairwise(curve):
            for distance, point in segment_distances(start, end, self.starts, self.ends):
                if distance < nearest:
                    nearest, where = distance, point
        return nearest, where

    def is_free(self, point: Curve) -> bool:
        """Whether a point is in the rectangle and in no polygon; their edges are free."""
        x_min, z_min, x_max, z_max = self.bounds
        x, z = point
        if x < x_min - TOUCH or x > x_max + TOUCH or z < z_min - TOUCH or z > z_max + TOUCH:
            return False
        return all(depth(point, polygon) <= TOUCH for polygon in self.polygons)

    def stands(self, point: Curve, radius: float, slope: float, gap: float) -> bool:
        """Whether a disc touches something whose direction is within `slope` of straight down [rad].

        A distance of `gap` from its rim counts as touching [m].
        """
        to = nearest_on_edges(point, self.starts, self.ends) - point
        distance = np.linalg.norm(to, axis=1)
        down = np.arctan2(np.abs(to[:, 0]), -to[:, 1])
        return bool(np.any((distance <= radius + gap) & (down <= slope + 1e-6)))

    # ropes

    def crossed(self, curve: Curve) -> Curve | None:
        """A point at which a rope is in an obstacle, or squeezed in where two touch; None if it is free."""
        for start, end in pairwise(curve):
            pieces = cuts(start, end, self.starts, self.ends)
            for first, last in pairwise(pieces):
                middle = start + 0.5 * (first + last) * (end - start)
                in_crack = (last - first) * np.linalg.norm(end - start) > TOUCH and self._touching(middle) > 1
                if not self.is_free(middle) or in_crack:
                    return middle
        return None

    def _touching(self, point: Curve) -> int:
        """How many polygons a point touches; the frame counts as one."""
        x_min, z_min, x_max, z_max = self.bounds
        at_frame = min(point[0] - x_min, x_max - point[0], point[1] - z_min, z_max - point[1]) < TOUCH
        return int(at_frame) + sum(depth(point, polygon) > -TOUCH for polygon in self.polygons)

    def slack_bend(self, curve: Curve, radius: float = 0.0) -> Curve | None:
        """A bend for which there is no corner inside of it, so that the polyline could be shorter; else None.

        Of the way of a disc, if its radius is given: then the corner is a mitre away at most [m].
        """
        curve = simplified(curve)
        for i in range(1, len(curve) - 1):
            if not self._is_held(curve[i - 1], curve[i], curve[i + 1], radius):
                return curve[i]
        return None

    def _is_held(self, before: Curve, at: Curve, after: Curve, radius: float) -> bool:
        arm, other = unit(before - at), unit(after - at)
        side = math.copysign(1.0, cross(arm, other))

        def inside(direction: Curve) -> bool:
            return side * cross(arm, direction) >= -TOUCH and side * cross(direction, other) >= -TOUCH

        for polygon in self.polygons:
            for k, corner in enumerate(polygon):
                to_last = unit(polygon[k - 1] - corner)
                to_next = unit(polygon[(k + 1) % len(polygon)] - corner)
                if cross(to_next, to_last) <= 0.0:
                    continue  # re-entrant
                reach = max(math.sqrt(2.0) * radius, mitre(to_last, to_next, radius)) + TOUCH
                away = corner - at
                if np.linalg.norm(away) > reach:
                    continue
                if inside(to_last) and inside(to_next) and (radius == 0.0 or inside(unit(away))):
                    return True
        return False

    def grown_corners(self, corner: Point, radius: float) -> Curve:
        """Where a disc may be that has come up to a corner: at the mitre, or moved out along x and z."""
        found = [np.array(corner) + radius * np.array((i, j)) for i in (-1.0, 1.0) for j in (-1.0, 1.0)]
        for polygon in self.polygons:
            for k, vertex in enumerate(polygon):
                if np.linalg.norm(vertex - corner) <= TOUCH:
                    to_last = unit(polygon[k - 1] - vertex)
                    to_next = unit(polygon[(k + 1) % len(polygon)] - vertex)
                    sine = cross(to_next, to_last)
                    if sine > 0.0:
                        found.append(vertex - (to_last + to_next) * radius / sine)
        return np.array(found)

    def faces_at(self, corner: Point) -> list[tuple[Curve, Curve]]:
        """Edges that end at a corner: from the corner to the other end."""
        found = []
        for polygon in self.polygons:
            for k, vertex in enumerate(polygon):
                if np.linalg.norm(vertex - corner) <= TOUCH:
                    found += [(vertex, polygon[k - 1]), (vertex, polygon[(k + 1) % len(polygon)])]
        return found

    def word(self, curve: Curve) -> tuple[int, ...]:
        """Homotopy class of a polyline among those with the same ends.

        Each obstacle sends a ray straight up; crossing ray i to the right is the letter i+1, to the left
        -(i+1); a letter and its inverse side by side cancel.
        """
        found: list[int] = []
        for start, end in pairwise(curve):
            passed = []
            for i, (x, z) in enumerate(self._marks):
                if (start[0] < x) == (end[0] < x):
                    continue
                t = (x - start[0]) / (end[0] - start[0])
                if start[1] + t * (end[1] - start[1]) > z:
                    passed.append((t, i + 1 if start[0] < end[0] else -i - 1))
            for _, letter in sorted(passed):
                if found and found[-1] == -letter:
                    found.pop()
                else:
                    found.append(letter)
        return tuple(found)
