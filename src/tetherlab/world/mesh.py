"""Triangle meshes (STL, OBJ, PLY) become a distance grid."""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.world.mesh_distance import unsigned_distance, winding_numbers
from tetherlab.world.occupancy import CELL_COUNT_MAX
from tetherlab.world.shapes import VoxelGrid

SPACINGS_PER_EXTENT = 100  # default fineness: this many along the longest side


def grid_from_mesh(
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    *,
    closed: bool,
    margin: float,
    spacing: float | None = None,
    name: str = "",
    friction: float | None = None,
) -> VoxelGrid:
    """The distance grid of a mesh with vertices (n, 3) [m] and faces (m, 3).

    A closed mesh is solid. An open one is a sheet two spacings thick, since it has no inside. The lattice
    covers the mesh and a margin [m] round it, of two spacings at least; thin parts need a spacing of half
    their thickness or less.
    """
    corners = np.ascontiguousarray(vertices[faces], dtype=np.float64)
    lower, upper = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    if spacing is None:
        spacing = float((upper - lower).max()) / SPACINGS_PER_EXTENT
    border = max(2, math.ceil(margin / spacing))
    origin = lower - border * spacing
    shape = tuple(int(n) for n in np.ceil((upper - lower) / spacing) + 2 * border + 1)
    if np.prod(shape, dtype=float) > CELL_COUNT_MAX / 4:
        raise InputError(
            f"the mesh needs {np.prod(shape, dtype=float) / 1e6:.0f} million samples at {spacing:g} m,"
            f" more than {CELL_COUNT_MAX / 4e6:.0f} million: use a larger resolution or a smaller margin"
        )
    values = unsigned_distance(corners, shape, origin, spacing)
    if closed:
        values[winding_numbers(corners, shape, origin, spacing) != 0] *= -1.0
    else:
        values -= spacing
    return VoxelGrid(values=values, origin=origin, spacing=spacing, name=name, friction=friction)
