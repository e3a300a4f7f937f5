"""How far two runs lie apart along the way: a simulated one and a real one, or two simulated ones."""

from typing import NamedTuple

import numpy as np

from tetherlab.contracts.columns import POSITION
from tetherlab.contracts.log import Log
from tetherlab.metrics.polyline import distance_to_polyline
from tetherlab.metrics.read import Array, at_times, path, rows

MOMENTS = 2000  # of the first run at which it is compared


class Deviation(NamedTuple):
    """Distance of a vehicle in one run from the same vehicle in another."""

    time: Array  # of the first run, counted from its first row, (n,) [s]
    from_path: Array  # to the nearest point of the other path, whenever it was there, (n,) [m]
    at_equal_time: Array  # to where the other was at that time; NaN after its end, (n,) [m]


def deviation(log: Log, other: Log, vehicle: str) -> Deviation:
    """The deviation of `vehicle` ("uav" or "ugv") in `log` from that in `other`, at up to 2000 moments."""
    found = rows(log, vehicle, "time_s", *POSITION)
    line = rows(other, vehicle, "time_s", *POSITION)
    found = found[:: -(-len(found) // MOMENTS)]
    time = found[:, 0] - found[0, 0]
    there = at_times(other, vehicle, POSITION, time + line[0, 0])
    return Deviation(
        time=time,
        from_path=distance_to_polyline(found[:, 1:], path(other, vehicle)),
        at_equal_time=np.linalg.norm(found[:, 1:] - there, axis=1),
    )
