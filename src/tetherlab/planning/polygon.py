"""Polygons of the plane: whether they are simple, and cut, grown or clipped into convex parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ON = 1e-9  # points nearer than this are one point, or lie on the line [m]


def cross(a: Array, b: Array) -> Array:
    """a x b: positive if b lies to the left of a."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def area(polygon: Array) -> float:
    """Positive if the vertices go round counter-clockwise [m^2]."""
    p = polygon - polygon[0]
    return 0.5 * float(cross(p, np.roll(p, -1, axis=0)).sum())


def is_simple(polygon: Array) -> bool:
    """Whether no side meets another one, but for the corner that neighbours share."""
    n = len(polygon)
    a, b = polygon, np.roll(polygon, -1, axis=0)
    for i in range(n):
        d = b[i] - a[i]
        length = float(np.hypot(*d))
        if length < ON:
            return False
        back = a[i - 1] - a[i]
        if abs(cross(d, back)) < ON * length and d @ back > 0.0:
            return False  # folded back upon itself
        for j in range(i + 2, n):
            if (j + 1) % n != i and pieces_meet(a[i], b[i], a[j], b[j]):
                return False
    return True


def pieces_meet(a: Array, b: Array, c: Array, d: Array) -> bool:
    """Whether two straight pieces cross or touch."""
    ab, cd = b - a, d - c
    a_side, b_side = cross(cd, a - c), cross(cd, b - c)
    c_side, d_side = cross(ab, c - a), cross(ab, d - a)
    if a_side * b_side < 0.0 and c_side * d_side < 0.0:
        return True
    touches = ((a, c, d), (b, c, d), (c, a, b), (d, a, b))
    return any(distance_to_piece(p, q, r) < ON for p, q, r in touches)


def distance_to_piece(p: Array, a: Array, b: Array) -> float:
    """Distance of a point to the straight piece from a to b [m]."""
    d = b - a
    square = float(d @ d)
    t = min(max(float((p - a) @ d) / square, 0.0), 1.0) if square > 0.0 else 0.0
    return float(np.hypot(*(a + t * d - p)))


def is_convex(polygon: Array) -> bool:
    """Of a simple polygon that goes round counter-clockwise."""
    sides = np.roll(polygon, -1, axis=0) - polygon
    return bool((cross(sides, np.roll(sides, -1, axis=0)) >= 0.0).all())


def convex_parts(polygon: Array) -> list[Array]:
    """The polygon itself if it is convex, triangles that cover it otherwise (by cutting off ears)."""
    if is_convex(polygon):
        return [polygon]
    left = list(range(len(polygon)))
    parts = []
    while len(left) > 3:
        ear = next((k for k in range(len(left)) if _is_ear(polygon, left, k)), 0)
        triangle = polygon[[left[ear - 1], left[ear], left[(ear + 1) % len(left)]]]
        if area(triangle) > 0.0:
            parts.append(triangle)
        del left[ear]
    return [*parts, polygon[left]]


def _is_ear(polygon: Array, left: list[int], k: int) -> bool:
    """Whether corner k can be cut off: it is convex, and no other corner lies in what is cut."""
    i, j, m = left[k - 1], left[k], left[(k + 1) % len(left)]
    a, b, c = polygon[i], polygon[j], polygon[m]
    if cross(b - a, c - b) < 0.0:
        return False
    others = polygon[[n for n in left if n not in (i, j, m)]]
    inside = (cross(b - a, others - a) >= 0.0) & (cross(c - b, others - b) >= 0.0)
    return not (inside & (cross(a - c, others - c) >= 0.0)).any()


def convex_hull(points: Array) -> Array:
    """Counter-clockwise, without points between corners (Andrew's chain)."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))]
    return np.array([*_lower(ordered), *_lower(ordered[::-1])])


def _lower(ordered: Array) -> list[Array]:
    chain: list[Array] = []
    for p in ordered:
        while len(chain) > 1 and cross(chain[-1] - chain[-2], p - chain[-1]) <= 0.0:
            chain.pop()
        chain.append(p)
    return chain[:-1]


def grown(convex: Array, margin: float) -> Array:
    """Every point of a convex polygon widened to a square of half side `margin`."""
    square = margin * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    return convex_hull((convex[:, None] + square[None]).reshape(-1, 2))


def clipped(convex: Array, bounds: tuple[float, float, float, float]) -> Array:
    """What of a convex polygon lies within the bounds; no points if nothing does."""
    x_min, z_min, x_max, z_max = bounds
    for axis, sign, limit in ((0, 1.0, x_min), (0, -1.0, -x_max), (1, 1.0, z_min), (1, -1.0, -z_max)):
        kept = []
        inside = sign * convex[:, axis] - limit
        for k in range(len(convex)):
            if inside[k - 1] * inside[k] < 0.0:
                share = inside[k - 1] / (inside[k - 1] - inside[k])
                point = convex[k - 1] + share * (convex[k] - convex[k - 1])
                point[axis] = sign * limit
                kept.append(point)
            if inside[k] >= 0.0:
                kept.append(convex[k])
        convex = np.array(kept).reshape(-1, 2)
    return convex
