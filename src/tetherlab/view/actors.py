"""All that moves in a run, drawn, and moved from frame to frame."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import trimesh

from tetherlab.plant.branch import Branch
from tetherlab.view import colors
from tetherlab.view.colors import Color
from tetherlab.view.drawn_robots import Drone, HangingRobot, Rover, draw_drum, together
from tetherlab.view.frame import Frame
from tetherlab.view.parts import Inventory, Part, Solid
from tetherlab.view.solids import triangles
from tetherlab.view.surface import merged
from tetherlab.view.tether_line import TetherLine

KNOWN_SIZE = 0.08  # radius of a body of which nothing else is known [m]
HAND_SIZE = 0.03  # radius of a hand or an anchor [m]
AXES = {"drone": (0.4, 0.01), "rover": (0.5, 0.012), "robot": (0.2, 0.004)}  # length, radius [m]


class Drawn(Protocol):
    """A robot with something that turns."""

    def show(self, frame: Frame) -> None:
        """Turn it."""


class Actors:
    """Robots, bodies, hands and tethers in a viser scene."""

    def __init__(self, scene: Any, inventory: Inventory, path: str, tension_max: float, run: int = 0) -> None:
        """path: in the scene, '/run'. tension_max: the bright end of the tethers' colours [N].

        run: 0, or 1 for one that lies over another, in other colours.
        """
        self._scene, self._path, self.tension_max = scene, path, tension_max
        self.colors = part_colors(inventory, run)
        self.nodes: dict[str, Any] = {}
        self._drawn: list[Drawn] = []
        for part in inventory.parts:
            long, thick = AXES.get(part.word, (0.2, 0.005))
            self.nodes[part.name] = scene.add_frame(
                f"{path}/{part.name}", show_axes=False, axes_length=long, axes_radius=thick
            )
            self._drawn += _draw(scene, f"{path}/{part.name}", part, self.colors[part.name])
        self._moving = [part.name for part in inventory.parts if part.moves]
        contact_size = 0.03 if any(part.word == "robot" for part in inventory.parts) else 0.05
        self.tethers = {name: TetherLine(scene, f"{path}/{name}", contact_size) for name in inventory.tethers}
        self._targets: dict[str, Any] = {}
        self.catenary_shown = False

    def show_axes(self, shown: bool) -> None:
        """Frames of robots and bodies: x red, y green, z blue."""
        for name in self._moving:
            self.nodes[name].show_axes = shown

    def show(self, frame: Frame) -> None:
        """Move everything to where it is."""
        for name, node in self.nodes.items():
            pose = frame.poses.get(name)
            node.visible = pose is not None
            if pose is not None:
                node.position, node.wxyz = pose
        for drawn in self._drawn:
            drawn.show(frame)
        for name, line in self.tethers.items():
            if name in frame.tethers:
                line.show(frame.tethers[name], self.tension_max, self.catenary_shown)
        self._show_targets(frame)

    def _show_targets(self, frame: Frame) -> None:
        for name, target in frame.targets.items():
            if name not in self._targets:
                self._targets[name] = self._scene.add_icosphere(
                    f"{self._path}_targets/{name}", radius=0.07, color=colors.TARGET, opacity=0.6
                )
            self._targets[name].position = target
        for name, mark in self._targets.items():
            mark.visible = name in frame.targets


def part_colors(inventory: Inventory, run: int = 0) -> dict[str, Color]:
    """A colour for each part: its own for each robot, as far as they go; run: 0, or 1 over another one."""
    count = {"ground": 0, "air": 0}
    found: dict[str, Color] = {}
    for part in inventory.parts:
        if part.word in ("drone", "robot", "rover"):
            kind = "ground" if part.word == "rover" else "air"
            shades = (colors.ROVERS if kind == "ground" else colors.DRONES)[run:]
            found[part.name] = shades[count[kind] % len(shades)]
            count[kind] += 1
        else:
            found[part.name] = {"branch": colors.BRANCH, "hand": colors.DARK}.get(part.word, colors.LOAD)
    return found


def _draw(scene: Any, path: str, part: Part, color: Color) -> list[Drawn]:
    """Draw a part; returns what must be moved in it."""
    if part.word == "drone":
        return [Drone(scene, path, part, color)]
    if part.word == "rover":
        return [Rover(scene, path, part, color)]
    if part.word == "robot":
        return [HangingRobot(scene, path, part, color)]
    if isinstance(part.look, Branch):
        scene.add_mesh_simple(f"{path}/branch", *triangles(part.look.shape), color=color)
        return []
    for k, outlet in enumerate(part.winches):
        draw_drum(scene, f"{path}/winch_{k}", outlet)
    if isinstance(part.look, Solid):
        _draw_solid(scene, path, part.look, color)
    else:
        size = HAND_SIZE if part.word == "hand" else KNOWN_SIZE
        ball = trimesh.creation.icosphere(subdivisions=2, radius=size)
        scene.add_mesh_simple(f"{path}/ball", *together([ball]), color=color)
    return []


def _draw_solid(scene: Any, path: str, solid: Solid, color: Color) -> None:
    balls = []
    for x, y, z, radius in np.asarray(solid.spheres):
        ball = trimesh.creation.icosphere(subdivisions=3, radius=radius)
        balls.append(ball.apply_translation((x, y, z)))
    if balls:
        scene.add_mesh_simple(f"{path}/spheres", *together(balls), color=color)
    if solid.shapes:
        shapes = merged([triangles(shape) for shape in solid.shapes])
        scene.add_mesh_simple(f"{path}/shapes", *shapes, color=color, flat_shading=True)
