"""Many rays from one place, such as those of a picture, cast at the world together.

Neighbouring rays go the same way for most of it. So a bundle of them is led along its axis first: where the
axis is farther from everything than the bundle is wide, all of its rays are in free space. A tile of rays
starts at the sensor, parts of a tile where the tile stopped, single rays where their part stopped. Where a
tile stops, the objects that are near are listed, of each only the part that matters there, and its rays ask
no others until they have left that neighbourhood. The derivation is in docs/theory/inspection_sensors.md.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import inlined, kernel, njit
from tetherlab.world import primitives as P
from tetherlab.world.field import EMPTY_DISTANCE, RAY_TOLERANCE, leaf_normal, node_distance, to_object

TILE, PART = 8, 2  # rays along each side of a tile, and of a part of it
NARROW = 0.25  # a bundle goes on while its steps are longer than this share of its radius
AHEAD = 0.15  # how far ahead of a tile near objects are listed, as a share of the range so far
ACCEPTED = 5e-5  # a leap may end so far from the surface, on either side; its normal does the rest [m]


class RayGrid(NamedTuple):
    """Rays in rows and columns, and the bundles that they make. Frame of the sensor, unit vectors."""

    directions: NDArray[np.float64]  # (rows, columns, 3)
    tiles: NDArray[np.float64]  # axis (3), and how far its rays are from it at range 1, (rows, columns, 4)
    parts: NDArray[np.float64]  # the same
    whole: NDArray[np.float64]  # the same of all rays together, (4,)
    spacing: float  # of neighbouring rays at range 1


def make_grid(directions: NDArray[np.float64]) -> RayGrid:
    """From unit vectors, (rows, columns, 3)."""
    rows, columns = directions.shape[:2]
    beside = np.diff(directions, axis=1 if columns > 1 else 0)
    spacing = float(np.median(np.linalg.norm(beside, axis=-1))) if beside.size else 0.0
    whole = _bundles(directions, max(rows, columns))[0, 0]
    return RayGrid(directions, _bundles(directions, TILE), _bundles(directions, PART), whole, spacing)


def _bundles(directions: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    rows, columns = directions.shape[:2]
    bundles = np.empty((-(-rows // size), -(-columns // size), 4))
    for i, j in np.ndindex(bundles.shape[:2]):
        rays = directions[size * i : size * (i + 1), size * j : size * (j + 1)].reshape(-1, 3)
        middle = rays.sum(axis=0)
        length = float(np.linalg.norm(middle))
        # Rays all round have no middle; any axis will do, for nothing is narrower than a turn.
        axis = middle / length if length > 1e-9 else rays[0]
        bundles[i, j, :3] = axis
        bundles[i, j, 3] = np.linalg.norm(rays - axis, axis=1).max()
    return bundles


# Inlined, all of them: to hand the field to a function costs more than the distance to one object.
@inlined
def _distance(field, asked, count, x, y, z):
    """Smallest distance to some objects, rows of (object, node), [m]; its object, deciding leaf and sign."""
    best, who, leaf, sign = EMPTY_DISTANCE, -1, -1, 1.0
    for k in range(count):
        i = asked[k, 0]
        u, v, w = to_object(field, i, x, y, z)
        reach = best + field.bounds[i, 3]
        cu, cv, cw = u - field.bounds[i, 0], v - field.bounds[i, 1], w - field.bounds[i, 2]
        if reach <= 0.0 or cu * cu + cv * cv + cw * cw > reach * reach:
            continue
        d, found, side = node_distance(field, asked[k, 1], u, v, w)
        if d < best:
            best, who, leaf, sign = d, i, found, side
    return best, who, leaf, sign


@inlined
def _closing(field, who, leaf, sign, x, y, z, dx, dy, dz):
    """Cosine between a ray and the inward normal of the leaf that it meets."""
    u, v, w = to_object(field, who, x, y, z)
    du, dv, dw = to_object(field, who, x + dx, y + dy, z + dz)
    nu, nv, nw = leaf_normal(field.nodes, field.parameters, field.voxels, leaf, u, v, w)
    return -sign * (nu * (du - u) + nv * (dv - v) + nw * (dw - w))


@kernel
def _list_near(field, asked, count, x, y, z, radius, near):
    """Write those objects that reach into a ball into `near`; their number."""
    found = 0
    for k in range(count):
        i, node = asked[k, 0], asked[k, 1]
        u, v, w = to_object(field, i, x, y, z)
        reach = radius + field.bounds[i, 3]
        cu, cv, cw = u - field.bounds[i, 0], v - field.bounds[i, 1], w - field.bounds[i, 2]
        if cu * cu + cv * cv + cw * cw > reach * reach:
            continue
        if node_distance(field, node, u, v, w)[0] <= radius:
            near[found, 0], near[found, 1] = i, _part_near(field, node, u, v, w, radius)
            found += 1
    return found


@kernel
def _part_near(field, node, u, v, w, radius):
    """The only part that matters within a ball, or the node itself if there are more.

    Of a union the others are outside of the ball; of an intersection they hold all of it.
    """
    kind = field.nodes[node, 0]
    if kind != P.UNION and kind != P.INTERSECTION:
        return node
    only = -1
    child = field.nodes[node, 1]
    while child >= 0:
        d, _, _ = node_distance(field, child, u, v, w)
        if (kind == P.UNION and d <= radius) or (kind == P.INTERSECTION and d >= -radius):
            if only >= 0:
                return node
            only = child
        child = field.nodes[child, 2]
    return only if only >= 0 else node


@kernel
def _list_seen(field, pose, axis, chord, range_max, seen):
    """Write the objects whose ball meets the cone of all rays into `seen`; their number."""
    half = 2.0 * math.asin(min(0.5 * chord, 1.0))
    found = 0
    for i in range(field.objects.shape[0]):
        x, y, z = pose[9], pose[10], pose[11]
        u, v, w = to_object(field, i, x, y, z)
        cu, cv, cw = field.bounds[i, 0] - u, field.bounds[i, 1] - v, field.bounds[i, 2] - w
        if field.objects[i, 1] != 0:
            R = field.pose
            cu, cv, cw = (
                R[i, 0] * cu + R[i, 1] * cv + R[i, 2] * cw,
                R[i, 3] * cu + R[i, 4] * cv + R[i, 5] * cw,
                R[i, 6] * cu + R[i, 7] * cv + R[i, 8] * cw,
            )
        radius = field.bounds[i, 3]
        far = math.sqrt(cu * cu + cv * cv + cw * cw)
        if far > range_max + radius:
            continue
        if far > radius:
            ax, ay, az = _turned(pose, axis[0], axis[1], axis[2])
            cosine = (ax * cu + ay * cv + az * cw) / far
            beside = math.acos(min(max(cosine, -1.0), 1.0))
            if beside > half + math.asin(radius / far):
                continue
        seen[found, 0], seen[found, 1] = i, field.objects[i, 0]
        found += 1
    return found


@inlined
def _turned(pose, x, y, z):
    """A direction of the sensor's frame in the world; pose: R_WS row-major (9), p_WS (3)."""
    return (
        pose[0] * x + pose[1] * y + pose[2] * z,
        pose[3] * x + pose[4] * y + pose[5] * z,
        pose[6] * x + pose[7] * y + pose[8] * z,
    )


