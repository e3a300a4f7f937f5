"""What there is in a scene: robots, bodies, hands that the user moves, tethers between sites, and joints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.assembly.branches import grow_branch
from tetherlab.assembly.robots import Robot, make_robot
from tetherlab.assembly.scene_joint import Joint, make_joint
from tetherlab.assembly.scene_reading import fill_scene
from tetherlab.assembly.scene_writing import write_scene
from tetherlab.assembly.sites import ORIGIN, Body, Site
from tetherlab.assembly.timed_command import TimedCommand, make_command, wrong_commands
from tetherlab.contracts import check
from tetherlab.contracts.bodies import RigidBody
from tetherlab.contracts.documents import write_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.plant.branch import Branch
from tetherlab.scenario.document import Document
from tetherlab.scenario.line import WinchSection
from tetherlab.scenario.parts import load_surroundings, load_tether, load_winch
from tetherlab.scenario.scene_file import SceneFile
from tetherlab.scenario.simulation import winch_hardware, winch_rule
from tetherlab.scenario.surroundings import Surroundings
from tetherlab.scenario.written import open_document
from tetherlab.tether.limits import check_length, check_step
from tetherlab.tether.spec import TetherSpec
from tetherlab.vehicles.spec import WinchSpec
from tetherlab.world.packing import bounding_ball
from tetherlab.world.shapes import Shape, require_shapes
from tetherlab.world.world import World

Vector = NDArray[np.float64]
NEAR = 1e-6  # of two sites that are one [m]


@dataclass(frozen=True)
class Hand:
    """A point that the user moves."""

    name: str
    position: Vector  # at the start [m], (3,)

    def site(self, where: str = ORIGIN) -> Site:
        """The point itself."""
        if not isinstance(where, str) or where != ORIGIN:
            raise InputError(f"hand {self.name!r} is a point: its only site is '{ORIGIN}', got {where!r}")
        return Site(self.name, np.zeros(3), ORIGIN)

    def at(self, site: Site) -> Vector:
        """Where it is at the start [m], (3,)."""
        return self.position


@dataclass(frozen=True)
class Line:
    """A tether of a scene."""

    name: str
    spec: TetherSpec
    start: Site
    end: Site
    length: float  # unstretched, paid out at the start [m]
    element_length: float  # [m]
    step_max: float  # longest internal step [s]
    shape: Any  # polyline at the start, or None: at rest
    length_total: float  # out and on the drum [m]
    winch: WinchSpec | None  # at its start; None: it is reeled by hand
    rule: Any  # of the winch, unless a simulation is given another; None: it holds
    start_damping: Vector | None  # of the joint with a robot at its start [N m s], (3,); None: it is free


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """How a scene runs, unless a simulation is told otherwise."""

    duration_max: float = 60.0  # [s]
    seed: int = 0
    record_hz: float = 50.0  # rows of the log per second
    step: float | None = (
        None  # from one command to the next [s]; None: 0.005 with robots or winches, else 0.01
    )


class Scene:
    """Robots, bodies, hands, tethers and joints in a world; see `SceneSimulation` for how it runs."""

    def __init__(self, world: World | Surroundings | str | Path | None = None) -> None:
        """world: a packaged name, a file or a `tl.World`; without one, empty space with Earth's gravity."""
        self.given: dict[Any, dict[str, Any]] = {"world": {"name": None, "surroundings": None}}  # see to_yaml
        if isinstance(world, (str, Path)):
            self.given["world"]["name"] = str(world)
            world = load_surroundings(world)
        if isinstance(world, Surroundings):
            self.given["world"]["surroundings"] = world
            world = world.world
        self.world = World() if world is None else check.instance("world", world, World)
        self.given["world"]["field"] = self.world.field
        self.parts: dict[str, Body | Hand] = {}
        self.tethers: dict[str, Line] = {}
        self.joints: dict[str, Joint] = {}
        self.description = ""  # one sentence
        self.control: dict[
            str, Any
        ] = {}  # by the name of a robot or tether, as `controllers` of a simulation
        self.commands: list[TimedCommand] = []
        self.run = RunSettings()

    @classmethod
    def load(cls, name_or_path: str | Path, overrides: Mapping[str, Any] | None = None) -> Scene:
        """A packaged scene by its name, or one's own `.yaml` file; overrides by their paths.

        Scene.load("load_on_two_drones", {"bodies.load.mass_kg": 0.8})
        """
        return cls.read(open_document(name_or_path), overrides)

    @classmethod
    def from_dict(
        cls,
        data: Any,
        overrides: Mapping[str, Any] | None = None,
        *,
        folder: str | Path = ".",
        source: str = "scene",
    ) -> Scene:
        """From its written form; files are relative to `folder`, `source` names it in messages."""
        return cls.read(Document(data, source, Path(folder)), overrides)

    @classmethod
    def read(cls, document: Document, overrides: Mapping[str, Any] | None = None) -> Scene:
        """From a document on its way; all that is wrong with it is one InputError."""
        file = SceneFile.read(document, overrides)
        scene = cls(file.surroundings)
        scene.given["world"]["name"] = file.names.get(("world",))
        fill_scene(scene, file)
        return scene

    def to_dict(self) -> dict[str, Any]:
        """The written form with nothing left out: names replaced by contents, defaults filled in."""
        return write_scene(self, None)

    def to_yaml(self, path: str | Path) -> None:
        """Write the scene as YAML, as it was made: what was given by its name is written so.

        Files that it names are relative to it; grids and heights of the world go beside it.
        """
        write_yaml(write_scene(self, Path(path)), path)

    def add_body(
        self,
        body: RigidBody,
        *,
        name: str,
        position: ArrayLike,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        shapes: Sequence[Shape] = (),
        sites: Mapping[str, ArrayLike] | None = None,
    ) -> Body:
        """A rigid body with its centre of mass at a position [m], moving with a velocity [m/s].

        shapes: its outside, in its own frame, which feet of other bodies and tethers touch. The body itself
        touches obstacles with its spheres, and never its own shapes. sites: named points of its frame [m].
        """
        body = check.instance("body", body, RigidBody)
        part = Body(
            self._new(name),
            body,
            check.vector("position", position),
            check.vector("velocity", velocity),
            self._carried(name, shapes),
            {key: check.vector(f"site {key!r} of {name!r}", place) for key, place in (sites or {}).items()},
        )
        self.parts[part.name] = part
        self.given[name] = {"shapes": tuple(shapes)}
        return part

    def add_robot(
        self,
        robot: Any,
        *,
        name: str,
        position: ArrayLike | None = None,
        yaw: float = 0.0,
        on: Site | None = None,
        rotation_wxyz: ArrayLike | None = None,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        angular_velocity: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Robot:
        """A robot: a packaged name ("x500"), a YAML file, or a spec.

        position: of the origin of its frame [m]: the centre of mass of a robot in the air, the point of the
        ground on which a ground robot stands. on: a site on which it stands instead, with its rotors off.
        yaw: [rad]; rotation_wxyz: attitude of a robot in the air instead. velocity: of its centre of mass
        [m/s]; angular_velocity: world frame [rad/s].
        """
        name = self._new(name)
        if (position is None) == (on is None):
            raise InputError(f"robot {name!r}: give either position or on")
        stands_at = None
        if on is not None:
            if not isinstance(on, Site) or on.owner not in self.parts:
                raise InputError(f"robot {name!r}: on must be a site of this scene, got {_shown(on)}")
            stands_at = self.at(on)
        part = make_robot(
            robot, name, position, yaw, stands_at, self.world,
            rotation_wxyz=rotation_wxyz, velocity=velocity, angular_velocity=angular_velocity,
        )  # fmt: skip
        self.parts[name] = part
        self.given[name] = {
            "robot": robot, "position": position, "yaw": yaw, "on": on, "rotation_wxyz": rotation_wxyz,
            "velocity": velocity, "angular_velocity": angular_velocity,
        }  # fmt: skip
        return part

    def add_branch(self, branch: Branch, *, name: str | None = None) -> Body:
        """A branch that bends; the joint at its root is called like it, with "_root" behind.

        name: that of the branch, unless another is given.
        """
        part = grow_branch(self, check.instance("branch", branch, Branch), name)
        self.given[part.name] = {"branch": branch}
        return part

    def add_hand(self, *, name: str, position: ArrayLike) -> Hand:
        """A point at a position [m] that stays there until it is commanded."""
        part = Hand(self._new(name), check.vector("position", position))
        self.parts[part.name] = part
        return part

    def add_tether(
        self,
        spec: TetherSpec | str | Path,
        *,
        name: str,
        start: Site,
        end: Site,
        length: float,
        paid_out: float | None = None,
        winch: WinchSpec | str | Path | None = None,
        element_length: float = 0.1,
        step_max: float = 0.005,
        shape: ArrayLike | None = None,
        start_damping: ArrayLike | None = None,
    ) -> Line:
        """A tether between two sites, hanging at rest unless a shape is given; `start` is the reel end.

        spec: a packaged name ("paper"), a file or a `tl.TetherSpec`. length: unstretched [m]. paid_out: how
        much of it is out at the start, the rest lies on the drum of a winch at `start` [m]. winch: a packaged
        name, a file or a spec; "paper" if a tether with `paid_out` names none. element_length: of the
        discretisation [m]; step_max: longest internal step [s]; shape: polyline from start to end (n, 3) [m].
        start_damping: with which the joint to the robot at its start resists turning while the tether pulls:
        about the robot's y axis, across that, and about the tether [N m s], (3,).
        """
        given = {
            "spec": spec, "length": length, "paid_out": paid_out, "winch": winch,
            "element_length": element_length, "step_max": step_max, "shape": shape,
            "start_damping": start_damping,
        }  # fmt: skip
        if isinstance(spec, (str, Path)):
            spec = load_tether(spec).spec
        total = check_length(length)
        out = total if paid_out is None else check_length(paid_out)
        if out > total:
            raise InputError(f"tether {name!r}: paid_out must be at most length, {total:g} m, got {out:g}")
        hardware, rule = _winch(winch if winch is not None or paid_out is None else "paper")
        tether = Line(
            name=self._new(name),
            spec=check.instance("spec", spec, TetherSpec),
            start=start,
            end=end,
            length=out,
            element_length=check.positive("element_length", element_length),
            step_max=check_step(step_max),
            shape=None if shape is None else check.points("shape", shape),
            length_total=total,
            winch=hardware,
            rule=rule,
            start_damping=_damping(name, start, start_damping, self.parts),
        )
        self.tethers[tether.name] = tether
        self.given[tether.name] = given
        return tether

    def add_joint(
        self,
        kind: str,
        *,
        name: str,
        parent: Site | ArrayLike,
        child: Site,
        axes: ArrayLike | None = None,
        angle: float | ArrayLike = 0.0,
        stiffness: float | ArrayLike = 0.0,
        rest: float | ArrayLike = 0.0,
        damping: float | ArrayLike = 0.0,
        limits: ArrayLike | None = None,
        torque_max: float | ArrayLike | None = None,
        held: bool = False,
        release_time: float | None = None,
    ) -> Joint:
        """A "hinge", "universal", "ball" or "fixed" joint of two sites that are at one place.

        parent: a site of a body, or a point of the world [m]. axes: of a hinge one vector, of a universal
        joint two at right angles, in the world frame at angles of zero; the first stays with the parent, the
        second with the child. What follows is a number for all axes, or one for each: angle: at the start
        [rad]; stiffness [N m/rad] of a spring that is relaxed at the angle `rest` [rad]; damping [N m s/rad];
        torque_max: of the actuator [N m]. limits: least and largest angle of a hinge, or of each axis [rad].
        held: the axes do not turn until they are unlocked, or until release_time [s].
        """
        joint = make_joint(
            self._new(name), kind, parent, child, axes, limits, torque_max, held, release_time,
            angle=angle, stiffness=stiffness, rest=rest, damping=damping,
        )  # fmt: skip
        self.joints[joint.name] = joint
        self.given[joint.name] = {
            "kind": kind, "parent": parent, "child": child, "axes": axes, "angle": angle,
            "stiffness": stiffness, "rest": rest, "damping": damping, "limits": limits,
            "torque_max": torque_max, "held": held, "release_time": release_time,
        }  # fmt: skip
        return joint

    def add_command(self, name: str, *, time: float, **said: Any) -> TimedCommand:
        """Tell a part something at a time [s] of each run, as `sim.command` would.

        said: position, velocity, take_off, land, hold, length, speed, tension, force or torque; yaw. For a
        hand a position, and within how many seconds it is there; for a tether also release="start" or "end".
        """
        command = make_command(name, time, said)
        self.commands.append(command)
        return command

    def check(self) -> None:
        """Raise one InputError with all that is wrong with the scene."""
        problems = [
            f"{section.removesuffix('s') if section != 'bodies' else 'body'} {name!r}: {text}"
            for (section, name), text in self.problems()
        ]
        problems += [f"command {number}: {text}" for number, text in wrong_commands(self)]
        if not self.parts and not self.tethers:
            problems.append("the scene is empty: add a body, a hand or a tether")
        if problems:
            raise InputError("\n".join(problems))

    def problems(self) -> Iterator[tuple[tuple[str, str], str]]:
        """What cannot be: the section of a file and the name of the part, and a sentence."""
        yield from self._problems_of_tethers()
        yield from self._problems_of_joints()
        yield from self._problems_of_bodies()

    def at(self, site: Site) -> Vector:
        """Where a site is at the start [m], (3,)."""
        return self.parts[site.owner].at(site)

    def _problems_of_tethers(self) -> Iterator[tuple[tuple[str, str], str]]:
        for tether in self.tethers.values():
            where = ("tethers", tether.name)
            sites = {"start": tether.start, "end": tether.end}
            missing = [
                f"{side} must be a site of this scene, as part.site('{ORIGIN}'), got {_shown(site)}."
                + (check.did_you_mean(site.owner, self.parts) if isinstance(site, Site) else "")
                for side, site in sites.items()
                if not isinstance(site, Site) or site.owner not in self.parts
            ]
            yield from ((where, text) for text in missing)
            if missing:
                continue
            apart = float(np.linalg.norm(self.at(tether.end) - self.at(tether.start)))
            if tether.start.owner == tether.end.owner and apart < NEAR:
                yield where, f"start and end are the same point of {tether.start.owner!r}"
            elif apart > tether.length * (1.0 + 1e-9) and tether.shape is None:
                yield (
                    where,
                    f"its sites are {apart:.4g} m apart, but {tether.length:g} m of it are out; "
                    f"at least {apart:.4g} m must be",
                )

    def place_of(self, parent: Site | ArrayLike) -> Vector:
        """Where the parent of a joint has it at the start [m], (3,)."""
        return self.at(parent) if isinstance(parent, Site) else np.asarray(parent, float)

    def _problems_of_joints(self) -> Iterator[tuple[tuple[str, str], str]]:
        for joint in self.joints.values():
            where = ("joints", joint.name)
            wrong = [
                f"{side} must be a site of a body of this scene, as part.site('{ORIGIN}')"
                f"{' or a point of the world' if side == 'parent' else ''}, got {_shown(site)}."
                for side, site in (("parent", joint.parent), ("child", joint.child))
                if not self._can_join(site, side)
            ]
            yield from ((where, text) for text in wrong)
            if wrong:
                continue
            apart = float(np.linalg.norm(self.place_of(joint.parent) - self.at(joint.child)))
            if apart > NEAR:
                yield (
                    where,
                    f"its two points are {apart:.4g} m apart; move {joint.child.owner!r} or choose another "
                    "site",
                )
            if isinstance(joint.parent, Site) and joint.parent.owner == joint.child.owner:
                yield where, f"parent and child are both {joint.child.owner!r}"

    def _can_join(self, site: Any, side: str) -> bool:
        """Whether a joint can have this parent or child."""
        if isinstance(site, Site):
            return isinstance(self.parts.get(site.owner), Body)
        try:
            return side == "parent" and check.vector("parent", site).shape == (3,)
        except InputError:
            return False

    def _problems_of_bodies(self) -> Iterator[tuple[tuple[str, str], str]]:
        joined = {
            frozenset((joint.parent.owner, joint.child.owner))
            for joint in self.joints.values()
            if isinstance(joint.parent, Site) and isinstance(joint.child, Site)
        }
        spheres: list[tuple[str, Vector, float]] = []
        for part in self.parts.values():
            if not isinstance(part, Body):
                continue
            R_WB = matrix_from_quaternion(part.body.rotation_wxyz)
            own = [(part.name, part.position + R_WB @ s[:3], float(s[3])) for s in part.body.spheres]
            for _, centre, radius in own:
                depth = radius - min(float(self.world.distance(centre)), self._gap(part, centre))
                if depth > 1e-4:
                    yield (
                        ("bodies", part.name),
                        f"it would start {depth:.3g} m inside an obstacle, at "
                        f"{centre.round(4).tolist()}; move it out",
                    )
            for other, place, size in spheres:
                if frozenset((other, part.name)) in joined:
                    continue
                for name, centre, radius in own:
                    overlap = size + radius - float(np.linalg.norm(centre - place))
                    if overlap > 1e-4:
                        yield (
                            ("bodies", name),
                            f"it and {other!r} would start {overlap:.3g} m inside each other; "
                            "move one of them",
                        )
            spheres += own

    def _gap(self, part: Body, point: Vector) -> float:
        """Distance of a point from the shapes of all other bodies at the start [m]."""
        gap = math.inf
        for other in self.parts.values():
            if isinstance(other, Body) and other.shapes and other is not part:
                R_WB = matrix_from_quaternion(other.body.rotation_wxyz)
                gap = min(gap, float(World(other.shapes).distance(R_WB.T @ (point - other.position))))
        return gap

    def _carried(self, owner: str, shapes: Sequence[Shape]) -> tuple[Shape, ...]:
        """The shapes of a body, with names."""
        found = []
        for i, shape in enumerate(require_shapes("shapes", shapes)):
            if not math.isfinite(bounding_ball(shape)[1]):
                raise InputError(f"body {owner!r}: shapes must be of finite size, got {shape!r}")
            found.append(replace(shape, name=shape.name or f"{owner}_{type(shape).__name__.lower()}_{i}"))
        return tuple(found)

    def _new(self, name: Any) -> str:
        """A name that is not taken."""
        if not isinstance(name, str) or not name.isidentifier():
            raise InputError(f"name must be letters, digits and _, and start with a letter, got {name!r}")
        if name in self.parts or name in self.tethers or name in self.joints:
            raise InputError(f"the scene has something called {name!r} already; choose another name")
        return name


def _shown(site: Any) -> str:
    return f"one of {site.owner!r}" if isinstance(site, Site) else check.shown(site)


def _damping(
    name: str, start: Site, given: ArrayLike | None, parts: Mapping[str, Body | Hand]
) -> Vector | None:
    """Of the joint at the start of a tether, checked."""
    if given is None:
        return None
    damping = check.vector(f"start_damping of tether {name!r}", given)
    if (damping < 0.0).any():
        raise InputError(f"tether {name!r}: start_damping must be >= 0, got {damping.tolist()}")
    if not (isinstance(start, Site) and isinstance(parts.get(start.owner), Robot)):
        raise InputError(f"tether {name!r}: start_damping is for a tether that starts at a robot")
    return damping


def _winch(winch: Any) -> tuple[WinchSpec | None, Any]:
    """Hardware and rule of a winch."""
    if winch is None:
        return None, None
    if isinstance(winch, (str, Path)):
        winch = load_winch(winch)
    if isinstance(winch, WinchSection):
        rule = None if winch.rule is None else winch_rule(winch.rule, winch.reel_speed_max)
        return winch_hardware(winch, winch.exit), rule
    return check.instance("winch", winch, WinchSpec), None
