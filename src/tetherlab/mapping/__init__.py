"""What the drone saw: point clouds, maps of walls, and what changed between two of them."""

from tetherlab.mapping.build import MapSpec, WallMap, build_map
from tetherlab.mapping.cloud import Cloud




__all__ = [
    "Change",
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
