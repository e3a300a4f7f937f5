"""Other people's CSV files, for example of a real flight, as tables with our names and units."""

import math
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.columns import COLUMNS, FOREIGN_UNITS, in_our_units, readable
from tetherlab.contracts.documents import read_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import naming, read_csv_cells
from tetherlab.contracts.table import Table

ColumnMap = Mapping[str, Mapping[str, str]]  # table -> our column, in the file's unit -> the file's column
WITH_GAPS = ("measurements",)  # tables in which a cell may be empty
VALUES_MAX = 32_000_000  # of one file: an hour of the largest table at 50 Hz


def read_flight(
    files: Mapping[str, str | Path], columns: ColumnMap | str | Path | None = None
) -> dict[str, Table]:
    """One table per file; time is counted from the earliest row of all."""
    where, names = read_map(columns)
    problems = [*_unknown_tables("files.", files), *column_problems(where, names)]
    if not files:
        problems.append("files: must name at least one CSV file")
    elif isinstance(names, Mapping):
        lonely = [name for name in names if name in COLUMNS and name not in files]
        problems += [f"{where}{name}: files has no file for this table" for name in lonely]
    _raise_if_any(problems)
    tables: dict[str, Table] = {}
    for name, path in files.items():
        wanted = names.get(name) or {column: column for column in readable(name)}
        try:
            with naming(path):
                tables[name] = Table(
                    _read_columns(Path(path), wanted, all_wanted=name in names, gaps=name in WITH_GAPS)
                )
        except InputError as error:
            problems.append(str(error))
    _raise_if_any(problems)
    start = min(table["time_s"][0] for table in tables.values())
    return {name: _counted_from(start, table) for name, table in tables.items()}


def read_map(columns: ColumnMap | str | Path | None) -> tuple[str, Any]:
    """(what stands before its keys in messages, the map), which may be in a YAML file; not yet checked."""
    if isinstance(columns, (str, Path)):
        return f"{columns}: ", read_yaml(columns)
    return "columns.", columns or {}


def _counted_from(start: float, table: Table) -> Table:
    """The table with its times [s] less `start`."""
    moments = ("time_s", "stamp_s", "reached_s")
    return Table({name: table[name] - start * (name in moments) for name in table.columns})


def _raise_if_any(problems: list[str]) -> None:
    if problems:
        raise InputError("\n".join(problems))


def _unknown_tables(where: str, tables: Mapping[str, Any]) -> list[str]:
    return [
        f"{where}{name}: unknown table.{check.did_you_mean(str(name), COLUMNS)}"
        for name in tables
        if name not in COLUMNS
    ]


def column_problems(where: str, names: Any) -> list[str]:
    """What is wrong with a column map, whatever the files hold."""
    if not isinstance(names, Mapping):
        return [f"{where.rstrip(': .')}: must map tables to columns, got {check.shown(names)}"]
    problems = _unknown_tables(where, names)
    for table, entries in names.items():
        if table not in COLUMNS:
            continue
        if not isinstance(entries, Mapping):
            problems.append(f"{where}{table}: must map our columns to the file's, got {check.shown(entries)}")
            continue
        ours: list[str] = []
        for key, column in entries.items():
            name = in_our_units(str(key))[0]
            if name not in readable(table):
                units = ", ".join(FOREIGN_UNITS)
                known = check.did_you_mean(str(key), readable(table)) if table != "tether" else ""
                problems.append(f"{where}{table}.{key}: unknown column.{known} Also with the units {units}.")
            if name in ours:
                problems.append(f"{where}{table}.{key}: fills {name}, which another line fills already")
            if not isinstance(column, str):
                problems.append(
                    f"{where}{table}.{key}: must be the name of a column, got {check.shown(column)}"
                )
            ours.append(name)
        if "time_s" not in ours:
            problems.append(f"{where}{table}.time_s: missing; every table needs its time")
    return problems


def _read_columns(path: Path, wanted: Mapping[str, str], *, all_wanted: bool, gaps: bool) -> dict[str, Any]:
    """Our columns with their values; all problems of the file together. gaps: an empty cell is NaN."""
    lines = read_csv_cells(path)
    header = [cell.strip() for cell in next(lines, [])]
    if not all_wanted:
        wanted = {ours: theirs for ours, theirs in wanted.items() if theirs in header or ours == "time_s"}
    problems = [
        f"no column {check.shown(theirs)}.{check.did_you_mean(theirs, header)}"
        for theirs in wanted.values()
        if theirs not in header
    ]
    # Time comes first in our tables, wherever it stands in the file or the map.
    order = sorted(wanted.items(), key=lambda item: in_our_units(item[0])[0] != "time_s")
    taken = [_Column(ours, header.index(theirs), theirs) for ours, theirs in order] if not problems else []
    count = 0
    for number, row in enumerate(lines, 2):
        if not row:
            continue
        count += 1
        if len(row) != len(header):
            problems.append(f"line {number}: {len(row)} cells, but the header has {len(header)}")
            break
        if count * len(taken) > VALUES_MAX:
            raise InputError(f"holds more than {VALUES_MAX} values in columns that are read; split the file")
        for column in taken:
            column.take(number, row, gaps)
    if not count:
        raise InputError("has no rows")
    _raise_if_any(problems)
    _raise_if_any([column.problem for column in taken if column.problem])
    return {column.name: column.factor * np.frombuffer(column.values) for column in taken}


class _Column:
    """A column of a file, row by row; `problem` is the first thing that is wrong with it."""

    def __init__(self, ours: str, index: int, title: str) -> None:
        self.name, self.factor = in_our_units(ours)
        self.values, self.problem = array("d"), ""
        self._index, self._title = index, title

    def take(self, line: int, row: list[str], gaps: bool) -> None:
        if self.problem:
            return
        try:
            self.values.append(_number(line, row[self._index], gaps))
        except InputError as error:
            self.problem = f"{error} in column {self._title!r}"


def _number(line: int, cell: str, gaps: bool) -> float:
    try:
        return float(cell)
    except ValueError:
        if gaps and not cell.strip():
            return math.nan
        what = f"{check.shown(cell)} is not a number" if cell.strip() else "there is nothing"
        raise InputError(f"line {line}: {what}") from None
