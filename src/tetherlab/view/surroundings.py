"""The world as it is drawn: obstacles, maps, ground and wind."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.view import colors
from tetherlab.view.solids import triangles
from tetherlab.world import World, shapes

GROUND_SIZE = 60.0  # of the drawn part of a plane [m]
POINTS_MAX = 700_000  # of a map
Vector = NDArray[np.float64]


def draw_world(scene: Any, world: World) -> None:
    """Put all obstacles into a viser scene."""
    for name, shape in zip(world.names, world.shapes, strict=True):
        path = f"/world/{name}"
        if isinstance(shape, shapes.Plane):
            _draw_plane(scene, path, shape)
        elif isinstance(shape, shapes.VoxelGrid):
            _draw_map(scene, path, shape)
        else:
            vertices, faces = triangles(shape)
            scene.add_mesh_simple(path, vertices, faces, color=colors.OBSTACLE, flat_shading=True)


def show_wind(scene: Any, velocity: Vector, near: Vector) -> None:
    """An arrow beside a place, a metre for 5 m/s; velocity [m/s], near [m], (3,) each."""
    speed = float(np.linalg.norm(velocity))
    start = np.asarray(near) + np.array((0.0, 0.0, 0.8))
    way = np.stack([start, start + velocity / 5.0])[None].astype(np.float32)
    arrow = scene.add_arrows("/wind", way, colors.WIND, shaft_radius=0.03, head_radius=0.08, head_length=0.2)
    arrow.visible = speed > 0.05
    label = scene.add_label("/wind/speed", f"wind {speed:.1f} m/s", position=start)
    label.visible = speed > 0.05


def _draw_plane(scene: Any, path: str, plane: shapes.Plane) -> None:
    normal = np.asarray(plane.normal, float) / np.linalg.norm(plane.normal)
    along = np.cross(normal, (0.0, 1.0, 0.0) if abs(normal[1]) < 0.9 else (1.0, 0.0, 0.0))
    along /= np.linalg.norm(along)
    across = np.cross(normal, along)
    half = 0.5 * GROUND_SIZE
    middle = normal * float(normal @ np.asarray(plane.point))
    corners = [middle + half * (a * along + b * across) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    scene.add_mesh_simple(
        path, np.array(corners, np.float32), np.array([[0, 1, 2], [0, 2, 3]], np.uint32),
        color=colors.GROUND, side="double", cast_shadow=False,
    )  # fmt: skip
    # Metre by metre: where a line of many metres passes something, viser draws it in front.
    ticks = np.arange(-half, half + 1e-6, 1.0)
    a, b = (grid.ravel()[:, None] for grid in np.meshgrid(ticks[:-1], ticks, indexing="ij"))
    starts = np.concatenate([middle + a * along + b * across, middle + b * along + a * across])
    steps = np.repeat([along, across], len(a), axis=0)
    lines = np.stack([starts, starts + steps], axis=1)
    scene.add_line_segments(
        f"{path}/metres", lines + 0.002 * normal, colors=(205, 208, 212),
        thickness=1.0, thickness_units="screen",
    )  # fmt: skip


def _draw_map(scene: Any, path: str, grid: shapes.VoxelGrid) -> None:
    """The voxels of a map that can be seen, shaded by their height."""
    points = _shell(grid)
    if len(points) > POINTS_MAX:
        points = points[:: -(-len(points) // POINTS_MAX)]
    low, high = points[:, 2].min(initial=0.0), points[:, 2].max(initial=1.0)
    shade = 120 + 110 * (points[:, 2] - low) / max(high - low, 1e-9)
    scene.add_point_cloud(
        path, points.astype(np.float32), np.repeat(shade[:, None], 3, axis=1).astype(np.uint8),
        point_size=grid.spacing, point_shape="square",
    )  # fmt: skip


def _shell(grid: shapes.VoxelGrid) -> Vector:
    """Centres of the voxels that are inside and have a neighbour that is not [m], (n, 3)."""
    inside = np.pad(grid.values < 0.0, 1)
    hidden = np.ones_like(inside)
    for axis in range(3):
        for way in (1, -1):
            hidden &= np.roll(inside, way, axis)
    where = np.argwhere((inside & ~hidden)[1:-1, 1:-1, 1:-1])
    return np.asarray(grid.origin) + grid.spacing * where
