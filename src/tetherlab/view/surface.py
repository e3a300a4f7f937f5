"""The surface of a distance grid as triangles: one vertex in each cell that it crosses (surface nets)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Triangles(NamedTuple):
    """A surface."""

    vertices: NDArray[np.float32]  # [m], (n, 3)
    faces: NDArray[np.uint32]  # (m, 3), counter-clockwise from outside


def merged(parts: list[Triangles]) -> Triangles:
    """Several surfaces as one."""
    first = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = [part.faces + np.uint32(k) for part, k in zip(parts, first[:-1], strict=True)]
    return Triangles(np.concatenate([part.vertices for part in parts]), np.concatenate(faces))


def surface_of(values: NDArray[np.floating], origin: NDArray[np.float64], spacing: float) -> Triangles:
    """Where the values (nx, ny, nz) cross zero; they are negative inside. origin: place of the first [m]."""
    inside = values < 0.0
    shape = np.array(values.shape) - 1
    total = np.zeros((*shape, 3))
    count = np.zeros(shape)
    corners = [np.array((i, j, k)) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    for a in corners:
        for axis in range(3):
            if a[axis]:
                continue
            b = a.copy()
            b[axis] = 1
            f, g = values[_window(a, shape)], values[_window(b, shape)]
            crosses = (f < 0.0) != (g < 0.0)
            t = np.where(crosses, f / np.where(crosses, f - g, 1.0), 0.0)
            total[..., axis] += np.where(crosses, a[axis] + t, 0.0)
            for other in range(3):
                if other != axis:
                    total[..., other] += np.where(crosses, a[other], 0.0)
            count += crosses
    used = count > 0
    index = np.full(shape, -1)
    index[used] = np.arange(int(used.sum()))
    cells = np.argwhere(used)
    vertices = origin + spacing * (cells + total[used] / count[used][:, None])
    return Triangles(vertices.astype(np.float32), _faces(inside, index))


def _faces(inside: NDArray[np.bool_], index: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Two triangles for each edge of the grid that the surface crosses, between the four cells round it."""
    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        low = [slice(1, -1)] * 3
        low[axis] = slice(0, -1)
        high = list(low)
        high[axis] = slice(1, None)
        before, after = inside[tuple(low)], inside[tuple(high)]
        where = np.argwhere(before != after)
        out = before[tuple(where.T)]  # the surface looks along the axis
        cell = where.copy()
        cell[:, u] += 1
        cell[:, v] += 1
        quad = []
        for du, dv in ((1, 1), (0, 1), (0, 0), (1, 0)):
            at = cell.copy()
            at[:, u] -= du
            at[:, v] -= dv
            quad.append(index[tuple(at.T)])
        a, b, c, d = quad
        faces.append(np.where(out[:, None], np.stack([a, c, d], 1), np.stack([a, d, c], 1)))
        faces.append(np.where(out[:, None], np.stack([a, b, c], 1), np.stack([a, c, b], 1)))
    return np.concatenate(faces).astype(np.uint32)


def _window(corner: NDArray[np.int64], shape: NDArray[np.int64]) -> tuple[slice, ...]:
    return tuple(slice(int(c), int(c + n)) for c, n in zip(corner, shape, strict=True))
