"""What ends a run, and how near things are: looked at once per tick."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.plant import model as P
from tetherlab.plant.step import DRONE, ROVER, drone_body
from tetherlab.tether import model as M
from tetherlab.world.ask import distance, nearest

# codes, in the order in which they are looked for; names and sentences are in contracts/outcome.py
FLYING, DIVERGED, COLLISION_UAV, COLLISION_UGV, OVERLOAD, TANGLED_ROTOR, TANGLED_TURNS, TOO_SHORT = range(8)
POWER_LOST = 8

TURNS_MAX = 1.5
TAUT = 0.98  # of its length, the distance of its ends: pulled with 1.5 times its weight or more
SHORT_FOR = 1.0  # so long may the tether be taut with nothing left on the drum [s]


@kernel
def clearance(field, body, hull):
    """Smallest distance of the spheres of a hull, body frame (n, 4), to the world [m]."""
    least = 1e6
    p, R = body.p_W, body.R_WB
    for k in range(hull.shape[0]):
        r = hull[k]
        d = distance(
            field,
            p[0] + R[0, 0] * r[0] + R[0, 1] * r[1] + R[0, 2] * r[2],
            p[1] + R[1, 0] * r[0] + R[1, 1] * r[1] + R[1, 2] * r[2],
            p[2] + R[2, 0] * r[0] + R[2, 1] * r[1] + R[2, 2] * r[2],
        )
        least = min(least, d - r[3])
    return least


@kernel
def _collides(field, body, hull):
    """Whether a sphere of a hull is inside the world; one distance tells that all are far away."""
    p, reach = body.p_W, 0.0
    for k in range(hull.shape[0]):
        r = hull[k]
        reach = max(reach, math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) + r[3])
    return distance(field, p[0], p[1], p[2]) < reach and clearance(field, body, hull) < 0.0


@kernel
def _find_hit(plant, field, body, hull):
    """Object that a hull is deepest in, and how deep, into plant.scratch."""
    least, who = 1e6, -1
    p, R = body.p_W, body.R_WB
    for k in range(hull.shape[0]):
        r = hull[k]
        d, _, _, _, other = nearest(
            field,
            p[0] + R[0, 0] * r[0] + R[0, 1] * r[1] + R[0, 2] * r[2],
            p[1] + R[1, 0] * r[0] + R[1, 1] * r[1] + R[1, 2] * r[2],
            p[2] + R[2, 0] * r[0] + R[2, 1] * r[1] + R[2, 2] * r[2],
        )
        if d - r[3] < least:
            least, who = d - r[3], other
    plant.scratch[0].hit_depth, plant.scratch[0].hit_object = -least, who


@kernel
def near_rotor(plant, body, discs, close):
    """Whether a node of the tether is closer than that to a rotor disc: x, y, z, radius, body frame."""
    state = M.open_state(plant.memory)
    p, R = body.p_W, body.R_WB
    reach = 0.0
    for k in range(discs.shape[0]):
        d = discs[k]
        reach = max(reach, math.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2) + d[3] + close)
    for i in range(state.number[M.COUNT]):
        x = state.x[i]
        w0, w1, w2 = x[0] - p[0], x[1] - p[1], x[2] - p[2]
        if w0 * w0 + w1 * w1 + w2 * w2 > reach * reach:
            continue
        b0 = R[0, 0] * w0 + R[1, 0] * w1 + R[2, 0] * w2
        b1 = R[0, 1] * w0 + R[1, 1] * w1 + R[2, 1] * w2
        b2 = R[0, 2] * w0 + R[1, 2] * w1 + R[2, 2] * w2
        for k in range(discs.shape[0]):
            d = discs[k]
            across = max(math.sqrt((b0 - d[0]) ** 2 + (b1 - d[1]) ** 2) - d[3], 0.0)
            if across * across + (b2 - d[2]) ** 2 < close * close:
                return True
    return False


@kernel
def _turns(plant):
    """Most turns of the tether round one object."""
    state = M.open_state(plant.memory)
    count = state.number[M.COUNT]
    most = 0.0
    for first in range(count):
        if state.wrap[first].active == 1:
            who, angle = state.wrap[first].object, 0.0
            for j in range(first, count):
                if state.wrap[j].active == 1 and state.wrap[j].object == who:
                    angle += state.wrap[j].angle
            most = max(most, angle)
    return most / (2.0 * math.pi)


@kernel
def watch(plant, dt):
    """Why the run has to end, or FLYING; plant.seen gets the clearances of rover and drone."""
    if plant.flag[P.FAILED] != 0:
        return DIVERGED
    body, seen = drone_body(plant), plant.seen
    p = body.p_W
    if not abs(p[0]) + abs(p[1]) + abs(p[2]) < 1e6:
        return DIVERGED
    seen[ROVER] = clearance(plant.ground, plant.body[ROVER], plant.rover_hull)
    seen[DRONE] = clearance(plant.ground, body, plant.drone_hull)  # standing on its deck is not being close
    if _collides(plant.field, body, plant.drone_hull):
        _find_hit(plant, plant.field, body, plant.drone_hull)
        return COLLISION_UAV
    if seen[ROVER] < 0.0:
        _find_hit(plant, plant.ground, plant.body[ROVER], plant.rover_hull)
        return COLLISION_UGV
    if plant.clock[1] > plant.limits[0]:
        return OVERLOAD
    if plant.drone[0].armed == 1 and near_rotor(plant, body, plant.disc, plant.limits[1]):
        return TANGLED_ROTOR
    if _turns(plant) > TURNS_MAX:
        return TANGLED_TURNS
    if plant.supply.shape[0] > 0 and plant.supply[0].down > plant.supply[0].hold_up:
        return POWER_LOST
    return _short(plant, body, dt)


@kernel
def _short(plant, body, dt):
    """Whether the tether has been taut for long with nothing left on the drum."""
    winch, seen = plant.winch[0], plant.seen
    state = M.open_state(plant.memory)
    a, b = state.x[0], state.x[state.number[M.COUNT]]
    apart = math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
    seen[2] = apart
    if winch.length_total - winch.length < 1e-3 and apart > TAUT * winch.length:
        seen[3] += dt
    else:
        seen[3] = 0.0
    return TOO_SHORT if seen[3] > SHORT_FOR else FLYING
