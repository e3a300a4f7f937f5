"""What the drone saw: point clouds, maps of walls, and what changed between two of them."""

from tetherlab.mapping.build import MapSpec, WallMap, build_map
from tetherlab.mapping.changes import Change, ChangeSpec
from tetherlab.mapping.cloud import Cloud
from tetherlab.mapping.difference import Difference, compare_maps
from tetherlab.mapping.map_error import MapError, map_error
from tetherlab.mapping.ply import load_ply, save_ply

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
