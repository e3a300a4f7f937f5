"""What the drone drew through its tether, and what was lost on the way."""

import numpy as np

from tetherlab.contracts.log import Log
from tetherlab.metrics.read import MissingError, rows

HOUR = 3600.0  # [s]
PERCENT = 100.0


def energy(log: Log, column: str) -> float:
    """Of a column in watts [W h]."""
    time, power = rows(log, "power", "time_s", column).T
    return float(np.trapezoid(power, time)) / HOUR


def loss_share(log: Log) -> float:
    """Lost between the cells of the battery and the drone, of all that the cells gave [%]."""
    lost, drawn = energy(log, "loss_W"), energy(log, "power_W")
    if lost + drawn <= 0.0:
        raise MissingError("nothing was drawn")
    return PERCENT * lost / (lost + drawn)


def least(log: Log, column: str) -> float:
    """Smallest value of a column."""
    return float(rows(log, "power", column).min())


def most(log: Log, column: str) -> float:
    """Largest value of a column."""
    return float(rows(log, "power", column).max())


def power_share_max(log: Log) -> float:
    """Largest share of what could have been transferred that the drone asked for [%]."""
    drawn, possible = rows(log, "power", "power_W", "power_max_W").T
    return float(PERCENT * np.max(drawn / possible))


def battery_used(log: Log) -> float:
    """Charge that was taken, of a full battery [%]."""
    share = rows(log, "power", "battery_share")[:, 0]
    return float(PERCENT * (share[0] - share[-1]))
