"""From a scene to its written form: as it was made, with names, or complete, with their contents."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from tetherlab.assembly.robots import Robot
from tetherlab.assembly.scene_control import WRITTEN, make_controller, written_controller
from tetherlab.assembly.scene_reading import sphere_inertia
from tetherlab.assembly.sites import Body, Site
from tetherlab.assembly.spec_writing import written_robot, written_tether, written_winch
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.map_files import relative_map_files
from tetherlab.scenario.library import SUFFIXES
from tetherlab.scenario.line import MATERIAL, ConstantTension, FollowDistance, TensionPD, TensionPID
from tetherlab.scenario.plug_in import PlugIn
from tetherlab.scenario.problems import KeyPath, written
from tetherlab.scenario.quantity import in_degrees
from tetherlab.scenario.scene_commands import Command
from tetherlab.scenario.scene_file import SceneFile
from tetherlab.scenario.team import DriveControl, PositionControl
from tetherlab.world import World
from tetherlab.world.document import describe_shape

if TYPE_CHECKING:
    from tetherlab.assembly.scene import Line, RunSettings, Scene

CONTROL = {
    section.model_fields["type"].annotation.__args__[0]: section  # type: ignore[union-attr]
    for section in (PositionControl, DriveControl, FollowDistance, ConstantTension, TensionPD, TensionPID)
}
TURNS = 20  # of normalising a quaternion again


def recorded_scene(scene: Scene, controllers: Mapping[str, Any], run: RunSettings) -> dict[str, Any]:
    """As `complete_scene`; empty where a file cannot hold the scene."""
    try:
        return complete_scene(scene, controllers, run)
    except InputError:
        return {}


def complete_scene(scene: Scene, controllers: Mapping[str, Any], run: RunSettings) -> dict[str, Any]:
    """The complete written form of a scene as it runs; controllers of one's own are left out."""
    told = copy.copy(scene)
    told.control = {
        name: chosen for name, chosen in controllers.items()
        if isinstance(chosen, str) or type(chosen) in WRITTEN
        or scene.given.get(("control", name), {}).get("controller", told) is chosen
    }  # fmt: skip
    told.run = run
    return write_scene(told, None)


def write_scene(scene: Scene, path: Path | None) -> dict[str, Any]:
    """The written form for a file, short and with names; without a path, complete and by itself."""
    writer = _Writer(scene, path)
    try:
        file = SceneFile.model_validate(writer.data())
    except ValidationError as error:
        said = [f"{written(item['loc'])}: {item['msg']}" for item in error.errors(include_url=False)]
        raise InputError("a file cannot hold this scene: " + "; ".join(said)) from None
    whole = file.to_dict()
    if path is None:
        return whole
    short = file.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    short = _with_types(short, whole)
    for place, name in writer.names.items():
        _put_name(short, place, name)
    return relative_map_files({"schema": file.format, **short}, path.parent)


