"""Coordinated targets of UAV, UGV and tether: read from the paper's YAML or from CSV, written as CSV.

One row is one state that both vehicles should take together; there are no times. All lengths are metres.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import naming, reading
from tetherlab.contracts.files import replacing
from tetherlab.scenario.library import Source, find

AXES = ("x", "y", "z")
POSITIONS = [f"{vehicle}_{axis}" for vehicle in ("ugv", "uav") for axis in AXES]
COLUMNS = ("index", *(f"{name}_m" for name in POSITIONS), "length_m")
# Columns may come without units, as the published files have them.
SAME_COLUMN = {
    **{name: f"{name}_m" for name in POSITIONS},
    "tether_length_ref": "length_m",
    "length": "length_m",
}
PROBLEMS_MAX = 50  # that are said
LISTS = {"marsupial_ugv": "poses", "marsupial_uav": "poses", "tether": "length"}


class Waypoint(NamedTuple):
    """One coordinated state."""

    uav: tuple[float, float, float]  # [m]
    ugv: tuple[float, float, float]  # [m]
    length: float | None  # of the tether, if the file gives one [m]

    def as_written(self) -> dict[str, Any]:
        """As an item of `mission.targets`."""
        result: dict[str, Any] = {"uav_m": list(self.uav), "ugv_m": list(self.ugv)}
        return result if self.length is None else {**result, "length_m": self.length}


def load_trajectory(name: str | Path) -> list[Waypoint]:
    """A packaged trajectory by its name, or one's own `.yaml` or `.csv` file."""
    return read_trajectory(find("trajectories", str(name), Path()))


def read_trajectory(source: Source) -> list[Waypoint]:
    """The targets in a file; all that is wrong with it is said together."""
    reader = _Reader(source)
    with reading(source.title, "a trajectory"), naming(source.title):
        waypoints = reader.csv() if source.suffix == ".csv" else reader.yaml()
        if not waypoints and not reader.problems:
            reader.problems.append("there is no target in it")
        if reader.problems:
            raise InputError("\n".join(reader.problems))
    return waypoints


def write_trajectory(path: str | Path, waypoints: Iterable[Waypoint]) -> None:
    """Write targets as CSV that `read_trajectory` reads back exactly."""
    with replacing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for index, waypoint in enumerate(waypoints):
            length = "" if waypoint.length is None else repr(float(waypoint.length))
            writer.writerow([index, *(repr(float(x)) for x in (*waypoint.ugv, *waypoint.uav)), length])


class _Reader:
    """Reads one file; `problems` grows on the way."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[str] = []

    def _say(self, problem: str) -> None:
        """Note a problem; after many of them no more are looked for."""
        self.problems.append(problem)
        if len(self.problems) == PROBLEMS_MAX:
            raise InputError("\n".join(self.problems))

    def csv(self) -> list[Waypoint]:
        rows = list(csv.reader(io.StringIO(self.source.text)))
        header = [SAME_COLUMN.get(name.strip(), name.strip()) for name in rows[0]] if rows else []
        for name in header:
            if name not in COLUMNS:
                self._say(f"line 1: unknown column {check.shown(name)}.{check.did_you_mean(name, COLUMNS)}")
        for name in COLUMNS[1:-1]:
            if header.count(name) != 1:
                self._say(f"line 1: column {name!r} must be there once, got it {header.count(name)} times")
        if self.problems:
            return []
        waypoints: list[Waypoint] = []
        for line, row in enumerate(rows[1:], 2):
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                self._say(f"line {line}: has {len(row)} values for {len(header)} columns")
                continue
            cells = {name: cell.strip() for name, cell in zip(header, row, strict=True)}
            numbers = [self._number(f"line {line}: {name}", cells[name]) for name in COLUMNS[1:-1]]
            length = cells.get("length_m", "")
            self._collect(
                waypoints, numbers, self._number(f"line {line}: length_m", length) if length else None
            )
        return waypoints

    def yaml(self) -> list[Waypoint]:
        data, lines = self.source.read()
        if not isinstance(data, Mapping):
            self._say("must be a mapping with marsupial_ugv, marsupial_uav and tether")
            return []
        lists = {name: self._numbered(data, lines, name, prefix) for name, prefix in LISTS.items()}
        if self.problems:
            return []
        counts = {name: len(items) for name, items in lists.items()}
        if len(set(counts.values())) > 1:
            told = ", ".join(f"{name} has {count}" for name, count in counts.items())
            self._say(f"the three lists must be equally long: {told}")
            return []
        waypoints: list[Waypoint] = []
        for index in range(counts["tether"]):
            numbers = [
                number
                for name in ("marsupial_ugv", "marsupial_uav")
                for number in self._position(lines, name, f"poses{index}", lists[name][index])
            ]
            item, where = lists["tether"][index], f"tether.length{index}.length"
            length = item.get("length") if isinstance(item, Mapping) else None
            self._collect(waypoints, numbers, self._number(self._at(lines, where), length))
        return waypoints

    def _numbered(self, data: Any, lines: Any, name: str, prefix: str) -> list[Any]:
        """The items `prefix0`, `prefix1`, ... of a list that is written as a mapping."""
        section = data.get(name)
        if not isinstance(section, Mapping):
            self._say(f"{name}: missing")
            return []
        items = {key: value for key, value in section.items() if key != "size"}
        wanted = [f"{prefix}{index}" for index in range(len(items))]
        for key in items:
            if key not in wanted:
                where = self._at(lines, f"{name}.{key}")
                self._say(f"{where}: with {len(items)} items, they are called {prefix}0 to {wanted[-1]}")
        size = section.get("size", len(items))
        if size != len(items):
            self._say(f"{self._at(lines, f'{name}.size')}: says {size}, but there are {len(items)} items")
        return [items.get(key) for key in wanted]

    def _position(self, lines: Any, name: str, key: str, item: Any) -> list[float | None]:
        position = item
        for part in ("pose", "position"):
            position = position.get(part) if isinstance(position, Mapping) else None
        if not isinstance(position, Mapping):
            self._say(f"{self._at(lines, f'{name}.{key}')}: pose.position is missing")
            return [None] * 3
        return [
            self._number(self._at(lines, f"{name}.{key}.pose.position.{axis}"), position.get(axis))
            for axis in AXES
        ]

    def _at(self, lines: Any, path: str) -> str:
        """A path with its line in front, if it has one."""
        line = lines.get(tuple(path.split(".")))
        return path if line is None else f"line {line}: {path}"

    def _number(self, where: str, value: Any) -> float | None:
        """A finite number, also from the text of a cell; otherwise None, and a problem."""
        try:
            return check.number(where, float(value) if isinstance(value, str) else value)
        except InputError as error:
            self._say(str(error))
        except ValueError:
            self._say(f"{where} must be a number, got {check.shown(value)}")
        return None

    def _collect(self, waypoints: list[Waypoint], numbers: list[float | None], length: float | None) -> None:
        """Add a target whose numbers are all there."""
        found = [number for number in numbers if number is not None]
        if len(found) == 6:
            ugv, uav = found[:3], found[3:]
            waypoints.append(Waypoint((uav[0], uav[1], uav[2]), (ugv[0], ugv[1], ugv[2]), length))
