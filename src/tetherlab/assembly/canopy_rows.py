"""Rows of the record of a run in the canopy."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import CANOPY_REFERENCE, CANOPY_ROBOT, COLUMNS
from tetherlab.contracts.decimals import DECIMALS
from tetherlab.contracts.table import Table
from tetherlab.plant.branch import Branch
from tetherlab.sim.hanging_watch import ROW_SIZE, STATIONS_SIZE

Array = NDArray[np.float64]
CHUNK = 1024  # rows
STATION_DECIMALS = 6  # single precision has no more


class CanopyRows:
    """Grows by chunks; tables are made when asked for."""

    def __init__(self, branches: Sequence[Branch]) -> None:
        self._names = [f"{b.name}_{way}_deg" for b in branches for way in ("sideways", "up")]
        self._robot: list[Array] = []
        self._bends: list[Array] = []
        self._tether: list[NDArray[np.float32]] = []
        self._reference: list[tuple[float, ...]] = []
        self._count = 0

    def fresh(self) -> tuple[Array, Array, NDArray[np.float32]]:
        """Where the next row is written to: robot, bends of the branches, tether."""
        i, k = divmod(self._count, CHUNK)
        if i == len(self._robot):
            self._robot.append(np.zeros((CHUNK, ROW_SIZE)))
            self._bends.append(np.zeros((CHUNK, len(self._names))))
            self._tether.append(np.zeros((CHUNK, STATIONS_SIZE), np.float32))
        return self._robot[i][k], self._bends[i][k], self._tether[i][k]

    def keep(self, reference: Any) -> None:
        """It has been written; reference: what the controller followed, or None."""
        i, k = divmod(self._count, CHUNK)
        if reference is not None:
            time = float(self._robot[i][k][0])
            self._reference.append(
                (
                    time,
                    math.degrees(getattr(reference, "theta", math.nan)),
                    math.degrees(getattr(reference, "heading", math.nan)),
                    float(getattr(reference, "tether_length", math.nan)),
                )
            )
        self._count += 1

    def tables(self) -> dict[str, Table]:
        """Of robot and tether, and of branches and references if there are any."""
        robot = np.round(self._together(self._robot, ROW_SIZE), DECIMALS)
        time = robot[:, 0]
        tables = {"robot": Table.from_rows(CANOPY_ROBOT, robot)}
        points = np.round(self._together(self._tether, STATIONS_SIZE).astype(np.float64), STATION_DECIMALS)
        tables["tether"] = Table.from_rows(COLUMNS["tether"], np.column_stack([time, points]))
        if self._names:
            bends = np.round(self._together(self._bends, len(self._names)), DECIMALS)
            tables["branches"] = Table.from_rows(("time_s", *self._names), np.column_stack([time, bends]))
        if self._reference:
            rows = np.round(np.array(self._reference), DECIMALS)
            tables["reference"] = Table.from_rows(CANOPY_REFERENCE, rows)
        return tables

    def _together(self, chunks: list[Any], columns: int) -> Any:
        return np.concatenate([np.empty((0, columns)), *chunks])[: self._count]
