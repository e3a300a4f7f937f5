"""The written form of a world: plain dicts, as YAML gives them, to shapes and wind and back.

In the written form every key carries its unit. The tables below are the whole vocabulary: a new shape adds a
line.
All problems of a document are reported together, each with its place.
"""

import math
import re
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import naming
from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.world import shapes as S
from tetherlab.world.hoop import hoop
from tetherlab.world.maps import load_heights, load_map
from tetherlab.world.mine import Mine
from tetherlab.world.mine_face import Spall
from tetherlab.world.wind import Gusts, Wind

STANDARD_GRAVITY = 9.80665  # [m/s^2]
SEA_LEVEL_AIR_DENSITY = 1.225  # [kg/m^3]
DAYLIGHT = 10_000.0  # under clouds [lux]
DARKNESS = 0.0  # of a mine [lux]

MAPS_MAX = 16  # in a world
PROBLEMS_MAX = 50  # of a document that are said

ROTATION = {"rotation_wxyz": "rotation", "roll_pitch_yaw_deg": "rotation"}
ROD = {"start_m": "start", "end_m": "end", "radius_m": "radius"}
COMMON = {"name": "name", "friction": "friction"}

# type -> the shape it makes, and its keys with the argument each one fills
SHAPES: dict[str, tuple[Callable[..., S.Shape], dict[str, str]]] = {
    "plane": (S.Plane, {"point_m": "point", "normal": "normal"}),
    "sphere": (S.Sphere, {"center_m": "center", "radius_m": "radius"}),
    "box": (S.Box, {"lower_m": "lower", "upper_m": "upper"}),
    "oriented_box": (S.OrientedBox, {"center_m": "center", "size_m": "size", **ROTATION}),
    "cylinder": (S.Cylinder, ROD),
    "capsule": (S.Capsule, ROD),
    "union": (S.Union, {"shapes": "shapes"}),
    "difference": (S.Difference, {"shape": "shape", "minus": "minus"}),
    "intersection": (S.Intersection, {"shapes": "shapes"}),
    "relief": (
        S.Relief,
        {
            "file": "heights",
            "origin_m": "origin",
            "spacing_m": "spacing",
            "thickness_m": "thickness",
            **ROTATION,
        },
    ),
    "hoop": (
        hoop,
        {
            "center_m": "center",
            "normal": "normal",
            "diameter_m": "diameter",
            "radius_m": "radius",
            "pieces": "pieces",
        },
    ),
}
# arguments that a shape has defaults for
OPTIONAL: dict[str, Set[str]] = {
    "plane": {"point", "normal"},
    "oriented_box": {"rotation"},
    "relief": {"rotation"},
    "hoop": {"diameter", "radius", "pieces"},
}
MAP = {
    "file": "path",
    "resolution_m": "resolution",
    "margin_m": "margin",
    "lower_m": "lower",
    "upper_m": "upper",
    "unknown_is": "unknown_is",
}
SPALL = {
    "pillar": "pillar",
    "side": "side",
    "along_m": "along",
    "up_m": "up",
    "width_m": "width",
    "depth_m": "depth",
}
MINE = {
    "seed": "seed",
    "rows": "rows",
    "columns": "columns",
    "pillar_m": "pillar",
    "irregularity_m": "irregularity",
    "height_m": "height",
    "entry_m": "entry",
    "slope_deg": "slope",
    "roughness_m": "roughness",
    "roughness_length_m": "roughness_length",
    "finest_m": "finest",
    "bumps": "bumps",
    "bump_height_m": "bump_height",
    "bump_width_m": "bump_width",
    "floor_roughness_m": "floor_roughness",
    "floor_length_m": "floor_length",
    "floor_finest_m": "floor_finest",
    "spacing_m": "spacing",
    "friction": "friction",
    "spalls": "spalls",
}
PLACE = {
    "position_m": "position",
    "rotation_wxyz": "rotation_wxyz",
    "roll_pitch_yaw_deg": "rotation_wxyz",
    "velocity_m_per_s": "velocity",
    "angular_velocity_rad_per_s": "angular_velocity",
}
GUSTS = {"intensity_m_per_s": "intensity", "length_scale_m": "length_scale", "seed": "seed"}
WIND = {
    "velocity_m_per_s": "velocity",
    "reference_height_m": "reference_height",
    "exponent": "exponent",
    "gusts": "gusts",
}
WORLD = {
    "gravity_m_per_s2": "gravity",
    "air_density_kg_per_m3": "air_density",
    "illuminance_lux": "illuminance",
    "wind": "wind",
    "mine": "mine",
    "shapes": "shapes",
}