@inlined
def _lead(field, asked, count, ox, oy, oz, ax, ay, az, chord, t, t_end):
    """Lead a bundle from range `t` on; the range up to which all its rays are in free space, at most `t_end`.

    Its rays are within chord t of the axis at t. A ball of free space there, of radius d, holds them all up
    to t cos + sqrt(d² − t² sin²), with sin and cos of the angle whose chord it is.
    """
    cosine = 1.0 - 0.5 * chord * chord
    square = 1.0 - cosine * cosine
    while t < t_end:
        d = _distance(field, asked, count, ox + t * ax, oy + t * ay, oz + t * az)[0]
        radius = chord * t
        if d <= radius:
            break
        step = t * (cosine - 1.0) + math.sqrt(d * d - t * t * square)
        t += step
        if step < NARROW * radius + RAY_TOLERANCE:
            break
    return min(t, t_end)


@inlined
def _trace(field, near, near_count, seen, seen_count, ox, oy, oz, dx, dy, dz, t, t_near, range_max, leap):
    """Range of one ray [m], object (-1: none within range_max) and cosine of its incidence, from `t` on.

    As `raycast`, but where two distances in a row say that a plane is ahead, it leaps there, if no more than
    a share `leap` of the range is passed without a ball of free space round it.
    """
    before, t_before, who_before = 0.0, -1.0, -1
    leapt = False
    while t < range_max:
        x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
        asked, count = (near, near_count) if t < t_near else (seen, seen_count)
        d, who, leaf, sign = _distance(field, asked, count, x, y, z)
        if d < RAY_TOLERANCE or (leapt and d < ACCEPTED):
            if leapt and d < -ACCEPTED:  # too far: between the two
                t = t_before + (t - t_before) * before / (before - d)
                continue
            closing = _closing(field, who, leaf, sign, x, y, z, dx, dy, dz)
            if closing > 0.01:
                t += d / closing
            return min(max(t, 0.0), range_max), who, closing
        step = d
        leapt = False
        if who == who_before and before > d:
            reach = d * (t - t_before) / (before - d)
            if reach - d < leap * t:
                step = reach
                leapt = True
        before, t_before, who_before = d, t, who
        t = min(t + step, t_near) if t < t_near else t + step
    return range_max, -1, 0.0


