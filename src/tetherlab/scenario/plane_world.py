"""The world of a vertical plane: polygons become solids that reach far to both sides of it."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.planning.problem import Point, Problem
from tetherlab.world import World
from tetherlab.world.shapes import Box, Intersection, Plane, Shape, Union

Vector = NDArray[np.float64]
HALF_WIDTH = 2.0  # of obstacles, across the plane [m]
FLAT = 1e-9
SIDES = {
    "floor": (1, (0.0, 0.0, 1.0)),
    "left": (0, (1.0, 0.0, 0.0)),
    "right": (2, (-1.0, 0.0, 0.0)),
    "ceiling": (3, (0.0, 0.0, -1.0)),
}


def plane_world(
    problem: Problem, *, half_width: float = HALF_WIDTH, sides: Iterable[str] = tuple(SIDES)
) -> World:
    """Floor, ceiling, both sides, or some of these, and all obstacles; half_width: across the plane [m]."""
    shapes: list[Shape] = []
    for name in sides:
        k, normal = SIDES[name]
        point = np.abs(normal) * problem.bounds[k]
        shapes.append(Plane(point=point, normal=normal, name=name))
    for i, polygon in enumerate(problem.obstacles):
        shapes.append(solid(f"obstacle_{i}", np.asarray(polygon, float), half_width))
    return World(shapes)


def solid(name: str, polygon: Sequence[Point] | Vector, half_width: float = HALF_WIDTH) -> Shape:
    """A polygon (n, 2), convex or with sides along the axes only [m]."""
    points = np.asarray(polygon, float)
    edges = np.roll(points, -1, axis=0) - points
    along_axes = bool(np.all(np.abs(edges).min(axis=1) < FLAT))
    turns = edges[:, 0] * np.roll(edges[:, 1], -1) - edges[:, 1] * np.roll(edges[:, 0], -1)
    if along_axes:
        boxes = _boxes(points)
        if len(boxes) == 1:
            return _box(boxes[0], name, half_width)
        return Union(shapes=[_box(box, "", half_width) for box in boxes], name=name)
    if np.all(turns >= -FLAT) or np.all(turns <= FLAT):
        return _convex(name, points, edges, float(np.sign(turns.sum())), half_width)
    raise InputError(f"{name}: a polygon must be convex, or have all its sides along the axes")


def _convex(name: str, points: Vector, edges: Vector, sense: float, half_width: float) -> Shape:
    """What the box about a convex polygon has in common with the half spaces behind its oblique sides."""
    parts: list[Shape] = [_box((*points.min(axis=0), *points.max(axis=0)), "", half_width)]
    for point, edge in zip(points, edges, strict=True):
        if np.abs(edge).min() > FLAT:
            outward = sense * np.array([edge[1], 0.0, -edge[0]])
            parts.append(Plane(point=(point[0], 0.0, point[1]), normal=outward))
    return Intersection(shapes=parts, name=name)


def _box(box: Sequence[float], name: str, half_width: float) -> Box:
    x0, z0, x1, z1 = box
    return Box(lower=(x0, -half_width, z0), upper=(x1, half_width, z1), name=name)


def _boxes(points: Vector) -> list[tuple[float, float, float, float]]:
    """That fill a polygon whose sides are along the axes: one for each run of its columns."""
    xs, boxes = np.unique(points[:, 0]), []
    after = np.roll(points, -1, axis=0)
    for x0, x1 in pairwise(xs.tolist()):
        middle = 0.5 * (x0 + x1)
        across = (points[:, 0] - middle) * (after[:, 0] - middle) < 0.0
        for z0, z1 in np.sort(points[across, 1]).reshape(-1, 2):
            boxes.append((float(x0), float(z0), float(x1), float(z1)))
    return boxes
