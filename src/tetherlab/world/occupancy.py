"""Occupied voxels become a distance grid."""

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.world.distance_transform import signed_distance
from tetherlab.world.shapes import VoxelGrid

CELL_COUNT_MAX = 400_000_000  # 1.6 GB of float32


def grid_from_occupied(
    keys: NDArray[np.int64],
    resolution: float,
    *,
    margin: float,
    lower: NDArray[np.float64] | None = None,
    upper: NDArray[np.float64] | None = None,
    name: str = "",
    friction: float | None = None,
) -> VoxelGrid:
    """The distance grid of occupied voxels.

    Voxel `keys[i]`, (n, 3), is the cube from `resolution * keys[i]` to `resolution * (keys[i] + 1)` [m]. The
    samples lie at the centres of voxels, so that a flat wall, also one of a single voxel, has its surface on
    the faces. The lattice covers the occupied voxels and a margin [m] round them, of one free voxel at
    least. Voxels whose centre lies below `lower` or above `upper` are left out [m].
    """
    centers = (keys + 0.5) * resolution
    keep = np.ones(len(keys), dtype=bool)
    if lower is not None:
        keep &= (centers >= lower).all(axis=1)
    if upper is not None:
        keep &= (centers <= upper).all(axis=1)
    keys = keys[keep]
    if len(keys) == 0:
        raise InputError("no occupied voxel" + ("" if lower is upper is None else " between lower and upper"))
    border = max(1, round(margin / resolution))
    first = keys.min(axis=0) - border
    shape = tuple(int(n) for n in keys.max(axis=0) + border + 1 - first)
    if np.prod(shape, dtype=float) > CELL_COUNT_MAX:
        raise InputError(
            f"the map needs {np.prod(shape, dtype=float) / 1e6:.0f} million samples at {resolution:g} m, more"
            f" than {CELL_COUNT_MAX / 1e6:.0f} million: crop it with lower and upper or use larger voxels"
        )
    values = signed_distance(keys - first, (shape[0], shape[1], shape[2]), resolution)
    origin = (first + 0.5) * resolution
    return VoxelGrid(values=values, origin=origin, spacing=resolution, name=name, friction=friction)
