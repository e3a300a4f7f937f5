"""Points of a surface from many that fell into one voxel, and the normals there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.extras import require

Array = NDArray[np.float64]
NEIGHBOURS = 12  # that a normal is fitted to


def voxel_means(
    values: Array, size: float, counts: NDArray[np.int64] | None = None
) -> tuple[Array, NDArray[np.int64]]:
    """Means of rows whose first three numbers fall into the same voxel of a size [m], and their counts.

    values: x, y, z [m] and whatever else, (n, m). counts: of how many readings each row is the mean, (n,).
    Where nothing is, there is no voxel.
    """
    check.positive("size", size)
    if len(values) == 0:
        return values.copy(), np.empty(0, np.int64)
    cells = np.floor(values[:, :3] / size).astype(np.int64)
    cells -= cells.min(axis=0)
    reach = cells.max(axis=0) + 1
    keys = (cells[:, 0] * reach[1] + cells[:, 1]) * reach[2] + cells[:, 2]
    found, where = np.unique(keys, return_inverse=True)
    weights = np.ones(len(keys)) if counts is None else counts.astype(float)
    total = np.bincount(where, weights, len(found))
    means = [np.bincount(where, weights * column, len(found)) / total for column in values.T]
    return np.stack(means, axis=1), np.rint(total).astype(np.int64)


def with_normals(points: Array, counts: NDArray[np.int64], towards: Array) -> Cloud:
    """A cloud with normals of planes through neighbours. towards: the eye, from each point [m], (n, 3)."""
    if len(points) < NEIGHBOURS:
        return Cloud(points, towards / np.linalg.norm(towards, axis=1, keepdims=True), counts)
    require("mapping")
    import small_gicp

    fitted = small_gicp.PointCloud(points)
    small_gicp.estimate_normals(fitted, num_neighbors=NEIGHBOURS)
    normals = fitted.normals()[:, :3].copy()
    normals[np.einsum("ij,ij->i", normals, towards) < 0.0] *= -1.0
    return Cloud(points, normals, counts)
