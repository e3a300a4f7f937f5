"""The record of a run: tables over time, how it ended, what happened on the way, and what was run.

A saved run is a folder: `scenario.yaml`, one CSV file per table, one PLY file per map, `metrics.json`, and
`log.json`, which names the rest. `log.json` is written last, so a folder that has it is complete.
"""

import json
import math
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from tetherlab.contracts import check
from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.cloud_files import MAP_FILE, file_names, load_ply, save_ply
from tetherlab.contracts.csv_files import read_csv, write_csv
from tetherlab.contracts.documents import read_yaml, write_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import read_json, reading
from tetherlab.contracts.files import replacing
from tetherlab.contracts.flight import read_flight
from tetherlab.contracts.map_files import complete_map_files, relative_map_files
from tetherlab.contracts.outcome import Outcome
from tetherlab.contracts.run_replacement import kept_run, replace_run
from tetherlab.contracts.table import NAME, Table
from tetherlab.contracts.version import VERSION

HEAD = "log.json"  # written last
NAME_MAX = 100  # characters of a table's name
FORMAT = 1  # of the folder; grows when an older reader would misunderstand it


class Event(NamedTuple):
    """Something that happened at a moment of the run."""

    time: float  # [s]
    kind: str  # one word: take_off, target, warning, ...
    sentence: str


