"""Shapes become a `Field`: one row per shape, and what a query needs to know of each object."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.world import primitives as P
from tetherlab.world import shapes as S
from tetherlab.world.field import Field

PARAMETER_COUNT = 19
IDENTITY_POSE = np.array([1.0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])


class _Table:
    """The growing table of nodes while a world is packed."""

    def __init__(self) -> None:
        self.nodes: list[list[int]] = []
        self.parameters: list[NDArray[np.float64]] = []
        self.lattices: list[NDArray[np.float32]] = []
        self.voxel_count = 0

    def add(self, shape: S.Shape) -> int:
        """Append a shape with all its parts; the row of its root."""
        kind, parameters, parts = self._describe(shape)
        row = np.zeros(PARAMETER_COUNT)
        row[: len(parameters)] = parameters
        root = len(self.nodes)
        self.nodes.append([kind, -1, -1])
        self.parameters.append(row)
        children = [self.add(part) for part in parts]
        if children:
            self.nodes[root][1] = children[0]
        for child, sibling in itertools.pairwise(children):
            self.nodes[child][2] = sibling
        return root

    def _store(self, numbers: NDArray[np.float32]) -> int:
        """Append numbers to the flat array; the place of the first."""
        first = self.voxel_count
        self.lattices.append(numbers)
        self.voxel_count += numbers.size
        return first

    def _describe(self, shape: S.Shape) -> tuple[int, NDArray[np.float64], Sequence[S.Shape]]:
        """Kind, parameters and parts of one shape. A new shape adds its case here and in `bounding_ball`."""
        nothing = np.empty(0)
        match shape:
            case S.Plane():
                return P.PLANE, np.append(shape.normal, np.dot(shape.normal, shape.point)), ()
            case S.Sphere():
                return P.SPHERE, np.append(shape.center, shape.radius), ()
            case S.Box():
                lower, upper = np.asarray(shape.lower), np.asarray(shape.upper)
                return P.BOX, np.concatenate([(lower + upper) / 2, (upper - lower) / 2]), ()
            case S.OrientedBox():
                R_OB = matrix_from_quaternion(np.asarray(shape.rotation))
                half = np.asarray(shape.size) / 2
                return P.ORIENTED_BOX, np.concatenate([shape.center, half, R_OB.ravel()]), ()
            case S.Cylinder() | S.Capsule():
                start, end = np.asarray(shape.start), np.asarray(shape.end)
                length = np.linalg.norm(end - start)
                axis = (end - start) / length
                kind = P.CYLINDER if isinstance(shape, S.Cylinder) else P.CAPSULE
                return kind, np.concatenate([(start + end) / 2, axis, [length / 2, shape.radius]]), ()
            case S.VoxelGrid():
                first = self._store(shape.values.ravel())
                counts = shape.values.shape
                hull = _hull(shape)
                rest = (1.0,) if hull is None else (0.0, *hull[0], *hull[1])
                return P.VOXELS, np.array([*shape.origin, shape.spacing, *counts, first, *rest]), ()
            case S.Relief():
                R_OR = matrix_from_quaternion(np.asarray(shape.rotation))
                low, high = shape.range
                first = self._store(shape.stored)
                numbers = (shape.spacing, *shape.heights.shape, shape.thickness, low, high, first)
                return P.RELIEF, np.concatenate([shape.origin, R_OR.ravel(), numbers]), ()
            case S.Union():
                return P.UNION, nothing, shape.shapes
            case S.Intersection():
                return P.INTERSECTION, nothing, shape.shapes
            case S.Difference():
                return P.DIFFERENCE, nothing, (shape.shape, shape.minus)
        raise InputError(f"a world is made of the shapes in tl.shapes, got {shape!r}")


def _hull(grid: S.VoxelGrid) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Centre and half size (3,) of a box that holds the solid of a grid [m]; None if it reaches the border.

    A side of the lattice is at least as far from the solid as the smallest sample on it says.
    """
    gaps = np.array(
        [[grid.values.take(side, axis).min() for side in (0, -1)] for axis in range(3)], np.float64
    )
    if gaps.min() <= 0.0:
        return None
    lower, upper = np.asarray(grid.origin) + gaps[:, 0], grid.upper - gaps[:, 1]
    # Samples that are no distances could say that nothing is left; then the box is a point.
    return (lower + upper) / 2, np.maximum(upper - lower, 0.0) / 2


def bounding_ball(shape: S.Shape) -> tuple[NDArray[np.float64], float]:
    """Centre (3,) and radius of a ball that holds the shape [m]; the radius is infinite for a plane."""
    match shape:
        case S.Sphere():
            return np.asarray(shape.center), shape.radius
        case S.Box():
            lower, upper = np.asarray(shape.lower), np.asarray(shape.upper)
            return (lower + upper) / 2, float(np.linalg.norm(upper - lower)) / 2
        case S.OrientedBox():
            return np.asarray(shape.center), float(np.linalg.norm(shape.size)) / 2
        case S.Cylinder() | S.Capsule():
            start, end = np.asarray(shape.start), np.asarray(shape.end)
            half = float(np.linalg.norm(end - start)) / 2
            round_end = isinstance(shape, S.Capsule)
            return (start + end) / 2, half + shape.radius if round_end else math.hypot(half, shape.radius)
        case S.VoxelGrid() if _hull(shape) is not None:
            origin = np.asarray(shape.origin)
            return (origin + shape.upper) / 2, float(np.linalg.norm(shape.upper - origin)) / 2
        case S.Relief():
            _, high = shape.range
            lower, upper = np.array([0.0, 0.0, -shape.thickness]), np.array([*shape.size, high])
            center = matrix_from_quaternion(np.asarray(shape.rotation)) @ ((lower + upper) / 2)
            return np.asarray(shape.origin) + center, float(np.linalg.norm(upper - lower)) / 2
        case S.Difference():
            return bounding_ball(shape.shape)
        case S.Intersection():
            return min((bounding_ball(part) for part in shape.shapes), key=lambda ball: ball[1])
        case S.Union():
            balls = [bounding_ball(part) for part in shape.shapes]
            if all(math.isfinite(radius) for _, radius in balls):
                lower = np.min([center - radius for center, radius in balls], axis=0)
                upper = np.max([center + radius for center, radius in balls], axis=0)
                center = (lower + upper) / 2
                return center, max(float(np.linalg.norm(c - center)) + r for c, r in balls)
    return np.zeros(3), math.inf


def pack(
    shapes: Sequence[S.Shape], moves: NDArray[np.int64], pose: NDArray[np.float64], twist: NDArray[np.float64]
) -> Field:
    """The field of a list of objects; `moves`, `pose` and `twist` have one row for each."""
    table = _Table()
    roots = np.array([table.add(shape) for shape in shapes], dtype=np.int64)
    balls = [bounding_ball(shape) for shape in shapes]
    # A single lattice is used where it lies: a map of hundreds of megabytes is not copied.
    voxels = table.lattices[0] if len(table.lattices) == 1 else np.concatenate([*table.lattices, _NO_VOXELS])
    return Field(
        nodes=np.array(table.nodes, dtype=np.int64).reshape(-1, 3),
        parameters=np.array(table.parameters).reshape(-1, PARAMETER_COUNT),
        voxels=voxels,
        objects=np.stack([roots, moves], axis=1),
        bounds=np.array([[*center, radius] for center, radius in balls]).reshape(-1, 4),
        friction=np.array([np.nan if s.friction is None else s.friction for s in shapes], dtype=np.float64),
        pose=pose,
        twist=twist,
    )


_NO_VOXELS = np.empty(0, dtype=np.float32)
