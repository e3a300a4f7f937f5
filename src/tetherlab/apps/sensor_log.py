"""Logs of sensors line by line: from a file, a folder of a run, or standard input."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tetherlab.apps.clock_leaps import ClockGuard
from tetherlab.contracts import check
from tetherlab.contracts.columns import RAW, in_our_units
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import read_lines, require_size
from tetherlab.contracts.measurement_rows import Arrival, RowReader
from tetherlab.contracts.measurement_text import PLACE, MeasurementText
from tetherlab.estimation.build import method_named

if TYPE_CHECKING:
    from tetherlab.apps.raw_readings import RawReadings

NAMED = 5  # lines that cannot be read are named up to this many of a file


class SensorLog:
    """Arrivals from lines of text; a line that cannot be read is told of and skipped."""

    def __init__(
        self,
        lines: Iterable[str],
        method: str,
        *,
        columns: Any = None,
        raw: RawReadings | None = None,
        complain: Callable[[str], None],
    ) -> None:
        self._lines = iter(lines)
        header = next(self._lines, "")
        if not header.strip():
            raise InputError("line 1: there is no header; the first line must name the columns")
        self._text = MeasurementText(header, columns)
        self.columns = self._text.columns if raw is None else raw.completed(self._text.columns)
        _must_have(method, self.columns, self._text.header)
        self._reader = RowReader(self.columns, None if raw is None else raw.convert)
        self._clocks = [(PLACE[name], ClockGuard(name)) for name in ("time_s", "stamp_s")]
        self._complain = complain
        self._method, self._unheard = method, list(method_named(method).needs)
        self.rows, self.skipped = 0, 0

    @property
    def unheard(self) -> str:
        """A sentence about what the method needs and no row has told; empty if there is nothing."""
        if not self._unheard:
            return ""
        return f"Never heard of what {self._method} needs: {', '.join(self._unheard)}."

    def __iter__(self) -> Iterator[Arrival]:
        text, reader = self._text, self._reader
        for number, line in enumerate(self._lines, 2):
            if not line.strip():
                continue
            self.rows += 1
            try:
                row = text.row(line)
                problems = [clock.problem(row[place]) for place, clock in self._clocks]
                if any(problems):
                    raise InputError("; ".join(filter(None, problems)))
                arrival = reader.read(row)
            except InputError as error:
                self.skipped += 1
                self._complain(f"line {number}: skipped: {error}")
                continue
            if self._unheard:
                self._unheard = [name for name in self._unheard if math.isnan(row[PLACE[name]])]
            yield arrival


def lines_of(path: Path, progress: Callable[[float], None]) -> Iterator[str]:
    """The lines of a file; progress is told the share that is read, now and then."""
    size, read = max(require_size(path), 1), 0
    for number, line in enumerate(read_lines(path, errors="replace")):  # a damaged byte costs its line only
        read += len(line)
        if number % 500 == 0:
            progress(min(read / size, 1.0))
        yield line


def few(complain: Callable[[str], None]) -> Callable[[str], None]:
    """The first complaints only."""
    count = 0

    def told(sentence: str) -> None:
        nonlocal count
        count += 1
        if count <= NAMED:
            complain(sentence)
        elif count == NAMED + 1:
            complain("more lines are skipped; they are counted below")

    return told


def _must_have(method: str, columns: Iterable[str], header: list[str]) -> None:
    """Whether a log has what a method needs."""
    needs, have = method_named(method).needs, set(columns)
    missing = [name for name in needs if name not in have]
    if not missing:
        return
    raw = [name for name in RAW if name in have]
    if raw:
        advice = f"It holds raw readings ({', '.join(raw)}): give --calibration FILE as well."
    else:
        strange = [title for title in header if in_our_units(title)[0] not in have][: check.NAMES_SHOWN]
        close = [(name, difflib.get_close_matches(name, strange, n=1)) for name in missing]
        guesses = [f"Did you mean {name} by {found[0]!r}? " for name, found in close if found]
        advice = f"{''.join(guesses)}Other names are mapped with --columns MAP.yaml."
    raise InputError(
        f"{method} needs {', '.join(needs)}; the log has no {', '.join(missing)}, but "
        f"{check.listed(header)}. {advice}"
    )


def log_path(log: Path) -> Path:
    """The CSV file of a log, which may be the folder of a run."""
    if not log.is_dir():
        return log
    if not (log / "measurements.csv").exists():
        raise InputError(f"{log}: has no measurements.csv; only a run with sensors records one")
    return log / "measurements.csv"


def default_out(log: Path) -> Path:
    """Where estimates go unless told; `estimates.csv` of a run are those by which it flew."""
    return log / "localized.csv" if log.is_dir() else log.with_name(f"{log.stem}_estimates.csv")
