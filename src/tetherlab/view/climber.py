"""The ground robot of a plan as it is drawn: a barrel of a hull on four wheels."""

from typing import Any

import numpy as np
import trimesh

from tetherlab.vehicles.spec import RoverSpec
from tetherlab.view import colors
from tetherlab.view.colors import Color
from tetherlab.view.surface import Triangles, merged

LEFT = np.array((0.0, 1.0, 0.0))


def draw_climber(scene: Any, path: str, rover: RoverSpec, color: Color) -> None:
    """Its origin is the middle of the hull, as the log has it."""
    hull = np.asarray(rover.hull)
    middle = hull[:, :3].mean(axis=0)
    balls = []
    for x, y, z, radius in hull:
        ball = trimesh.creation.icosphere(subdivisions=3, radius=radius)
        ball.apply_translation(np.array((x, y, z)) - middle)
        balls.append(ball)
    barrel = trimesh.creation.cylinder(radius=hull[0, 3], segment=hull[:2, :3] - middle, sections=48)
    tyres = [
        trimesh.creation.cylinder(
            radius=rover.wheel_radius,
            segment=(
                wheel - middle - 0.3 * rover.wheel_radius * LEFT,
                wheel - middle + 0.3 * rover.wheel_radius * LEFT,
            ),
            sections=24,
        )
        for wheel in np.asarray(rover.wheel_positions)
    ]
    scene.add_mesh_simple(f"{path}/hull", *_together([*balls, barrel]), color=color)
    scene.add_mesh_simple(f"{path}/wheels", *_together(tyres), color=colors.DARK, flat_shading=True)


def _together(meshes: list[trimesh.Trimesh]) -> Triangles:
    return merged(
        [Triangles(np.asarray(m.vertices, np.float32), np.asarray(m.faces, np.uint32)) for m in meshes]
    )
