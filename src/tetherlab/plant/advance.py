"""A tick of the plant: steps, a look at what may end the run, and a row of the record."""

import math

from numba import njit

from tetherlab.plant import model as P
from tetherlab.plant.record import record
from tetherlab.plant.step import find_places, step_plant
from tetherlab.plant.watch import watch
from tetherlab.vehicles.winch import LENGTH


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def advance_plant(plant, command, target, h, count, row, stations):
    """Advance by `count` steps of h [s] with a constant command; why the run ends (see watch.py), or 0.

    target: references of drone and rover, (2, 3). row, stations: where a row of the record goes; empty: none.
    """
    plant.clock[1] = 0.0
    for _ in range(count):
        step_plant(plant, command, h)
        if plant.flag[P.FAILED] != 0:
            break
    find_places(plant)
    code = watch(plant, h * count)
    if row.shape[0] > 0:
        wanted = command[P.REEL_WANTED] if command[P.REEL_MODE] == LENGTH else math.nan
        record(plant, target, wanted, row, stations)
    return code
