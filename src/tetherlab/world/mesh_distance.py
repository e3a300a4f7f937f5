"""Distance from lattice points to a triangle mesh, and which of them lie inside it.

Near the surface every triangle is measured exactly against the lattice points of its surroundings. From
there the number of the nearest triangle is handed on from point to point by sweeps over the lattice, and
each point measures its exact distance to the triangles it is offered. Far from the surface a point may miss
its nearest triangle for the next to nearest; the error stays within a few hundredths of the spacing.
"""

import math

import numpy as np

from tetherlab.math.kernel import njit

BAND = 1.5  # spacings round a triangle in which all lattice points measure it


@njit(cache=True)
def squared_distance_to_triangle(px, py, pz, corners, n):
    """Squared distance from a point to triangle `n` of corners (count, 3, 3): to its face, edge or corner."""
    ax, ay, az = corners[n, 0, 0], corners[n, 0, 1], corners[n, 0, 2]
    ux, uy, uz = corners[n, 1, 0] - ax, corners[n, 1, 1] - ay, corners[n, 1, 2] - az
    vx, vy, vz = corners[n, 2, 0] - ax, corners[n, 2, 1] - ay, corners[n, 2, 2] - az
    wx, wy, wz = px - ax, py - ay, pz - az
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    wu, wv = wx * ux + wy * uy + wz * uz, wx * vx + wy * vy + wz * vz
    area2 = uu * vv - uv * uv
    # p's foot on the plane is a + s u + t v; inside the triangle it is the nearest point.
    s, t = vv * wu - uv * wv, uu * wv - uv * wu
    if area2 > 1e-30 * uu * vv and s >= 0.0 and t >= 0.0 and s + t <= area2:
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        height = wx * nx + wy * ny + wz * nz
        return height * height / (nx * nx + ny * ny + nz * nz)
    best = _squared_distance_to_edge(wx, wy, wz, ux, uy, uz)
    best = min(best, _squared_distance_to_edge(wx, wy, wz, vx, vy, vz))
    return min(best, _squared_distance_to_edge(wx - ux, wy - uy, wz - uz, vx - ux, vy - uy, vz - uz))


@njit(cache=True)
def _squared_distance_to_edge(wx, wy, wz, ex, ey, ez):
    """Squared distance from w to the segment from 0 to e."""
    ee = ex * ex + ey * ey + ez * ez
    s = 0.0
    if ee > 0.0:
        s = max(0.0, min(1.0, (wx * ex + wy * ey + wz * ez) / ee))
    rx, ry, rz = wx - s * ex, wy - s * ey, wz - s * ez
    return rx * rx + ry * ry + rz * rz


@njit(cache=True, nogil=True)
def unsigned_distance(corners, shape, origin, spacing):
    """Distance from each lattice point to the nearest triangle [m], (nx, ny, nz); corners is (n, 3, 3)."""
    nearest = np.full(shape, -1, dtype=np.int64)
    distance = np.full(shape, np.inf)
    _measure_band(corners, nearest, distance, origin, spacing)
    for direction in range(8):
        _sweep(corners, nearest, distance, origin, spacing, direction)
    return distance


@njit(cache=True)
def _measure_band(corners, nearest, distance, origin, spacing):
    """Measure each triangle against the lattice points of its bounding box and a little more."""
    first, last = np.empty(3, dtype=np.int64), np.empty(3, dtype=np.int64)
    for n in range(corners.shape[0]):
        a, b, c = corners[n, 0], corners[n, 1], corners[n, 2]
        for axis in range(3):
            low = (min(a[axis], b[axis], c[axis]) - origin[axis]) / spacing - BAND
            high = (max(a[axis], b[axis], c[axis]) - origin[axis]) / spacing + BAND
            first[axis] = max(0, math.ceil(low))
            last[axis] = min(distance.shape[axis] - 1, math.floor(high))
        for i in range(first[0], last[0] + 1):
            for j in range(first[1], last[1] + 1):
                for k in range(first[2], last[2] + 1):
                    _offer(corners, n, nearest, distance, origin, spacing, i, j, k)


