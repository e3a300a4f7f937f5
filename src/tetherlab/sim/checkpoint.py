"""A run in the middle, as one file: arrays and JSON, nothing that is executed when it is read."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.check import number, shown
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import naming, parse_array, parse_json, read_archive, reading
from tetherlab.contracts.files import write_archive
from tetherlab.contracts.log import Event
from tetherlab.contracts.messages import WinchCommand
from tetherlab.contracts.outcome import Outcome
from tetherlab.plant.command import Command
from tetherlab.plant.model import Plant
from tetherlab.plant.state_rules import AMOUNT, FLAG, POSSIBLY, STATE, Rule, broken_rule
from tetherlab.sim.mission import Mission, Phase
from tetherlab.sim.plant_parts import plant_parts, with_parts
from tetherlab.sim.ticks import ROWS, TICKS
from tetherlab.vehicles.winch import HOLD, TENSION
from tetherlab.world import World
from tetherlab.world.document import describe_wind

if TYPE_CHECKING:
    from tetherlab.sim.loop import Loop

FORMAT = 11
HEAD = "head.json"
ARGUMENTS = ("controller", "ugv_controller", "winch_rule")  # that a run's speakers are passed as
# Types of what the head holds; all else in it is checked where it is used.
NUMBER = (int, float)
HEAD_TYPES: dict[str, Any] = {
    "ticks": (int,),
    "phase": (int,),
    "mission": (dict,),
    "speakers": (list,),
    "settings": (list,),
    "memories": (list,),
    "winch_by_hand": (list, type(None)),
    "wind": (dict,),
    "events": (list,),
    "outcome": (str, type(None)),
    "outcome_sentence": (str,),
}
MISSION_TYPES: dict[str, Any] = {
    "index": (int,),
    "since": NUMBER,
    "length": NUMBER,
    "slack": NUMBER,
    "armed": (bool,),
    "by_hand": (bool,),
}
EXTRA_TYPES: dict[str, Any] = {"name": (str,), "scenario": (dict,)}
MISSION_RULES = {
    **dict.fromkeys(("position", "velocity", "acceleration", "target"), STATE),
    "cruise": POSSIBLY,
    "limits": AMOUNT,
    **dict.fromkeys(("goal", "began", "reached"), POSSIBLY),
}
COMMAND_RULES: dict[str, Rule] = {"armed": FLAG, "mode": Rule(HOLD, TENSION)}  # of all others: STATE


def save_checkpoint(loop: Loop, path: str | Path, extra: dict[str, Any]) -> None:
    """Write the run as it is now; extra: whatever else belongs to it, as plain data."""
    if loop.navigator is not None:
        raise InputError(
            "a run with a section `localisation` cannot be written to a checkpoint: "
            "what its estimator knows would be lost"
        )
    if loop.pilot is not None:
        raise InputError(
            "a run with a section `inspection` cannot be written to a checkpoint: what its mission and its "
            "sensors know would be lost"
        )
    arrays = dict(plant_parts(loop.plant))
    arrays.update(_mission_arrays(loop.mission))
    arrays.update(command_arrays(loop._command))
    arrays["rows"], arrays["stations"] = loop._rows.arrays(int(loop._count[ROWS]))
    memories = [as_json(memory, arrays) for memory in loop._crew.memories]
    mission = loop.mission
    head = {
        "ticks": int(loop._count[TICKS]),
        "phase": int(mission.phase),
        "mission": {name: getattr(mission, name) for name in MISSION_TYPES},
        "speakers": [kind_of(speaker) for speaker in loop._crew.speakers],
        "settings": [loop._crew.settings(who) for who in range(len(ARGUMENTS))],
        "memories": memories,
        "winch_by_hand": loop._crew.winch_by_hand,
        "wind": describe_wind(loop.wind),
        "events": [list(event) for event in loop.events],
        "outcome": loop.outcome and loop.outcome.name,
        "outcome_sentence": loop.outcome_sentence,
        "extra": extra,
    }
    write_checkpoint(path, head, arrays)


def write_checkpoint(path: str | Path, head: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Write a run of any kind; head: plain data."""
    write_archive(path, {HEAD: json.dumps({"format": FORMAT, **head})}, arrays)