class WorldParts(NamedTuple):
    """What a document says: the arguments of `World`, and those of `World.place` for each placed object."""

    shapes: list[S.Shape]
    gravity: float
    air_density: float
    illuminance: float
    wind: Wind | None
    mine: Mine | None  # whose shapes come first
    places: dict[int, dict[str, Any]]  # by the number of the shape


class Reader:
    """Reads one document; `problems` grows on the way."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[str] = []
        self._maps = 0  # read so far

    def world(self, data: Any) -> WorldParts:
        """The whole document."""
        entry = self._arguments("", data, WORLD)
        shapes: list[S.Shape] = []
        places: dict[int, dict[str, Any]] = {}
        for index, item in enumerate(self._list("shapes", entry.get("shapes", []))):
            where = f"shapes[{index}]"
            item, place = dict(item) if isinstance(item, Mapping) else item, None
            if isinstance(item, dict) and "place" in item:
                place = self._arguments(f"{where}.place", item.pop("place"), PLACE, required={"position"})
            shape = self.shape(where, item)
            if shape is not None:
                shapes.append(shape)
                if place is not None:
                    places[index] = place
        wind = None if entry.get("wind") is None else self.wind("wind", entry["wind"])
        gravity = entry.get("gravity", STANDARD_GRAVITY)
        gravity = self._call("", check.non_negative, {}, "gravity_m_per_s2", gravity)
        air_density = entry.get("air_density", SEA_LEVEL_AIR_DENSITY)
        air_density = self._call("", check.non_negative, {}, "air_density_kg_per_m3", air_density)
        mine = None if entry.get("mine") is None else self.mine("mine", entry["mine"])
        illuminance = entry.get("illuminance", DAYLIGHT if entry.get("mine") is None else DARKNESS)
        illuminance = self._call("", check.non_negative, {}, "illuminance_lux", illuminance)
        return WorldParts(shapes, gravity, air_density, illuminance, wind, mine, places)

    def shape(self, where: str, data: Any) -> S.Shape | None:
        """One shape with all its parts."""
        if not isinstance(data, Mapping):
            self._say(f"{where}: must be a mapping with a key 'type', got {check.shown(data)}")
            return None
        if "type" not in data:
            self._say(f"{where}: key 'type' is missing; allowed: {', '.join([*SHAPES, 'map'])}")
            return None
        rest = {key: value for key, value in data.items() if key != "type"}
        kind = data["type"]
        if kind == "map":
            keys = {**MAP, **COMMON}
            entry = self._arguments(where, rest, keys, required={"path"})
            self._maps += 1
            if self._maps > MAPS_MAX:
                self._say(f"{where}: a world has at most {MAPS_MAX} maps")
                return None
            path = self._file(f"{where}.file", entry.pop("path", None)) if "path" in entry else None
            return None if path is None else self._call(where, load_map, keys, path, **entry)
        if not isinstance(kind, str) or kind not in SHAPES:
            known = check.did_you_mean(str(kind), [*SHAPES, "map"])
            self._say(f"{where}.type: unknown shape {check.shown(kind)}.{known}")
            return None
        make, own_keys = SHAPES[kind]
        keys = {**own_keys, **COMMON}
        required = set(own_keys.values()) - OPTIONAL.get(kind, set())
        entry = self._arguments(where, rest, keys, required)
        if "shapes" in entry:
            items = self._list(f"{where}.shapes", entry["shapes"])
            entry["shapes"] = [self.shape(f"{where}.shapes[{i}]", item) for i, item in enumerate(items)]
        if "heights" in entry:
            path = self._file(f"{where}.file", entry["heights"])
            entry["heights"] = None if path is None else self._call(where, load_heights, keys, path)
            if entry["heights"] is None:
                return None
        for key in ("shape", "minus"):
            if key in entry:
                entry[key] = self.shape(f"{where}.{key}", entry[key])
        parts = [entry.get("shape", ...), entry.get("minus", ...), *entry.get("shapes", ())]
        if required - entry.keys() or any(part is None for part in parts):
            return None  # said already
        return self._call(where, make, keys, **entry)

    def mine(self, where: str, data: Any) -> Mine | None:
        """A mine and what has fallen off in it."""
        entry = self._arguments(where, data, MINE)
        spalls = []
        for index, item in enumerate(self._list(f"{where}.spalls", entry.pop("spalls", []))):
            place = f"{where}.spalls[{index}]"
            arguments = self._arguments(place, item, SPALL, required=set(SPALL.values()))
            if set(SPALL.values()) <= arguments.keys():
                spalls.append(self._call(place, Spall, SPALL, **arguments))
        if None in spalls:
            return None  # said already
        return self._call(where, Mine, MINE, **entry, spalls=spalls)

    def wind(self, where: str, data: Any) -> Wind | None:
        """The mean wind and its gusts."""
        entry = self._arguments(where, data, WIND, required={"velocity"})
        if entry.get("gusts") is not None:
            required = set(GUSTS.values()) - {"seed"}
            gusts = self._arguments(f"{where}.gusts", entry["gusts"], GUSTS, required)
            complete = required <= gusts.keys()
            entry["gusts"] = self._call(f"{where}.gusts", Gusts, GUSTS, **gusts) if complete else None
        if "exponent" in entry and entry.get("reference_height") is None:
            self._say(f"{where}.exponent: needs reference_height_m beside it")
        return self._call(where, Wind, WIND, **entry) if "velocity" in entry else None

    def _say(self, problem: str) -> None:
        """Note a problem; after many of them no more are looked for."""
        self.problems.append(problem)
        if len(self.problems) == PROBLEMS_MAX:
            raise InputError("\n".join(self.problems))

    def _file(self, where: str, data: Any) -> Path | None:
        if isinstance(data, str):
            return self.folder / data
        self._say(f"{where}: must be the name of a file, got {check.shown(data)}")
        return None

    def _list(self, where: str, data: Any) -> list[Any]:
        if isinstance(data, list):
            return data
        self._say(f"{where}: must be a list, got {check.shown(data)}")
        return []

    def _arguments(
        self, where: str, data: Any, keys: Mapping[str, str], required: Set[str] = frozenset()
    ) -> dict[str, Any]:
        """The values of a mapping under the names of the arguments they fill; unknown keys are problems."""
        prefix = f"{where}." if where else ""
        if not isinstance(data, Mapping):
            self._say(f"{where or 'the document'}: must be a mapping, got {check.shown(data)}")
            return {}
        result: dict[str, Any] = {}
        for key, value in data.items():
            if key not in keys:
                self._say(f"{prefix}{key}: unknown key.{check.did_you_mean(str(key), keys)}")
            elif keys[key] in result:
                self._say(f"{prefix}{key}: give either this or the other way to write it")
            elif key == "roll_pitch_yaw_deg":
                angles = self._call(where, check.vector, {}, key, value)
                if angles is not None:
                    result[keys[key]] = quaternion_from_roll_pitch_yaw(np.radians(angles))
            elif key == "slope_deg":
                angle = self._call(where, check.number, {}, key, value)
                if angle is not None:
                    result[keys[key]] = math.radians(angle)
            else:
                result[keys[key]] = value
        for argument in sorted(required - result.keys()):
            key = next(key for key, filled in keys.items() if filled == argument)
            self._say(f"{prefix}{key}: missing")
        return result

    def _call(
        self, where: str, make: Callable[..., Any], keys: Mapping[str, str], *args: Any, **kwargs: Any
    ) -> Any:
        """make(...), or None and a problem that names the written key instead of the argument."""
        try:
            return make(*args, **kwargs)
        except InputError as error:
            text = in_written_words(str(error), keys)
            self._say(f"{where}: {text}" if where else text)
            return None


def in_written_words(text: str, keys: Mapping[str, str]) -> str:
    """A message about arguments with the written keys in their place."""
    if not keys:
        return text
    written = {argument: key for key, argument in list(keys.items())[::-1]}  # of two keys the first one
    names = "|".join(sorted(written))
    # An argument begins the message, or comes after the name of a file, or carries an index.
    return re.sub(rf"(^|: | at )({names})(?=[ \[])", lambda match: match[1] + written[match[2]], text)


def quaternion_from_roll_pitch_yaw(angles: Any) -> np.ndarray:
    """Quaternion wxyz of a turn about x, then y, then z of the fixed frame [rad], (3,)."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(np.asarray(angles) / 2), np.sin(np.asarray(angles) / 2)
    return np.array(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ]
    )


