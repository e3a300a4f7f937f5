"""A tick in the canopy: steps, a look at what may end the run, and the state in the paper's words."""

from tetherlab.math.kernel import njit
from tetherlab.plant import canopy_model as C
from tetherlab.plant.canopy_free import find_free_part
from tetherlab.plant.canopy_record import record_canopy
from tetherlab.plant.canopy_step import robot_body, step_canopy
from tetherlab.plant.canopy_truth import find_truth
from tetherlab.plant.canopy_watch import watch_canopy
from tetherlab.vehicles.avocado.thrusters import look_behind


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def advance_canopy(plant, command, h, count, row, bends, stations):
    """Advance by `count` steps of h [s]; why the run ends (see canopy_watch.py), or 0.

    row, bends, stations: where to record it afterwards, empty if nowhere. No step: a row of what is.
    """
    plant.seen[C.TENSION_PEAK] = 0.0
    if plant.field.objects.shape[0] > 0:
        look_behind(plant.robot[0], robot_body(plant), plant.field)
    for _ in range(count):
        step_canopy(plant, command, h)
        if plant.flag[C.FAILED] != 0:
            break
    find_free_part(plant)
    find_truth(plant)
    code = watch_canopy(plant)
    if row.shape[0] > 0:
        record_canopy(plant, row, bends, stations)
    return code
