"""A robot in the canopy as it is drawn: shell, propellers with their thrusts, tether, and branches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from tetherlab.scenario.canopy import CanopyScenario
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.view import colors
from tetherlab.view.canopy_record import Bends, CanopyFrame, branches_of
from tetherlab.view.colors import Color
from tetherlab.view.solids import triangles
from tetherlab.view.surface import Triangles
from tetherlab.view.tether_line import TetherLine

Vector = NDArray[np.float64]
METRES_PER_NEWTON = 0.12  # of the arrows
SHORTEST = 0.004  # of an arrow that is drawn [m]
BLADE_TURNS = 2.3  # per second as they are drawn
FORWARD = np.array((1.0, 0.0, 0.0))


class CanopyRobot:
    """A robot, its tether and the branches that bend, in a viser scene."""

    catenary_shown = False  # a taut tether has none worth a line

    def __init__(
        self, scene: Any, scenario: CanopyScenario | None, path: str, color: Color, tension_max: float
    ) -> None:
        """path: in the scene, '/run'. tension_max: the bright end of the tether's colours [N]."""
        spec = AvocadoRobotSpec() if scenario is None else scenario.spec
        self.tension_max = tension_max
        self._node = scene.add_frame(f"{path}/robot", show_axes=False, axes_length=0.2, axes_radius=0.004)
        self._blades = _draw_robot(scene, f"{path}/robot", spec, color)
        self._starts = _propellers(spec)
        self._arrows = [
            scene.add_arrows(
                f"{path}/robot/thrust_{side}", _arrow(start, 0.1), colors.THRUST,
                shaft_radius=0.006, head_radius=0.016, head_length=0.03,
            )
            for side, start in zip(("left", "right"), self._starts, strict=True)
        ]  # fmt: skip
        self._tether = TetherLine(scene, path, contact_size=0.03)
        self.bends = Bends(branches_of(scenario))
        self._branches = [
            scene.add_mesh_simple(
                f"{path}/branch_{k}", *triangles(branch.shape), color=colors.BRANCH, position=branch.root
            )
            for k, branch in enumerate(self.bends.branches)
        ]
        if scenario is not None:
            anchor = trimesh.creation.icosphere(subdivisions=2, radius=0.025)
            scene.add_mesh_simple(
                f"{path}/anchor", *_plain(anchor), color=colors.DARK, position=scenario.canopy.anchor
            )

    def show_axes(self, shown: bool) -> None:
        """Frame of the robot: x red, y green, z blue."""
        self._node.show_axes = shown

    def show(self, frame: CanopyFrame) -> None:
        """Move everything to where it is."""
        self._node.visible = frame.robot is not None
        if frame.robot is not None:
            self._node.position, self._node.wxyz = frame.robot
        for k, (arrow, start, thrust) in enumerate(
            zip(self._arrows, self._starts, frame.thrust, strict=True)
        ):
            long = METRES_PER_NEWTON * float(thrust)
            arrow.visible = abs(long) > SHORTEST
            if arrow.visible:
                arrow.points = _arrow(start, long)
            half = (1 if k else -1) * math.pi * BLADE_TURNS * (frame.time if thrust else 0.0)
            self._blades[k].wxyz = (math.cos(half), math.sin(half), 0.0, 0.0)
        for k, (node, bent) in enumerate(zip(self._branches, frame.bends, strict=True)):
            node.wxyz = self.bends.quaternion(k, bent)
        self._tether.show(frame.tether, frame.tension, self.tension_max)
        self._tether.show_contacts(frame.contacts)


def _arrow(start: Vector, long: float) -> NDArray[np.float32]:
    return np.stack([start, start + long * FORWARD])[None].astype(np.float32)


def _propellers(spec: AvocadoRobotSpec) -> list[Vector]:
    """Their hubs, left and right, from where the tether leaves the robot [m], (3,) each."""
    return [np.array((0.0, side * spec.motor_arm, -spec.thrust_arm)) for side in (1.0, -1.0)]


def _draw_robot(scene: Any, path: str, spec: AvocadoRobotSpec, color: Color) -> list[Any]:
    """The elliptic shell round the centre of mass, what it holds, and propellers; returns what turns."""
    center = np.array((0.0, 0.0, -spec.mass_arm))
    shell = trimesh.creation.icosphere(subdivisions=4, radius=1.0)
    shell.apply_scale((0.5 * spec.shell_thickness, spec.half_axis_z, spec.half_axis_y))
    scene.add_mesh_simple(
        f"{path}/shell", *_plain(shell), color=color, opacity=0.35, position=center, cast_shadow=False
    )
    spool = trimesh.creation.cylinder(
        radius=2.0 * spec.spool_radius,
        segment=((0, -spec.spool_width, 0), (0, spec.spool_width, 0)),
        sections=24,
    )
    battery = trimesh.creation.box(extents=(0.03, 0.07, 0.05))
    battery.apply_translation(1.7 * center)
    for name, mesh in (("spool", spool.apply_translation(0.35 * center)), ("battery", battery)):
        scene.add_mesh_simple(f"{path}/{name}", *_plain(mesh), color=colors.DARK, flat_shading=True)
    bar = trimesh.creation.cylinder(radius=0.006, segment=tuple(_propellers(spec)), sections=12)
    scene.add_mesh_simple(f"{path}/bar", *_plain(bar), color=colors.DARK)
    return [
        _draw_propeller(scene, f"{path}/{side}", hub, spec.propeller_radius, color)
        for side, hub in zip(("left", "right"), _propellers(spec), strict=True)
    ]


def _draw_propeller(scene: Any, path: str, hub: Vector, radius: float, color: Color) -> Any:
    node = scene.add_frame(path, show_axes=False, position=hub)
    blade = trimesh.creation.box(extents=(0.04 * radius, 2.0 * radius, 0.22 * radius))
    scene.add_mesh_simple(f"{path}/blade", *_plain(blade), color=colors.DARK, flat_shading=True)
    disc = trimesh.creation.cylinder(radius=radius, segment=((-0.001, 0, 0), (0.001, 0, 0)), sections=32)
    scene.add_mesh_simple(f"{path}/disc", *_plain(disc), color=color, opacity=0.4)
    return node


def _plain(mesh: trimesh.Trimesh) -> Triangles:
    return Triangles(np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces, np.uint32))