def parse_world(data: Any, *, folder: Path, source: str) -> WorldParts:
    """Read a document; map files are relative to `folder`, and `source` names the document in messages."""
    reader = Reader(folder)
    with naming(source):
        parts = reader.world(data)
        if reader.problems:
            raise InputError("\n".join(reader.problems))
    return parts


def describe_shape(shape: S.Shape, store: Callable[[S.VoxelGrid | S.Relief], str]) -> dict[str, Any]:
    """The written form of a shape; `store` writes a grid or heights and returns the name of the file."""
    common: dict[str, Any] = {"name": shape.name} if shape.name else {}
    if shape.friction is not None:
        common["friction"] = shape.friction
    if isinstance(shape, S.VoxelGrid):
        return {"type": "map", **common, "file": store(shape)}
    kind, keys = next((kind, keys) for kind, (make, keys) in SHAPES.items() if type(shape) is make)
    result: dict[str, Any] = {"type": kind, **common}
    for key, argument in keys.items():
        value = getattr(shape, argument)
        if key == "roll_pitch_yaw_deg":
            continue
        if isinstance(shape, S.Relief) and key == "file":
            value = store(shape)
        elif isinstance(value, S.Shape):
            value = describe_shape(value, store)
        elif key == "shapes":
            value = [describe_shape(part, store) for part in value]
        else:
            value = np.asarray(value).tolist()
        result[key] = value
    return result


