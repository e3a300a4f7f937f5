"""A scenario on its way from files to one plain mapping that remembers where each of its keys was written.

Names become contents: a world, tether, winch or robot by name or file, `like: NAME` for one with changes, a
trajectory for its targets. Overrides reach into all of it by the same paths that messages show.
"""

import copy
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tetherlab.contracts.documents import parse_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.map_files import complete_file
from tetherlab.scenario.library import SUFFIXES, Source, find
from tetherlab.scenario.line import MATERIAL
from tetherlab.scenario.problems import PROBLEMS_MAX, KeyPath, shown, written
from tetherlab.scenario.trajectory import read_trajectory

# Where a name may stand for contents, and what kind of thing it then names.
REFERENCES: dict[KeyPath, str] = {
    ("world",): "worlds",
    ("tether",): "tethers",
    ("winch",): "winches",
    ("uav", "robot"): "robots",
    ("ugv", "robot"): "robots",
    ("localisation", "sensors"): "sensors",
    ("power",): "power",
    ("robot",): "robots",  # in the canopy
}

# The same in a scene, where parts have names of their own.
SCENE_REFERENCES: dict[tuple[str, ...], str] = {
    ("bodies", "*", "robot"): "robots",
    ("tethers", "*"): "tethers",  # of which only the material counts
    ("tethers", "*", "winch"): "winches",
}

ASSUMED = re.compile(r"#\s*assumed\b[:;,]?\s*(.*?)\s*$")  # how a value without a source is marked

# Of these only one may be given, so that an override of one takes the place of the other.
EITHER: dict[KeyPath, str] = {("mission", "trajectory"): "targets", ("mission", "targets"): "trajectory"}


class Place(NamedTuple):
    """Where something was written."""

    title: str  # of the file
    folder: Path  # of the file
    line: int | None
    path: KeyPath  # in the file

    def __str__(self) -> str:
        """The beginning of a message about it."""
        line = "" if self.line is None else f"line {self.line}: "
        key = f"{written(self.path)}: " if self.path else ""
        return f"{self.title}: {line}{key}"


