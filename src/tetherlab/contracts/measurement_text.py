"""Lines of a log of sensors as rows of numbers, one by one as they come, whatever the columns are called."""

import csv
import math
from collections.abc import Mapping
from typing import Any

from tetherlab.contracts import check
from tetherlab.contracts.columns import in_our_units, readable
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import LINE_MAX
from tetherlab.contracts.flight import ColumnMap, column_problems, read_map

TABLE = "measurements"
PLACE = {name: index for index, name in enumerate(readable(TABLE))}
EMPTY = (math.nan,) * len(PLACE)
SHOWN = 40  # characters of a cell in a message

# What no sensor of a tether can say.
AZIMUTH_MAX = 3.0 * math.pi  # [rad]
ELEVATION_MAX = math.pi + 1e-6  # some count over the top; rounded [rad]
LENGTH_MAX = 1e5  # [m]
TIME_MAX = 1e11  # some 3000 years [s]
NUMBER_MAX = 1e12  # of anything; squares of what is far larger overflow


def limits(name: str) -> tuple[float, float]:
    """The lowest and the highest value of one of our columns that can be true."""
    if name.startswith("azimuth_"):
        return -AZIMUTH_MAX, AZIMUTH_MAX
    if name.startswith("elevation_"):
        return -ELEVATION_MAX, ELEVATION_MAX
    if name in ("time_s", "stamp_s"):
        return -TIME_MAX, TIME_MAX
    if name == "reeled_m":  # from any zero
        return -LENGTH_MAX, LENGTH_MAX
    return (0.0, LENGTH_MAX) if name == "length_m" else (-NUMBER_MAX, NUMBER_MAX)


class MeasurementText:
    """Reads the lines below a header; columns that are not ours are left alone."""

    def __init__(self, header: str, columns: ColumnMap | Any = None) -> None:
        """columns: as of `Log.from_csv`, a map with the table `measurements` or the path of a YAML file."""
        if len(header) > LINE_MAX:
            raise InputError(f"line 1: has more than {LINE_MAX} characters")
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
        self._taken = [(PLACE[name], index, factor, *limits(name)) for name, (index, factor) in named.items()]

    def row(self, line: str) -> list[float]:
        """The numbers of a line in the order of `columns.readable`; NaN where there are none."""
        cells = split(line)
        if len(cells) != len(self.header):
            raise InputError(f"{len(cells)} cells, but the header has {len(self.header)}")
        row = list(EMPTY)
        for place, index, factor, low, high in self._taken:
            cell = cells[index]
            try:
                value = float(cell) * factor
            except ValueError:
                if not cell.strip():
                    continue
                raise InputError(f"{_shown(cell)} is not a number in column {self.header[index]!r}") from None
            if value < low or value > high:
                raise InputError(_beyond(place, cell, self.header[index], factor == 1.0))
            row[place] = value
        return row


def split(line: str) -> list[str]:
    """The cells of a line of CSV."""
    if len(line) > LINE_MAX:
        raise InputError(f"has more than {LINE_MAX} characters")
    line = line.rstrip("\r\n")
    if '"' not in line:
        return line.split(",")
    try:
        return next(csv.reader([line]))
    except csv.Error as error:
        raise InputError(f"cannot be read as CSV: {str(error).split(' - ')[0]}") from None


def _shown(cell: str) -> str:
    cell = cell.strip()
    return repr(cell if len(cell) <= SHOWN else f"{cell[:SHOWN]}…")


def _beyond(place: int, cell: str, title: str, in_ours: bool) -> str:
    """Why a number cannot be true; in_ours: whether it is taken to be in our unit."""
    name = list(PLACE)[place]
    if math.isinf(float(cell)):
        return f"{_shown(cell)} is not finite in column {title!r}"
    said = f"{_shown(cell)} in column {title!r}"
    stem = name.rpartition("_")[0]
    if name.startswith(("azimuth_", "elevation_")):
        turns = "one and a half turns" if name.startswith("azimuth_") else "half a turn"
        asked = f"; is it in degrees? Then call the column {stem}_deg" if in_ours else ""
        return f"{said} is beyond {turns}{asked}"
    if name in ("time_s", "stamp_s"):
        asked = f"; is it in ms, us or ns? Then call the column {stem}_ms, {stem}_us or {stem}_ns"
        return f"{said} cannot be a time{f' in seconds{asked}' if in_ours else ''}"
    if name in ("length_m", "reeled_m"):
        lowest = "0" if name == "length_m" else f"-{LENGTH_MAX / 1e3:g}"
        return f"{said} is no length of a tether: it must be from {lowest} to {LENGTH_MAX / 1e3:g} km"
    return f"{said} is too large to be true"


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