def describe_mine(mine: Mine) -> dict[str, Any]:
    """The written form of a mine."""
    result = {key: getattr(mine, argument) for key, argument in MINE.items()}
    result["pillar_m"] = list(mine.pillar)
    result["slope_deg"] = round(math.degrees(mine.slope), 12)
    result["spalls"] = [{key: getattr(s, argument) for key, argument in SPALL.items()} for s in mine.spalls]
    if mine.friction is None:
        del result["friction"]
    return result


def describe_wind(wind: Wind) -> dict[str, Any]:
    """The written form of a wind."""
    result: dict[str, Any] = {"velocity_m_per_s": np.asarray(wind.velocity).tolist()}
    if wind.reference_height is not None:
        result |= {"reference_height_m": float(wind.reference_height), "exponent": float(wind.exponent)}
    if wind.gusts is not None:
        values = {key: getattr(wind.gusts, argument) for key, argument in GUSTS.items()}
        result["gusts"] = {key: np.asarray(value).item() for key, value in values.items()}  # as Python's own
    return result


def describe_place(pose: np.ndarray, twist: np.ndarray) -> dict[str, Any]:
    """The written form of where an object is and how it moves, from its rows of the field."""
    return {
        "position_m": pose[9:].tolist(),
        "rotation_wxyz": quaternion_from_matrix(pose[:9].reshape(3, 3)).tolist(),
        "velocity_m_per_s": twist[:3].tolist(),
        "angular_velocity_rad_per_s": twist[3:].tolist(),
    }
