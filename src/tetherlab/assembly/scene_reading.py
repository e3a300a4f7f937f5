"""From the written form of a scene to the scene; all its mistakes are told together, with file and line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tetherlab.assembly.robots import Robot
from tetherlab.assembly.scene_control import make_controller
from tetherlab.assembly.sites import Site
from tetherlab.assembly.timed_command import wrong_commands
from tetherlab.contracts import check
from tetherlab.contracts.bodies import RigidBody
from tetherlab.contracts.errors import InputError
from tetherlab.scenario.problems import KeyPath
from tetherlab.scenario.scene_file import SceneFile
from tetherlab.scenario.scene_parts import BodyPart, JointPart, Point, RobotPart, TetherPart
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec
from tetherlab.world import World

if TYPE_CHECKING:
    from tetherlab.assembly.scene import Scene

OWNER = re.compile(r"^(?:body|robot|hand|tether|joint|branch) '[^']*': ")
IN_PYTHON = re.compile(r"Coordinates make one anywhere: .*$")
PART_SITE = ", as part.site('origin')"  # which is Python, too
DRIVEN_STEP, FREE_STEP = 0.005, 0.01  # of a run that names none [s]


class SkipError(Exception):
    """A part needs another one whose mistake was told already."""


def fill_scene(scene: Scene, file: SceneFile) -> None:
    """Build all parts of a file into an empty scene in its world."""
    _Reading(scene, file).build()


class _Reading:
    def __init__(self, scene: Scene, file: SceneFile) -> None:
        self.scene, self.file, self.document = scene, file, file.document
        self.numbers: list[int] = []  # in the file, of the commands of the scene

    def build(self) -> None:
        scene, file = self.scene, self.file
        scene.description = file.description
        for name, hand in file.hands.items():
            with self._at("hands", name):
                scene.add_hand(name=name, position=hand.start)
        for name, branch in file.branches.items():
            with self._at("branches", name):
                scene.add_branch(branch.branch)
        self._add_bodies()
        for name, tether in file.tethers.items():
            with self._at("tethers", name):
                self._add_tether(name, tether)
        for name, joint in file.joints.items():
            with self._at("joints", name):
                self._add_joint(name, joint)
        self._settle_run()
        for name, section in file.control.items():
            with self._at("control", name):
                if name not in scene.parts and name not in scene.tethers and file.knows(name):
                    raise SkipError
                scene.control[name] = make_controller(scene, name, section)
                scene.given["control", name] = {"section": section, "controller": scene.control[name]}
        for number, command in enumerate(file.commands):
            with self._at("commands", number):
                scene.add_command(command.name, time=command.time, **command.said)
                self.numbers.append(number)
        self._look_at_all()
        if self.document.problems:
            raise InputError(self.document.report())

    def _add_bodies(self) -> None:
        """Robots that stand on others come after them, in whatever order they are written."""
        waiting = dict(self.file.bodies)
        while waiting:
            ready = {
                name: body
                for name, body in waiting.items()
                if not isinstance(body, RobotPart) or body.on is None or _owner(body.on) not in waiting
            }
            if not ready:
                for name in waiting:
                    self.document.say(("bodies", name, "on"), f"{' and '.join(waiting)} stand on each other")
                return
            for name, body in ready.items():
                with self._at("bodies", name):
                    self._add_robot(name, body) if isinstance(body, RobotPart) else self._add_body(name, body)
                del waiting[name]
        parts = self.scene.parts
        order = [*self.file.hands, *self.file.branches, *self.file.bodies]
        self.scene.parts = {name: parts[name] for name in order if name in parts}

    def _add_robot(self, name: str, part: RobotPart) -> None:
        named = self.file.names.get(("bodies", name, "robot"))
        on = None if part.on is None else self._site(("bodies", name, "on"), part.on)
        if part.on is not None and on is None:
            raise SkipError
        self.scene.add_robot(
            part.robot if named is None else named,
            name=name,
            position=part.start,
            yaw=part.yaw,
            on=on,
            rotation_wxyz=part.rotation_wxyz,
            velocity=part.velocity,
            angular_velocity=part.angular_velocity,
        )

    def _add_body(self, name: str, part: BodyPart) -> None:
        radius, inertia = part.radius, np.asarray(part.inertia)
        if part.sphere is not None:
            radius = part.sphere.radius
            inertia = sphere_inertia(part.mass, radius)
        body = RigidBody(
            mass=part.mass,
            inertia=inertia,
            rotation_wxyz=part.rotation_wxyz,
            angular_velocity=part.angular_velocity,
            radius=radius,
            feet=[[*foot.center, foot.radius] for foot in part.feet],
            friction=part.friction,
        )
        shapes = World.from_dict({"shapes": list(part.shapes)}).shapes
        self.scene.add_body(
            body, name=name, position=part.start, velocity=part.velocity, shapes=shapes, sites=part.sites
        )

    def _add_tether(self, name: str, part: TetherPart) -> None:
        names = self.file.names
        start = self._site(("tethers", name, "from"), part.start)
        end = self._site(("tethers", name, "to"), part.end)
        if start is None or end is None:
            raise SkipError
        winch: Any = part.winch
        if ("tethers", name, "winch") in names:
            winch = names["tethers", name, "winch"]
        self.scene.add_tether(
            names.get(("tethers", name), part.spec),
            name=name,
            start=start,
            end=end,
            length=part.length,
            paid_out=part.paid_out,
            winch=winch,
            element_length=part.element_length,
            step_max=part.step_max,
            shape=part.shape,
        )

    def _add_joint(self, name: str, part: JointPart) -> None:
        parent: Any = part.anchor
        if part.parent is not None:
            parent = self._site(("joints", name, "parent"), part.parent)
        child = self._site(("joints", name, "child"), part.child)
        if parent is None or child is None:
            raise SkipError
        self.scene.add_joint(
            part.type,
            name=name,
            parent=parent,
            child=child,
            axes=part.axes,
            angle=part.angle,
            stiffness=part.stiffness,
            rest=part.rest,
            damping=part.damping,
            limits=part.limits,
            torque_max=part.torque_max,
            held=part.held,
            release_time=part.release_time,
        )

    def _site(self, path: KeyPath, written: str | Point) -> Site | None:
        """A site of the scene; None if there is none, which is a problem unless its owner was left out."""
        if isinstance(written, Point):
            owner, path = written.body, (*path, "body")
            where: Any = written.at
        else:
            owner, _, named = written.partition(".")
            where = named or "origin"
        part = self.scene.parts.get(owner)
        if part is None:
            if not self.file.knows(owner):
                known = check.did_you_mean(owner, self.scene.parts)
                self.document.say(path, f"no body, robot or hand is called {check.shown(owner)}.{known}")
            return None
        try:
            return part.site(where)
        except InputError as error:
            anywhere = f"Coordinates make one anywhere: {{body: {owner}, at_m: [x, y, z]}}"
            self.document.say(path, IN_PYTHON.sub(anywhere, str(error)))
            return None

    def _settle_run(self) -> None:
        """Settings of the run; its rates fit its step."""
        from tetherlab.assembly.scene import RunSettings

        run = self.file.run
        self.scene.run = RunSettings(
            duration_max=run.duration_max, seed=run.seed, record_hz=run.record, step=run.step
        )
        robots = [part for part in self.scene.parts.values() if isinstance(part, Robot)]
        driven = bool(robots) or any(line.winch is not None for line in self.scene.tethers.values())
        step = run.step or (DRIVEN_STEP if driven else FREE_STEP)
        if not _divides(run.record, step):
            told = f"must divide the {1.0 / step:g} steps per second evenly, got {run.record:g}"
            self.document.say(("run", "record_hz"), told)
        for name, section in self.file.control.items():
            rate = getattr(section, "rate", None)
            if rate is not None and not _divides(rate, step):
                told = f"must divide the {1.0 / step:g} steps per second evenly, got {rate:g}"
                self.document.say(("control", name, "rate_hz"), told)
        for part in robots:
            rate = {QuadrotorSpec: 100.0, RoverSpec: 50.0}.get(type(part.spec))
            if rate is not None and part.name not in self.file.control and not _divides(rate, step):
                told = f"the {rate:g} Hz of the controller of {part.name!r} must divide 1/{step:g} s evenly"
                self.document.say(("run", "step_s"), told)

    def _look_at_all(self) -> None:
        """What is wrong with the parts together; what was left out may explain that there are none."""
        for path, text in self.scene.problems():
            self.document.say(path, text.replace(PART_SITE, ""))
        for number, text in wrong_commands(self.scene):
            name = self.scene.commands[number].name
            if name in self.scene.parts or name in self.scene.tethers or not self.file.knows(name):
                self.document.say(("commands", self.numbers[number]), text)
        if not (self.scene.parts or self.scene.tethers or self.document.problems):
            self.document.say((), "the scene is empty: write bodies, hands or tethers")

    @contextmanager
    def _at(self, *path: Any) -> Iterator[None]:
        """What is refused inside is a mistake at this place of the file."""
        try:
            yield
        except SkipError:
            pass
        except InputError as error:
            self.document.say(path, OWNER.sub("", str(error)).replace("RigidBody.", ""))


def sphere_inertia(mass: float, radius: float) -> np.ndarray:
    """Of a homogeneous sphere about its centre [kg m^2], (3,)."""
    return np.full(3, 0.4 * mass * radius * radius)


def _owner(written: str | Point) -> str:
    return written.body if isinstance(written, Point) else written.partition(".")[0]


def _divides(rate: float, step: float) -> bool:
    steps = 1.0 / (rate * step)
    return steps > 1.0 - 1e-9 and math.isclose(steps, round(steps), abs_tol=1e-6)
