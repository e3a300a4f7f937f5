"""Rows of the record, in chunks, so that an hour needs no more than it records."""

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.decimals import DECIMALS
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.table import Table
from tetherlab.plant.record import TABLES, TETHER_SIZE

CHUNK = 2048  # rows
STATION_DECIMALS = 6


class Rows:
    """Grows by chunks; tables are made when asked for."""

    def __init__(self, others: tuple[str, ...] = ()) -> None:
        """others: tables that not every run has, in the order in which `record` writes them."""
        self._tables = (*TABLES, *others)
        self._size = sum(len(COLUMNS[name]) for name in self._tables)
        self._rows: list[NDArray[np.float64]] = []
        self._stations: list[NDArray[np.float32]] = []

    def chunk(self, count: int) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Where the next row goes if there are so many; row k is in place k modulo CHUNK."""
        i = count // CHUNK
        if i == len(self._rows):
            self._rows.append(np.empty((CHUNK, self._size)))
            self._stations.append(np.empty((CHUNK, TETHER_SIZE), np.float32))
        return self._rows[i], self._stations[i]

    def tables(self, count: int) -> dict[str, Table]:
        """Of vehicles, winch, tether and what else there is."""
        rows, tables, first = self._together(count)[:count], {}, 0
        for name in self._tables:
            columns = COLUMNS[name]
            tables[name] = Table.from_rows(columns, rows[:, first : first + len(columns)])
            first += len(columns)
        points = np.empty((count, TETHER_SIZE))
        for i, chunk in enumerate(self._stations):  # a copy of all at once would be 240 MB for an hour
            part = points[i * CHUNK : (i + 1) * CHUNK]
            # To the micrometre: files stay small, and single precision has no more.
            np.round(chunk[: len(part)].astype(np.float64), STATION_DECIMALS, out=part)
        named = {name: points[:, i] for i, name in enumerate(COLUMNS["tether"][1:])}
        tables["tether"] = Table({"time_s": rows[:, 0], **named})
        return tables

    def _together(self, count: int) -> NDArray[np.float64]:
        """All chunks as one array, which they become windows of, so that tables need no copy of it."""
        # To nine decimals: nobody measures more, and such numbers are written many times faster.
        rows = np.concatenate([np.empty((0, self._size)), *self._rows])
        np.round(rows[:count], DECIMALS, out=rows[:count])
        self._rows = [rows[i : i + CHUNK] for i in range(0, len(rows), CHUNK)]
        return rows

    def arrays(self, count: int) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """All rows, for a checkpoint."""
        if not self._rows:
            return np.empty((0, self._size)), np.empty((0, TETHER_SIZE), np.float32)
        return np.concatenate(self._rows)[:count], np.concatenate(self._stations)[:count]

    def restore(self, rows: NDArray[np.float64], stations: NDArray[np.float32]) -> None:
        """Take up the rows of a checkpoint, if they are what this run writes."""
        if rows.shape[1:] != (self._size,) or stations.shape != (len(rows), TETHER_SIZE):
            raise InputError(f"damaged: rows of shape {rows.shape} and {stations.shape} are not of this run")
        if rows.dtype != np.float64 or stations.dtype != np.float32:
            raise InputError(f"damaged: rows of {rows.dtype} and {stations.dtype} are not of this run")
        first = 0
        for name in self._tables:
            time = rows[:, first]
            if not np.isfinite(time).all() or (np.diff(time) < 0.0).any():
                raise InputError(f"damaged: the times of the table {name!r} do not rise")
            first += len(COLUMNS[name])
        self._rows, self._stations = [], []
        for first in range(0, len(rows), CHUNK):
            a, b = self.chunk(first)
            part = slice(first, first + CHUNK)
            a[: len(rows[part])], b[: len(rows[part])] = rows[part], stations[part]
