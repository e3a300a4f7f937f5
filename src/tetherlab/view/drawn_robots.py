"""Robots as they are drawn: drones, ground robots and robots that hang on their tether."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec
from tetherlab.view import colors
from tetherlab.view.colors import Color
from tetherlab.view.frame import Frame
from tetherlab.view.parts import Part
from tetherlab.view.surface import Triangles, merged

Vector = NDArray[np.float64]
BLADE_TURNS = 2.3  # per second as they are drawn: a real rotor would be a blur
FORWARD, LEFT, UP = np.eye(3)
METRES_PER_NEWTON = 0.12  # of the arrows of thrust
SHORTEST = 0.004  # of an arrow that is drawn [m]


class Drone:
    """Hub, arms, legs, and a rotor for each of its own."""

    def __init__(self, scene: Any, path: str, part: Part, color: Color) -> None:
        self._name = part.name
        if isinstance(part.look, QuadrotorSpec):
            hubs, feet = list(part.look.rotor_positions), list(np.asarray(part.look.feet)[:, :3])
            radius, tied = part.look.rotor_radius, np.asarray(part.look.attachment)
        else:
            hubs = [np.array((x, y, 0.03)) for x in (0.17, -0.17) for y in (0.17, -0.17)]
            feet, radius, tied = [0.6 * hub - 0.12 * UP for hub in hubs], 0.12, np.zeros(3)
        size = float(np.mean([np.linalg.norm(hub) for hub in hubs]))
        hub = trimesh.creation.box(extents=(0.7 * size, 0.45 * size, 0.25 * size))
        arms = [rod((0, 0, 0), point, 0.05 * size) for point in hubs]
        legs = [rod(0.3 * foot, foot, 0.025 * size) for foot in feet]
        scene.add_mesh_simple(f"{path}/body", *together([hub, *arms]), color=color, flat_shading=True)
        # What shows where its front is.
        nose = trimesh.creation.box(extents=(0.15 * size, 0.3 * size, 0.15 * size))
        nose.apply_translation((0.4 * size, 0.0, 0.05 * size))
        scene.add_mesh_simple(f"{path}/nose", *together([nose]), color=colors.TARGET, flat_shading=True)
        eye = trimesh.creation.icosphere(subdivisions=1, radius=0.05 * size)
        eye.apply_translation(tied)
        scene.add_mesh_simple(f"{path}/legs", *together([*legs, eye]), color=colors.DARK, flat_shading=True)
        self._rotors = []
        for k, point in enumerate(hubs):
            at = f"{path}/rotor_{k}"
            self._rotors.append(scene.add_frame(at, show_axes=False, position=point + 0.05 * size * UP))
            blade = trimesh.creation.box(extents=(2.0 * radius, 0.12 * radius, 0.02 * radius))
            scene.add_mesh_simple(f"{at}/blade", *together([blade]), color=colors.DARK, flat_shading=True)
            disc = trimesh.creation.cylinder(radius=radius, height=0.01 * radius, sections=32)
            scene.add_mesh_simple(f"{at}/disc", *together([disc]), color=color, opacity=0.25)

    def show(self, frame: Frame) -> None:
        """Turn the rotors."""
        time = 0.0 if self._name in frame.idle else frame.time
        for k, rotor in enumerate(self._rotors):
            half = (1 if k % 2 else -1) * math.pi * BLADE_TURNS * time
            rotor.wxyz = (math.cos(half), 0.0, 0.0, math.sin(half))


class Rover:
    """Platform or hull, wheels and winch; its origin is on the ground."""

    def __init__(self, scene: Any, path: str, part: Part, color: Color) -> None:
        self._name, self._deck, spec = part.name, None, part.look
        if isinstance(spec, RoverSpec) and spec.deck_lower is None:
            _draw_barrel(scene, path, spec, color)
            return
        joint, dish = np.zeros(3), None
        if isinstance(spec, RoverSpec):
            assert spec.deck_lower is not None and spec.deck_upper is not None
            lower, upper, dish = spec.deck_lower, spec.deck_upper, spec.depression
            wheels, radius = np.asarray(spec.wheel_positions), spec.wheel_radius
            joint = joint if spec.leveller is None else np.asarray(spec.leveller.joint)
        else:
            lower, upper = np.array((-0.3, -0.25, 0.1)), np.array((0.3, 0.25, 0.3))
            wheels, radius = np.array([(x, y, 0.1) for x in (0.25, -0.25) for y in (0.3, -0.3)]), 0.1
        for k, outlet in enumerate(part.winches):
            stand = rod(outlet * (1.0, 1.0, 0.0) + 1.3 * radius * UP, outlet, 0.02)
            draw_drum(scene, f"{path}/winch_{k}", outlet, stand)
        deck = (
            trimesh.creation.box(bounds=(lower, upper)) if dish is None else hollow_deck(lower, upper, dish)
        )
        deck.apply_translation(-joint)
        self._deck = scene.add_frame(f"{path}/deck", show_axes=False, position=joint)
        scene.add_mesh_simple(f"{path}/deck/top", *together([deck]), color=color, flat_shading=True)
        inner = 0.5 * radius * LEFT
        front, back = wheels.max(axis=0) - inner, wheels.min(axis=0) + inner
        chassis = trimesh.creation.box(bounds=(back - 0.3 * radius * UP, front + 0.5 * radius * UP))
        scene.add_mesh_simple(f"{path}/body", *together([chassis]), color=color, flat_shading=True)
        tyres = [rod(wheel - 0.3 * radius * LEFT, wheel + 0.3 * radius * LEFT, radius) for wheel in wheels]
        scene.add_mesh_simple(f"{path}/wheels", *together(tyres), color=colors.DARK, flat_shading=True)

    def show(self, frame: Frame) -> None:
        """Turn the deck."""
        if self._deck is not None and self._name in frame.decks:
            self._deck.wxyz = roll_then_pitch(*frame.decks[self._name])


class HangingRobot:
    """The elliptic shell round the centre of mass, what it holds, and propellers with their thrusts."""

    def __init__(self, scene: Any, path: str, part: Part, color: Color) -> None:
        spec = part.look if isinstance(part.look, AvocadoRobotSpec) else AvocadoRobotSpec()
        self._name, P = part.name, spec.mass_arm * UP  # P: where the tether leaves it
        shell = trimesh.creation.icosphere(subdivisions=4, radius=1.0)
        shell.apply_scale((0.5 * spec.shell_thickness, spec.half_axis_z, spec.half_axis_y))
        scene.add_mesh_simple(
            f"{path}/shell", *together([shell]), color=color, opacity=0.35, cast_shadow=False
        )
        width = spec.spool_width * LEFT
        spool = rod(0.65 * P - width, 0.65 * P + width, 2.0 * spec.spool_radius)
        battery = trimesh.creation.box(extents=(0.03, 0.07, 0.05))
        battery.apply_translation(-0.7 * P)
        hubs = [P + np.array((0.0, side * spec.motor_arm, -spec.thrust_arm)) for side in (1.0, -1.0)]
        dark = together([spool, battery, rod(hubs[0], hubs[1], 0.006)])
        scene.add_mesh_simple(f"{path}/inside", *dark, color=colors.DARK, flat_shading=True)
        self._hubs, self._blades, self._arrows = hubs, [], []
        for side, hub in zip(("left", "right"), hubs, strict=True):
            self._blades.append(_draw_propeller(scene, f"{path}/{side}", hub, spec.propeller_radius, color))
            arrow = scene.add_arrows(
                f"{path}/thrust_{side}", _arrow(hub, 0.1), colors.THRUST,
                shaft_radius=0.006, head_radius=0.016, head_length=0.03,
            )  # fmt: skip
            self._arrows.append(arrow)

    def show(self, frame: Frame) -> None:
        """Turn the propellers, and draw their thrusts."""
        thrusts = frame.thrusts.get(self._name, np.zeros(2))
        for k, (arrow, hub, thrust) in enumerate(zip(self._arrows, self._hubs, thrusts, strict=True)):
            long = METRES_PER_NEWTON * float(thrust)
            arrow.visible = abs(long) > SHORTEST
            if arrow.visible:
                arrow.points = _arrow(hub, long)
            half = (1 if k else -1) * math.pi * BLADE_TURNS * (frame.time if thrust else 0.0)
            self._blades[k].wxyz = (math.cos(half), math.sin(half), 0.0, 0.0)


def rod(start: Any, end: Any, radius: float) -> trimesh.Trimesh:
    """A cylinder between two points."""
    return trimesh.creation.cylinder(radius=radius, segment=(start, end), sections=16)


def together(meshes: list[trimesh.Trimesh]) -> Triangles:
    """Several meshes as one, for viser."""
    return merged(
        [Triangles(np.asarray(m.vertices, np.float32), np.asarray(m.faces, np.uint32)) for m in meshes]
    )


def draw_drum(scene: Any, path: str, outlet: Vector, *stands: trimesh.Trimesh) -> None:
    """A drum where a tether leaves it [m], (3,)."""
    drum = rod(outlet - 0.06 * LEFT, outlet + 0.06 * LEFT, 0.04)
    scene.add_mesh_simple(path, *together([drum, *stands]), color=colors.DARK, flat_shading=True)


def hollow_deck(lower: Vector, upper: Vector, dish: Vector) -> trimesh.Trimesh:
    """An octagon with a depression in its middle; dish: radius of floor and rim, depth [m], (3,)."""
    centre, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    inner, rim, depth = map(float, dish)
    floor, width = upper[2] - depth, float(min(half[:2]))
    profile = [
        (0.0, lower[2]), (width, lower[2]), (width, upper[2]), (rim, upper[2]), (inner, floor), (0.0, floor),
    ]  # fmt: skip
    deck = trimesh.creation.revolve(profile, sections=8)
    deck.apply_translation((centre[0], centre[1], 0.0))
    return deck


def roll_then_pitch(roll: float, pitch: float) -> tuple[float, float, float, float]:
    """Quaternion wxyz of R_y(pitch) R_x(roll)."""
    cr, sr, cp, sp = (f(0.5 * angle) for angle in (roll, pitch) for f in (math.cos, math.sin))
    return cp * cr, cp * sr, sp * cr, -sp * sr


def _draw_barrel(scene: Any, path: str, spec: RoverSpec, color: Color) -> None:
    """A hull of balls, and a barrel between the first two, on wheels."""
    hull, balls = np.asarray(spec.hull), []
    for x, y, z, radius in hull:
        ball = trimesh.creation.icosphere(subdivisions=3, radius=radius)
        balls.append(ball.apply_translation((x, y, z)))
    if len(hull) > 1:
        barrel = trimesh.creation.cylinder(radius=hull[0, 3], segment=hull[:2, :3], sections=48)
        balls.append(barrel)
    aside = 0.3 * spec.wheel_radius * LEFT
    tyres = [
        rod(wheel - aside, wheel + aside, spec.wheel_radius) for wheel in np.asarray(spec.wheel_positions)
    ]
    if balls:
        scene.add_mesh_simple(f"{path}/hull", *together(balls), color=color)
    scene.add_mesh_simple(f"{path}/wheels", *together(tyres), color=colors.DARK, flat_shading=True)


def _draw_propeller(scene: Any, path: str, hub: Vector, radius: float, color: Color) -> Any:
    """Returns what turns."""
    node = scene.add_frame(path, show_axes=False, position=hub)
    blade = trimesh.creation.box(extents=(0.04 * radius, 2.0 * radius, 0.22 * radius))
    scene.add_mesh_simple(f"{path}/blade", *together([blade]), color=colors.DARK, flat_shading=True)
    disc = rod(-0.001 * FORWARD, 0.001 * FORWARD, radius)
    scene.add_mesh_simple(f"{path}/disc", *together([disc]), color=color, opacity=0.4)
    return node


def _arrow(start: Vector, long: float) -> NDArray[np.float32]:
    return np.stack([start, start + long * FORWARD])[None].astype(np.float32)
