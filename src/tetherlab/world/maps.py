"""Map files become a distance grid: OctoMap, triangle mesh, point cloud, or a grid saved before."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.extras import require
from tetherlab.contracts.file_reading import (
    naming,
    read_array,
    read_arrays,
    reading,
    require_short_lines,
    require_size,
)
from tetherlab.world.mesh import grid_from_mesh
from tetherlab.world.mesh_files import require_complete
from tetherlab.world.occupancy import cells_allowed, grid_from_free, grid_from_occupied, lattice_keys
from tetherlab.world.octomap import FREE, read_leaves, read_octomap
from tetherlab.world.shapes import VoxelGrid

MAP_SUFFIXES = (".bt", ".npz", ".obj", ".ply", ".stl", ".xyz")
MARGIN = 0.5  # [m]
FARTHEST = 1e8  # coordinate of a mesh, and largest distance in a grid [m]
CLOUD_RESOLUTION = 0.1  # [m]


def load_map(
    path: str | Path,
    *,
    resolution: float | None = None,
    margin: float = MARGIN,
    lower: Any = None,
    upper: Any = None,
    unknown_is: str | None = None,
    name: str = "",
    friction: float | None = None,
) -> VoxelGrid:
    """The distance grid of a map file.

    - `.bt`: OctoMap binary tree; unknown space is "free" or "occupied", as `unknown_is` says, free unless
      given. If occupied, all is solid that was not seen free, also beyond the map and beyond a crop.
    - `.stl`, `.obj`, `.ply` with faces: mesh, measured on a lattice of spacing `resolution` [m], a hundredth
      of its longest side unless given; a closed mesh is solid. One that is not closed has no inside: it is a
      sheet two spacings thick, with a warning, since a damaged file may look like that.
    - `.ply` without faces, `.xyz`, `.npz` with `points` (n, 3): occupied voxels of edge `resolution`, 0.1 m
      unless given.
    - `.npz` with `values`, `origin`, `spacing`: a grid written by `save_grid`.

    Inside the occupied part and a `margin` [m] round it distances are as fine as the lattice; farther out
    they are a lower bound. Occupied voxels below `lower` or above `upper` [m], (3,), are left out.
    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(MAP_SUFFIXES)
        raise InputError(f"{path}: a map file must end in one of {known}, got {path.suffix!r}")
    options: dict[str, Any] = {
        "name": name,
        "friction": friction,
        "cells_max": cells_allowed(require_size(path)),
        "margin": check.non_negative("margin", margin),
    }
    if unknown_is not in (None, "free", "occupied"):
        raise InputError(f"unknown_is must be 'free' or 'occupied', got {unknown_is!r}")
    options["unknown_is"] = unknown_is
    options["resolution"] = None if resolution is None else check.positive("resolution", resolution)
    options["lower"] = None if lower is None else check.vector("lower", lower)
    options["upper"] = None if upper is None else check.vector("upper", upper)
    with reading(path, "a map"), naming(path):
        return reader(path, options)


def save_grid(grid: VoxelGrid, path: str | Path) -> None:
    """Write a distance grid as `.npz`, to be loaded again in no time."""
    np.savez(path, values=grid.values, origin=np.asarray(grid.origin), spacing=np.float64(grid.spacing))


def load_heights(path: str | Path) -> NDArray[np.float32]:
    """The heights of a relief from an `.npy` file [m], (nu, nv)."""
    path = Path(path)
    if path.suffix.lower() != ".npy":
        raise InputError(f"{path}: a file of heights must end in .npy, got {path.suffix!r}")
    return _distances(path, "heights", read_array(path))


def _refuse(options: dict[str, Any], *names: str) -> None:
    """Complain about options that a kind of map cannot follow, rather than ignore them."""
    for name in names:
        if options.pop(name) is not None:
            raise InputError(f"{name} cannot be chosen for this kind of map")


def _read_octomap(path: Path, options: dict[str, Any]) -> VoxelGrid:
    _refuse(options, "resolution")
    if options.pop("unknown_is") == "occupied":
        leaves, resolution = read_leaves(path, FREE)
        return grid_from_free(leaves, resolution, **options)
    keys, resolution = read_octomap(path)
    return grid_from_occupied(keys, resolution, **options)


def _grid_from_points(points: Any, options: dict[str, Any]) -> VoxelGrid:
    _refuse(options, "unknown_is")
    cloud = check.points("points", points)
    if len(cloud) == 0:
        raise InputError("the point cloud is empty")
    resolution = options.pop("resolution") or CLOUD_RESOLUTION
    return grid_from_occupied(lattice_keys(cloud, resolution), resolution, **options)


