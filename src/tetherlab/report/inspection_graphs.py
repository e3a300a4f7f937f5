"""A mission on board in a report: what its walls came to, the states that it was in, what it was told."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from tetherlab.contracts.autonomy import Commander, Readings, TaskStatus
from tetherlab.contracts.log import Log
from tetherlab.metrics.comparison import number
from tetherlab.metrics.read import Array, rows
from tetherlab.missions.guards import Limits
from tetherlab.missions.inspection import (
    ABORT,
    APPROACH,
    COME_DOWN,
    DRIVE,
    LAND,
    MAP,
    TAKE_OFF,
    inspection_machine,
)
from tetherlab.report.graphs import Graph, Panel, panel_of
from tetherlab.report.machine_figure import machine_figure

WALL_COLUMNS = {  # of the table `walls`: heads, and by what they are multiplied
    "time_s": ("from [s]", 1.0),
    "ended_s": ("to [s]", 1.0),
    "seen_share": ("seen [%]", 100.0),
    "overlap_share": ("least overlap of rows [%]", 100.0),
    "hole_m2": ("largest hole [m²]", 1.0),
    "map_rms_m": ("map to the rock, RMS [m]", 1.0),
}


class _Named:
    """A task of which only the name counts."""

    details = ""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, readings: Readings) -> None:
        """Nothing to begin."""

    def step(self, readings: Readings, commander: Commander) -> TaskStatus:
        """Nothing to do."""
        return TaskStatus.DONE


def wall_rows(log: Log) -> list[list[str]]:
    """A row for each wall that was taken up: its number, whether it was mapped, and `WALL_COLUMNS`."""
    if "walls" not in log:
        return []
    table = log["walls"]
    found = []
    for row in range(len(table)):
        values = [factor * float(table[name][row]) for name, (_, factor) in WALL_COLUMNS.items()]
        told = [number(None if math.isnan(value) else value) for value in values]
        found.append([str(int(table["index"][row]) + 1), "yes" if table["mapped"][row] else "no", *told])
    return found


def draw_mission(log: Log) -> Figure | None:
    """The table of an inspection with the states that the run was in; None if it is none."""
    if not log.scenario.get("inspection"):
        return None
    machine = inspection_machine(
        drive=_Named(DRIVE),
        take_off=_Named(TAKE_OFF),
        approach=_Named(APPROACH),
        map_wall=_Named(MAP),
        land=_Named(LAND),
        abort=_Named(ABORT),
        come_down=_Named(COME_DOWN),
        limits=Limits(),
    )
    said = [event.sentence for event in log.events if event.kind == "mission"]
    names = [*machine.states, *machine.ends]
    visited = {name for name in names for sentence in said if sentence.endswith(f": {name}")} | {DRIVE}
    return machine_figure(machine.rows(), start=machine.start, ends=machine.ends, visited=visited)


def _elevation(log: Log) -> tuple[Array, Array]:
    time, angle = rows(log, "readings", "time_s", "tether_elevation_rad").T
    return time, np.degrees(angle)


READINGS_GRAPH = Graph(
    "readings",
    "What the mission was told",
    (
        panel_of("readings", "height_m", "height", headroom="headroom_m"),
        Panel("elevation", "°", _elevation),
        panel_of("readings", "length_m", "length"),
        panel_of("readings", "tension_N", "tension"),
        panel_of("readings", "forward_m_per_s", "forward", left="left_m_per_s", up="up_m_per_s"),
    ),
)
