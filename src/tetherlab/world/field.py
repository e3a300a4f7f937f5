"""The world as compiled code sees it: one NamedTuple of arrays, and the questions one may ask it.

A `Field` holds objects; an object is a tree of shapes, usually a single one, in a frame that may move.
All questions take scalars, allocate nothing and change nothing, so kernels and threads may ask at will.
The gradient of a union, difference or intersection is that of the one leaf that decides the value, hence:
first the values (`_tree_distance` also names the deciding leaf), then one normal.
"""

from typing import NamedTuple

import numpy as np

from tetherlab.math.kernel import njit
from tetherlab.world import primitives as P
from tetherlab.world import relief, trilinear
from tetherlab.world.kernel import query, recursive_query

EMPTY_DISTANCE = 1e6  # [m], the answer of a world without objects


class Field(NamedTuple):
    """Everything that the queries need; built by `packing.pack`, one Numba type for every world."""

    nodes: np.ndarray  # (node_count, 3) int64: kind, first child, next sibling; -1 = none
    parameters: np.ndarray  # (node_count, 19), meaning by kind: see primitives.py, trilinear.py, relief.py
    voxels: np.ndarray  # float32, all lattices and height maps one after the other [m]
    objects: np.ndarray  # (object_count, 2) int64: root node, 1 if the object moves
    bounds: np.ndarray  # (object_count, 4): centre (3) and radius of a ball round the object, own frame [m]
    friction: np.ndarray  # (object_count,) Coulomb coefficient; NaN = take the tether's own
    pose: np.ndarray  # (object_count, 12) R_WO row-major (9), p_WO (3) [m]; read only for objects that move
    twist: np.ndarray  # (object_count, 6) velocity of the origin [m/s], angular velocity [rad/s], world frame


@njit(cache=True)
def with_pose(field, pose):
    """The same field with the objects that move at other poses, (object_count, 12)."""
    return Field(
        field.nodes,
        field.parameters,
        field.voxels,
        field.objects,
        field.bounds,
        field.friction,
        pose,
        field.twist,
    )


@query
def _leaf_distance(nodes, parameters, voxels, i, x, y, z):
    """Signed distance of the single shape in row `i`."""
    kind = nodes[i, 0]
    if kind == P.PLANE:
        return P.plane_distance(parameters, i, x, y, z)
    if kind == P.BOX:
        return P.box_distance(parameters, i, x, y, z)
    if kind == P.CYLINDER:
        return P.cylinder_distance(parameters, i, x, y, z)
    if kind == P.CAPSULE:
        return P.capsule_distance(parameters, i, x, y, z)
    if kind == P.SPHERE:
        return P.sphere_distance(parameters, i, x, y, z)
    if kind == P.ORIENTED_BOX:
        return P.oriented_box_distance(parameters, i, x, y, z)
    if kind == P.RELIEF:
        return relief.relief_distance(parameters, voxels, i, x, y, z)
    return trilinear.voxels_distance(parameters, voxels, i, x, y, z)


@query
def leaf_normal(nodes, parameters, voxels, i, x, y, z):
    """Outward unit normal of the single shape in row `i`."""
    kind = nodes[i, 0]
    if kind == P.PLANE:
        return P.plane_normal(parameters, i)
    if kind == P.BOX:
        return P.box_normal(parameters, i, x, y, z)
    if kind == P.CYLINDER:
        return P.cylinder_normal(parameters, i, x, y, z)
    if kind == P.CAPSULE:
        return P.capsule_normal(parameters, i, x, y, z)
    if kind == P.SPHERE:
        return P.sphere_normal(parameters, i, x, y, z)
    if kind == P.ORIENTED_BOX:
        return P.oriented_box_normal(parameters, i, x, y, z)
    if kind == P.RELIEF:
        return relief.relief_normal(parameters, voxels, i, x, y, z)
    return trilinear.voxels_normal(parameters, voxels, i, x, y, z)


@recursive_query
def _tree_distance(nodes, parameters, voxels, i, x, y, z):
    """Value of a tree of min(a, b), max(a, -b) and max(a, b); its deciding leaf and sign."""
    first = nodes[i, 1]
    best, leaf, sign = 0.0, -1, 1.0
    child = first
    while child >= 0:
        if nodes[child, 0] < P.UNION:
            d, k, s = _leaf_distance(nodes, parameters, voxels, child, x, y, z), child, 1.0
        else:
            d, k, s = _tree_distance(nodes, parameters, voxels, child, x, y, z)
        if child != first and nodes[i, 0] == P.DIFFERENCE:
            d, s = -d, -s
            decides = d > best
        elif child != first and nodes[i, 0] == P.INTERSECTION:
            decides = d > best
        else:
            decides = child == first or d < best
        if decides:
            best, leaf, sign = d, k, s
        child = nodes[child, 2]
    return best, leaf, sign


@query
def to_object(field, i, x, y, z):
    """The point in the frame of object `i`: R_WO^T (x - p_WO), or unchanged if the object does not move."""
    if field.objects[i, 1] == 0:
        return x, y, z
    pose = field.pose
    dx, dy, dz = x - pose[i, 9], y - pose[i, 10], z - pose[i, 11]
    return (
        pose[i, 0] * dx + pose[i, 3] * dy + pose[i, 6] * dz,
        pose[i, 1] * dx + pose[i, 4] * dy + pose[i, 7] * dz,
        pose[i, 2] * dx + pose[i, 5] * dy + pose[i, 8] * dz,
    )


@query
def node_distance(field, i, x, y, z):
    """Value of the shape or tree in row `i` at a point of its object's frame, its deciding leaf and sign."""
    if field.nodes[i, 0] < P.UNION:
        return _leaf_distance(field.nodes, field.parameters, field.voxels, i, x, y, z), i, 1.0
    return _tree_distance(field.nodes, field.parameters, field.voxels, i, x, y, z)


