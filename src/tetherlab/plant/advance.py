"""A tick of the plant: steps, and a look at what may end the run."""

from tetherlab.math.kernel import kernel
from tetherlab.plant.power import draw_power
from tetherlab.plant.step import find_places, step_plant
from tetherlab.plant.watch import watch


@kernel
def advance_plant(plant, command, h, count):
    """Advance by `count` steps of h [s] with a constant command; why the run ends (see watch.py), or 0."""
    for t in range(plant.line.shape[0]):
        plant.line[t].tension_peak = plant.line[t].end_peak = 0.0
    for _ in range(count):
        step_plant(plant, command, h)
        if plant.clock[0].failed != 0:
            break
    find_places(plant)
    for i in range(plant.supply.shape[0]):
        draw_power(plant, plant.supply[i], h * count)
    return watch(plant, command, h * count)