class _Writer:
    def __init__(self, scene: Scene, path: Path | None) -> None:
        self.scene, self.path = scene, path
        self.names: dict[KeyPath, str] = {}  # that stand for contents

    def data(self) -> dict[str, Any]:
        """All of it, contents in place of names."""
        scene, branches = self.scene, self._branches()
        roots = {f"{name}_root" for name in branches}
        bodies = {
            name: part
            for name, part in scene.parts.items()
            if isinstance(part, Body) and name not in branches
        }
        hands = {name: part for name, part in scene.parts.items() if not isinstance(part, Body)}
        data = {
            "schema": 2,
            "description": scene.description,
            "hands": {name: {"start_m": part.position.tolist()} for name, part in hands.items()},
            "bodies": {
                name: self._robot(name) if isinstance(part, Robot) else self._body(part)
                for name, part in bodies.items()
            },
            "tethers": {name: self._tether(line) for name, line in scene.tethers.items()},
            "joints": {name: self._joint(name) for name in scene.joints if name not in roots},
            "branches": branches,
            "control": {name: self._control(name, chosen) for name, chosen in scene.control.items()},
            "commands": [self._command(number) for number in range(len(scene.commands))],
            "run": _given({
                "duration_max_s": scene.run.duration_max, "step_s": scene.run.step,
                "record_hz": scene.run.record_hz, "seed": scene.run.seed,
            }),
        }  # fmt: skip
        world = self._world()
        return data if world is None else {**data, "world": world}

    def _name(self, place: KeyPath, name: str | Path) -> None:
        """Write a name in place of contents; that of a file from where the scene is written."""
        text = str(name)
        if self.path is not None and Path(text).suffix.lower() in SUFFIXES:
            try:
                text = Path(os.path.relpath(text, self.path.parent)).as_posix()
            except ValueError:  # on another drive
                text = str(Path(text).resolve())
        self.names[place] = text

    def _world(self) -> dict[str, Any] | None:
        given, world = self.scene.given["world"], self.scene.world
        untouched = given.get("field") is world.field
        if untouched and given["name"] is not None:
            self._name(("world",), given["name"])
        if untouched and given["surroundings"] is not None:
            document: dict[str, Any] = given["surroundings"].document
            return document
        if not world.names and given["surroundings"] is None and _is_empty(world):
            return None
        if self.path is None or not world.names:
            return world.to_dict()
        return world.to_dict(beside=self.path)

    def _site(self, site: Any) -> Any:
        """A site as a file writes it."""
        if not isinstance(site, Site):
            raise InputError(f"a site must be one of the scene, got {check.shown(site)}")
        if isinstance(site.given, str):
            return site.owner if site.given == "origin" else f"{site.owner}.{site.given}"
        part = self.scene.parts.get(site.owner)
        arm = part.center_of_mass if isinstance(part, Body) else np.zeros(3)
        place = (site.r_B + arm).tolist() if site.given is None else list(site.given)
        return {"body": site.owner, "at_m": place}

    def _robot(self, name: str) -> dict[str, Any]:
        given = self.scene.given[name]
        robot = given["robot"]
        if isinstance(robot, (str, Path)):
            self._name(("bodies", name, "robot"), robot)
        return _given({
            "robot": written_robot(name, robot),
            "start_m": _list(given["position"]),
            "on": None if given["on"] is None else self._site(given["on"]),
            "yaw_deg": in_degrees(float(given["yaw"])),
            "rotation_wxyz": _list(given["rotation_wxyz"]),
            "velocity_m_per_s": _list(given["velocity"]),
            "angular_velocity_rad_per_s": _list(given["angular_velocity"]),
        })  # fmt: skip

    def _body(self, part: Body) -> dict[str, Any]:
        body, inertia = part.body, np.asarray(part.body.inertia)
        moments = np.diag(inertia)
        ball: dict[str, Any] = {"mass_kg": body.mass}
        if body.radius > 0.0 and np.array_equal(inertia, np.diag(sphere_inertia(body.mass, body.radius))):
            ball["sphere"] = {"radius_m": body.radius}
        else:
            ball["radius_m"] = body.radius
            ball["inertia_kg_m2"] = (
                moments if np.array_equal(np.diag(moments), inertia) else inertia
            ).tolist()
        return _given({
            **ball,
            "start_m": part.position.tolist(),
            "rotation_wxyz": _steady(np.asarray(body.rotation_wxyz)),
            "velocity_m_per_s": part.velocity.tolist(),
            "angular_velocity_rad_per_s": np.asarray(body.angular_velocity).tolist(),
            "feet": [{"center_m": foot[:3], "radius_m": foot[3]} for foot in np.asarray(body.feet).tolist()],
            "friction": body.friction,
            "shapes": [describe_shape(shape, _refuse_map) for shape in self.scene.given[part.name]["shapes"]],
            "sites_m": {name: place.tolist() for name, place in part.sites.items()},
        })  # fmt: skip

    def _tether(self, line: Line) -> dict[str, Any]:
        given = self.scene.given[line.name]
        if isinstance(given["spec"], (str, Path)):
            self._name(("tethers", line.name, "like"), given["spec"])
        if isinstance(given["winch"], (str, Path)):
            self._name(("tethers", line.name, "winch"), given["winch"])
        return _given({
            **written_tether(line.spec),
            "from": self._site(line.start),
            "to": self._site(line.end),
            "length_m": float(given["length"]),
            "paid_out_m": None if given["paid_out"] is None else float(given["paid_out"]),
            "winch": None if given["winch"] is None else written_winch(given["winch"]),
            "element_length_m": line.element_length,
            "step_max_s": line.step_max,
            "shape_m": _list(given["shape"]),
        })  # fmt: skip

    def _joint(self, name: str) -> dict[str, Any]:
        given = self.scene.given[name]
        parent = given["parent"]
        return _given({
            "type": given["kind"],
            "parent": self._site(parent) if isinstance(parent, Site) else None,
            "anchor_m": None if isinstance(parent, Site) else _list(parent),
            "child": self._site(given["child"]),
            "axes": _list(given["axes"]),
            "angle_deg": _degrees(given["angle"]),
            "stiffness_N_m_per_rad": _list(given["stiffness"]),
            "rest_deg": _degrees(given["rest"]),
            "damping_N_m_s_per_rad": _list(given["damping"]),
            "limits_deg": _degrees(given["limits"]),
            "torque_max_N_m": _list(given["torque_max"]),
            "held": given["held"],
            "release_time_s": given["release_time"],
        })  # fmt: skip

    def _branches(self) -> dict[str, dict[str, Any]]:
        found = {}
        for name in self.scene.parts:
            branch = self.scene.given.get(name, {}).get("branch")
            if branch is None:
                continue
            if branch.release_time == math.inf:
                raise InputError(f"branch {name!r} is never released: a file needs the time at which it is")
            found[name] = _given({
                "root_m": branch.root.tolist(),
                "tip_m": branch.tip.tolist(),
                "radius_m": branch.radius,
                "stiffness_N_m_per_rad": branch.stiffness,
                "damping_N_m_s_per_rad": branch.damping,
                "inertia_kg_m2": branch.inertia,
                "friction": branch.friction,
                "bent_sideways_deg": in_degrees(float(branch.bent[0])),
                "bent_up_deg": in_degrees(float(branch.bent[1])),
                "release_s": branch.release_time,
            })  # fmt: skip
        return found

    def _control(self, name: str, chosen: Any) -> dict[str, Any]:
        given = self.scene.given.get(("control", name), {})
        section = given.get("section")
        if given.get("controller") is chosen and isinstance(section, PlugIn):
            plug_in: dict[str, Any] = section.model_dump()
            return plug_in
        told = written_controller(name, chosen, CONTROL)
        if not isinstance(chosen, str):
            made = make_controller(self.scene, name, CONTROL[told["type"]].model_validate(told))
            if made != chosen:
                raise InputError(
                    f"a file cannot hold the controller of {name!r}: there it would become {made}, "
                    f"got {chosen}"
                )
        return told

    def _command(self, number: int) -> dict[str, Any]:
        command = self.scene.commands[number]
        keys = {name: str(field.alias) for name, field in Command.model_fields.items()}
        said = {keys[key]: _list(value) for key, value in command.said.items()}
        if "yaw" in command.said:
            said["yaw_deg"] = in_degrees(command.said["yaw"])
        return {"time_s": command.time, "name": command.name, **said}


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _list(value: Any) -> Any:
    """Arrays and tuples as lists, whole numbers as they were."""
    return np.asarray(value).tolist() if isinstance(value, (np.ndarray, np.generic, tuple, list)) else value