@njit(cache=True, nogil=True)
def cast_grid(field, grid, poses, range_max, ranges, objects, cosines):
    """Fill, for each ray, its range [m], object and cosine of incidence, (rows, columns).

    poses: of the sensor, R_WS row-major (9) and p_WS (3) [m], one for all or one for each column of tiles.
    """
    seen, near = np.empty_like(field.objects), np.empty_like(field.objects)  # (object, node) each
    for j in range(grid.tiles.shape[1]):
        pose = poses[min(j, poses.shape[0] - 1)]
        if j < poses.shape[0]:
            seen_count = _list_seen(field, pose, grid.whole, grid.whole[3], range_max, seen)
        for i in range(grid.tiles.shape[0]):
            _cast_tile(field, grid, pose, i, j, seen, seen_count, near, range_max, ranges, objects, cosines)


@kernel
def _cast_tile(field, grid, pose, i, j, seen, seen_count, near, range_max, ranges, objects, cosines):
    rows, columns = grid.directions.shape[0], grid.directions.shape[1]
    ox, oy, oz = pose[9], pose[10], pose[11]
    axis = grid.tiles[i, j]
    ax, ay, az = _turned(pose, axis[0], axis[1], axis[2])
    start = _lead(field, seen, seen_count, ox, oy, oz, ax, ay, az, axis[3], 0.0, range_max)
    # Within t_near all rays of the tile are in a ball round the middle; only what reaches into it matters.
    t_near = (1.0 + AHEAD) * start
    middle = 0.5 * (start + t_near)
    radius = 0.5 * (t_near - start) + axis[3] * t_near
    near_count = _list_near(
        field, seen, seen_count, ox + middle * ax, oy + middle * ay, oz + middle * az, radius, near
    )
    sides = TILE // PART
    for p in range(sides * i, min(sides * (i + 1), grid.parts.shape[0])):
        for q in range(sides * j, min(sides * (j + 1), grid.parts.shape[1])):
            axis = grid.parts[p, q]
            ax, ay, az = _turned(pose, axis[0], axis[1], axis[2])
            t = _lead(field, near, near_count, ox, oy, oz, ax, ay, az, axis[3], start, min(t_near, range_max))
            for r in range(PART * p, min(PART * (p + 1), rows)):
                for c in range(PART * q, min(PART * (q + 1), columns)):
                    ray = grid.directions[r, c]
                    dx, dy, dz = _turned(pose, ray[0], ray[1], ray[2])
                    found, who, cosine = _trace(
                        field, near, near_count, seen, seen_count, ox, oy, oz, dx, dy, dz,
                        t, t_near, range_max, 0.5 * grid.spacing,
                    )  # fmt: skip
                    ranges[r, c], objects[r, c], cosines[r, c] = found, who, cosine
