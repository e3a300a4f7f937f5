"""The free part of a tether, from its last contact to the robot at its start: where the robot hangs from."""

import math

import numpy as np

from tetherlab.math.kernel import kernel
from tetherlab.tether.model import COUNT
from tetherlab.vehicles.avocado.frames import COLUMNS
from tetherlab.vehicles.avocado.record import RECORD
from tetherlab.vehicles.avocado.state import LENGTH_MIN
from tetherlab.world.field import velocity_at

# What a robot hangs from, and its state in the paper's words (hanging_state.py).
HANGING = np.dtype(
    [
        ("body", np.int64),  # of the robot
        ("tether", np.int64),  # that starts at it; -1: none
        ("tension", np.float64),  # of that at the robot, mean of the last step [N]
        ("object", np.int64),  # that the tether touches last, -1: none, it hangs from the end of the tether
        ("length", np.float64),  # of the free part [m]
        ("rate", np.float64),  # at which that grows [m/s]
        ("point_W", np.float64, (3,)),  # of the last contact [m]
        ("along_W", np.float64, (3,)),  # from there to the robot
        ("speed_W", np.float64, (3,)),  # velocity of that point [m/s]
        ("state", np.float64, (2, COLUMNS)),  # before and now, the fields of AvocadoState
        # scratch
        ("rate_W", np.float64, (3,)),  # of the robot [rad/s]
        ("record", np.float64, (RECORD,)),  # of the analytic model
        ("frame", np.float64, (3, 3)),  # of the tether in the paper's axes
        ("turn", np.float64, (3,)),  # rate of the tether's line [rad/s]
        ("joint", np.float64, (3,)),  # axis of the joint
        ("across", np.float64, (3,)),  # square to that and to the tether
    ]
)


@kernel
def find_free_part(state, field, hanging):
    """Fill in what the robot at the start of a tether hangs from.

    A contact nearer to the robot than LENGTH_MIN is not what it hangs from.
    """
    count, x, point = state.number[COUNT], state.x, hanging.point_W
    who, found = -1, False
    for j in range(count):
        node = state.contact[j]
        if j > 0 and node.active == 1 and _apart(x[0], x[j]) > LENGTH_MIN:
            for k in range(3):
                point[k] = x[j, k]
            who, found = node.object, True
            break
        wrap = state.wrap[j]
        if wrap.active == 1:
            pull = wrap.pull_a
            size = max(math.sqrt(pull[0] ** 2 + pull[1] ** 2 + pull[2] ** 2), 1.0)
            for k in range(3):
                point[k] = x[j, k] + wrap.reach_a * pull[k] / size
            if _apart(x[0], point) > LENGTH_MIN:
                who, found = wrap.object, True
                break
    if not found:
        for k in range(3):
            point[k] = x[count, k]
            hanging.speed_W[k] = state.v[count, k]
    else:
        v0, v1, v2 = velocity_at(field, who, point[0], point[1], point[2])
        hanging.speed_W[0], hanging.speed_W[1], hanging.speed_W[2] = v0, v1, v2
    hanging.object = who
    measure_free_part(state, hanging)


@kernel
def measure_free_part(state, hanging):
    """Length, direction and rate between the point that was found and the start of the tether."""
    p, v, point, along, speed = state.x[0], state.v[0], hanging.point_W, hanging.along_W, hanging.speed_W
    length = max(_apart(p, point), 1e-6)
    rate = 0.0
    for k in range(3):
        along[k] = (p[k] - point[k]) / length
        rate += along[k] * (v[k] - speed[k])
    hanging.length, hanging.rate = length, rate


@kernel
def _apart(a, b):
    return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
