"""Lines of a log of sensors as rows of numbers, one by one as they come, whatever the columns are called."""

import csv
import math
from collections.abc import Mapping
from typing import Any

from tetherlab.contracts import check
from tetherlab.contracts.columns import in_our_units, readable
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.flight import ColumnMap, column_problems, read_map

TABLE = "measurements"
PLACE = {name: index for index, name in enumerate(readable(TABLE))}
EMPTY = (math.nan,) * len(PLACE)


class MeasurementText:
    """Reads the lines below a header; columns that are not ours are left alone."""

    def __init__(self, header: str, columns: ColumnMap | Any = None) -> None:
        """columns: as of `Log.from_csv`, a map with the table `measurements` or the path of a YAML file."""
        self.header = [cell.strip() for cell in split(header.lstrip("\ufeff"))]
        where, tables = read_map(columns)
        problems = column_problems(where, tables)
        if not problems and tables and TABLE not in tables:
            problems.append(
                f"{where}{TABLE}: missing; the map must say which columns are which of this table"
            )
        if problems:
            raise InputError("\n".join(problems))
        named = _mapped(self.header, tables[TABLE]) if tables else _ours(self.header)
        if "time_s" not in named:
            raise InputError(f"there is no column 'time_s' in the header.{_guess('time_s', self.header)}")
        self.columns = tuple(sorted(named, key=PLACE.__getitem__))  # ours that the log has
        self._taken = [(PLACE[name], index, factor) for name, (index, factor) in named.items()]

    def row(self, line: str) -> list[float]:
        """The numbers of a line in the order of `columns.readable`; NaN where there are none."""
        cells = split(line)
        if len(cells) != len(self.header):
            raise InputError(f"{len(cells)} cells, but the header has {len(self.header)}")
        row = list(EMPTY)
        for place, index, factor in self._taken:
            cell = cells[index]
            try:
                value = float(cell) * factor
            except ValueError:
                if not cell.strip():
                    continue
                raise InputError(
                    f"{cell.strip()!r} is not a number in column {self.header[index]!r}"
                ) from None
            if math.isinf(value):
                raise InputError(f"{cell.strip()!r} is not finite in column {self.header[index]!r}")
            row[place] = value
        return row


def split(line: str) -> list[str]:
    """The cells of a line of CSV."""
    line = line.rstrip("\r\n")
    return next(csv.reader([line])) if '"' in line else line.split(",")


def _ours(header: list[str]) -> dict[str, tuple[int, float]]:
    """Our columns in a header of our names, in our units or others -> (where, factor)."""
    found: dict[str, tuple[int, float]] = {}
    for index, title in enumerate(header):
        name, factor = in_our_units(title)
        if name not in PLACE:
            continue
        if name in found:
            other = header[found[name][0]]
            raise InputError(f"the columns {other!r} and {title!r} say the same; keep one")
        found[name] = (index, factor)
    return found


def _mapped(header: list[str], names: Mapping[str, str]) -> dict[str, tuple[int, float]]:
    found, problems = {}, []
    for key, title in names.items():
        name, factor = in_our_units(key)
        if title in header:
            found[name] = (header.index(title), factor)
        else:
            problems.append(f"no column {title!r} in the header.{_guess(title, header)}")
    if problems:
        raise InputError("\n".join(problems))
    return found


def _guess(title: str, header: list[str]) -> str:
    if len(header) == 1 and any(mark in header[0] for mark in ";\t|"):
        return " Cells must be separated by commas."
    return check.did_you_mean(title, header)
