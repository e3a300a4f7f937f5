"""What metrics take out of a log: rows without gaps, on one clock."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import POSITION, STATION_COUNT, STATION_POSITIONS
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.contracts.table import Table

Array = NDArray[np.float64]
STATIONS_AT_ONCE = 2000  # rows of the tether's table: 2 MB, where those of an hour have 180 MB


class MissingError(InputError):
    """The log does not hold what was asked for; a real flight seldom records everything."""


def rows(log: Log, table: str, *columns: str) -> Array:
    """These columns side by side, (n, columns), n > 0; rows in which a number is missing are left out."""
    found = _table_with(log, table, columns).rows(*columns)
    known = np.isfinite(found).all(axis=1)
    found = found if known.all() else found[known]
    if not len(found):
        raise MissingError(f"the table {table!r} has no row in which {', '.join(columns)} are known")
    return found


def _table_with(log: Log, name: str, columns: tuple[str, ...]) -> Table:
    if name not in log:
        raise MissingError(f"the log has no table {name!r}")
    absent = [column for column in columns if column not in log[name]]
    if absent:
        raise MissingError(f"the table {name!r} has no column {', '.join(absent)}")
    return log[name]


def at_times(log: Log, table: str, columns: tuple[str, ...], times: Array) -> Array:
    """These columns at other times [s], (times, columns), with straight lines between the rows.

    NaN before the first and after the last row: nothing is known there.
    """
    time, *values = rows(log, table, "time_s", *columns).T
    return np.column_stack([np.interp(times, time, value, left=np.nan, right=np.nan) for value in values])


def path(log: Log, vehicle: str) -> Array:
    """Where a vehicle was, (n, 3) [m]."""
    return rows(log, vehicle, *POSITION)


def stations(log: Log) -> Iterator[tuple[Array, Array]]:
    """Times (n,) [s] and points of the tether (n, 41, 3) [m], some rows at a time; at least once."""
    columns = ("time_s", *STATION_POSITIONS)
    table = _table_with(log, "tether", columns)
    any_known = False
    for start in range(0, len(table), STATIONS_AT_ONCE):
        part = [table[column][start : start + STATIONS_AT_ONCE] for column in columns]
        found = np.column_stack(part)
        found = found[np.isfinite(found).all(axis=1)]
        if len(found):
            any_known = True
            yield found[:, 0], found[:, 1:].reshape(len(found), STATION_COUNT, 3)
    if not any_known:
        raise MissingError("the table 'tether' has no row in which all stations are known")