class Document:
    """The plain data of a scenario, the place of each key, and what was found wrong on the way."""

    def __init__(self, data: Any, title: str, folder: Path) -> None:
        self.data = copy.deepcopy(data)
        self.places: dict[KeyPath, Place] = {(): Place(title, folder, None, ())}
        self.problems: list[tuple[Place, str]] = []
        self._remarks: dict[tuple[str, int], str] = {}  # title and line -> why a value was assumed
        self.refused: set[KeyPath] = set()  # said already: what lies below is not worth another sentence
        self.names: dict[KeyPath, str] = {}  # what stands for contents without a change: a name, or a file

    @classmethod
    def open(cls, source: Source) -> "Document":
        """The document in a file."""
        data, lines = source.read()
        document = cls(data, source.title, source.folder)
        document._adopt((), source, lines)
        return document

    def resolve(self, references: Iterable[KeyPath] = tuple(REFERENCES)) -> None:
        """Replace every name by what it stands for; references: where they are, besides those of a scene."""
        for path in (*references, *self._scene_references()):
            self._expand(path)
        self._expand_trajectory()
        self._move_wind()
        self.complete_maps(("world",))

    def override(self, key: str, value: Any) -> None:
        """Set one value by its path, such as `tether.length_m` or `mission.targets[0].uav_m`."""
        path = parse_path(key)
        for end in range(1, len(path)):  # a name on the way becomes what it stands for
            self._expand(path[:end])
        if path[:2] == ("mission", "targets") and len(path) > 2:
            self._expand_trajectory()
        other = EITHER.get(path)
        if other is not None and isinstance(self._get(("mission",)), dict):
            self.data["mission"].pop(other, None)
        here = Place("override", Path(), None, ())
        for end in range(1, len(path)):
            if self._get(path[:end]) is None:
                self.places[path[:end]] = here._replace(path=path[:end])
        parent, last = self._get(path[:-1], make=True), path[-1]
        fits = isinstance(parent, dict) or (isinstance(parent, list) and last in range(len(parent)))
        if not fits:
            text = f"there is no such place to put a value{self._meant(path)}"
            self.problems.append((here._replace(path=path), text))
            return
        self._changed(path)
        parent[last] = value.tolist() if isinstance(value, np.ndarray | np.generic) else copy.deepcopy(value)
        self._forget(path)
        self.places[path] = here._replace(path=path)

    def _scene_references(self) -> list[KeyPath]:
        """The places of SCENE_REFERENCES in this document."""
        found: list[KeyPath] = []
        for pattern in SCENE_REFERENCES:
            section = self._get(pattern[:1])
            for name in section if isinstance(section, dict) else ():
                found.append((*pattern[:1], name, *pattern[2:]))
        return found

    def _changed(self, path: KeyPath) -> None:
        """What a key is part of is not what its name stands for any more."""
        for end in range(1, len(path)):
            if path[:end] in self.names and (path[0] != "tethers" or end > 2 or path[end] in MATERIAL):
                del self.names[path[:end]]

    def place(self, path: KeyPath) -> Place:
        """Where a key was written, or the nearest section around it."""
        end = len(path)
        while path[:end] not in self.places:
            end -= 1
        place = self.places[path[:end]]
        return place._replace(path=place.path + path[end:])

    def say(self, path: KeyPath, text: str) -> None:
        """Note a problem at its place, unless what holds it was refused as a whole."""
        if any(path[:end] in self.refused for end in range(len(path) + 1)):
            return
        place, root = self.place(path), self.places[()].title
        if place.title not in (root, "override"):
            text = f"{text} (here as {written(path)} of {root})"
        self.problems.append((place, text))

    def report(self) -> str:
        """All problems, file by file and from top to bottom, one line each."""
        titles = [place.title for place, _ in self.problems]
        ordered = sorted(self.problems, key=lambda item: (titles.index(item[0].title), item[0].line or 0))
        told = [f"{place}{text}" for place, text in ordered[:PROBLEMS_MAX]]
        more = len(ordered) - len(told)
        return "\n".join([*told, *([f"{self.places[()].title}: and {more} more problems"] if more else [])])

    def assumed(self) -> dict[str, str]:
        """Keys that no source gives a value for, as a comment beside them says, and the rest of it."""
        found: dict[str, str] = dict(self._get(("assumed",)) or {})  # a complete scenario has them already
        first: dict[tuple[str, int], KeyPath] = {}  # of the keys of a line, the outermost
        for path, place in self.places.items():
            at = (place.title, place.line or 0)
            if at in self._remarks and self._get(path) is not None:
                first[at] = min(first.get(at, path), path, key=len)
        found |= {written(path): self._remarks[at] for at, path in first.items()}
        return {
            key: why for key, why in found.items() if self.place(parse_path(str(key))).title != "override"
        }

    def _get(self, path: KeyPath, *, make: bool = False) -> Any:
        """What stands at a path, None if there is nothing; with `make`, missing mappings are made."""
        value = self.data
        for part in path:
            if isinstance(value, dict):
                value = value.setdefault(part, {}) if make else value.get(part)
            elif isinstance(value, list) and isinstance(part, int) and part < len(value):
                value = value[int(part)]
            else:
                return None
        return value

    def _meant(self, path: KeyPath) -> str:
        """A hint for a path that names entries of lists as if they were keys, else nothing."""
        meant: KeyPath = ()
        for part in path:
            of_list = isinstance(self._get(meant), list)
            meant += (int(part),) if of_list and str(part).isdecimal() else (part,)
        known = meant != path and self._get(meant[:-1]) is not None
        return f". Did you mean {written(meant)!r}?" if known else ""

    def _adopt(self, path: KeyPath, source: Source, lines: Mapping[KeyPath, int]) -> None:
        """From here on, what lies below a path comes from this source."""
        self.places[path] = Place(source.title, source.folder, None, ())
        for inner, line in lines.items():
            self.places.setdefault(path + inner, Place(source.title, source.folder, line, inner))
        for line, text in enumerate(source.text.splitlines(), 1):
            remark = ASSUMED.search(text)
            if remark is not None:
                self._remarks[source.title, line] = remark[1]

    def _forget(self, path: KeyPath) -> None:
        self.places = {key: place for key, place in self.places.items() if key[: len(path)] != path}

    def _expand(self, path: KeyPath, seen: tuple[str, ...] = ()) -> None:
        """Put contents where a name stands, or with `like: NAME` what is not said beside it."""
        value = self._get(path)
        own = dict(value) if isinstance(value, dict) else {}
        name = own.pop("like", None) if own else value
        kind = _kind_at(path)
        if kind is None or not isinstance(name, str):
            return
        named_at = (*path, "like") if isinstance(value, dict) else path
        try:
            folder = self.place(named_at).folder
            source = find(kind, name, folder)
            if source.title in seen:
                raise InputError(f"{' is like '.join((*seen, source.title))}: a circle")
            data, lines = source.read()
        except InputError as error:
            self.say(named_at, str(error))
            self.refused.add(path)
            return
        if path[0] == "tethers" and kind == "tethers" and isinstance(data, dict):
            data = {key: value for key, value in data.items() if key in (*MATERIAL, "like")}
            if not seen and not any(key in MATERIAL for key in own):
                self.names[path] = _found_at(name, folder)
        elif not seen and not own:
            self.names[path] = _found_at(name, folder)
        self._forget(named_at)
        here = self.places.get(path)
        self._adopt(path, source, lines)
        if path[0] == "tethers" and here is not None:  # it is more than its material
            self.places[path] = here
        self._get(path[:-1])[path[-1]] = {**data, **own} if isinstance(data, dict) else data
        self._expand(path, (*seen, source.title))

    def _expand_trajectory(self) -> None:
        """Put the targets of a trajectory where its name stands."""
        mission, path = self._get(("mission",)), ("mission", "trajectory")
        if not isinstance(mission, dict) or not isinstance(mission.get("trajectory"), str):
            return
        if "targets" in mission:
            self.say(path, "give either a trajectory or targets")
        try:
            source = find("trajectories", mission.pop("trajectory"), self.place(path).folder)
            mission["targets"] = [target.as_written() for target in read_trajectory(source)]
        except InputError as error:
            self.say(path, str(error))
            self.refused.add(("mission", "targets"))
            return
        self.places["mission", "targets"] = Place(source.title, source.folder, None, ("targets",))

    def _move_wind(self) -> None:
        """A wind beside the world replaces the wind in it."""
        if not isinstance(self.data, dict) or "wind" not in self.data:
            return
        self.names.pop(("world",), None)
        if not isinstance(self._get(("world",)), dict):
            self.data.pop("wind")  # that the world is missing, or none, is said anyway
            return
        self._forget(("world", "wind"))
        moved = {("world", *path): place for path, place in self.places.items() if path[:1] == ("wind",)}
        self.places |= moved
        self.data["world"] = {**self.data["world"], "wind": self.data.pop("wind")}

    def complete_maps(self, world: KeyPath) -> None:
        """Maps of the world at a path are found from everywhere, also from where a resolved scenario is."""

        def complete(path: KeyPath, shape: Any) -> None:
            if not isinstance(shape, dict):
                return
            if isinstance(shape.get("file"), str):
                shape["file"] = complete_file(self.place((*path, "file")).folder, shape["file"])
            for key in ("shape", "minus"):
                complete((*path, key), shape.get(key))
            parts = shape.get("shapes")
            for index, part in enumerate(parts if isinstance(parts, list) else ()):
                complete((*path, "shapes", index), part)

        complete(world, self._get(world))


