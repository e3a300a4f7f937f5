"""Shapes of the world as triangles."""

import math

import numpy as np
import trimesh
from numpy.typing import NDArray

from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.view.surface import Triangles, merged, surface_of
from tetherlab.world import World, shapes
from tetherlab.world.shapes import Shape

Vector = NDArray[np.float64]
CELLS = 72  # along the longest side of what has no triangles of its own
RELIEF_POINTS = 40_000  # of a height map, at most about
TRIM = 0.02  # [m], a vertex of a part that is farther outside of the whole is not drawn


def triangles(shape: Shape) -> Triangles:
    """The surface of a bounded shape; a plane and a voxel grid have none here."""
    if isinstance(shape, shapes.Union):
        return merged([triangles(part) for part in shape.shapes])
    if isinstance(shape, shapes.Relief):
        return _relief(shape)
    if isinstance(shape, shapes.Intersection) and all(isinstance(s, shapes.Relief) for s in shape.shapes):
        return _trimmed(shape, merged([triangles(part) for part in shape.shapes]))
    if isinstance(shape, shapes.Difference):
        return _cut(shape, shape.shape)
    if isinstance(shape, shapes.Intersection):
        return _cut(shape, shape.shapes[0])
    return _from_mesh(_primitive(shape))


def _primitive(shape: Shape) -> trimesh.Trimesh:
    if isinstance(shape, shapes.Sphere):
        ball = trimesh.creation.icosphere(subdivisions=3, radius=shape.radius)
        return ball.apply_translation(shape.center)
    if isinstance(shape, shapes.Box):
        return trimesh.creation.box(bounds=(shape.lower, shape.upper))
    if isinstance(shape, shapes.OrientedBox):
        place = trimesh.transformations.quaternion_matrix(shape.rotation)
        place[:3, 3] = shape.center
        return trimesh.creation.box(extents=shape.size, transform=place)
    if isinstance(shape, shapes.Cylinder):
        return trimesh.creation.cylinder(radius=shape.radius, segment=(shape.start, shape.end), sections=32)
    if isinstance(shape, shapes.Capsule):
        return _capsule(np.asarray(shape.start), np.asarray(shape.end), shape.radius)
    raise TypeError(f"no triangles for {shape!r}")


def _capsule(start: Vector, end: Vector, radius: float) -> trimesh.Trimesh:
    way = end - start
    place = trimesh.geometry.align_vectors((0.0, 0.0, 1.0), way)
    place[:3, 3] = 0.5 * (start + end)
    height = float(np.linalg.norm(way))
    return trimesh.creation.capsule(height=height, radius=radius, count=(16, 16), transform=place)


def _from_mesh(mesh: trimesh.Trimesh) -> Triangles:
    return Triangles(np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces, np.uint32))


def _relief(relief: shapes.Relief) -> Triangles:
    """The displaced face, as fine as fits; sides and back are not seen."""
    step = max(1, math.ceil(math.sqrt(relief.heights.size / RELIEF_POINTS)))
    ticks = [np.unique(np.append(np.arange(0, n, step), n - 1)) for n in relief.heights.shape]
    u, v = np.meshgrid(*(relief.spacing * t for t in ticks), indexing="ij")
    local = np.stack([u, v, relief.surface(u, v)], axis=-1).reshape(-1, 3)
    R_OR = matrix_from_quaternion(np.asarray(relief.rotation))
    index = np.arange(u.size).reshape(u.shape)
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return Triangles((np.asarray(relief.origin) + local @ R_OR.T).astype(np.float32), faces.astype(np.uint32))


def _trimmed(shape: Shape, surface: Triangles) -> Triangles:
    """Of the faces of all parts, those that are faces of what they have in common."""
    outside = World([shape]).distance(surface.vertices.astype(float)) > TRIM
    return Triangles(surface.vertices, surface.faces[~outside[surface.faces].any(axis=1)])


def _cut(shape: Shape, whole_shape: Shape) -> Triangles:
    """A shape with something cut off, found on a grid round what there was."""
    whole = triangles(whole_shape).vertices
    lower, upper = whole.min(axis=0).astype(float), whole.max(axis=0).astype(float)
    spacing = float((upper - lower).max()) / CELLS
    counts = [math.ceil(side / spacing) + 3 for side in upper - lower]
    ticks = [low - spacing + spacing * np.arange(n) for low, n in zip(lower, counts, strict=True)]
    grid = np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1)
    values = World([shape]).distance(grid.reshape(-1, 3)).reshape(grid.shape[:3])
    return surface_of(values, lower - spacing, spacing)
