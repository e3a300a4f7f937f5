"""The moments of a log, of whatever kind."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.runs import scenario_of
from tetherlab.assembly.scene import Scene
from tetherlab.contracts.columns import POSITION, STATION_COUNT, STATION_POSITIONS, STATION_TENSIONS, TARGET
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.contracts.table import Table
from tetherlab.plant.branch import Branch
from tetherlab.view.contacts import CLOSE, MovingShapes
from tetherlab.view.frame import NOTHING, Frame, Pose, Strand
from tetherlab.view.parts import Inventory, Part, Point, inventory
from tetherlab.view.placing import bent_branch, origin_of

Vector = NDArray[np.float64]
QUATERNION = ("qw", "qx", "qy", "qz")
UPRIGHT = np.array((1.0, 0.0, 0.0, 0.0))
THRUST = ("thrust_left_N", "thrust_right_N")
DECK = ("roll_on_ugv_rad", "pitch_on_ugv_rad")
FREE_FOR = 1.0  # of contact, for the next one to be a new one [s]
MOMENTS_MAX = 6000  # that are searched for contact


class Record:
    """The moments of a log; also of a scene's, if the scene is given or the log tells it."""

    def __init__(self, log: Log, scene: Scene | None = None) -> None:
        self.log = log
        described = scene if scene is not None else scenario_of(log)
        self.inventory: Inventory = inventory(log if described is None else described)
        if not has_positions(log):
            raise InputError(
                f"{log.name}: nothing to show: there is no position of a robot or a tether in it"
            )
        self._parts = {part.name: part for part in self.inventory.parts}
        self._moving = MovingShapes(self.inventory.parts)
        self._shapes = {
            name: table
            for name in self.inventory.tethers
            if (table := log.tables.get(name)) is not None and _has(table, STATION_POSITIONS)
        }
        bodies = [table for name in self._parts if (table := log.tables.get(name)) is not None]
        times = [table["time_s"] for table in (*bodies, *self._shapes.values()) if len(table)]
        self.start, self.end = float(min(t[0] for t in times)), float(max(t[-1] for t in times))

    @property
    def duration(self) -> float:
        """[s]."""
        return self.end - self.start

    @property
    def followed(self) -> dict[str, str]:
        """What a camera can follow: names, by what they are called."""
        return self.inventory.followed

    @property
    def tension_max(self) -> float:
        """Nearly the largest tension [N]: a single peak would leave all the rest dark."""
        return max((_nearly_largest(table) for table in self._shapes.values()), default=0.0)

    @property
    def begun_contacts(self) -> Vector:
        """When a tether touches the world after it was free for a while [s], (n,)."""
        found = [self._begun(name, table) for name, table in self._shapes.items()]
        return np.sort(np.concatenate([np.zeros(0), *found]))

    @property
    def largest_tension(self) -> tuple[float, float] | None:
        """When [s], and how large anywhere in a tether, or at the winch if that is all [N]."""
        places = [(table, STATION_TENSIONS) for table in self._shapes.values()]
        if (winch := self.log.tables.get("winch")) is not None:
            places.append((winch, ("tension_N",)))
        peaks = [_peak(table, names) for table, names in places if _has(table, names)]
        of_shapes = peaks[: sum(_has(table, STATION_TENSIONS) for table in self._shapes.values())]
        return max(of_shapes or peaks, key=lambda peak: peak[1], default=None)

    def path(self, name: str) -> Vector:
        """Where something was [m], (n, 3); empty if that was not recorded."""
        table = self.log.tables.get(name)
        if table is None or not _has(table, POSITION):
            return NOTHING
        return np.column_stack([table[column] for column in POSITION])

    def at(self, time: float) -> Frame:
        """The moment that was recorded last before a time [s]."""
        time = min(max(time, self.start), self.end)
        lines = {name: self._line(name, table, time) for name, table in self._shapes.items()}
        poses = {
            name: pose
            for name, part in self._parts.items()
            if (pose := self._pose(part, lines, time)) is not None
        }
        tethers = {
            name: Strand(
                points=points,
                tension=tension,
                contacts=self._contacts(name, points, poses),
                length=self._length(name, time),
            )
            for name, (points, tension) in lines.items()
        }
        tables = {name: self.log.tables.get(name) for name in self._parts}
        deck = values_at(self.log.tables.get("platform"), DECK, time)
        return Frame(
            time=time,
            poses=poses,
            tethers=tethers,
            targets=_known({name: values_at(table, TARGET, time) for name, table in tables.items()}),
            decks={} if deck is None else {"ugv": deck},
            thrusts=_known({name: values_at(table, THRUST, time) for name, table in tables.items()}),
            idle=frozenset(name for name, table in tables.items() if _stands(table, time)),
        )

    def _line(self, name: str, table: Table, time: float) -> tuple[Vector, Vector]:
        points = values_at(table, STATION_POSITIONS, time)
        if points is None:
            return NOTHING, np.zeros(0)
        loads = values_at(table, STATION_TENSIONS, time)
        return points.reshape(STATION_COUNT, 3), np.zeros(STATION_COUNT) if loads is None else loads

    def _pose(self, part: Part, lines: dict[str, tuple[Vector, Vector]], time: float) -> Pose | None:
        if isinstance(part.look, Branch):
            names = tuple(f"{part.name}_{way}_deg" for way in ("sideways", "up"))
            bent = values_at(self.log.tables.get("branches"), names, time)
            return bent_branch(part.look, np.zeros(2) if bent is None else np.radians(bent))
        if isinstance(part.look, Point):
            tether, end = part.look.moves_with or ("", 0)
            points = lines[tether][0] if tether in lines else NOTHING
            return Pose(points[end] if len(points) else part.look.position, UPRIGHT)
        table = self.log.tables.get(part.name)
        position = values_at(table, POSITION, time)
        if position is None:
            return None
        wxyz = values_at(table, QUATERNION, time)
        return origin_of(part, position, UPRIGHT if wxyz is None else wxyz)

    def _length(self, name: str, time: float) -> float | None:
        """Of the tether that is out; that of a scenario is with its winch, or its robot."""
        for holder in (name, "winch", "robot"):
            found = values_at(self.log.tables.get(holder), ("length_m",), time)
            if found is not None:
                return float(found[0])
        return None

    def _contacts(self, name: str, points: Vector, poses: dict[str, Pose]) -> Vector:
        near = 0.5 * self.inventory.tethers[name] + CLOSE
        moving = self._moving.touched(points, poses, near, self.inventory.tied.get(name, ()))
        return np.concatenate([points[self._touching(points, near)], moving])

    def _begun(self, name: str, table: Table) -> Vector:
        rows = np.arange(0, len(table), -(-len(table) // MOMENTS_MAX))
        points = np.column_stack([table[column][rows] for column in STATION_POSITIONS])
        touching = self._touching(points.reshape(-1, 3), 0.5 * self.inventory.tethers[name] + CLOSE)
        some: NDArray[np.bool_] = touching.reshape(len(rows), STATION_COUNT).max(axis=1)
        times = np.asarray(table["time_s"])[rows][some]
        return times[np.diff(times, prepend=-np.inf) > FREE_FOR]

    def _touching(self, points: Vector, near: float) -> NDArray[np.bool_]:
        """Which points of a tether are at the surface of something that stands still [m], (n, 3)."""
        world = self.inventory.world
        if world is None or not world.shapes or not len(points):
            return np.zeros(len(points), bool)
        return np.asarray(world.distance(points) < near)


def has_positions(log: Log) -> bool:
    """Whether there is anything to show."""
    found = inventory(log)
    return any(len(log.tables[name]) for name in (*(part.name for part in found.parts), *found.tethers))


def values_at(table: Table | None, names: tuple[str, ...], time: float) -> Vector | None:
    """These columns at the last row before a time [s]; None where one of them is not known."""
    if table is None or not _has(table, names):
        return None
    row = max(int(np.searchsorted(table["time_s"], time, side="right")) - 1, 0)
    point = np.array([table[name][row] for name in names])
    return point if np.isfinite(point).all() else None


def _known(values: dict[str, Vector | None]) -> dict[str, Vector]:
    return {name: value for name, value in values.items() if value is not None}


def _stands(table: Table | None, time: float) -> bool:
    """Whether a drone's rotors are known to stand still."""
    thrust = values_at(table, ("thrust_N",), time)
    return thrust is not None and float(thrust[0]) <= 0.0


def _nearly_largest(table: Table) -> float:
    if not _has(table, STATION_TENSIONS):
        return 0.0
    most = np.nan_to_num(table[STATION_TENSIONS[0]])
    for name in STATION_TENSIONS[1:]:  # column by column: a copy of all would be as large as the log
        np.fmax(most, table[name], out=most)
    return float(np.percentile(most, 99.0))


def _peak(table: Table, names: tuple[str, ...]) -> tuple[float, float]:
    """When [s], and how large [N]."""
    peaks = [float(np.nan_to_num(table[name]).max()) for name in names]
    most = names[int(np.argmax(peaks))]
    row = int(np.argmax(np.nan_to_num(table[most])))
    return float(table["time_s"][row]), max(peaks)


def _has(table: Table | None, names: tuple[str, ...]) -> bool:
    """Whether a table has rows of all these."""
    return table is not None and len(table) > 0 and all(name in table for name in names)
