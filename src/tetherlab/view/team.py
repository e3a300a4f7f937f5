"""Drone, rover and tether as they are drawn, and moved from frame to frame."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import trimesh
from numpy.typing import NDArray

from tetherlab.assembly.cooperation_team import find_team, packaged_drone
from tetherlab.scenario.platform import Depression
from tetherlab.scenario.robots import GroundRobot, Quadrotor
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.team_plan import TeamPlan
from tetherlab.tether.catenary import Catenary
from tetherlab.vehicles.climber import climber_spec
from tetherlab.view import colors
from tetherlab.view.climber import draw_climber
from tetherlab.view.colors import Color
from tetherlab.view.frame import Frame, Pose
from tetherlab.view.surface import Triangles, merged
from tetherlab.view.tether_line import TetherLine

Vector = NDArray[np.float64]
BLADE_TURNS = 2.3  # per second as they are drawn: a real rotor would be a blur
LEFT, UP = np.array((0.0, 1.0, 0.0)), np.array((0.0, 0.0, 1.0))
NOWHERE = (0.0, 0.0, -1000.0)


class Livery(NamedTuple):
    """Colours of one run, so that two can be told apart."""

    uav: Color = colors.UAV
    ugv: Color = colors.UGV


OTHER = Livery(colors.OTHER_UAV, colors.OTHER_UGV)


class Team:
    """A marsupial team in a viser scene."""

    def __init__(
        self, scene: Any, scenario: Scenario | TeamPlan | None, path: str, livery: Livery, tension_max: float
    ) -> None:
        """path: in the scene, '/run'. tension_max: the bright end of the tether's colours [N]."""
        self._scene, self._path, self.tension_max = scene, path, tension_max
        self._uav = scene.add_frame(f"{path}/uav", show_axes=False, axes_length=0.4, axes_radius=0.01)
        self._ugv = scene.add_frame(f"{path}/ugv", show_axes=False, axes_length=0.5, axes_radius=0.012)
        self._deck: Any = None  # a climber has none
        if isinstance(scenario, TeamPlan):
            ugv, _ = find_team(scenario.problem)
            self._rotors = _draw_drone(scene, f"{path}/uav", packaged_drone(), livery.uav)
            draw_climber(scene, f"{path}/ugv", climber_spec(ugv.radius, ugv.mass), livery.ugv)
        else:
            drone = None if scenario is None else scenario.uav.robot
            self._rotors = _draw_drone(scene, f"{path}/uav", drone, livery.uav)
            self._deck = _draw_rover(scene, f"{path}/ugv", scenario, livery.ugv)
        self._tether = TetherLine(scene, path)
        self._catenary: Any = None
        self._targets = [
            scene.add_icosphere(f"{path}/{who}_target", radius=0.07, color=colors.TARGET, opacity=0.6)
            for who in ("uav", "ugv")
        ]
        self.catenary_shown = False

    def show_axes(self, shown: bool) -> None:
        """Frames of the vehicles: x red, y green, z blue."""
        self._uav.show_axes = self._ugv.show_axes = shown

    def show(self, frame: Frame) -> None:
        """Move everything to where it is."""
        for node, pose in ((self._uav, frame.uav), (self._ugv, frame.ugv)):
            _place(node, pose)
        if frame.deck is not None:
            self._deck.wxyz = _roll_then_pitch(*frame.deck)
        for k, rotor in enumerate(self._rotors):
            half = (1 if k % 2 else -1) * math.pi * BLADE_TURNS * (frame.time if frame.turning else 0.0)
            rotor.wxyz = (math.cos(half), 0.0, 0.0, math.sin(half))
        for node, target in zip(self._targets, (frame.uav_target, frame.ugv_target), strict=True):
            node.visible = target is not None
            node.position = NOWHERE if target is None else target
        self._tether.show(frame.tether, frame.tension, self.tension_max)
        self._show_catenary(frame)
        self._tether.show_contacts(frame.contacts)

    def _show_catenary(self, frame: Frame) -> None:
        shown = self.catenary_shown and len(frame.tether) > 1 and frame.length is not None
        if shown:
            assert frame.length is not None
            base, end = frame.tether[0], frame.tether[-1]
            enough = max(frame.length, float(np.linalg.norm(end - base)) * (1.0 + 1e-9))
            curve = Catenary.between(base, end, enough).sample(41)
            points = np.stack([curve[:-1], curve[1:]], axis=1).astype(np.float32)
            if self._catenary is None:
                self._catenary = self._scene.add_line_segments(
                    f"{self._path}/catenary", points, colors.CATENARY, thickness=2.0, thickness_units="screen"
                )
            else:
                self._catenary.points = points
        if self._catenary is not None:
            self._catenary.visible = shown


def _place(node: Any, pose: Pose | None) -> None:
    node.visible = pose is not None
    if pose is not None:
        node.position, node.wxyz = pose


def _rod(start: Any, end: Any, radius: float) -> trimesh.Trimesh:
    return trimesh.creation.cylinder(radius=radius, segment=(start, end), sections=10)


def _together(meshes: list[trimesh.Trimesh]) -> Triangles:
    return merged(
        [Triangles(np.asarray(m.vertices, np.float32), np.asarray(m.faces, np.uint32)) for m in meshes]
    )