def read_checkpoint(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Head and arrays of a file; of the head only `extra` is known to be right."""
    what = "a checkpoint of tetherlab"
    members = read_archive(path, what)
    with reading(path, what):
        head = parse_json(members.pop(HEAD))
        if head.get("format") != FORMAT:
            raise InputError(
                f"{path}: written by another version of tetherlab (format {shown(head.get('format'))}, "
                f"this one reads {FORMAT})"
            )
        arrays = {name.removesuffix(".npy"): parse_array(content) for name, content in members.items()}
    with naming(path):
        check_types("", head, {"extra": (dict,)})
        check_types("extra.", head["extra"], EXTRA_TYPES)
    return head, arrays


def restore(loop: Loop, head: dict[str, Any], arrays: dict[str, NDArray[Any]], path: str | Path) -> None:
    """Put a run that was built anew into the state of a checkpoint; nothing is changed if it does not fit."""
    with reading(path, "a checkpoint of tetherlab"), naming(path):
        check_types("", head, HEAD_TYPES)
        check_types("mission.", head["mission"], MISSION_TYPES)
        for who, argument in enumerate(ARGUMENTS):
            same_kind(argument, head["speakers"][who], kind_of(loop._crew.speakers[who]), f"{argument}=...")
            same_settings(argument, head["settings"][who], loop._crew.settings(who), f"{argument}=...")
        stored = stored_plant(loop.plant, arrays)
        problem = broken_rule(loop.plant, stored) or _broken_mission(loop, head, arrays)
        if problem:
            raise InputError(f"damaged, or not of this scenario: {problem}")
        memories = [from_json(memory, arrays) for memory in head["memories"]]
        for who, argument in enumerate(ARGUMENTS):
            own = kind_of(loop._crew.speakers[who])[1]
            if not own and not alike(memories[who], loop._crew.memories[who]):
                raise InputError(f"damaged: the memory of the {argument} is not one that it could have")
        by_hand = head["winch_by_hand"]
        winch = None if by_hand is None else WinchCommand(*by_hand)
        wind = World.from_dict({"wind": head["wind"]}, source=str(path)).wind
        events = [event_of(item) for item in head["events"]]
        rows, stations = (arrays[name] for name in ("rows", "stations"))
        loop._rows.restore(rows, stations)
    for places in (plant_parts(loop.plant), _mission_arrays(loop.mission), command_arrays(loop._command)):
        for name, array in places:
            array[...] = arrays[name]
    loop._crew.remember(memories)
    loop._crew.take_winch(winch)
    assert wind is not None
    loop.set_wind(wind)  # the event of which is none of the run's, whose own come back below
    mission = loop.mission
    mission.phase = Phase(head["phase"])
    for name in MISSION_TYPES:
        setattr(mission, name, head["mission"][name])
    loop._count[TICKS], loop._count[ROWS] = head["ticks"], len(rows)
    loop.events = events
    loop.outcome = Outcome[head["outcome"]] if head["outcome"] else None
    loop.outcome_sentence = head["outcome_sentence"]


def check_types(where: str, held: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise if something is missing or of another type than wanted."""
    for name, kinds in wanted.items():
        value = held.get(name)
        # true is a whole number in Python, not here
        if (
            name not in held
            or not isinstance(value, kinds)
            or (isinstance(value, bool) and bool not in kinds)
        ):
            raise InputError(f"damaged: {where}{name} is missing or of another type, got {shown(value)}")


def stored_plant(plant: Plant, arrays: dict[str, NDArray[Any]]) -> Plant:
    """The plant of a checkpoint, its arrays in the place of those of a plant that was built anew."""
    for name, array in plant_parts(plant):
        require_like(name, array, arrays)
    return with_parts(plant, arrays)


def require_like(name: str, array: NDArray[Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Raise if an array of a file has another shape or type than that of the run."""
    there = arrays.get(name)
    if there is None or there.shape != array.shape or there.dtype != array.dtype:
        raise InputError(f"does not belong to this scenario ({name} differs)")


def _broken_mission(loop: Loop, head: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> str:
    """What is wrong with mission, clock or command, empty if nothing."""
    mission, plan = loop.mission, loop.mission.plan
    for name, array in _mission_arrays(mission):
        require_like(name, array, arrays)
        rule = MISSION_RULES[name.removeprefix("uav_").removeprefix("ugv_")]
        problem = rule.broken(arrays[name], array, 0)
        if problem:
            return f"{name} {problem}"
    problem = broken_record(command_arrays(loop._command), arrays, COMMAND_RULES)
    if problem:
        return problem
    index, phase, count = head["mission"]["index"], head["phase"], len(plan.targets)
    if not 0 <= index < max(count, 1):
        return f"mission.index must be a target from 0 to {count - 1}, got {index}"
    if phase not in list(Phase) or (phase == Phase.TAKE_OFF and plan.take_off_height is None):
        return f"phase must be one that the mission has, got {phase}"
    if count == 0 and phase in (Phase.TARGETS, Phase.HOLD):
        return f"phase must be one that the mission has, got {phase}: there are no targets"
    begun = arrays["began"][np.isfinite(arrays["began"])]
    if np.isfinite(arrays["began"][len(begun) :]).any() or (np.diff(begun) < 0.0).any():
        return "began must be times that rise"
    time = float(arrays["clock"]["time"][0])
    if abs(head["ticks"] * loop.tick - time) > 1e-6 * (1.0 + time):
        return f"{head['ticks']} ticks of {loop.tick:g} s do not make the time of {time:g} s"
    if head["outcome"] is not None and head["outcome"] not in Outcome.__members__:
        return f"outcome must be one of {', '.join(Outcome.__members__)}, got {shown(head['outcome'])}"
    by_hand = head["winch_by_hand"]
    if by_hand is not None and (
        len(by_hand) != 3 or not alike(tuple(v for v in by_hand if v is not None), ())
    ):
        return f"winch_by_hand must be length, speed and tension, got {shown(by_hand)}"
    return ""


def broken_record(
    records: Iterable[tuple[str, NDArray[Any]]], arrays: dict[str, NDArray[Any]], rules: dict[str, Rule]
) -> str:
    """What is wrong with records, of which `rules` know the fields that are no mere state; else empty."""
    for name, array in records:
        require_like(name, array, arrays)
        for field in array.dtype.names or ():
            problem = rules.get(field, STATE).broken(arrays[name][field], array[field], 0)
            if problem:
                return f"{name}.{field} {problem}"
    return ""


def event_of(item: Any) -> Event:
    """An event from the head of a file."""
    if not isinstance(item, list) or [type(part) for part in item[1:]] != [str, str]:
        raise InputError(f"damaged: an event must have time, kind and sentence, got {shown(item)}")
    return Event(number("the time of an event", item[0]), item[1], item[2])


def alike(memory: Any, fresh: Any) -> bool:
    """Whether a built-in controller that began with `fresh` may come to this memory."""
    if isinstance(fresh, np.ndarray):
        same = isinstance(memory, np.ndarray) and memory.shape == fresh.shape and memory.dtype == fresh.dtype
        return same and bool(np.isfinite(memory).all())
    if isinstance(fresh, dict):
        keys = isinstance(memory, dict) and memory.keys() == fresh.keys()
        return keys and all(alike(memory[key], fresh[key]) for key in fresh)
    if isinstance(fresh, tuple):  # of numbers; empty before it has seen any
        numbers = isinstance(memory, tuple) and all(type(item) in (int, float) for item in memory)
        return numbers and all(math.isfinite(item) for item in memory)
    return type(memory) is type(fresh)


def _mission_arrays(mission: Mission) -> Iterator[tuple[str, NDArray[Any]]]:
    for name, point in (("uav", mission.uav), ("ugv", mission.ugv)):
        for part in point._fields:
            yield f"{name}_{part}", getattr(point, part)
    yield from (("goal", mission.goal), ("began", mission.began), ("reached", mission.reached))


def command_arrays(command: Command) -> Iterator[tuple[str, NDArray[Any]]]:
    """What is commanded, by name."""
    for name, array in command._asdict().items():
        yield f"command_{name}", array


def kind_of(speaker: Any) -> list[Any]:
    """The name of its type, and whether it is somebody's own."""
    kind = type(speaker)
    return [kind.__name__, not kind.__module__.startswith("tetherlab.")]


def same_kind(argument: str, made_with: Any, found: list[Any], given: str) -> None:
    """Another one would not know what to do with the memory, or do something else in silence.

    given: how it is given to `resume`.
    """
    if made_with == found:
        return
    if not isinstance(made_with, list) or [type(part) for part in made_with] != [str, bool]:
        raise InputError(f"damaged: the {argument} must be a name and whether it is an own one")
    name, own = made_with
    if own:
        raise InputError(
            f"this checkpoint was made with an own {argument} ({shown(name)[1:-1]}): "
            f"pass it to resume({given})"
        )
    raise InputError(
        f"this checkpoint was made with the {argument} {shown(name)[1:-1]} of tetherlab, "
        f"it cannot go on with another one ({found[0]})"
    )


def same_settings(argument: str, made_with: Any, found: list[Any], given: str) -> None:
    """At another rate even the clock would jump."""
    if made_with == found:
        return
    rate = made_with[0] if isinstance(made_with, list) and made_with else None
    other_rate = f"at {number('damaged: rate_hz', rate):g} Hz, not {found[0]:g} Hz"
    how = "with other settings" if rate == found[0] else other_rate
    raise InputError(
        f"this checkpoint was made with a {argument} {how}: pass the same one to resume({given})"
    )


def as_json(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """A controller's memory as JSON; arrays go beside it, numbered."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if type(value) is np.ndarray and value.dtype != object:
        name = f"array{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    # What is derived from these, such as a NamedTuple, would come back as something else.
    if type(value) in (list, tuple):
        return {type(value).__name__: [as_json(item, arrays) for item in value]}
    if type(value) is dict and all(isinstance(key, str) for key in value):
        return {"dict": {key: as_json(item, arrays) for key, item in value.items()}}
    raise InputError(
        f"a checkpoint cannot hold a controller's memory of type {type(value).__name__}; "
        "use numbers, strings, arrays, and plain lists, tuples and dicts (with strings as keys) of them"
    )


def from_json(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """The same back."""
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    if kind == "array" and isinstance(held, str):
        return arrays[held].copy()
    if kind == "dict" and isinstance(held, dict):
        return {key: from_json(item, arrays) for key, item in held.items()}
    if kind not in ("list", "tuple") or not isinstance(held, list):
        raise InputError(f"damaged: a controller's memory has a part {shown(kind)}")
    items = [from_json(item, arrays) for item in held]
    return items if kind == "list" else tuple(items)