def _degrees(value: Any) -> Any:
    value = _list(value)
    if value is None:
        return None
    return [_degrees(item) for item in value] if isinstance(value, list) else in_degrees(float(value))


def _steady(q: np.ndarray) -> list[float]:
    """A quaternion as it is written again after it was read.

    Reading normalises it, which may change its last bits, to and fro: then it is the least of those.
    """
    met = [tuple(q.tolist())]
    for _ in range(TURNS):
        last = np.array(met[-1])
        again = tuple((last / np.linalg.norm(last)).tolist())
        if again in met:
            return list(min(met[met.index(again) :]))
        met.append(again)
    return list(met[-1])


def _is_empty(world: Any) -> bool:
    return bool(world.to_dict() == World().to_dict())


def _refuse_map(shape: Any) -> str:
    raise InputError(f"a {type(shape).__name__} as the shape of a body cannot be written in a file")


def _with_types(short: Any, whole: Any) -> Any:
    """Sections whose `type` is a default name it all the same."""
    if isinstance(short, list):
        return [_with_types(a, b) for a, b in zip(short, whole, strict=True)]
    if not isinstance(short, dict):
        return short
    found = {key: _with_types(value, whole[key]) for key, value in short.items()}
    return {"type": whole["type"], **found} if "type" in whole else found


def _put_name(data: dict[str, Any], place: KeyPath, name: str) -> None:
    """Write a name where its contents stand; `like` stands for the material of a tether."""
    *around, last = place
    inner: Any = data
    for key in around:
        inner = inner[key]
    if last == "like":
        rest = {key: value for key, value in inner.items() if key not in MATERIAL}
        inner.clear()
        inner |= {"like": name, **rest}
    else:
        inner[last] = name
