"""What ends a run, and how near things are: looked at once per tick."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.plant.rider import hide_riders, place_riders
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
def _find_hit(plant, body, hull):
    """Object that a hull is deepest in, and how deep, into plant.scratch."""
    least, who = 1e6, -1
    p, R = body.p_W, body.R_WB
    for k in range(hull.shape[0]):
        r = hull[k]
        d, _, _, _, other = nearest(
            plant.field,
            p[0] + R[0, 0] * r[0] + R[0, 1] * r[1] + R[0, 2] * r[2],
            p[1] + R[1, 0] * r[0] + R[1, 1] * r[1] + R[1, 2] * r[2],
            p[2] + R[2, 0] * r[0] + R[2, 1] * r[1] + R[2, 2] * r[2],
        )
        if d - r[3] < least:
            least, who = d - r[3], other
    plant.scratch[0].hit_depth, plant.scratch[0].hit_object = -least, who


@kernel
def near_rotor(memory, drone, body, close):
    """Whether a node of the tether is closer than that to a rotor disc of the drone [m]."""
    state = M.open_state(memory)
    p, R, centre, radius = body.p_W, body.R_WB, drone.rotor_B, drone.rotor_radius
    reach = 0.0
    for k in range(drone.rotor_count):
        d = centre[k]
        reach = max(reach, math.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2) + radius + close)
    for i in range(state.number[M.COUNT]):
        x = state.x[i]
        w0, w1, w2 = x[0] - p[0], x[1] - p[1], x[2] - p[2]
        if w0 * w0 + w1 * w1 + w2 * w2 > reach * reach:
            continue
        b0 = R[0, 0] * w0 + R[1, 0] * w1 + R[2, 0] * w2
        b1 = R[0, 1] * w0 + R[1, 1] * w1 + R[2, 1] * w2
        b2 = R[0, 2] * w0 + R[1, 2] * w1 + R[2, 2] * w2
        for k in range(drone.rotor_count):
            d = centre[k]
            across = max(math.sqrt((b0 - d[0]) ** 2 + (b1 - d[1]) ** 2) - radius, 0.0)
            if across * across + (b2 - d[2]) ** 2 < close * close:
                return True
    return False


@kernel
def _turns(memory):
    """Most turns of a tether round one object."""
    state = M.open_state(memory)
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
    """Why the run has to end, or FLYING; all clearances are found anew."""
    graph, part, hull = plant.graph, plant.part, plant.hull
    if plant.clock[0].failed != 0:
        return DIVERGED
    for b in range(graph.body.shape[0]):
        p = graph.body[b].p_W
        if not abs(p[0]) + abs(p[1]) + abs(p[2]) < 1e6:
            return DIVERGED
    for i in range(plant.rotorcraft.shape[0]):
        b = plant.rotorcraft[i].body
        if _collides(plant.field, graph.body[b], hull[part[b].first_sphere : part[b].last_sphere]):
            _find_clearances(plant)
            _find_hit(plant, graph.body[b], hull[part[b].first_sphere : part[b].last_sphere])
            return COLLISION_UAV
    _find_clearances(plant)
    for i in range(plant.rover.shape[0]):
        b = plant.rover[i].body
        if part[b].clearance < 0.0:
            hide_riders(graph, plant.field)
            _find_hit(plant, graph.body[b], hull[part[b].first_sphere : part[b].last_sphere])
            place_riders(graph, plant.field)
            return COLLISION_UGV
    for t in range(plant.line.shape[0]):
        if plant.line[t].tension_peak > plant.line[t].strength:
            return OVERLOAD
    code = _tangled(plant)
    if code != FLYING:
        return code
    for i in range(plant.supply.shape[0]):
        if plant.supply[i].down > plant.supply[i].hold_up:
            return POWER_LOST
    for i in range(plant.winch.shape[0]):
        if _short(plant, plant.winch[i], dt):
            return TOO_SHORT
    return FLYING


@kernel
def _find_clearances(plant):
    """Of all hulls, from the world alone: standing on a deck is not being close."""
    graph = plant.graph
    hide_riders(graph, plant.field)
    for b in range(graph.body.shape[0]):
        part = plant.part[b]
        hull = plant.hull[part.first_sphere : part.last_sphere]
        part.clearance = clearance(plant.field, graph.body[b], hull)
    place_riders(graph, plant.field)


@kernel
def _tangled(plant):
    """Whether a tether is at a rotor that turns, or round an object too often."""
    graph = plant.graph
    for t in range(plant.line.shape[0]):
        memory = M.memory_row(graph.memories, t)
        for i in range(plant.rotorcraft.shape[0]):
            drone = plant.rotorcraft[i]
            if drone.armed == 1 and near_rotor(
                memory, drone, graph.body[drone.body], plant.line[t].rotor_gap
            ):
                return TANGLED_ROTOR
    for t in range(plant.line.shape[0]):
        if _turns(M.memory_row(graph.memories, t)) > TURNS_MAX:
            return TANGLED_TURNS
    return FLYING


@kernel
def _short(plant, winch, dt):
    """Whether the tether of a winch has been taut for long with nothing left on the drum."""
    line = plant.line[winch.tether]
    if winch.length_total - winch.length < 1e-3 and line.distance > TAUT * winch.length:
        line.taut_for += dt
    else:
        line.taut_for = 0.0
    return line.taut_for > SHORT_FOR
