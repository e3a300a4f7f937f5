"""Where scenarios and their parts are found: packaged by name, one's own by file.

A bare word is the name of something packaged. What ends in .yaml, .yml or .csv is a file, looked for beside
the file that names it.
"""

import os
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

from tetherlab.contracts.documents import SIZE_MAX, parse_yaml_lines
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import read_text
from tetherlab.scenario.problems import KeyPath, unknown_name

ONE_OF = {
    "scenarios": "scenario",
    "worlds": "world",
    "tethers": "tether",
    "winches": "winch",
    "robots": "robot",
    "sensors": "set of sensors",
    "power": "power supply",
    "trajectories": "trajectory",
    "plans": "problem of a team",
}
SUFFIXES = (".yaml", ".yml", ".csv")


class Source(NamedTuple):
    """The text of something that a scenario is made of."""

    title: str  # how messages call it
    folder: Path  # where the files that it names are looked for
    text: str
    suffix: str

    def read(self) -> tuple[Any, Mapping[KeyPath, int]]:
        """YAML as plain data, and the line of each key."""
        data, lines = parse_yaml_lines(self.text, self.title)
        if data is None:
            raise InputError(f"{self.title}: the file is empty")
        return data, lines


def packaged(kind: str) -> dict[str, Traversable]:
    """What is packaged of a kind, by name."""
    folder = resources.files("tetherlab") / "data" / kind
    return {Path(item.name).stem: item for item in sorted(folder.iterdir(), key=lambda item: item.name)}


def find(kind: str, name: str, folder: Path) -> Source:
    """Something of a kind by its packaged name, or by its file relative to a folder."""
    path = Path(name)
    if path.suffix.lower() in SUFFIXES:
        return _file(folder / path)
    items = packaged(kind)
    if name not in items:
        _refuse_other(kind, name, folder)
        beside = [f"{name}{suffix}" for suffix in SUFFIXES if _exists(folder / f"{name}{suffix}")]
        hint = f". There is a file {beside[0]!r}: write its ending, too" if beside else ""
        if kind == "scenarios" and name in packaged("plans"):
            hint = f" It is a {ONE_OF['plans']}: `tetherlab plan {name} --out plan.yaml` makes it one to run"
        raise InputError(unknown_name(ONE_OF[kind], name, items) + hint)
    item = items[name]
    return Source(f"{kind}/{item.name}", Path(), item.read_text(encoding="utf-8"), Path(item.name).suffix)


def _refuse_other(kind: str, name: str, folder: Path) -> None:
    """Say what is there under this name, if it is no file of ours."""
    place = os.path.join(folder, name)
    if name and os.path.isdir(place):
        inside = os.path.join(name, "scenario.yaml")
        hint = f". Did you mean {inside!r}?" if os.path.isfile(os.path.join(folder, inside)) else ""
        raise InputError(f"{name}: is a folder, not a {ONE_OF[kind]}{hint}")
    if os.path.isfile(place):
        raise InputError(f"{name}: a {ONE_OF[kind]} is a file that ends in {SUFFIXES[0]}; rename it")


def _exists(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long for a file
        return False


def _file(path: Path) -> Source:
    return Source(str(path), path.parent, read_text(path, SIZE_MAX), path.suffix.lower())
