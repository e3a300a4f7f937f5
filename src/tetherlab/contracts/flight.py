"""Other people's CSV files, for example of a real flight, as tables with our names and units."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.columns import COLUMNS, FOREIGN_UNITS, in_our_units
from tetherlab.contracts.documents import read_yaml
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.table import Table

ColumnMap = Mapping[str, Mapping[str, str]]  # table -> our column, in the file's unit -> the file's column


def read_flight(
    files: Mapping[str, str | Path], columns: ColumnMap | str | Path | None = None
) -> dict[str, Table]:
    """One table per file; time is counted from the earliest row of all."""
    source = str(columns) if isinstance(columns, (str, Path)) else "columns"
    names = read_yaml(columns) if isinstance(columns, (str, Path)) else columns or {}
    problems = [*_unknown_tables("files", files), *_column_problems(source, names)]
    if isinstance(names, Mapping):
        problems += [
            f"{source}.{name}: files has no file for this table"
            for name in names
            if name in COLUMNS and name not in files
        ]
    if not files:
        problems.append("files: must name at least one CSV file")
    if problems:
        raise InputError("\n".join(problems))
    found: dict[str, dict[str, Any]] = {}
    for name, path in files.items():
        wanted = names.get(name) or {column: column for column in COLUMNS[name]}
        found[name] = _read_columns(Path(path), wanted, all_wanted=name in names, problems=problems)
    if problems:
        raise InputError("\n".join(problems))
    start = min(columns["time_s"][0] for columns in found.values())
    tables = {}
    for name, values in found.items():
        values["time_s"] = values["time_s"] - start
        if "reached_s" in values:
            values["reached_s"] = values["reached_s"] - start
        try:
            tables[name] = Table(values)
        except InputError as error:
            problems.append(f"{files[name]}: {error}")
    if problems:
        raise InputError("\n".join(problems))
    return tables


def _unknown_tables(where: str, tables: Mapping[str, Any]) -> list[str]:
    return [
        f"{where}.{name}: unknown table.{check.did_you_mean(str(name), COLUMNS)}"
        for name in tables
        if name not in COLUMNS
    ]


def _column_problems(source: str, names: Any) -> list[str]:
    """What is wrong with a column map, whatever the files hold."""
    if not isinstance(names, Mapping):
        return [f"{source}: must map tables to columns, got {names!r}"]
    problems = _unknown_tables(source, names)
    for table, entries in names.items():
        if table not in COLUMNS:
            continue
        if not isinstance(entries, Mapping):
            problems.append(f"{source}.{table}: must map our columns to the file's, got {entries!r}")
            continue
        ours: list[str] = []
        for key, column in entries.items():
            name = in_our_units(str(key))[0]
            if name not in COLUMNS[table]:
                units = ", ".join(FOREIGN_UNITS)
                known = check.did_you_mean(str(key), COLUMNS[table]) if table != "tether" else ""
                problems.append(
                    f"{source}.{table}.{key}: unknown column.{known} Also with the units {units}."
                )
            if name in ours:
                problems.append(f"{source}.{table}.{key}: fills {name}, which another line fills already")
            if not isinstance(column, str):
                problems.append(f"{source}.{table}.{key}: must be the name of a column, got {column!r}")
            ours.append(name)
        if "time_s" not in ours:
            problems.append(f"{source}.{table}.time_s: missing; every table needs its time")
    return problems


def _read_columns(
    path: Path, wanted: Mapping[str, str], *, all_wanted: bool, problems: list[str]
) -> dict[str, Any]:
    """Our columns with their values; empty, with new problems, if something is wrong with the file."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = list(csv.reader(file))
    except FileNotFoundError:
        problems.append(f"{path}: no such file")
        return {}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        problems.append(f"{path}: cannot be read as CSV: {error}")
        return {}
    header = [cell.strip() for cell in lines[0]] if lines else []
    rows = [(number, row) for number, row in enumerate(lines[1:], 2) if row]
    if not rows:
        problems.append(f"{path}: has no rows")
        return {}
    if not all_wanted:
        wanted = {ours: theirs for ours, theirs in wanted.items() if theirs in header or ours == "time_s"}
    before = len(problems)
    for theirs in wanted.values():
        if theirs not in header:
            problems.append(f"{path}: no column {theirs!r}.{check.did_you_mean(theirs, header)}")
    for number, row in rows:
        if len(row) != len(header):
            problems.append(f"{path}: line {number}: {len(row)} cells, but the header has {len(header)}")
            break
    if len(problems) > before:
        return {}
    values: dict[str, Any] = {}
    # Time comes first in our tables, wherever it stands in the file or the map.
    for ours, theirs in sorted(wanted.items(), key=lambda item: in_our_units(item[0])[0] != "time_s"):
        name, factor = in_our_units(ours)
        index = header.index(theirs)
        try:
            values[name] = factor * np.array([_number(number, row[index]) for number, row in rows])
        except InputError as error:
            problems.append(f"{path}: {error} in column {theirs!r}")
    return values


def _number(line: int, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        what = f"{cell!r} is not a number" if cell.strip() else "there is nothing"
        raise InputError(f"line {line}: {what}") from None
