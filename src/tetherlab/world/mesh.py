"""Triangle meshes (STL, OBJ, PLY) become a distance grid."""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.world.mesh_distance import BAND, unsigned_distance, winding_numbers
from tetherlab.world.occupancy import CELL_COUNT_MAX, VOXELS_ACROSS
from tetherlab.world.shapes import VoxelGrid

SPACINGS_PER_EXTENT = 100  # default fineness: this many along the longest side
SPACING_MIN = 1e-5  # [m]
MEASUREMENTS_MAX = 300_000_000  # of a triangle from a sample; some seconds


def grid_from_mesh(
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    *,
    closed: bool,
    margin: float,
    spacing: float | None = None,
    cells_max: int = CELL_COUNT_MAX,
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
    if spacing < SPACING_MIN:
        raise InputError(
            f"the mesh must be larger than {SPACING_MIN * SPACINGS_PER_EXTENT:g} m, and its resolution at"
            f" least {SPACING_MIN:g} m, got {spacing:g} m"
        )
    border = max(2, math.ceil(min(margin / spacing, VOXELS_ACROSS)))
    counts = np.ceil((upper - lower) / spacing) + 2 * border + 1
    most = min(cells_max, CELL_COUNT_MAX // 4)
    if counts.prod() > most:
        raise InputError(
            f"the mesh needs {counts.prod() / 1e6:.0f} million samples at {spacing:g} m,"
            f" more than {most / 1e6:.0f} million: use a larger resolution or a smaller margin"
        )
    origin = lower - border * spacing
    shape = tuple(int(n) for n in counts)
    boxes = (np.ceil((corners.max(axis=1) - corners.min(axis=1)) / spacing) + 2 * BAND + 1).prod(axis=1)
    if boxes.sum() > MEASUREMENTS_MAX:
        raise InputError(
            f"the mesh needs {boxes.sum() / 1e6:.0f} million measurements of triangles at {spacing:g} m,"
            f" more than {MEASUREMENTS_MAX / 1e6:.0f} million: use a larger resolution or smaller triangles"
        )
    values = unsigned_distance(corners, shape, origin, spacing)
    if closed:
        values[winding_numbers(corners, shape, origin, spacing) != 0] *= -1.0
    else:
        values -= spacing
    return VoxelGrid(values=values, origin=origin, spacing=spacing, name=name, friction=friction)
