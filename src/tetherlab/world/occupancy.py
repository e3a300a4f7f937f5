"""Occupied voxels, or all but the free ones, become a distance grid."""

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.world.distance_transform import signed_distance
from tetherlab.world.shapes import VoxelGrid

CELL_COUNT_MAX = 400_000_000  # 1.6 GB of float32
CELLS_FREE, CELLS_PER_BYTE = 16_000_000, 2000  # that a map of any size may need, and one of so many bytes
VOXELS_ACROSS = 10**9  # larger numbers of voxels along an axis all mean: too many


def cells_allowed(size: int) -> int:
    """How many samples a map file of so many bytes may need."""
    return min(CELL_COUNT_MAX, max(CELLS_FREE, CELLS_PER_BYTE * size))


def lattice_keys(points: NDArray[np.float64], resolution: float) -> NDArray[np.int64]:
    """The voxels that points lie in, each once, (n, 3)."""
    scaled = np.floor(points / resolution)
    if not (np.abs(scaled) < VOXELS_ACROSS).all():
        raise InputError(
            f"points must lie within {VOXELS_ACROSS * resolution:g} m at a resolution of {resolution:g} m"
        )
    return np.unique(scaled.astype(np.int64), axis=0)


def grid_from_occupied(
    keys: NDArray[np.int64],
    resolution: float,
    *,
    margin: float,
    lower: NDArray[np.float64] | None = None,
    upper: NDArray[np.float64] | None = None,
    cells_max: int = CELL_COUNT_MAX,
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
    first, shape = _lattice(keys.min(axis=0), keys.max(axis=0) + 1, margin, resolution, cells_max)
    values = signed_distance(tuple((keys - first).T), shape, resolution)
    origin = np.asarray((first + 0.5) * resolution, np.float64)
    return VoxelGrid(values=values, origin=origin, spacing=resolution, name=name, friction=friction)


def grid_from_free(
    leaves: NDArray[np.int64],
    resolution: float,
    *,
    margin: float,
    lower: NDArray[np.float64] | None = None,
    upper: NDArray[np.float64] | None = None,
    cells_max: int = CELL_COUNT_MAX,
    name: str = "",
    friction: float | None = None,
) -> VoxelGrid:
    """The distance grid of a space that is solid but for free cubes: lowest voxel (3) and edge, (n, 4).

    Free voxels whose centre lies below `lower` or above `upper` [m] are solid too. So is all beyond the
    lattice, since the solid reaches its border.
    """
    start, stop = leaves[:, :3], leaves[:, :3] + leaves[:, 3:]
    if lower is not None:
        start = np.maximum(start, _voxel(np.ceil(lower / resolution - 0.5)))
    if upper is not None:
        stop = np.minimum(stop, _voxel(np.floor(upper / resolution - 0.5)) + 1)
    keep = (start < stop).all(axis=1)
    if not keep.any():
        raise InputError("no free voxel between lower and upper")
    start, stop = start[keep], stop[keep]
    first, shape = _lattice(start.min(axis=0), stop.max(axis=0), margin, resolution, cells_max)
    occupied = np.ones(shape, dtype=np.bool_)
    for a, b in zip((start - first).tolist(), (stop - first).tolist(), strict=True):
        occupied[a[0] : b[0], a[1] : b[1], a[2] : b[2]] = False
    values = signed_distance(occupied, shape, resolution)
    origin = np.asarray((first + 0.5) * resolution, np.float64)
    return VoxelGrid(values=values, origin=origin, spacing=resolution, name=name, friction=friction)


def _voxel(number: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.clip(number, -VOXELS_ACROSS, VOXELS_ACROSS).astype(np.int64)


def _lattice(
    start: NDArray[np.int64], stop: NDArray[np.int64], margin: float, resolution: float, cells_max: int
) -> tuple[NDArray[np.int64], tuple[int, int, int]]:
    """First voxel (3,) and counts of the lattice that holds the voxels from start to before stop, (3,)."""
    border = max(1, round(min(margin / resolution, VOXELS_ACROSS)))
    nx, ny, nz = (int(n) for n in stop + 2 * border - start)
    if float(nx) * ny * nz > cells_max:
        raise InputError(
            f"the map needs {float(nx) * ny * nz / 1e6:.0f} million samples at {resolution:g} m, more"
            f" than {cells_max / 1e6:.0f} million: crop it with lower and upper or use larger voxels"
        )
    return start - border, (nx, ny, nz)