@query
def _find(field, x, y, z):
    """Smallest distance over all objects, with its object, deciding leaf and sign."""
    best, who, leaf, sign = EMPTY_DISTANCE, -1, -1, 1.0
    for i in range(field.objects.shape[0]):
        u, v, w = to_object(field, i, x, y, z)
        # The value is at least the distance to the bounding ball: most far objects cost no more than this.
        reach = best + field.bounds[i, 3]
        cu, cv, cw = u - field.bounds[i, 0], v - field.bounds[i, 1], w - field.bounds[i, 2]
        if reach <= 0.0 or cu * cu + cv * cv + cw * cw > reach * reach:
            continue
        d, k, s = node_distance(field, field.objects[i, 0], u, v, w)
        if d < best:
            best, who, leaf, sign = d, i, k, s
    return best, who, leaf, sign


@query
def distance(field, x, y, z):
    """Signed distance to the nearest object [m], > 0 in free space, 1e6 in an empty world."""
    return _find(field, x, y, z)[0]


@query
def _normal(field, who, leaf, sign, u, v, w):
    """Outward unit normal in the world frame at a point of the object's frame, of the leaf that decides."""
    nu, nv, nw = leaf_normal(field.nodes, field.parameters, field.voxels, leaf, u, v, w)
    nu, nv, nw = sign * nu, sign * nv, sign * nw
    if field.objects[who, 1] == 0:
        return nu, nv, nw
    pose = field.pose
    return (
        pose[who, 0] * nu + pose[who, 1] * nv + pose[who, 2] * nw,
        pose[who, 3] * nu + pose[who, 4] * nv + pose[who, 5] * nw,
        pose[who, 6] * nu + pose[who, 7] * nv + pose[who, 8] * nw,
    )


@query
def nearest(field, x, y, z):
    """Signed distance [m], outward unit normal in the world frame (3 numbers), and the object; -1 if none."""
    d, who, leaf, sign = _find(field, x, y, z)
    if who < 0:
        return d, 0.0, 0.0, 1.0, who
    u, v, w = to_object(field, who, x, y, z)
    nx, ny, nz = _normal(field, who, leaf, sign, u, v, w)
    return d, nx, ny, nz, who


@query
def distance_to(field, who, x, y, z):
    """Signed distance to one object [m]."""
    u, v, w = to_object(field, who, x, y, z)
    return node_distance(field, field.objects[who, 0], u, v, w)[0]


@query
def distance_within(field, who, u, v, w):
    """The same at a point of the object's own frame, wherever that is."""
    return node_distance(field, field.objects[who, 0], u, v, w)[0]


@query
def nearest_on(field, who, x, y, z):
    """Signed distance to one object [m] and its outward unit normal in the world frame (3 numbers)."""
    u, v, w = to_object(field, who, x, y, z)
    d, leaf, sign = node_distance(field, field.objects[who, 0], u, v, w)
    nx, ny, nz = _normal(field, who, leaf, sign, u, v, w)
    return d, nx, ny, nz


@query
def velocity_at(field, object_index, x, y, z):
    """Velocity of the object's material at a point of the world [m/s]: v + omega x (x - p_WO)."""
    if object_index < 0 or field.objects[object_index, 1] == 0:
        return 0.0, 0.0, 0.0
    pose, twist, i = field.pose, field.twist, object_index
    rx, ry, rz = x - pose[i, 9], y - pose[i, 10], z - pose[i, 11]
    return (
        twist[i, 0] + twist[i, 4] * rz - twist[i, 5] * ry,
        twist[i, 1] + twist[i, 5] * rx - twist[i, 3] * rz,
        twist[i, 2] + twist[i, 3] * ry - twist[i, 4] * rx,
    )


RAY_TOLERANCE = 1e-5  # [m], a ray this close to a surface has met it


@query
def _nearest_two(field, x, y, z):
    """The nearest object and its distance, and what all others are at least away [m]."""
    best, who, others = EMPTY_DISTANCE, -1, EMPTY_DISTANCE
    for i in range(field.objects.shape[0]):
        u, v, w = to_object(field, i, x, y, z)
        reach = others + field.bounds[i, 3]
        cu, cv, cw = u - field.bounds[i, 0], v - field.bounds[i, 1], w - field.bounds[i, 2]
        if reach <= 0.0 or cu * cu + cv * cv + cw * cw > reach * reach:
            continue
        d, _, _ = node_distance(field, field.objects[i, 0], u, v, w)
        if d < best:
            best, who, others = d, i, best
        elif d < others:
            others = d
    return best, who, others


@query
def raycast(field, ox, oy, oz, dx, dy, dz, range_max):
    """Distance along a ray to the first surface [m] and the object; range_max and -1 if it meets none.

    The direction is a unit vector. A ray that starts inside an object has range 0.
    Sphere tracing: the distance at a point is a step that cannot pass a surface. As long as the object that
    was nearest must still be, no other is asked.
    """
    t = 0.0
    who, others = -1, 0.0  # `others`: how far along the ray it stays free of all objects but `who`
    while t < range_max:
        x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
        d = EMPTY_DISTANCE
        if who >= 0:
            d = distance_to(field, who, x, y, z)
        if t + d > others:
            d, who, others = _nearest_two(field, x, y, z)
            others += t
        if d < RAY_TOLERANCE:
            # The last bit of the way to the tangent plane; a grazing ray keeps what it has.
            d, nx, ny, nz, who = nearest(field, x, y, z)
            closing = -(nx * dx + ny * dy + nz * dz)
            if closing > 0.01:
                t += d / closing
            return min(max(t, 0.0), range_max), who
        t += d
    return range_max, -1