@dataclass
class Log:
    """What a run leaves behind, `log["uav"]["x_m"]`; also what a real flight is turned into."""

    tables: dict[str, Table]  # uav, ugv, winch, tether, targets; what there is
    outcome: Outcome | None = None  # how it ended; None for a real flight
    outcome_sentence: str = ""  # the same with time and numbers; made from the outcome unless given
    events: list[Event] = field(default_factory=list)
    scenario: dict[str, Any] = field(default_factory=dict)  # resolved, as plain data
    metrics: dict[str, float] = field(default_factory=dict)  # each name ends with its unit
    maps: dict[str, Cloud] = field(default_factory=dict)  # of walls, by their names
    name: str = "run"
    version: str = VERSION  # of tetherlab, when the run was made

    def __post_init__(self) -> None:
        for name in self.tables:
            if not NAME.fullmatch(name):  # it becomes the name of a file
                raise InputError(f"the name of a table must be made of letters, digits and _, got {name!r}")
        if not self.outcome_sentence:
            how = "the record ends" if self.outcome is None else self.outcome.value
            self.outcome_sentence = f"After {self.duration:.1f} s {how}."

    def __getitem__(self, name: str) -> Table:
        if name not in self.tables:
            raise InputError(f"the log has no table {name!r}.{check.did_you_mean(name, self.tables)}")
        return self.tables[name]

    def __contains__(self, name: object) -> bool:
        return name in self.tables

    @property
    def duration(self) -> float:
        """From the first to the last recorded moment [s]."""
        # A target has a time as well, but it is no measurement.
        times = [t["time_s"] for name, t in self.tables.items() if name != "targets" and len(t)]
        return float(max(t[-1] for t in times) - min(t[0] for t in times)) if times else 0.0

    @property
    def seed(self) -> int | None:
        """The seed of the run, if the scenario tells it."""
        run = self.scenario.get("run")
        return run.get("seed") if isinstance(run, Mapping) else None

    def save(self, folder: str | Path) -> Path:
        """Write the run into a folder, which is made if need be.

        A run that the folder held is replaced when all of the new one is written, and stays if that fails;
        where it cannot be put back, the error tells which folder keeps it.
        """
        folder = Path(folder)
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder}: is a file; a run needs a folder")
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".saving-", dir=folder, ignore_cleanup_errors=True) as beside:
            names = self._write(Path(beside), folder)
            older = _run_files(folder)
            if older:
                replace_run(folder, Path(beside), names, older)
            else:
                (folder / HEAD).unlink(
                    missing_ok=True
                )  # until all is there the folder must not look complete
                for name in names:
                    os.replace(Path(beside) / name, folder / name)
        return folder

    def _write(self, here: Path, folder: Path) -> list[str]:
        """Write all files; returns their names, the head last. folder: where they will be."""
        names = [f"{name}.csv" for name in self.tables]
        for file, table in zip(names, self.tables.values(), strict=True):
            write_csv(table, here / file)
        files = file_names(self.maps)
        for name, cloud in self.maps.items():
            save_ply(cloud, here / files[name])
        seed = "" if self.seed is None else f", seed {self.seed}"
        write_yaml(
            relative_map_files(self.scenario, folder),
            here / "scenario.yaml",
            comment=f"tetherlab {self.version}{seed}",
        )
        # JSON has no NaN; null says as much.
        known = {name: value if math.isfinite(value) else None for name, value in self.metrics.items()}
        _write_json(known, here / "metrics.json")
        _write_json(
            {
                "format": FORMAT,
                "tetherlab": self.version,
                "name": self.name,
                "outcome": self.outcome and self.outcome.name,
                "outcome_sentence": self.outcome_sentence,
                "rows": {name: len(table) for name, table in self.tables.items()},
                "maps": files,
                "events": [
                    {"time_s": float(event.time), "kind": event.kind, "sentence": event.sentence}
                    for event in map(Event._make, self.events)
                ],
            },
            here / HEAD,
        )
        return [*names, *files.values(), "scenario.yaml", "metrics.json", HEAD]

    @classmethod
    def load(cls, folder: str | Path) -> "Log":
        """Read a saved run; nothing in it is executed."""
        folder = Path(folder)
        head = read_head(folder)
        problems: list[str] = []
        tables: dict[str, Table] = {}
        for name, count in head["rows"].items():  # each name is that of a file
            path = folder / f"{name}.csv"
            try:
                tables[name] = read_csv(path)
            except InputError as error:
                missing = f"{path}: missing, although log.json names this table"
                problems.append(str(error) if path.exists() else missing)
                continue
            if len(tables[name]) != count:
                problems.append(f"{path}: damaged: {len(tables[name])} rows, but log.json says {count}")
        maps: dict[str, Cloud] = {}
        for name, file in head["maps"].items():
            try:
                maps[name] = load_ply(folder / file)
            except InputError as error:
                problems.append(str(error))
        if problems:
            raise InputError("\n".join(problems))
        scenario = read_yaml(folder / "scenario.yaml")
        if not isinstance(scenario, dict):
            got = check.shown(scenario)
            raise InputError(f"{folder / 'scenario.yaml'}: damaged: must be a mapping, got {got}")
        return cls(
            tables=tables,
            outcome=None if head["outcome"] is None else Outcome[head["outcome"]],
            outcome_sentence=head["outcome_sentence"],
            events=_read_events(folder / HEAD, head["events"]),
            scenario=complete_map_files(scenario, folder),
            metrics=_read_metrics(folder / "metrics.json"),
            maps=maps,
            name=head["name"],
            version=head["tetherlab"],
        )

    @classmethod
    def from_csv(
        cls,
        files: Mapping[str, str | Path],
        columns: Mapping[str, Mapping[str, str]] | str | Path | None = None,
        *,
        name: str = "flight",
    ) -> "Log":
        """The log of a real flight from a CSV file per table.

        files: table -> file, `{"uav": "drone.csv", "winch": "winch.csv"}`.
        columns: table -> our column -> the file's, `{"uav": {"time_s": "t", "x_m": "pose.x"}}`, or a YAML
        file that says the same; tables that are not in it use our names. The unit at the end of our name is
        that of the file: `x_mm` is converted to `x_m`, likewise cm, ms, us, ns, cm_per_s, deg_per_s.
        Time is counted from the earliest row of all files.
        """
        return cls(tables=read_flight(files, columns), name=name)

    def __repr__(self) -> str:
        parts = "; ".join(f"{name}: {len(table)} rows" for name, table in self.tables.items())
        return f"Log({self.name}: {self.outcome_sentence} {parts or 'no tables'})"

    def _repr_html_(self) -> str:
        tables = {
            name: f"{len(table)} rows, {len(table.columns)} columns" for name, table in self.tables.items()
        }
        maps = {name: f"{len(cloud.points)} points" for name, cloud in self.maps.items()}
        metrics = {name: f"{value:.6g}" for name, value in self.metrics.items()}
        rows = _html_rows("table", tables) + _html_rows("map", maps) + _html_rows("metric", metrics)
        return f"<p><b>{escape(self.name)}</b> {escape(self.outcome_sentence)}</p><table>{rows}</table>"


