"""What the drone saw: point clouds, maps of walls, and what changed between two of them."""

from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.cloud_files import load_ply, save_ply
from tetherlab.mapping.build import MapSpec, WallMap, build_map
from tetherlab.mapping.changes import Change, ChangeSpec
from tetherlab.mapping.difference import Difference, compare_maps
from tetherlab.mapping.map_error import MapError, map_error

__all__ = [
    "Change",
    "ChangeSpec",
    "Cloud",
    "Difference",
    "MapError",
    "MapSpec",
    "WallMap",
    "build_map",
    "compare_maps",
    "load_ply",
    "map_error",
    "save_ply",
]
