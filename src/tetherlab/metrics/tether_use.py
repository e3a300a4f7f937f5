"""What the winch and the tether did: length, slack, tension, energy, distance to the world."""

import numpy as np

from tetherlab.contracts.columns import TETHER_FORCE
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.log import Log
from tetherlab.metrics.read import MissingError, rows, stations
from tetherlab.world import World


def released(log: Log) -> float:
    """Sum of all that was paid out [m]."""
    return float(np.maximum(np.diff(rows(log, "winch", "length_m")[:, 0]), 0.0).sum())


def collected(log: Log) -> float:
    """Sum of all that was reeled in [m]."""
    return float(np.maximum(-np.diff(rows(log, "winch", "length_m")[:, 0]), 0.0).sum())


def slack_mean(log: Log) -> float:
    """Mean of length over distance, less one [%]."""
    length, distance = rows(log, "winch", "length_m", "distance_m").T
    apart = distance > 0.0
    if not apart.any():
        raise MissingError("the ends of the tether are never apart")
    return float(100.0 * np.mean(length[apart] / distance[apart] - 1.0))


def tension_max_at_winch(log: Log) -> float:
    """Largest tension where the tether leaves the winch [N]."""
    return float(rows(log, "winch", "tension_N").max())


def tension_max_at_uav(log: Log) -> float:
    """Largest force of the tether on the drone [N]."""
    return float(np.linalg.norm(rows(log, "uav", *TETHER_FORCE), axis=1).max())


def winch_energy(log: Log, sign: float) -> float:
    """Energy that the winch's motor took (sign +1) or gave back (sign -1) [J]."""
    time, power = rows(log, "winch", "time_s", "power_W").T
    return float(np.trapezoid(np.maximum(sign * power, 0.0), time))


def distance_min(log: Log) -> float:
    """Smallest distance of the tether's stations to the scenario's world, less its radius [m]."""
    try:
        world = World.from_dict(log.scenario["world"])
        radius = 0.5 * float(log.scenario["tether"]["diameter_m"])
    except (InputError, KeyError, TypeError):
        raise MissingError("the scenario does not tell its world, or a map of it is not here") from None
    nearest = min(world.distance(points.reshape(-1, 3)).min() for _, points in stations(log))
    return float(nearest - radius)
