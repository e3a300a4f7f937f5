"""The queries of a field over many points at once: the loops behind `World`."""

import numpy as np

from tetherlab.math.kernel import njit
from tetherlab.world.field import distance, nearest, raycast


@njit(cache=True, nogil=True)
def distances(field, points):
    """Signed distance at each point [m], (n,)."""
    result = np.empty(points.shape[0])
    for i in range(points.shape[0]):
        result[i] = distance(field, points[i, 0], points[i, 1], points[i, 2])
    return result


@njit(cache=True, nogil=True)
def gradients(field, points):
    """Outward unit normal at each point, (n, 3)."""
    result = np.empty((points.shape[0], 3))
    for i in range(points.shape[0]):
        _, nx, ny, nz, _ = nearest(field, points[i, 0], points[i, 1], points[i, 2])
        result[i, 0], result[i, 1], result[i, 2] = nx, ny, nz
    return result


@njit(cache=True, nogil=True)
def ranges(field, origins, directions, range_max):
    """Distance along each ray to the first surface [m], (n,)."""
    result = np.empty(origins.shape[0])
    for i in range(origins.shape[0]):
        result[i], _ = raycast(
            field,
            origins[i, 0],
            origins[i, 1],
            origins[i, 2],
            directions[i, 0],
            directions[i, 1],
            directions[i, 2],
            range_max,
        )
    return result