def _draw_drone(scene: Any, path: str, robot: Quadrotor | None, color: Color) -> list[Any]:
    """Hub, arms, legs, and a rotor for each of its own; returns what turns."""
    if robot is None:
        hubs = [np.array((x, y, 0.03)) for x in (0.17, -0.17) for y in (0.17, -0.17)]
        feet, radius, tied = [0.6 * hub - 0.12 * UP for hub in hubs], 0.12, np.zeros(3)
    else:
        hubs = [np.array(rotor.position) for rotor in robot.rotors]
        feet, radius, tied = (
            [np.array(foot) for foot in robot.feet],
            robot.rotor_radius,
            np.array(robot.attachment),
        )
    size = float(np.mean([np.linalg.norm(hub) for hub in hubs]))
    hub = trimesh.creation.box(extents=(0.7 * size, 0.45 * size, 0.25 * size))
    arms = [_rod((0, 0, 0), point, 0.05 * size) for point in hubs]
    legs = [_rod(0.3 * foot, foot, 0.025 * size) for foot in feet]
    scene.add_mesh_simple(f"{path}/body", *_together([hub, *arms]), color=color, flat_shading=True)
    # What shows where its front is.
    nose = trimesh.creation.box(extents=(0.15 * size, 0.3 * size, 0.15 * size))
    nose.apply_translation((0.4 * size, 0.0, 0.05 * size))
    scene.add_mesh_simple(f"{path}/nose", *_together([nose]), color=colors.TARGET, flat_shading=True)
    eye = trimesh.creation.icosphere(subdivisions=1, radius=0.05 * size)
    eye.apply_translation(tied)
    scene.add_mesh_simple(f"{path}/legs", *_together([*legs, eye]), color=colors.DARK, flat_shading=True)
    rotors = []
    for k, point in enumerate(hubs):
        turning = scene.add_frame(f"{path}/rotor_{k}", show_axes=False, position=point + 0.05 * size * UP)
        blade = trimesh.creation.box(extents=(2.0 * radius, 0.12 * radius, 0.02 * radius))
        scene.add_mesh_simple(
            f"{path}/rotor_{k}/blade", *_together([blade]), color=colors.DARK, flat_shading=True
        )
        disc = trimesh.creation.cylinder(radius=radius, height=0.01 * radius, sections=32)
        scene.add_mesh_simple(f"{path}/rotor_{k}/disc", *_together([disc]), color=color, opacity=0.25)
        rotors.append(turning)
    return rotors


def _draw_rover(scene: Any, path: str, scenario: Scenario | None, color: Color) -> Any:
    """Platform, wheels and winch, its origin on the ground; returns what turns with the deck."""
    joint, dish = np.zeros(3), None
    robot: GroundRobot | None = None if scenario is None else scenario.ugv.robot
    if robot is None or scenario is None:
        lower, upper = np.array((-0.3, -0.25, 0.1)), np.array((0.3, 0.25, 0.3))
        wheels, radius = [np.array((x, y, 0.1)) for x in (0.25, -0.25) for y in (0.3, -0.3)], 0.1
    else:
        lower, upper = np.array(robot.platform.lower), np.array(robot.platform.upper)
        wheels, radius = [np.array(wheel) for wheel in robot.wheels], robot.wheel_radius
        outlet = np.array(scenario.winch.exit)
        dish = robot.platform.depression
        if robot.platform.levelling is not None:
            joint = np.array(robot.platform.levelling.joint)
        drum = _rod(outlet - 0.06 * LEFT, outlet + 0.06 * LEFT, 0.04)
        stand = _rod(outlet * (1.0, 1.0, 0.0) + 1.3 * radius * UP, outlet, 0.02)
        scene.add_mesh_simple(
            f"{path}/winch", *_together([drum, stand]), color=colors.DARK, flat_shading=True
        )
    deck = trimesh.creation.box(bounds=(lower, upper)) if dish is None else _hollow_deck(lower, upper, dish)
    deck.apply_translation(-joint)
    turning = scene.add_frame(f"{path}/deck", show_axes=False, position=joint)
    scene.add_mesh_simple(f"{path}/deck/top", *_together([deck]), color=color, flat_shading=True)
    axles = np.array(wheels)
    inner = 0.5 * radius * LEFT
    front, back = axles.max(axis=0) - inner, axles.min(axis=0) + inner
    chassis = trimesh.creation.box(bounds=(back - 0.3 * radius * UP, front + 0.5 * radius * UP))
    scene.add_mesh_simple(f"{path}/body", *_together([chassis]), color=color, flat_shading=True)
    tyres = [_rod(wheel - 0.3 * radius * LEFT, wheel + 0.3 * radius * LEFT, radius) for wheel in wheels]
    scene.add_mesh_simple(f"{path}/wheels", *_together(tyres), color=colors.DARK, flat_shading=True)
    return turning


def _hollow_deck(lower: Vector, upper: Vector, dish: Depression) -> trimesh.Trimesh:
    """An octagon with a depression in its middle."""
    centre, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    floor, width = upper[2] - dish.depth, float(min(half[:2]))
    profile = [
        (0.0, lower[2]), (width, lower[2]), (width, upper[2]), (dish.rim_radius, upper[2]),
        (dish.floor_radius, floor), (0.0, floor),
    ]  # fmt: skip
    deck = trimesh.creation.revolve(profile, sections=8)
    deck.apply_translation((centre[0], centre[1], 0.0))
    return deck


def _roll_then_pitch(roll: float, pitch: float) -> tuple[float, float, float, float]:
    """Quaternion wxyz of R_y(pitch) R_x(roll)."""
    cr, sr, cp, sp = (f(0.5 * angle) for angle in (roll, pitch) for f in (math.cos, math.sin))
    return cp * cr, cp * sr, sp * cr, -sp * sr