def _kind_at(path: KeyPath) -> str | None:
    """What kind of thing a name at a path stands for."""
    if path in REFERENCES:
        return REFERENCES[path]
    return SCENE_REFERENCES.get((str(path[0]), "*", *map(str, path[2:]))) if len(path) > 1 else None


def _found_at(name: str, folder: Path) -> str:
    """A name of something packaged as it is, that of a file from where we are."""
    return str(folder / name) if Path(name).suffix.lower() in SUFFIXES else name


def checked_overrides(overrides: Any) -> Mapping[str, Any]:
    """Overrides that are a mapping by paths; None is as good as none."""
    wanted = 'overrides must be a mapping such as {"tether.length_m": 12}'
    if overrides is not None and not isinstance(overrides, Mapping):
        raise InputError(f"{wanted}, got {shown(overrides)}")
    for key in overrides or {}:
        if not isinstance(key, str):
            raise InputError(f"{wanted}, got the key {shown(key)}")
    return overrides or {}


def parse_path(key: str) -> KeyPath:
    """`mission.targets[0].uav_m` as its parts."""
    parts = re.findall(r"[^.\[\]]+|\[\d+\]", key)
    path = tuple(int(part[1:-1]) if part.startswith("[") else part for part in parts)
    if not path or written(path) != key:
        raise InputError(
            f"override: {key!r} is not a path such as tether.length_m or mission.targets[0].uav_m"
        )
    return path


def parse_assignments(assignments: Iterable[str]) -> dict[str, Any]:
    """Overrides as a command line gives them, `tether.length_m=12`; the value is read as YAML."""
    overrides: dict[str, Any] = {}
    for assignment in assignments:
        if not _is_text(assignment):
            raise InputError(f"override: {assignment!r} holds bytes that are no text; write it in UTF-8")
        key, equals, text = assignment.partition("=")
        if not equals:
            raise InputError(f"override: {assignment!r} must be KEY=VALUE, such as tether.length_m=12")
        overrides[key.strip()] = parse_yaml(text, f"override: {key.strip()}")
    return overrides


def _is_text(given: str) -> bool:
    """Whether an argument is text: Python hands on the bytes that are none as lone surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in given)
