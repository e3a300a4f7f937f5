"""Rows of the record, in chunks, so that an hour needs no more than it records."""

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.decimals import DECIMALS
from tetherlab.contracts.table import Table
from tetherlab.plant.record import ROW_SIZE, TETHER_SIZE

CHUNK = 2048  # rows
STATION_DECIMALS = 6


class Rows:
    """Grows by chunks; tables are made when asked for."""

    def __init__(self) -> None:
        self.count = 0
        self._rows: list[NDArray[np.float64]] = []
        self._stations: list[NDArray[np.float32]] = []

    def next(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Where the next row goes."""
        chunk, place = divmod(self.count, CHUNK)
        if chunk == len(self._rows):
            self._rows.append(np.empty((CHUNK, ROW_SIZE)))
            self._stations.append(np.empty((CHUNK, TETHER_SIZE), np.float32))
        self.count += 1
        return self._rows[chunk][place], self._stations[chunk][place]

    def tables(self) -> dict[str, Table]:
        """Of vehicles, winch and tether."""
        rows, tables, first = self._together()[: self.count], {}, 0
        for name in ("uav", "ugv", "winch"):
            columns = COLUMNS[name]
            tables[name] = Table.from_rows(columns, rows[:, first : first + len(columns)])
            first += len(columns)
        points = np.empty((self.count, TETHER_SIZE))
        for i, chunk in enumerate(self._stations):  # a copy of all at once would be 240 MB for an hour
            part = points[i * CHUNK : (i + 1) * CHUNK]
            # To the micrometre: files stay small, and single precision has no more.
            np.round(chunk[: len(part)].astype(np.float64), STATION_DECIMALS, out=part)
        named = {name: points[:, i] for i, name in enumerate(COLUMNS["tether"][1:])}
        tables["tether"] = Table({"time_s": rows[:, 0], **named})
        return tables

    def _together(self) -> NDArray[np.float64]:
        """All chunks as one array, which they become windows of, so that tables need no copy of it."""
        # To nine decimals: nobody measures more, and such numbers are written many times faster.
        rows = np.concatenate([np.empty((0, ROW_SIZE)), *self._rows])
        np.round(rows[: self.count], DECIMALS, out=rows[: self.count])
        self._rows = [rows[i : i + CHUNK] for i in range(0, len(rows), CHUNK)]
        return rows

    def arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """All rows, for a checkpoint."""
        if not self._rows:
            return np.empty((0, ROW_SIZE)), np.empty((0, TETHER_SIZE), np.float32)
        return np.concatenate(self._rows)[: self.count], np.concatenate(self._stations)[: self.count]

    def restore(self, rows: NDArray[np.float64], stations: NDArray[np.float32]) -> None:
        """Take up the rows of a checkpoint."""
        self.__init__()  # type: ignore[misc]
        for row, station in zip(rows, stations, strict=True):
            a, b = self.next()
            a[:], b[:] = row, station
