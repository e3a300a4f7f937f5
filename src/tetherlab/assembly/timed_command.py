"""Commands that a scene carries, given by the clock: which part takes which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tetherlab.assembly.robots import Robot
from tetherlab.assembly.sites import Body
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.scenario.scene_commands import BESIDE, SAID
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec

if TYPE_CHECKING:
    from tetherlab.assembly.scene import Scene

MOVES = ("position", "velocity", "land", "hold")  # of a drone that is in the air
NUMBERS = {"length": check.non_negative, "tension": check.non_negative, "speed": check.number,
           "yaw": check.number, "within": check.positive}  # fmt: skip
VECTORS = ("position", "velocity", "force")


@dataclass(frozen=True)
class TimedCommand:
    """What a part of a scene is told at a time."""

    time: float  # [s]
    name: str
    said: Mapping[
        str, Any
    ]  # arguments of `SceneSimulation.command`; for a hand `within`, for a tether `release`


def make_command(name: str, time: Any, said: Mapping[str, Any]) -> TimedCommand:
    """A command with values of the right kind; whether the part takes it is seen with the whole scene."""
    values: dict[str, Any] = {}
    for key, value in said.items():
        if key not in (*SAID, *BESIDE):
            raise InputError(f"there is no command {key!r}.{check.did_you_mean(key, (*SAID, *BESIDE))}")
        if key in NUMBERS:
            values[key] = NUMBERS[key](key, value)
        elif key in VECTORS:
            values[key] = check.vector(key, value)
        elif key == "release":
            if value not in ("start", "end"):
                raise InputError(f"release must be 'start' or 'end', got {check.shown(value)}")
            values[key] = value
        else:
            values[key] = value
    return TimedCommand(check.non_negative("time", time), name, values)


def wrong_commands(scene: Scene) -> Iterator[tuple[int, str]]:
    """Commands that cannot be carried out, by their numbers, and why."""
    flying = {
        part.name: not part.stands for part in scene.parts.values()
        if isinstance(part, Robot) and isinstance(part.spec, QuadrotorSpec)
    }  # fmt: skip
    for number, command in sorted(enumerate(scene.commands), key=lambda item: item[1].time):
        known = [*scene.parts, *scene.tethers, *scene.joints]
        if command.name not in known:
            yield number, f"nothing is called {command.name!r}.{check.did_you_mean(command.name, known)}"
            continue
        kind, allowed = _allowed(scene, command.name)
        wrong = [key for key in command.said if key not in allowed]
        main = [key for key in command.said if key not in BESIDE]
        if wrong:
            takes = f"takes {', '.join(allowed)}" if allowed else "takes no commands by the clock"
            yield number, f"{kind} {command.name!r} {takes}; got {', '.join(wrong)}"
        elif len(main) > 1 and set(main) != {"force", "torque"}:
            yield number, f"give one of {', '.join(main)}"
        elif kind == "hand" and set(command.said) != {"position", "within"}:
            yield number, f"hand {command.name!r} needs a position, and within how many seconds it is there"
        elif main and flying.get(command.name) is False and main[0] in MOVES:
            yield number, f"drone {command.name!r} stands with its rotors off: take off first"
        if "take_off" in command.said:
            flying[command.name] = True


def _allowed(scene: Scene, name: str) -> tuple[str, tuple[str, ...]]:
    """What a part is, and what it can be told."""
    if name in scene.joints:
        return "joint", ("torque",)
    if name in scene.tethers:
        if scene.tethers[name].winch is None:
            return "tether", ("speed", "release")
        return "winch", ("length", "speed", "tension", "release")
    part = scene.parts[name]
    if not isinstance(part, Body):
        return "hand", ("position", "within")
    if not isinstance(part, Robot):
        return "body", ("force", "torque")
    if isinstance(part.spec, QuadrotorSpec):
        return "drone", ("take_off", "land", "hold", "position", "velocity", "yaw")
    if isinstance(part.spec, RoverSpec):
        return "ground robot", ("hold", "position", "velocity", "yaw")
    return "hanging robot", ()
