"""Measurements as rows of the table `measurements`, and back: one row per message."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import TRUTH
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.file_reading import read_lines, reading
from tetherlab.contracts.flags import from_flags, to_flags
from tetherlab.contracts.flight import ColumnMap
from tetherlab.contracts.measurement import LEVEL, ORIGIN, Measurement, unit_vector
from tetherlab.contracts.measurement_text import EMPTY, PLACE, MeasurementText
from tetherlab.contracts.table import Table

Vector = NDArray[np.float64]
Convert = Callable[[list[float]], None]  # fills columns of a row from others of it

# Columns that mean nothing without each other.
BELONGING = (
    ("base_qw", "base_qx", "base_qy", "base_qz"),
    ("base_x_m", "base_y_m", "base_z_m"),
    ("base_vx_m_per_s", "base_vy_m_per_s", "base_vz_m_per_s"),
    ("qw", "qx", "qy", "qz"),
    ("fx_m_per_s2", "fy_m_per_s2", "fz_m_per_s2"),
    ("wx_rad_per_s", "wy_rad_per_s", "wz_rad_per_s"),
    TRUTH,
    ("azimuth_base_rad", "elevation_base_rad"),
)
BASE_Q, BASE, BASE_V, Q, FORCE, RATES, TRUE = (slice(PLACE[g[0]], PLACE[g[-1]] + 1) for g in BELONGING[:7])
ANGLES = slice(PLACE["azimuth_base_rad"], PLACE["elevation_end_rad"] + 1)
NOTHING = (math.nan,) * 4
NORM_TOLERANCE = 0.01  # by which a quaternion may be longer or shorter than 1


class Arrival(NamedTuple):
    """A measurement, and when it came."""

    time: float  # [s]
    measurement: Measurement
    truth: Vector | None = None  # where the tether was tied to the drone [m], (3,), if the log knows


def measurement_row(arrival: float, measurement: Measurement) -> tuple[float, ...]:
    """A row of the table `measurements`; arrival: when the message came [s]."""
    m = measurement
    return (
        arrival,
        m.time,
        m.length,
        *_angles(m.tangent_base),
        *_angles(m.tangent_end),
        m.tension,
        *_quaternion(m.rotation_base),
        *(NOTHING[:3] if m.base is ORIGIN else m.base),
        *(NOTHING[:3] if m.base_velocity is ORIGIN else m.base_velocity),
        *_quaternion(m.rotation),
        *(NOTHING[:3] if m.specific_force is None else m.specific_force),
        *(NOTHING[:3] if m.angular_velocity is None else m.angular_velocity),
        m.thrust,
        m.altitude,
        m.reeled,
        to_flags(m.saturated),
    )


def measurement_from_row(row: Sequence[float]) -> Measurement:
    """The measurement of a row of plain floats, in the order of `columns.readable`; NaN: was not sensed."""
    azimuth, elevation, azimuth_end, elevation_end = row[ANGLES]
    flags = row[PLACE["saturated"]]
    base, base_velocity = _vector(row[BASE]), _vector(row[BASE_V])
    return Measurement(
        time=row[1] if row[1] == row[1] else row[0],
        length=row[2],
        tangent_base=_tangent(azimuth, elevation),
        tangent_end=_tangent(azimuth_end, elevation_end),
        tension=row[PLACE["tension_N"]],
        rotation_base=_rotation(row[BASE_Q], BELONGING[0]),
        rotation=_rotation(row[Q], BELONGING[3]),
        base=ORIGIN if base is None else base,
        base_velocity=ORIGIN if base_velocity is None else base_velocity,
        specific_force=_vector(row[FORCE]),
        angular_velocity=_vector(row[RATES]),
        thrust=row[PLACE["thrust_N"]],
        altitude=row[PLACE["altitude_m"]],
        reeled=row[PLACE["reeled_m"]],
        saturated=from_flags(flags) if flags > 0.0 else (),
    )


class RowReader:
    """What the rows of a log mean, one after another as they come."""

    def __init__(self, columns: Collection[str], convert: Convert | None = None) -> None:
        """columns: that the log has, or that `convert` fills."""
        problems = [
            f"{', '.join(group)} belong together; there is no {missing[0]}"
            for group in BELONGING
            if (missing := [name for name in group if name not in columns]) and len(missing) < len(group)
        ]
        # Angles against the horizon need one azimuth, for a hanging tether stays in a plane.
        self._flat = "elevation_end_rad" in columns and "azimuth_end_rad" not in columns
        turned = [name for name in ("qw", "base_qw") if name in columns]
        if self._flat and turned:
            problems.append(
                f"azimuth_end_rad is missing: an elevation in the frame of the drone needs it; if yours is "
                f"against the horizon, leave out the attitude ({turned[0]} ...)"
            )
        if problems:
            raise InputError("\n".join(problems))
        self._convert = convert
        self._time = -math.inf
        self._azimuth = math.nan  # of the base, as it was told last [rad]

    def read(self, row: list[float]) -> Arrival:
        """row: in the order of `columns.readable`; it is changed."""
        time = row[0]
        if time != time:
            raise InputError("there is no time_s")
        if time < self._time:
            raise InputError(f"time_s must not decrease, got {self._time:.9g} and then {time:.9g}")
        if self._convert is not None:
            self._convert(row)
        azimuth = row[PLACE["azimuth_base_rad"]]
        if azimuth != azimuth:  # angles of the drone may stand in rows of their own
            azimuth = self._azimuth
        if self._flat:
            row[PLACE["azimuth_end_rad"]] = azimuth
        arrival = Arrival(time, measurement_from_row(row), _vector(row[TRUE]))
        self._time, self._azimuth = time, azimuth
        return arrival


def read_measurements(
    source: str | Path | Table, columns: ColumnMap | str | Path | None = None
) -> Iterator[Measurement]:
    """The measurements of a table, or of a CSV file with our columns or with a map of its own, in order.

    columns: as of `Log.from_csv`, `{"measurements": {"time_s": "t", "length_mm": "winch"}}` or a YAML file.
    """
    if isinstance(source, Table):
        return _from_table(source)
    return _from_file(Path(source), columns)


def _from_table(table: Table) -> Iterator[Measurement]:
    known = [name for name in table.columns if name in PLACE]
    reader, places = RowReader(known), [PLACE[name] for name in known]
    for values in table.rows(*known).tolist():
        row = list(EMPTY)
        for place, value in zip(places, values, strict=True):
            row[place] = value
        yield reader.read(row).measurement


def _from_file(path: Path, columns: Any) -> Iterator[Measurement]:
    number = 1
    try:
        with reading(path, "a log of sensors"):
            lines = read_lines(path)
            text = MeasurementText(next(lines, ""), columns)
            reader = RowReader(text.columns)
            for number, line in enumerate(lines, 2):  # noqa: B007 (it is told when something is wrong)
                if line.strip():
                    yield reader.read(text.row(line)).measurement
    except InputError as error:
        text_of = str(error)
        where = (
            "" if text_of.startswith(f"{path}: ") else f"{path}: {f'line {number}: ' if number > 1 else ''}"
        )
        raise InputError(where + text_of) from None


def _angles(tangent: Vector | None) -> tuple[float, ...]:
    """(azimuth, elevation) [rad]."""
    if tangent is None:
        return NOTHING[:2]
    x, y, z = tangent.tolist()
    return math.atan2(y, x), math.atan2(z, math.hypot(x, y))


def _tangent(azimuth: float, elevation: float) -> Vector | None:
    return unit_vector(azimuth, elevation) if azimuth + elevation == azimuth + elevation else None


def _vector(values: Sequence[float]) -> Vector | None:
    total = sum(values)
    return np.array(values) if total == total else None


def _rotation(values: Sequence[float], names: Sequence[str]) -> Vector:
    """The matrix of a quaternion, wxyz; level where there is none."""
    w, x, y, z = values
    square = w * w + x * x + y * y + z * z
    if square != square:
        return LEVEL
    if abs(square - 1.0) > 2.0 * NORM_TOLERANCE:
        raise InputError(
            f"{', '.join(names)} must be a unit quaternion, its length is {math.sqrt(square):.4g}"
        )
    s = 2.0 / square
    return np.array(
        (
            (1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
            (s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)),
            (s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)),
        )
    )


def _quaternion(rotation: Vector) -> tuple[float, ...]:
    """The unit quaternion of a matrix, wxyz; NaN for what was not sensed."""
    if rotation is LEVEL:
        return NOTHING
    # Column k of this symmetric matrix is 4 q_k q; the one with the largest q_k loses no digits.
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    columns = (
        (1.0 + a + e + i, h - f, c - g, d - b),
        (h - f, 1.0 + a - e - i, b + d, c + g),
        (c - g, b + d, 1.0 - a + e - i, f + h),
        (d - b, c + g, f + h, 1.0 - a - e + i),
    )
    best = max(range(4), key=lambda k: columns[k][k])
    size = math.copysign(math.hypot(*columns[best]), columns[best][0])
    return tuple(value / size for value in columns[best])
