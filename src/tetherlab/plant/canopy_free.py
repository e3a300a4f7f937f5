"""The free part of the tether, from its last contact to the robot: where the robot hangs from, in effect."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.plant import canopy_model as C
from tetherlab.tether import model as M
from tetherlab.vehicles.avocado.state import LENGTH_MIN
from tetherlab.world.ask import nearest
from tetherlab.world.field import velocity_at


@kernel
def find_free_part(plant):
    """Fill plant.free. A contact nearer to the robot than LENGTH_MIN is not what it hangs from.

    Before the first step no contact is known, and it hangs from where it was built to.
    """
    state = M.open_state(plant.memory)
    count, x, free = state.number[M.COUNT], state.x, plant.free
    point = free[C.FREE_POINT : C.FREE_POINT + 3]
    if plant.flag[C.STEPS] == 0:
        built = -1
        if free[C.FREE_OBJECT] == C.NEAREST:
            _, _, _, _, built = nearest(plant.field, point[0], point[1], point[2])
        _measure(plant, built)
        return
    for k in range(3):
        point[k] = x[count, k]
    who = -1
    for j in range(count):
        node = state.contact[j]
        if j > 0 and node.active == 1 and _apart(x[0], x[j]) > LENGTH_MIN:
            who = node.object
            for k in range(3):
                point[k] = x[j, k]
            break
        wrap = state.wrap[j]
        if wrap.active == 1:
            pull = wrap.pull_a
            size = max(math.sqrt(pull[0] ** 2 + pull[1] ** 2 + pull[2] ** 2), 1.0)
            for k in range(3):
                point[k] = x[j, k] + wrap.reach_a * pull[k] / size
            if _apart(x[0], point) > LENGTH_MIN:
                who = wrap.object
                break
            for k in range(3):
                point[k] = x[count, k]
    _measure(plant, who)


@kernel
def _apart(a, b):
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)


@kernel
def _measure(plant, who):
    """Length, direction and rate between the point that was found, on object `who`, and P."""
    state = M.open_state(plant.memory)
    free = plant.free
    p, v = state.x[0], state.v[0]
    point, along, speed = free[3:6], free[6:9], free[9:12]
    length = max(_apart(p, point), 1e-6)
    speed[0], speed[1], speed[2] = velocity_at(plant.field, who, point[0], point[1], point[2])
    rate = 0.0
    for k in range(3):
        along[k] = (p[k] - point[k]) / length
        rate += along[k] * (v[k] - speed[k])
    free[C.FREE_LENGTH], free[C.FREE_RATE], free[C.FREE_OBJECT] = length, rate, who
