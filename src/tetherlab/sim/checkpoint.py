"""A run in the middle, as one file: arrays and JSON, nothing that is executed when it is read."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.files import replacing
from tetherlab.contracts.log import Event
from tetherlab.contracts.messages import WinchCommand
from tetherlab.contracts.outcome import Outcome
from tetherlab.plant.model import Plant
from tetherlab.sim.mission import Mission, Phase
from tetherlab.sim.ticks import ROWS, TICKS
from tetherlab.world import World
from tetherlab.world.document import describe_wind

if TYPE_CHECKING:
    from tetherlab.sim.loop import Loop

FORMAT = 7
HEAD = "head.json"
ARGUMENTS = ("controller", "ugv_controller", "winch_rule")  # that a run's speakers are passed as
OF_MISSION = ("index", "since", "length", "slack", "armed", "by_hand")


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
    arrays = dict(_plant_arrays(loop.plant))
    arrays.update(_mission_arrays(loop.mission))
    arrays["command"] = loop._command
    arrays["rows"], arrays["stations"] = loop._rows.arrays(int(loop._count[ROWS]))
    memories = [_plain(memory, arrays) for memory in loop._crew.memories]
    mission = loop.mission
    head = {
        "format": FORMAT,
        "ticks": int(loop._count[TICKS]),
        "phase": int(mission.phase),
        "mission": {name: getattr(mission, name) for name in OF_MISSION},
        "speakers": [_kind(speaker) for speaker in loop._crew.speakers],
        "settings": [loop._crew.settings(who) for who in range(len(ARGUMENTS))],
        "memories": memories,
        "winch_by_hand": loop._crew.winch_by_hand,
        "wind": describe_wind(loop.wind),
        "events": [list(event) for event in loop.events],
        "outcome": loop.outcome and loop.outcome.name,
        "outcome_sentence": loop.outcome_sentence,
        "extra": extra,
    }
    with (
        replacing(path, binary=True) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        archive.writestr(HEAD, json.dumps(head))
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(f"{name}.npy", buffer.getvalue())


def read_checkpoint(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Head and arrays of a file."""
    try:
        with zipfile.ZipFile(path) as archive:
            head = json.loads(archive.read(HEAD))
            arrays = {
                name.removesuffix(".npy"): np.lib.format.read_array(
                    io.BytesIO(archive.read(name)), allow_pickle=False
                )
                for name in archive.namelist()
                if name.endswith(".npy")
            }
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such checkpoint") from None
    except (zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
        raise InputError(f"{path}: damaged, or not a checkpoint of tetherlab ({error})") from None
    if head.get("format") != FORMAT:
        raise InputError(
            f"{path}: written by another version of tetherlab (format {head.get('format')}, "
            f"this one reads {FORMAT})"
        )
    return head, arrays


def restore(loop: Loop, head: dict[str, Any], arrays: dict[str, NDArray[Any]], path: str | Path) -> None:
    """Put a run that was built anew into the state of a checkpoint."""
    for argument, made_with, speaker in zip(ARGUMENTS, head["speakers"], loop._crew.speakers, strict=True):
        _same_kind(path, argument, made_with, _kind(speaker))
    for who, argument in enumerate(ARGUMENTS):
        _same_settings(path, argument, head["settings"][who], loop._crew.settings(who))
    for places in (_plant_arrays(loop.plant), _mission_arrays(loop.mission)):
        for name, array in places:
            if name not in arrays or arrays[name].shape != array.shape or arrays[name].dtype != array.dtype:
                raise InputError(f"{path}: does not belong to this scenario ({name} differs)")
            array[...] = arrays[name]
    loop._command[:] = arrays["command"]
    loop._rows.restore(arrays["rows"], arrays["stations"])
    loop._crew.remember([_back(memory, arrays) for memory in head["memories"]])
    by_hand = head["winch_by_hand"]
    loop._crew.take_winch(None if by_hand is None else WinchCommand(*by_hand))
    wind = World.from_dict({"wind": head["wind"]}, source=str(path)).wind
    assert wind is not None
    loop.set_wind(wind)  # the event of which is none of the run's, whose own come back below
    mission = loop.mission
    mission.phase = Phase(head["phase"])
    for name in OF_MISSION:
        setattr(mission, name, head["mission"][name])
    loop._count[TICKS], loop._count[ROWS] = head["ticks"], len(arrays["rows"])
    loop.events = [Event(*event) for event in head["events"]]
    loop.outcome = Outcome[head["outcome"]] if head["outcome"] else None
    loop.outcome_sentence = head["outcome_sentence"]


def _plant_arrays(plant: Plant) -> Iterator[tuple[str, NDArray[Any]]]:
    for name in plant._fields:
        part = getattr(plant, name)
        if name == "memory":
            yield from ((f"memory_{field}", getattr(part, field)) for field in part._fields)
        elif name == "field":
            yield from (("field_pose", part.pose), ("field_twist", part.twist))
        elif name not in ("ground", "wind", "scratch"):  # of which nothing outlives a step
            yield name, part


def _mission_arrays(mission: Mission) -> Iterator[tuple[str, NDArray[Any]]]:
    for name, point in (("uav", mission.uav), ("ugv", mission.ugv)):
        for part in point._fields:
            yield f"{name}_{part}", getattr(point, part)
    yield from (("goal", mission.goal), ("began", mission.began), ("reached", mission.reached))


def _kind(speaker: Any) -> list[Any]:
    """The name of its type, and whether it is somebody's own."""
    kind = type(speaker)
    return [kind.__name__, not kind.__module__.startswith("tetherlab.")]


def _same_kind(path: str | Path, argument: str, made_with: list[Any], found: list[Any]) -> None:
    """Another one would not know what to do with the memory, or do something else in silence."""
    if made_with == found:
        return
    name, own = made_with
    if own:
        raise InputError(
            f"{path}: this checkpoint was made with an own {argument} ({name}): "
            f"pass it to resume({argument}=...)"
        )
    raise InputError(
        f"{path}: this checkpoint was made with the {argument} {name} of tetherlab, "
        f"it cannot go on with another one ({found[0]})"
    )


def _same_settings(path: str | Path, argument: str, made_with: list[Any], found: list[Any]) -> None:
    """At another rate even the clock would jump."""
    if made_with == found:
        return
    other_rate = f"at {made_with[0]:g} Hz, not {found[0]:g} Hz"
    how = "with other settings" if made_with[0] == found[0] else other_rate
    raise InputError(
        f"{path}: this checkpoint was made with a {argument} {how}: "
        f"pass the same one to resume({argument}=...)"
    )


def _plain(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    """A controller's memory as JSON; arrays go beside it, numbered."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if type(value) is np.ndarray and value.dtype != object:
        name = f"array{len(arrays)}"
        arrays[name] = value
        return {"array": name}
    # What is derived from these, such as a NamedTuple, would come back as something else.
    if type(value) in (list, tuple):
        return {type(value).__name__: [_plain(item, arrays) for item in value]}
    if type(value) is dict and all(isinstance(key, str) for key in value):
        return {"dict": {key: _plain(item, arrays) for key, item in value.items()}}
    raise InputError(
        f"a checkpoint cannot hold a controller's memory of type {type(value).__name__}; "
        "use numbers, strings, arrays, and plain lists, tuples and dicts (with strings as keys) of them"
    )


def _back(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    if kind == "array":
        return arrays[held].copy()
    if kind == "dict":
        return {key: _back(item, arrays) for key, item in held.items()}
    items = [_back(item, arrays) for item in held]
    return items if kind == "list" else tuple(items)
