"""Sight among polygons that may touch and overlap, compiled.

What is free is what can be approached through the open room: a tether may lie on sides and corners, but where
two obstacles touch there is no way between them. So a straight piece is free if every point of it has open
room at its left or at its right; that is asked of each corner it touches, and once between one and the next.

All obstacles lie in one array of vertices, each with its neighbours, solid at the left of each side. The last
four are those of the border, which go round clockwise: solid outside.
"""

import math

import numpy as np

from tetherlab.math.kernel import njit
from tetherlab.planning.polygon import ON

TURN = 2.0 * math.pi
SLIGHT = 1e-7  # angles smaller than this are none [rad]


@njit(cache=True, nogil=True)
def _strictly_inside(vertices, after, first, last, x, z):
    """Whether the vertices from first to last go round the point (it is not on their sides)."""
    inside = False
    for i in range(first, last):
        j = after[i]
        z_i, z_j = vertices[i, 1], vertices[j, 1]
        if (z_i > z) != (z_j > z):
            inside ^= x < vertices[i, 0] + (z - z_i) / (z_j - z_i) * (vertices[j, 0] - vertices[i, 0])
    return inside


@njit(cache=True, nogil=True)
def solid_arcs(vertices, after, before, offsets, x, z, arcs):
    """Directions from a point into solid: start and width of each arc, counter-clockwise. Their number."""
    count = 0
    for k in range(len(offsets) - 1):
        first, last = offsets[k], offsets[k + 1]
        touched = False
        for i in range(first, last):
            x_i, z_i = vertices[i, 0], vertices[i, 1]
            d_x, d_z = vertices[after[i], 0] - x_i, vertices[after[i], 1] - z_i
            length = math.sqrt(d_x * d_x + d_z * d_z)
            along = (d_x * (x - x_i) + d_z * (z - z_i)) / length
            off = abs(d_x * (z - z_i) - d_z * (x - x_i)) / length
            if off > ON or along < -ON or along > length - ON:
                continue  # the next vertex belongs to the next side
            touched = True
            start = math.atan2(d_z, d_x)
            width = math.pi
            if along <= ON:
                j = before[i]
                width = (math.atan2(vertices[j, 1] - z_i, vertices[j, 0] - x_i) - start) % TURN
            arcs[count, 0], arcs[count, 1] = start, width
            count += 1
        outside = k == len(offsets) - 2
        if not touched and _strictly_inside(vertices, after, first, last, x, z) != outside:
            arcs[0, 0], arcs[0, 1] = 0.0, TURN
            return 1
    return count


@njit(cache=True, nogil=True)
def largest_gap(arcs, count):
    """The widest arc that the given ones leave open: start and width [rad]."""
    if count == 0:
        return 0.0, TURN
    best_start, best = 0.0, 0.0
    for i in range(count):  # a gap begins where an arc ends
        start = arcs[i, 0] + arcs[i, 1]
        gap = TURN
        for j in range(count):
            ahead = (arcs[j, 0] - start) % TURN
            if ahead > TURN - SLIGHT:
                ahead = 0.0
            covered = ahead == 0.0 or ahead + arcs[j, 1] > TURN + SLIGHT
            gap = 0.0 if covered else min(gap, ahead)
            if gap <= SLIGHT:
                break
        if gap > best:
            best_start, best = start, gap
    return best_start, best


@njit(cache=True, nogil=True)
def free_points(vertices, after, before, offsets, points):
    """Whether there is open room beside each point."""
    arcs = np.empty((2 * len(offsets), 2))
    free = np.empty(len(points), dtype=np.bool_)
    for i in range(len(points)):
        count = solid_arcs(vertices, after, before, offsets, points[i, 0], points[i, 1], arcs)
        free[i] = largest_gap(arcs, count)[1] > SLIGHT
    return free


@njit(cache=True, nogil=True)
def cones(vertices, after, before, offsets, count):
    """Unit vectors along both borders of the solid at each vertex, (count, 4); NaN where no tether bends."""
    arcs = np.empty((2 * len(offsets), 2))
    result = np.full((count, 4), np.nan)
    for i in range(count):
        solid = solid_arcs(vertices, after, before, offsets, vertices[i, 0], vertices[i, 1], arcs)
        start, width = largest_gap(arcs, solid)
        if width > math.pi + SLIGHT:
            end = start + width
            result[i, 0], result[i, 1] = math.cos(end), math.sin(end)
            result[i, 2], result[i, 3] = math.cos(start), math.sin(start)
    return result