def _html_rows(title: str, values: Mapping[str, str]) -> str:
    rows = [f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in values.items()]
    return "".join([f"<tr><th>{title}</th><th></th></tr>", *rows]) if rows else ""


def _run_files(folder: Path) -> list[str]:
    """Names of the files of the run in a folder, the head last; none if there is no run."""
    try:
        head = read_head(folder)
    except InputError:
        return []
    tables = (f"{name}.csv" for name in head["rows"])
    names = (*tables, *head["maps"].values(), "scenario.yaml", "metrics.json", HEAD)
    return [name for name in names if (folder / name).exists()]


def read_head(folder: Path) -> dict[str, Any]:
    """What log.json says, checked."""
    path = folder / HEAD
    if not path.exists():
        what = "no such folder" if not folder.is_dir() else "not a complete run: log.json is missing"
        kept = kept_run(folder, HEAD)
        raise InputError(f"{folder}: {what}{f'; an older run is kept in {kept}' if kept else ''}")
    head = read_json(path)
    version = head.get("format")
    if isinstance(version, int) and version > FORMAT:
        raise InputError(
            f"{path}: written in format {version} by tetherlab {head.get('tetherlab')}; this version reads "
            f"up to format {FORMAT}: update tetherlab"
        )
    expected = {"format": int, "tetherlab": str, "name": str, "outcome_sentence": str, "rows": dict}
    for key, kind in {**expected, "events": list}.items():
        if not isinstance(head.get(key), kind):
            raise InputError(f"{path}: damaged: {key!r} is missing or not a {kind.__name__}")
    for name, count in head["rows"].items():
        if not NAME.fullmatch(name) or len(name) > NAME_MAX or not isinstance(count, int):
            got = f"{check.shown(name)}: {check.shown(count)}"
            raise InputError(f"{path}: damaged: 'rows' must map tables to counts, got {got}")
    maps = head.setdefault("maps", {})  # older runs have none
    known_files = isinstance(maps, dict) and all(isinstance(file, str) for file in maps.values())
    if not known_files or not all(MAP_FILE.fullmatch(file) for file in maps.values()):
        raise InputError(
            f"{path}: damaged: 'maps' must give each map a file map_….ply, got {check.shown(maps)}"
        )
    outcome = head.setdefault("outcome", None)
    if outcome is not None and (not isinstance(outcome, str) or outcome not in Outcome.__members__):
        known = check.did_you_mean(str(outcome), Outcome.__members__)
        raise InputError(f"{path}: outcome: unknown word {check.shown(outcome)}.{known}")
    if not any(head["rows"].values()):
        raise InputError(f"{folder}: the log is empty: no table has a row")
    return head


def _read_events(path: Path, events: list[Any]) -> list[Event]:
    found: list[Event] = []
    for number, item in enumerate(events):
        held = item if isinstance(item, dict) else {}
        time, kind, sentence = (held.get(key) for key in ("time_s", "kind", "sentence"))
        if not isinstance(kind, str) or not isinstance(sentence, str):
            raise InputError(f"{path}: damaged: event {number} must have time_s, kind and sentence")
        moment = check.number(f"{path}: damaged: time_s of event {number}", time)
        found.append(Event(moment, kind, sentence))
    return found


def _read_metrics(path: Path) -> dict[str, float]:
    metrics = read_json(path)
    for name, value in metrics.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise InputError(f"{path}: damaged: {name} must be a number, got {check.shown(value)}")
    with reading(path, "the metrics of a run"):
        return {name: math.nan if value is None else float(value) for name, value in metrics.items()}


def _write_json(value: Any, path: Path) -> None:
    with replacing(path) as file:
        json.dump(value, file, indent=1, ensure_ascii=False, allow_nan=False)
        file.write("\n")
