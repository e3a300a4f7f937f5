"""Packaged controllers and winch rules of a scene: from what a file says of them, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tetherlab.assembly.robots import Robot
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.control.drive import DriveController
from tetherlab.control.position import PositionController
from tetherlab.control.tension_control import TensionPD, TensionPID
from tetherlab.control.winch_rules import ConstantTension, FollowDistance
from tetherlab.scenario.plug_in import PlugIn, plugged
from tetherlab.scenario.quantity import DEGREES, in_degrees, unit_of
from tetherlab.scenario.scene_file import CONTROLLERS
from tetherlab.scenario.simulation import winch_rule
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec

if TYPE_CHECKING:
    from tetherlab.assembly.scene import Scene

AIR, GROUND = ("position",), ("drive",)
RULES = ("follow_distance", "constant_tension", "tension_pd", "tension_pid")
# Classes of controllers: the types that files call them, and arguments that have another name there.
WRITTEN: dict[type, tuple[str, dict[str, str]]] = {
    PositionController: ("position", {}),
    DriveController: ("drive", {"turn_rate_max": "turn_max"}),
    FollowDistance: ("follow_distance", {}),
    ConstantTension: ("constant_tension", {}),
    TensionPD: ("tension_pd", {}),
    TensionPID: ("tension_pid", {}),
}


def make_controller(scene: Scene, name: str, section: Any) -> Any:
    """The controller of a robot or the rule of a winch, from its section of a file."""
    part, line = scene.parts.get(name), scene.tethers.get(name)
    if isinstance(section, PlugIn):
        return plugged(CONTROLLERS, section, scene)
    if isinstance(part, Robot) and isinstance(part.spec, QuadrotorSpec):
        _require(section.type, AIR, "a drone")
        if section.feed_forward == "catenary":
            raise InputError("feed_forward: must be none or measured in a scene, got 'catenary'")
        return PositionController(
            mass=part.spec.mass,
            gravity=float(scene.world.gravity),
            bandwidth=section.bandwidth,
            feed_forward=section.feed_forward,
            filter_time=section.filter_time,
            acceleration_max=section.acceleration_max,
            rate_hz=section.rate,
        )
    if isinstance(part, Robot) and isinstance(part.spec, RoverSpec):
        _require(section.type, GROUND, "a ground robot")
        return DriveController(
            holonomic=part.spec.steers,
            gain=section.gain,
            integral_gain=section.integral_gain,
            turn_gain=section.turn_gain,
            turn_max=section.turn_rate_max,
            speed_max=section.speed_max,
            stop_within=section.stop_within,
            rate_hz=section.rate,
        )
    if isinstance(part, Robot):
        raise InputError("a robot that hangs has no packaged controller in a scene yet")
    if line is not None and line.winch is not None:
        _require(section.type, RULES, "a winch")
        return winch_rule(section, line.winch.speed_max)
    if line is not None:
        raise InputError("this tether has no winch: give it a paid_out_m or a winch")
    known = [
        *(part.name for part in scene.parts.values() if isinstance(part, Robot)),
        *(line.name for line in scene.tethers.values() if line.winch is not None),
    ]
    raise InputError(f"no robot or winch is called {name!r}.{check.did_you_mean(name, known)}")


def written_controller(name: str, controller: Any, sections: Any) -> dict[str, Any]:
    """What a file says of a controller. sections: by their types."""
    if isinstance(controller, str):
        controller_type, values = controller, {}
        if controller == "constant_tension":
            values = {"tension_N": 5.0}  # that `SceneSimulation` takes for this name
    elif type(controller) in WRITTEN:
        controller_type, renamed = WRITTEN[type(controller)]
        fields = sections[controller_type].model_fields
        values = {
            field.alias: _written(
                field, getattr(controller, renamed.get(key, f"{key}_hz" if key == "rate" else key))
            )
            for key, field in fields.items()
            if key != "type"
        }
    else:
        raise InputError(
            f"a file cannot hold the controller of {name!r}, which is your own: {check.shown(controller)}"
        )
    return {"type": controller_type, **values}


def _written(field: Any, value: Any) -> Any:
    unit = unit_of(field)
    return in_degrees(value) if unit is not None and unit.symbol in DEGREES else value


def _require(kind: str, known: tuple[str, ...], owner: str) -> None:
    if kind not in known:
        raise InputError(f"type: {owner} takes {check.listed(known)}, got {kind!r}")