@njit(cache=True, nogil=True)
def _open(arcs, count, ahead, back):
    """Whether one can come from direction `back`, counted from `ahead`, and leave in direction `ahead` [rad].

    The solid arcs must leave open all that lies at the left or all that lies at the right.
    """
    left, right = False, False
    for i in range(count):
        start = (arcs[i, 0] - ahead) % TURN
        if start > TURN - SLIGHT:
            start = 0.0
        end = start + arcs[i, 1]
        left |= start < back - SLIGHT or end > TURN + SLIGHT
        right |= end > back + SLIGHT
    return not (left and right)


@njit(cache=True, nogil=True)
def sees(vertices, after, before, offsets, ax, az, bx, bz):
    """Whether the straight piece from a to b is free."""
    d_x, d_z = bx - ax, bz - az
    length = math.sqrt(d_x * d_x + d_z * d_z)
    if length <= ON:
        return True
    d_x, d_z = d_x / length, d_z / length
    touched = 0
    for i in range(len(vertices)):
        j = after[i]
        i_x, i_z = vertices[i, 0] - ax, vertices[i, 1] - az
        j_x, j_z = vertices[j, 0] - ax, vertices[j, 1] - az
        off_i, off_j = d_x * i_z - d_z * i_x, d_x * j_z - d_z * j_x
        along = d_x * i_x + d_z * i_z
        if abs(off_i) <= ON and ON < along < length - ON:
            touched += 1
        if (off_i > ON and off_j < -ON) or (off_i < -ON and off_j > ON):
            e_x, e_z = j_x - i_x, j_z - i_z
            side = math.sqrt(e_x * e_x + e_z * e_z)
            off_a = (i_x * e_z - i_z * e_x) / side
            off_b = off_a + length * (e_x * d_z - e_z * d_x) / side
            if (off_a > ON and off_b < -ON) or (off_a < -ON and off_b > ON):
                return False
    places = np.empty(touched + 2)
    places[0], places[1] = 0.0, length
    arcs = np.empty((2 * len(offsets), 2))
    ahead = math.atan2(d_z, d_x)
    touched = 2
    for i in range(len(vertices)):
        x, z = vertices[i, 0], vertices[i, 1]  # not the place on the piece, which may lie a hair beside it
        along = d_x * (x - ax) + d_z * (z - az)
        if abs(d_x * (z - az) - d_z * (x - ax)) <= ON and ON < along < length - ON:
            places[touched] = along
            touched += 1
            if not _open(arcs, solid_arcs(vertices, after, before, offsets, x, z, arcs), ahead, math.pi):
                return False
    places.sort()
    for k in range(touched - 1):
        middle = 0.5 * (places[k] + places[k + 1])
        x, z = ax + middle * d_x, az + middle * d_z
        if places[k + 1] - places[k] > ON and not _open(
            arcs, solid_arcs(vertices, after, before, offsets, x, z, arcs), ahead, math.pi
        ):
            return False
    return True


@njit(cache=True, nogil=True)
def pairs_seen(vertices, after, before, offsets, a, b):
    """Whether piece k from a[k] to b[k] is free."""
    seen = np.empty(len(a), dtype=np.bool_)
    for k in range(len(a)):
        seen[k] = sees(vertices, after, before, offsets, a[k, 0], a[k, 1], b[k, 0], b[k, 1])
    return seen


@njit(cache=True, nogil=True)
def distances(vertices, after, points):
    """Distance of each point to the nearest side [m]."""
    result = np.empty(len(points))
    for k in range(len(points)):
        nearest = math.inf
        for i in range(len(vertices)):
            j = after[i]
            x, z = points[k, 0] - vertices[i, 0], points[k, 1] - vertices[i, 1]
            d_x, d_z = vertices[j, 0] - vertices[i, 0], vertices[j, 1] - vertices[i, 1]
            t = min(max((x * d_x + z * d_z) / (d_x * d_x + d_z * d_z), 0.0), 1.0)
            nearest = min(nearest, (x - t * d_x) ** 2 + (z - t * d_z) ** 2)
        result[k] = math.sqrt(nearest)
    return result


@njit(cache=True, nogil=True)
def first_squeeze(vertices, after, before, offsets, curve):
    """The first inner point of a curve that it passes between solids that touch there, -1 if none."""
    arcs = np.empty((2 * len(offsets), 2))
    for k in range(1, len(curve) - 1):
        x, z = curve[k, 0], curve[k, 1]
        count = solid_arcs(vertices, after, before, offsets, x, z, arcs)
        ahead = math.atan2(curve[k + 1, 1] - z, curve[k + 1, 0] - x)
        back = (math.atan2(curve[k - 1, 1] - z, curve[k - 1, 0] - x) - ahead) % TURN
        if not _open(arcs, count, ahead, back):
            return k
    return -1