@njit(cache=True)
def _offer(corners, n, nearest, distance, origin, spacing, i, j, k):
    """Let a lattice point measure triangle `n` and keep it if it is nearer."""
    x, y, z = origin[0] + spacing * i, origin[1] + spacing * j, origin[2] + spacing * k
    d = math.sqrt(squared_distance_to_triangle(x, y, z, corners, n))
    if d < distance[i, j, k]:
        distance[i, j, k] = d
        nearest[i, j, k] = n


@njit(cache=True)
def _sweep(corners, nearest, distance, origin, spacing, direction):
    """Visit the lattice in one of eight orders; offer each point the triangles of neighbours behind it."""
    nx, ny, nz = nearest.shape
    sx, sy, sz = 1 - 2 * (direction & 1), 1 - 2 * ((direction >> 1) & 1), 1 - 2 * ((direction >> 2) & 1)
    for ii in range(nx):
        i = ii if sx > 0 else nx - 1 - ii
        for jj in range(ny):
            j = jj if sy > 0 else ny - 1 - jj
            for kk in range(nz):
                k = kk if sz > 0 else nz - 1 - kk
                for neighbour in range(1, 8):
                    a, b, c = neighbour & 1, (neighbour >> 1) & 1, (neighbour >> 2) & 1
                    p, q, r = i - sx * a, j - sy * b, k - sz * c
                    if p < 0 or q < 0 or r < 0 or p >= nx or q >= ny or r >= nz:
                        continue
                    n = nearest[p, q, r]
                    # Nothing n offers can be nearer than the neighbour's distance less the way to it.
                    nearer = distance[p, q, r] - spacing * math.sqrt(a + b + c) < distance[i, j, k]
                    if n >= 0 and n != nearest[i, j, k] and nearer:
                        _offer(corners, n, nearest, distance, origin, spacing, i, j, k)


@njit(cache=True, nogil=True)
def winding_numbers(corners, shape, origin, spacing):
    """How often the surface winds round each lattice point, int64 (nx, ny, nz); 0 is outside.

    Each vertical line of lattice points counts the triangles it passes, with the sign of their orientation.
    """
    winding = np.zeros(shape, dtype=np.int64)
    # A line through an edge or corner would be counted twice or not at all; a tiny, odd offset avoids them.
    x0, y0 = origin[0] + 0.8414e-6 * spacing, origin[1] + 0.5403e-6 * spacing
    for n in range(corners.shape[0]):
        a, b, c = corners[n, 0], corners[n, 1], corners[n, 2]
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if area == 0.0:
            continue
        low = max(0, math.ceil((min(a[0], b[0], c[0]) - x0) / spacing))
        high = min(shape[0] - 1, math.floor((max(a[0], b[0], c[0]) - x0) / spacing))
        left = max(0, math.ceil((min(a[1], b[1], c[1]) - y0) / spacing))
        right = min(shape[1] - 1, math.floor((max(a[1], b[1], c[1]) - y0) / spacing))
        for i in range(low, high + 1):
            for j in range(left, right + 1):
                x, y = x0 + spacing * i, y0 + spacing * j
                s = ((c[0] - b[0]) * (y - b[1]) - (c[1] - b[1]) * (x - b[0])) / area
                t = ((a[0] - c[0]) * (y - c[1]) - (a[1] - c[1]) * (x - c[0])) / area
                if s < 0.0 or t < 0.0 or s + t > 1.0:
                    continue
                z = s * a[2] + t * b[2] + (1.0 - s - t) * c[2]
                # All points above a face that looks down (area < 0) are entered there, and so on.
                k = max(0, math.floor((z - origin[2]) / spacing) + 1)
                if k < shape[2]:
                    winding[i, j, k] -= 1 if area > 0.0 else -1
    for i in range(shape[0]):
        for j in range(shape[1]):
            for k in range(1, shape[2]):
                winding[i, j, k] += winding[i, j, k - 1]
    return winding
