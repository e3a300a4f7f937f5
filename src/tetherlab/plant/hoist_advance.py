"""A tick of a hoist: steps, a look at what may end the run, and a row of the record."""

from tetherlab.math.kernel import njit
from tetherlab.plant import hoist_model as H
from tetherlab.plant.canopy_free import find_free_part
from tetherlab.plant.hoist_record import record_hoist
from tetherlab.plant.hoist_step import find_hoist_places, step_hoist
from tetherlab.plant.hoist_watch import watch_hoist


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def advance_hoist(plant, command, h, count, target, row, stations):
    """Advance by `count` steps of h [s]; why the run ends (see hoist_watch.py), or 0.

    target: where drone and rover should be, (2, 3). row, stations: where to record it afterwards, empty if
    nowhere. No step: a row of what is.
    """
    plant.clock[1] = plant.seen[H.PERCH_PEAK] = 0.0
    for _ in range(count):
        step_hoist(plant, command, h)
        if plant.flag[H.FAILED] != 0:
            break
    find_hoist_places(plant)
    if plant.flag[H.LINK] != H.APART:
        find_free_part(plant)
    code = watch_hoist(plant)
    if row.shape[0] > 0:
        record_hoist(plant, target, command[H.REEL_WANTED], row, stations)
    return code
