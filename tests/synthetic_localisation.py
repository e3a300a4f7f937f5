"""A circling run with estimates whose errors, claims and doubts are known."""

from dataclasses import replace

import numpy as np

from synthetic_runs import SCENARIO, circling
from tetherlab.contracts.columns import COLUMNS
from tetherlab.contracts.flags import to_flags
from tetherlab.contracts.log import Event
from tetherlab.contracts.table import Table

TIED = (0.0, 0.0, -0.1)  # in the drone's frame, which stays level [m]
ERROR = np.array((0.03, 0.0, -0.04))  # 0.05 m
WRAPPED = 8.0
EVENTS = [
    Event(1.0, "mission", "takes off"),
    Event(4.0, "localisation", "not believed: length"),
    Event(9.0, "mission", "has landed"),
]


def localised(duration=10.0, rate=100.0, deviation=0.02, error=ERROR, **section):
    """Wrapped from 2 to 3 s; the length is not believed from 4 to 6 s; on the deck there is no error."""
    log = circling(duration, name="localised")
    time = np.arange(round(duration * rate)) / rate
    flying = (time >= 1.0) & (time < 9.0)
    columns = {name: np.zeros_like(time) for name in COLUMNS["estimates"]}
    uav = log["uav"]
    for i, axis in enumerate("xyz"):
        true = np.interp(time, uav["time_s"], uav[f"{axis}_m"]) + TIED[i]
        columns |= {f"{axis}_m": true + error[i] * flying, f"{axis * 2}_m2": np.full_like(time, deviation**2)}
    columns |= {
        "time_s": time,
        "stamp_s": time,
        "status": np.where((time >= 2.0) & (time < 3.0), WRAPPED, 0.0),
        "faults": np.where((time >= 4.0) & (time < 6.0), to_flags(["length"]), 0.0),
    }
    scenario = {
        **SCENARIO,
        "uav": {"robot": {"attachment_m": list(TIED)}},
        "localisation": {"method": "ekf", "in_loop": True, **section},
    }
    tables = {**log.tables, "estimates": Table(columns)}
    return replace(log, tables=tables, scenario=scenario, events=EVENTS)
