"""One moment of a run, as it is drawn: from a simulation that goes on, or from its log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import POSITION, STATION_COUNT, STATION_POSITIONS, STATION_TENSIONS, TARGET
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.contracts.table import Table

Vector = NDArray[np.float64]
QUATERNION = ("qw", "qx", "qy", "qz")
NOTHING = np.zeros((0, 3))


class Pose(NamedTuple):
    """Where something is and how it is turned."""

    position: Vector  # [m], (3,)
    wxyz: Vector  # body to world, (4,)


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What is seen at one moment; what a record does not hold is None or empty."""

    time: float  # [s]
    uav: Pose | None = None  # its centre of mass
    ugv: Pose | None = None  # its origin on the ground
    tether: Vector  # points from the winch to the drone [m], (n, 3)
    tension: Vector  # at them [N], (n,)
    contacts: Vector  # where the tether touches something [m], (k, 3)
    uav_target: Vector | None = None  # where it should be now [m], (3,)
    ugv_target: Vector | None = None
    length: float | None = None  # of tether that is out [m]


class Record:
    """The moments of a log."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._uav, self._ugv = log.tables.get("uav"), log.tables.get("ugv")
        self._tether, self._winch = log.tables.get("tether"), log.tables.get("winch")
        times = [table["time_s"] for table in (self._uav, self._ugv, self._tether) if table is not None]
        times = [time for time in times if len(time)]
        if not times:
            raise InputError(
                f"{log.name}: nothing to show: there is no position of drone, rover or tether in it"
            )
        self.start, self.end = float(min(t[0] for t in times)), float(max(t[-1] for t in times))
        self._points = _columns(self._tether, STATION_POSITIONS)
        self._tensions = _columns(self._tether, STATION_TENSIONS)

    @property
    def duration(self) -> float:
        """[s]."""
        return self.end - self.start

    @property
    def tension_max(self) -> float:
        """Largest tension that will be shown [N]."""
        return 0.0 if self._tensions is None else float(np.nanmax(self._tensions, initial=0.0))

    def path(self, vehicle: str) -> Vector:
        """Where a vehicle was [m], (n, 3); empty if that was not recorded."""
        points = _columns(self.log.tables.get(vehicle), POSITION)
        return NOTHING if points is None else points

    def at(self, time: float) -> Frame:
        """The moment that was recorded last before a time [s]."""
        time = min(max(time, self.start), self.end)
        tether, tension = NOTHING, np.zeros(0)
        if self._tether is not None and self._points is not None:
            row = _row(self._tether, time)
            tether = self._points[row].reshape(STATION_COUNT, 3)
            tension = np.zeros(STATION_COUNT) if self._tensions is None else self._tensions[row]
        length = None
        if self._winch is not None and "length_m" in self._winch.columns:
            length = float(self._winch["length_m"][_row(self._winch, time)])
        return Frame(
            time=time,
            uav=_pose(self._uav, time),
            ugv=_pose(self._ugv, time),
            tether=tether,
            tension=tension,
            contacts=NOTHING,
            uav_target=_point(self._uav, TARGET, time),
            ugv_target=_point(self._ugv, TARGET, time),
            length=length,
        )


def _columns(table: Table | None, names: tuple[str, ...]) -> Vector | None:
    if table is None or not len(table) or any(name not in table.columns for name in names):
        return None
    return np.column_stack([table[name] for name in names])


def _row(table: Table, time: float) -> int:
    return max(int(np.searchsorted(table["time_s"], time, side="right")) - 1, 0)


def _point(table: Table | None, names: tuple[str, ...], time: float) -> Vector | None:
    if table is None or not len(table) or any(name not in table.columns for name in names):
        return None
    row = _row(table, time)
    point = np.array([table[name][row] for name in names])
    return point if np.isfinite(point).all() else None


def _pose(table: Table | None, time: float) -> Pose | None:
    position = _point(table, POSITION, time)
    if table is None or position is None:
        return None
    wxyz = _point(table, QUATERNION, time)
    return Pose(position, np.array((1.0, 0.0, 0.0, 0.0)) if wxyz is None else wxyz)
