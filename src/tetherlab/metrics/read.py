"""What metrics take out of a log: rows without gaps, on one clock."""

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import POSITION, STATION_COUNT, STATION_POSITIONS
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log

Array = NDArray[np.float64]


class MissingError(InputError):
    """The log does not hold what was asked for; a real flight seldom records everything."""


def rows(log: Log, table: str, *columns: str) -> Array:
    """These columns side by side, (n, columns), n > 0; rows in which a number is missing are left out."""
    if table not in log:
        raise MissingError(f"the log has no table {table!r}")
    absent = [column for column in columns if column not in log[table]]
    if absent:
        raise MissingError(f"the table {table!r} has no column {', '.join(absent)}")
    found = log[table].rows(*columns)
    known = np.isfinite(found).all(axis=1)
    found = found if known.all() else found[known]  # the tether of an hour fills 200 MB
    if not len(found):
        raise MissingError(f"the table {table!r} has no row in which {', '.join(columns)} are known")
    return found


def at_times(log: Log, table: str, columns: tuple[str, ...], times: Array) -> Array:
    """These columns at other times [s], (times, columns), with straight lines between the rows.

    NaN before the first and after the last row: nothing is known there.
    """
    time, *values = rows(log, table, "time_s", *columns).T
    return np.column_stack([np.interp(times, time, value, left=np.nan, right=np.nan) for value in values])


def path(log: Log, vehicle: str) -> Array:
    """Where a vehicle was, (n, 3) [m]."""
    return rows(log, vehicle, *POSITION)


def stations(log: Log) -> tuple[Array, Array]:
    """Times (n,) [s] and points of the tether (n, 41, 3) [m]."""
    found = rows(log, "tether", "time_s", *STATION_POSITIONS)
    return found[:, 0], found[:, 1:].reshape(len(found), STATION_COUNT, 3)