def _read_mesh(path: Path, options: dict[str, Any]) -> VoxelGrid:
    require_complete(path)
    require("mapping")
    import trimesh  # takes a third of a second, which worlds without meshes need not spend

    try:
        with np.errstate(all="ignore"):  # what lies too far away is refused below
            loaded = trimesh.load(path, process=True, skip_materials=True)
            if isinstance(loaded, trimesh.Scene):
                loaded = loaded.to_mesh()
    except Exception as error:  # trimesh lets every kind of exception out of its parsers
        reason = " ".join(str(error).split())
        raise InputError(f"not a readable {path.suffix[1:].upper()} file ({reason})") from None
    faces = getattr(loaded, "faces", None)
    vertices: NDArray[np.float64] = np.asarray(getattr(loaded, "vertices", ()), dtype=np.float64).reshape(
        -1, 3
    )
    if faces is None or len(faces) == 0:
        if path.suffix.lower() != ".ply":
            raise InputError("the mesh has no faces")
        return _grid_from_points(vertices, options)
    check.points("vertices", vertices)
    if np.abs(vertices).max() > FARTHEST:
        raise InputError(f"vertices must lie within {FARTHEST:g} m, got {np.abs(vertices).max():g}")
    closed = bool(loaded.is_watertight and loaded.is_winding_consistent)
    spacing = options.pop("resolution")
    _refuse(options, "lower", "upper", "unknown_is")
    grid = grid_from_mesh(vertices, np.asarray(faces), closed=closed, spacing=spacing, **options)
    if not closed:
        why = "its faces do not all look outwards" if loaded.is_watertight else "it is not closed"
        warnings.warn(
            f"{path}: the mesh has no inside, since {why}: it becomes a sheet {2 * grid.spacing:g} m thick",
            stacklevel=4,
        )
    return grid


def _read_xyz(path: Path, options: dict[str, Any]) -> VoxelGrid:
    require_short_lines(path)
    try:
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # an empty file: said below
            columns = np.loadtxt(path, ndmin=2, comments=("#", "//"), delimiter=_delimiter(path))
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"not a table of points x y z ({error})") from None
    if columns.size == 0:
        raise InputError("the point cloud is empty")
    if columns.shape[1] < 3:
        raise InputError(f"a point has three coordinates x y z, got {columns.shape[1]} columns")
    return _grid_from_points(columns[:, :3], options)


def _delimiter(path: Path) -> str | None:
    """A comma if the file uses commas, otherwise white space."""
    with path.open("rb") as file:
        return "," if b"," in file.read(4096) else None


def _read_npz(path: Path, options: dict[str, Any]) -> VoxelGrid:
    content = read_arrays(path, "a readable NPZ file")
    if "points" in content:
        return _grid_from_points(_numbers("points", content["points"]), options)
    if {"values", "origin", "spacing"} <= content.keys():
        _refuse(options, "resolution", "lower", "upper", "unknown_is")
        options.pop("margin"), options.pop("cells_max")
        spacing = _numbers("spacing", content["spacing"])
        if spacing.shape != ():
            raise InputError(f"spacing must be one number, got an array of shape {spacing.shape}")
        return VoxelGrid(
            values=_distances(path, "values", content["values"]),
            origin=_numbers("origin", content["origin"]),
            spacing=float(spacing),
            **options,
        )
    raise InputError(
        f"must hold `points`, or `values`, `origin` and `spacing`; got {check.shown(sorted(content))}"
    )


def _numbers(name: str, array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name} must be numbers, got an array of {array.dtype}")
    return array


def _distances(path: Path, name: str, array: NDArray[Any]) -> NDArray[np.float32]:
    """Numbers of metres as they are stored; none is larger than a distance can be."""
    if array.dtype.kind not in "iuf":
        raise InputError(f"{path}: cannot be read as an array of numbers, it holds {array.dtype}")
    if array.size and not (np.abs(array) <= FARTHEST).all():
        raise InputError(f"{path}: all {name} must be finite distances in metres, up to {FARTHEST:g}")
    return np.asarray(array, np.float32)


_READERS: dict[str, Callable[[Path, dict[str, Any]], VoxelGrid]] = {
    ".bt": _read_octomap,
    ".npz": _read_npz,
    ".obj": _read_mesh,
    ".ply": _read_mesh,
    ".stl": _read_mesh,
    ".xyz": _read_xyz,
}
