"""The charts of a run and their numbers: of a log, row by row, or of a scene at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.columns import VELOCITY
from tetherlab.contracts.table import Table
from tetherlab.metrics.canopy import followed
from tetherlab.metrics.read import MissingError, at_times
from tetherlab.view.actors import part_colors
from tetherlab.view.charts import CANOPY_CHARTS, CHARTS, LINE_COLORS, WIDTH, Chart, Line, width
from tetherlab.view.frame import Frame
from tetherlab.view.parts import VEHICLES, Inventory
from tetherlab.view.record import Record

LINES_MAX = len(LINE_COLORS)  # of a chart
COLUMNS = (
    ("winch", "length_m"), ("winch", "length_reference_m"), ("winch", "distance_m"),
    ("winch", "tension_N"), ("uav", "tether_N"),
    ("uav", "speed"), ("ugv", "speed"), ("winch", "reel_speed_m_per_s"),
    ("uav", "clearance_m"), ("ugv", "clearance_m"),
)  # fmt: skip


def charts_of(record: Record) -> tuple[Sequence[Chart], NDArray[np.float64]]:
    """The charts of a log, and their rows: time after the start [s] and numbers; NaN where not recorded."""
    if "robot" in record.log and not record.inventory.named:
        return CANOPY_CHARTS, _canopy_rows(record)
    if record.inventory.named or not any(name in record.log for name in VEHICLES):
        return scene_charts(record.inventory), _scene_rows(record)
    return CHARTS, team_rows(record)


def scene_charts(inventory: Inventory) -> tuple[Chart, ...]:
    """Length and largest tension of each tether, speed of each robot and body."""
    tethers, moving = _shown(inventory)
    shades = part_colors(inventory)
    charts = (
        Chart("Length", "m", _lines(tethers)),
        Chart("Largest tension", "N", _lines(tethers)),
        Chart("Speed", "m/s", _lines(moving, [f"rgb{shades[name]}" for name in moving])),
    )
    return tuple(chart for chart in charts if chart.lines)


def scene_moment(inventory: Inventory, frame: Frame, simulation: Any) -> tuple[float, ...]:
    """The numbers of `scene_charts` now."""
    tethers, moving = _shown(inventory)
    lengths = [frame.tethers[name].length for name in tethers]
    tensions = [float(frame.tethers[name].tension.max(initial=0.0)) for name in tethers]
    speeds = [float(np.linalg.norm(simulation[name].velocity)) for name in moving]
    return (*(np.nan if length is None else length for length in lengths), *tensions, *speeds)


def team_rows(record: Record) -> NDArray[np.float64]:
    """Of drone, rover and winch, (n, 1 + WIDTH)."""
    tables = record.log.tables
    return _rows(record, tables.get("uav") or tables.get("winch"), COLUMNS, WIDTH)


def _canopy_rows(record: Record) -> NDArray[np.float64]:
    """Of a robot in the canopy; its angles as its references have them."""
    log = record.log
    try:
        time, done, wanted = followed(log)
    except MissingError:
        return np.zeros((0, 1 + width(CANOPY_CHARTS)))
    names = ("free_length_m", "thrust_left_N", "thrust_right_N", "tension_N")
    free, left, right, tension = at_times(log, "robot", names, time).T
    pairs = [column for k in range(3) for column in (done[:, k], wanted[:, k])]
    return np.column_stack([time - record.start, *pairs, free, left, right, tension])


def _scene_rows(record: Record) -> NDArray[np.float64]:
    tethers, moving = _shown(record.inventory)
    columns = [
        *((name, "length_m") for name in tethers),
        *((name, "tension_max_N") for name in tethers),
        *((name, "speed") for name in moving),
    ]
    tables = (record.log.tables.get(name) for name in (*moving, *tethers))
    return _rows(record, next((table for table in tables if table), None), columns, len(columns))


def _rows(
    record: Record, base: Table | None, columns: Sequence[tuple[str, str]], count: int
) -> NDArray[np.float64]:
    """Columns of tables at the times of one of them, (n, 1 + count)."""
    if base is None:
        return np.zeros((0, 1 + count))
    time = base["time_s"]
    rows = np.full((len(time), 1 + count), np.nan)
    rows[:, 0] = time - record.start
    for k, (name, column) in enumerate(columns):
        table = record.log.tables.get(name)
        values = None if table is None else _values(table, column)
        if table is not None and values is not None:
            rows[:, 1 + k] = np.interp(time, table["time_s"], values, left=np.nan, right=np.nan)
    return rows


def _values(table: Table, column: str) -> NDArray[np.float64] | None:
    parts: Mapping[str, tuple[str, ...]] = {
        "speed": VELOCITY,
        "tether_N": ("tether_x_N", "tether_y_N", "tether_z_N"),
    }
    names = parts.get(column, (column,))
    if any(part not in table.columns for part in names):
        return None
    if len(names) == 1:
        return np.asarray(table[column])
    return np.asarray(np.linalg.norm([table[part] for part in names], axis=0))


def _shown(inventory: Inventory) -> tuple[list[str], list[str]]:
    """Tethers, and robots and bodies, that have a line: as many as can be told apart."""
    moving = [part.name for part in inventory.parts if part.moves]
    return list(inventory.tethers)[:LINES_MAX], moving[:LINES_MAX]


def _lines(names: Sequence[str], shades: Sequence[str] = LINE_COLORS) -> tuple[Line, ...]:
    return tuple(
        Line(name, color, k % 2 == 1) for k, (name, color) in enumerate(zip(names, shades, strict=False))
    )
