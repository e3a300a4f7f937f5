"""Samples of a calibration from a CSV file: what a sensor read beside what was true."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import naming, read_csv_cells
from tetherlab.sensors.calibration import ADC, AXES, COUNTS, RATIO

# Columns that may hold the truth, and what one of their units is in ours.
TRUTHS = {
    "angle": {"angle_deg": math.pi / 180.0, "angle_rad": 1.0},
    "length": {"length_m": 1.0, "length_cm": 1e-2, "length_mm": 1e-3},
    "tension": {"tension_N": 1.0},
}
CELLS_MAX = 4_000_000  # of a file; each is kept as text, which takes some 100 bytes


@dataclass(frozen=True)
class Samples:
    """Readings of one sensor and the truth beside them, as they stand in a file."""

    sensor: str  # name in SENSORS
    file: str  # name without folders
    lines: tuple[int, ...]  # of the file, (n,)
    input: str  # RATIO, ADC or COUNTS
    inputs: NDArray[np.float64]  # (n,)
    values: NDArray[np.float64]  # what was true [rad, m or N], (n,)


def read_samples(path: str | Path, quantity: str, axis: str | None = None) -> list[Samples]:
    """Samples of the angle, length or tension sensors in a file, one for each sensor, in the file's order.

    axis: of the angle sensor, where the file has no column `axis`.
    """
    path = Path(path)
    with naming(path):
        return _read(path, quantity, axis)


def _read(path: Path, quantity: str, axis: str | None) -> list[Samples]:
    header, rows = _cells(path)
    found = [name for name in TRUTHS[quantity] if name in header]
    if len(found) > 1:
        raise InputError(f"the columns {' and '.join(found)} say the same; keep one")
    truth = found[0] if found else next(iter(TRUTHS[quantity]))
    reading = "counts" if quantity == "length" else "adc"
    by_ratio = quantity == "angle" or (quantity == "tension" and "reference_adc" in header)
    columns = [reading, *(["reference_adc"] if by_ratio else []), truth]
    missing = [_missing(name, header) for name in columns if name not in header]
    if missing:
        raise InputError("; ".join(missing))
    values = {name: _column(name, header.index(name), rows) for name in columns}
    if by_ratio:
        _refuse_bad_references(values["reference_adc"], rows)
    if quantity == "length":
        _refuse_negative(truth, values[truth], rows)
    inputs = values[reading] / values["reference_adc"] if by_ratio else values[reading]
    truths = values[truth] * TRUTHS[quantity][truth]
    names = _axes(header, rows, axis) if quantity == "angle" else [quantity] * len(rows)
    lines = [line for line, _ in rows]
    result = []
    for name in dict.fromkeys(names):
        take = np.array([other == name for other in names])
        result.append(
            Samples(
                sensor=name,
                file=path.name,
                lines=tuple(line for line, taken in zip(lines, take, strict=True) if taken),
                input=RATIO if by_ratio else COUNTS if quantity == "length" else ADC,
                inputs=inputs[take],
                values=truths[take],
            )
        )
    return result


Row = tuple[int, list[str]]  # line of the file, cells


def _cells(path: Path) -> tuple[list[str], list[Row]]:
    lines: list[Row] = []
    count = 0
    for line, cells in enumerate(read_csv_cells(path), 1):
        count += len(cells)
        if count > CELLS_MAX:
            raise InputError(f"has more than {CELLS_MAX} cells; a calibration needs far fewer")
        if any(stripped := [cell.strip() for cell in cells]):
            lines.append((line, stripped))
    if not lines:
        raise InputError("the file is empty")
    header, rows = lines[0][1], lines[1:]
    if len(header) == 1 and (";" in header[0] or "\t" in header[0]):
        raise InputError("the columns are not separated by commas; save the file with commas between them")
    for name, count in Counter(header).items():
        if count > 1:
            raise InputError(f"the column {check.shown(name)} is there twice; keep one")
    if not rows:
        raise InputError("there are no samples below the names of the columns")
    for line, cells in rows:
        if len(cells) != len(header):
            raise InputError(f"line {line}: {len(cells)} cells, but the first line has {len(header)}")
    return header, rows


def _missing(name: str, header: list[str]) -> str:
    same = [other for other in header if other.casefold() == name.casefold()]
    tail = f" Did you mean {same[0]!r}? Write {name!r}." if same else check.did_you_mean(name, header)
    return f"no column {name!r}.{tail}"


def _column(name: str, index: int, rows: list[Row]) -> NDArray[np.float64]:
    return np.array([_number(name, line, cells[index]) for line, cells in rows])


def _number(name: str, line: int, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        what = f"{check.shown(cell)} is not a number" if cell else "there is nothing"
        raise InputError(f"line {line}: {what} in column {name!r}") from None
    if not math.isfinite(value):
        raise InputError(f"line {line}: {check.shown(cell)} is not finite in column {name!r}")
    return value


def _refuse_bad_references(references: NDArray[np.float64], rows: list[Row]) -> None:
    for (line, _), reference in zip(rows, references, strict=True):
        if reference <= 0.0:
            raise InputError(f"line {line}: reference_adc must be > 0, got {reference:g}")


def _refuse_negative(name: str, lengths: NDArray[np.float64], rows: list[Row]) -> None:
    for (line, _), length in zip(rows, lengths, strict=True):
        if length < 0.0:
            raise InputError(f"line {line}: {name} must be >= 0, got {length:g}")


def _axes(header: list[str], rows: list[Row], axis: str | None) -> list[str]:
    """The name of the sensor for each row."""
    if "axis" in header and axis is not None:
        raise InputError("the column 'axis' says which sensor it is; leave out --axis, or the column")
    if "axis" not in header:
        if axis is None:
            raise InputError(f"no column 'axis': say with --axis which sensor it is: {', '.join(AXES)}")
        if axis not in AXES:
            raise InputError(f"unknown axis {axis!r}.{check.did_you_mean(axis, AXES)}")
        return [axis] * len(rows)
    index = header.index("axis")
    for line, cells in rows:
        if cells[index] not in AXES:
            raise InputError(
                f"line {line}: unknown axis {cells[index]!r}.{check.did_you_mean(cells[index], AXES)}"
            )
    return [cells[index] for _, cells in rows]
