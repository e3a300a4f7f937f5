"""One moment of a run, as it is drawn: from a simulation that goes on, or from its log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.cooperation_team import thin_tether
from tetherlab.assembly.runs import scenario_of
from tetherlab.contracts.columns import POSITION, STATION_COUNT, STATION_POSITIONS, STATION_TENSIONS, TARGET
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.contracts.table import Table
from tetherlab.scenario.scenario import Scenario
from tetherlab.scenario.team_plan import TeamPlan

Vector = NDArray[np.float64]
QUATERNION = ("qw", "qx", "qy", "qz")
SHOWN = ("uav", "ugv", "robot", "tether")  # tables with positions
NOTHING = np.zeros((0, 3))
CLOSE = 0.003  # to a surface, where a recorded point of the tether is said to touch it [m]
FREE_FOR = 1.0  # of contact, for the next one to be a new one [s]
MOMENTS_MAX = 6000  # that are searched for contact


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
    deck: Vector | None = None  # roll and pitch of its deck on it [rad], (2,); None: it does not turn
    tether: Vector  # points from the winch to the drone [m], (n, 3)
    tension: Vector  # at them [N], (n,)
    contacts: Vector  # where the tether touches something [m], (k, 3)
    uav_target: Vector | None = None  # where it should be now [m], (3,)
    ugv_target: Vector | None = None
    length: float | None = None  # of tether that is out [m]
    turning: bool = True  # the rotors


class Record:
    """The moments of a log."""

    followed: ClassVar[dict[str, str]] = {"drone": "uav", "rover": "ugv"}  # by a word, what moves in a frame

    def __init__(self, log: Log) -> None:
        self.log, self.scenario = log, scenario_of(log)
        self._uav, self._ugv = log.tables.get("uav"), log.tables.get("ugv")
        self._platform = log.tables.get("platform")
        self._tether, self._winch = log.tables.get("tether"), log.tables.get("winch")
        if not has_positions(log):
            raise InputError(
                f"{log.name}: nothing to show: there is no position of a robot or a tether in it"
            )
        times = [log.tables[name]["time_s"] for name in SHOWN if len(log.tables.get(name, ()))]
        self.start, self.end = float(min(t[0] for t in times)), float(max(t[-1] for t in times))
        self._shaped = _has(self._tether, STATION_POSITIONS)
        self._loaded = _has(self._tether, STATION_TENSIONS)

    @property
    def duration(self) -> float:
        """[s]."""
        return self.end - self.start

    @property
    def tension_max(self) -> float:
        """Nearly the largest tension [N]: a single peak would leave all the rest dark."""
        if self._tether is None or not self._loaded:
            return 0.0
        most = np.nan_to_num(self._tether[STATION_TENSIONS[0]])
        for name in STATION_TENSIONS[1:]:  # column by column: a copy of all would be as large as the log
            np.fmax(most, self._tether[name], out=most)
        return float(np.percentile(most, 99.0))

    @property
    def begun_contacts(self) -> Vector:
        """When the tether touches something after it was free for a while [s], (n,); none if nobody knows."""
        if self._tether is None or not self._shaped or self.scenario is None:
            return np.zeros(0)
        rows = np.arange(0, len(self._tether), -(-len(self._tether) // MOMENTS_MAX))
        points = np.column_stack([self._tether[name][rows] for name in STATION_POSITIONS])
        touching = self._touching(points.reshape(-1, 3))
        some: NDArray[np.bool_] = touching.reshape(len(rows), STATION_COUNT).max(axis=1)
        times = np.asarray(self._tether["time_s"])[rows][some]
        return times[np.diff(times, prepend=-np.inf) > FREE_FOR]

    @property
    def largest_tension(self) -> tuple[float, float] | None:
        """When [s], and how large anywhere in the tether, or at the winch if that is all [N]."""
        for table, names in ((self._tether, STATION_TENSIONS), (self._winch, ("tension_N",))):
            if table is not None and _has(table, names):
                peaks = [float(np.nan_to_num(table[name]).max()) for name in names]
                most = names[int(np.argmax(peaks))]
                row = int(np.argmax(np.nan_to_num(table[most])))
                return float(table["time_s"][row]), max(peaks)
        return None

    def _touching(self, points: Vector) -> NDArray[np.bool_]:
        """Which points of the tether are at the surface of something [m], (n, 3)."""
        if not isinstance(self.scenario, Scenario | TeamPlan) or not len(points):
            return np.zeros(len(points), bool)
        spec = (
            thin_tether(self.scenario.plane.friction)
            if isinstance(self.scenario, TeamPlan)
            else self.scenario.tether.spec
        )
        return np.asarray(self.scenario.world.distance(points) < 0.5 * spec.diameter + CLOSE)

    def path(self, vehicle: str) -> Vector:
        """Where a vehicle was [m], (n, 3); empty if that was not recorded."""
        table = self.log.tables.get(vehicle)
        if table is None or not _has(table, POSITION):
            return NOTHING
        return np.column_stack([table[name] for name in POSITION])

    def at(self, time: float) -> Frame:
        """The moment that was recorded last before a time [s]."""
        time = min(max(time, self.start), self.end)
        tether, tension = NOTHING, np.zeros(0)
        points = values_at(self._tether, STATION_POSITIONS, time)
        if points is not None:
            tether = points.reshape(STATION_COUNT, 3)
            loads = values_at(self._tether, STATION_TENSIONS, time)
            tension = np.zeros(STATION_COUNT) if loads is None else loads
        length = None
        if self._winch is not None and "length_m" in self._winch.columns:
            length = float(self._winch["length_m"][_row(self._winch, time)])
        return Frame(
            time=time,
            uav=pose_at(self._uav, time),
            ugv=pose_at(self._ugv, time),
            deck=values_at(self._platform, ("roll_on_ugv_rad", "pitch_on_ugv_rad"), time),
            tether=tether,
            tension=tension,
            contacts=tether[self._touching(tether)],
            uav_target=values_at(self._uav, TARGET, time),
            ugv_target=values_at(self._ugv, TARGET, time),
            length=length,
            turning=self._turning(time),
        )

    def _turning(self, time: float) -> bool:
        if self._uav is None or not _has(self._uav, ("thrust_N",)):
            return True
        return not float(self._uav["thrust_N"][_row(self._uav, time)]) <= 0.0


def has_positions(log: Log) -> bool:
    """Whether there is anything to show."""
    return any(len(log.tables.get(name, ())) for name in SHOWN)


def _has(table: Table | None, names: tuple[str, ...]) -> bool:
    """Whether a table has rows of all these."""
    return table is not None and len(table) > 0 and all(name in table for name in names)


def _row(table: Table, time: float) -> int:
    return max(int(np.searchsorted(table["time_s"], time, side="right")) - 1, 0)


def values_at(table: Table | None, names: tuple[str, ...], time: float) -> Vector | None:
    """These columns at the last row before a time [s]; None where one of them is not known."""
    if table is None or not _has(table, names):
        return None
    row = _row(table, time)
    point = np.array([table[name][row] for name in names])
    return point if np.isfinite(point).all() else None


def pose_at(table: Table | None, time: float) -> Pose | None:
    """The pose at the last row before a time [s]."""
    position = values_at(table, POSITION, time)
    if table is None or position is None:
        return None
    wxyz = values_at(table, QUATERNION, time)
    return Pose(position, np.array((1.0, 0.0, 0.0, 0.0)) if wxyz is None else wxyz)
