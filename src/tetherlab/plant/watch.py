"""What ends a run, and how near things are: looked at once per tick.

Robots must not touch the world or other bodies with their hulls; bodies that are no robots touch what they
like. What rides on a body is part of it. What ended the run, `watch` notes in `plant.scratch`.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.plant.rider import FAR, hide_riders, place_riders, show_ride
from tetherlab.tether import model as M
from tetherlab.vehicles.winch import HOLD, SPEED
from tetherlab.world.ask import distance, nearest

# codes, in the order in which they are looked for; names and sentences are in contracts/outcome.py
FLYING, DIVERGED, COLLISION, OVERLOAD, TANGLED_ROTOR, TANGLED_TURNS, TOO_SHORT, POWER_LOST = range(8)

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
def _reach(hull):
    """Farthest point of a hull from the centre of mass of its body [m]."""
    reach = 0.0
    for k in range(hull.shape[0]):
        r = hull[k]
        reach = max(reach, math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) + r[3])
    return reach


@kernel
def _collides(field, body, hull):
    """Whether a sphere of a hull is inside the world; one distance tells that all are far away."""
    p = body.p_W
    return distance(field, p[0], p[1], p[2]) < _reach(hull) and clearance(field, body, hull) < 0.0


@kernel
def _find_hit(plant, b, hull):
    """Note the object that the hull of body b is deepest in, and how deep."""
    least, who, body = 1e6, -1, plant.graph.body[b]
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
    _note_hit(plant, b, -least, who, -1)


@kernel
def _note_hit(plant, b, depth, who, other):
    seen = plant.scratch[0]
    seen.body, seen.hit_depth, seen.hit_object, seen.hit_body = b, depth, who, other


@kernel
def near_rotor(memory, drone, body, close, start_tied, end_tied):
    """Whether a node of the tether, but for tied ends, is closer than that to a rotor of the drone [m]."""
    state = M.open_state(memory)
    p, R, centre, radius = body.p_W, body.R_WB, drone.rotor_B, drone.rotor_radius
    reach = 0.0
    for k in range(drone.rotor_count):
        d = centre[k]
        reach = max(reach, math.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2) + radius + close)
    count = state.number[M.COUNT]
    for i in range(1 if start_tied else 0, count if end_tied else count + 1):
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
    """Most turns of a tether round one object, and which that is."""
    state = M.open_state(memory)
    count = state.number[M.COUNT]
    most, who = 0.0, -1
    for first in range(count):
        if state.wrap[first].active == 1:
            other, angle = state.wrap[first].object, 0.0
            for j in range(first, count):
                if state.wrap[j].active == 1 and state.wrap[j].object == other:
                    angle += state.wrap[j].angle
            if angle > most:
                most, who = angle, other
    return most / (2.0 * math.pi), who


@kernel
def watch(plant, command, dt):
    """Why the run has to end, or FLYING; all clearances are found anew."""
    graph, seen = plant.graph, plant.scratch[0]
    if plant.clock[0].failed != 0:
        return DIVERGED
    for b in range(graph.body.shape[0]):
        p = graph.body[b].p_W
        if not abs(p[0]) + abs(p[1]) + abs(p[2]) < 1e6:
            seen.body = b
            return DIVERGED
    _find_clearances(plant)
    for i in range(plant.rotorcraft.shape[0]):
        if _hits(plant, plant.rotorcraft[i].body):
            return COLLISION
    for i in range(plant.rover.shape[0]):
        b = plant.rover[i].body
        if plant.part[b].robot == 1 and _hits(plant, b):
            return COLLISION
    for t in range(plant.line.shape[0]):
        if plant.line[t].tension_peak > plant.line[t].strength:
            seen.tether = t
            return OVERLOAD
    code = _tangled(plant)
    if code != FLYING:
        return code
    for i in range(plant.supply.shape[0]):
        if plant.supply[i].down > plant.supply[i].hold_up:
            return POWER_LOST
    for i in range(plant.winch.shape[0]):
        if _short(plant, plant.winch[i], command.reel[i], dt) and not _hangs(plant, plant.winch[i].tether):
            seen.tether = plant.winch[i].tether
            return TOO_SHORT
    return FLYING


@kernel
def _find_clearances(plant):
    """Of the hulls of all robots, from the world alone: standing on a deck is not being close."""
    graph = plant.graph
    hide_riders(graph, plant.field)
    for b in range(graph.body.shape[0]):
        part = plant.part[b]
        if part.robot > 0:
            hull = plant.hull[part.first_sphere : part.last_sphere]
            part.clearance = clearance(plant.field, graph.body[b], hull)
    place_riders(graph, plant.field)


@kernel
def _hits(plant, b):
    """Whether the hull of robot b is inside the world or another body, which is noted."""
    graph, field, part = plant.graph, plant.field, plant.part[b]
    hull = plant.hull[part.first_sphere : part.last_sphere]
    hidden = 0
    for e in range(graph.ride.shape[0]):
        if plant.part[graph.ride[e].body].group == part.group:
            field.pose[graph.ride[e].object, 9] = FAR
            hidden += 1
    hit = _collides(field, graph.body[b], hull)
    if hit:
        _find_hit(plant, b, hull)
    for e in range(graph.ride.shape[0] if hidden > 0 else 0):
        show_ride(graph.ride[e], field)
    return hit or _hits_body(plant, b, hull)


@kernel
def _hits_body(plant, b, hull):
    """Whether a hull is inside the spheres of a body that has no shape, which is noted."""
    graph, own = plant.graph, plant.part[b]
    for c in range(graph.body.shape[0]):
        other = plant.part[c]
        if other.group == own.group or other.first_sphere == other.last_sphere or _has_shape(graph, c):
            continue
        spheres = plant.hull[other.first_sphere : other.last_sphere]
        p, q, square = graph.body[b].p_W, graph.body[c].p_W, 0.0
        for k in range(3):
            square += (p[k] - q[k]) ** 2
        if math.sqrt(square) > _reach(hull) + _reach(spheres):
            continue
        deepest = 0.0
        for i in range(hull.shape[0]):
            for k in range(spheres.shape[0]):
                deepest = max(deepest, _overlap(graph.body[b], hull[i], graph.body[c], spheres[k]))
        if deepest > 0.0:
            _note_hit(plant, b, deepest, -1, c)
            return True
    return False


@kernel
def _has_shape(graph, b):
    """Whether something rides on a body, which is then what others hit."""
    found = False
    for e in range(graph.ride.shape[0]):
        found = found or graph.ride[e].body == b
    return found


@kernel
def _overlap(a, r, c, s):
    """How deep sphere r of body a is in sphere s of body c [m]."""
    square = 0.0
    for k in range(3):
        d = a.p_W[k] + a.R_WB[k, 0] * r[0] + a.R_WB[k, 1] * r[1] + a.R_WB[k, 2] * r[2]
        d -= c.p_W[k] + c.R_WB[k, 0] * s[0] + c.R_WB[k, 1] * s[1] + c.R_WB[k, 2] * s[2]
        square += d * d
    return r[3] + s[3] - math.sqrt(square)


@kernel
def _tangled(plant):
    """Whether a tether is at a rotor that turns, or one that a robot holds is round an object too often."""
    graph, seen = plant.graph, plant.scratch[0]
    for t in range(plant.line.shape[0]):
        memory, base, end = M.memory_row(graph.memories, t), graph.tie[t, 0].body, graph.tie[t, 1].body
        for i in range(plant.rotorcraft.shape[0]):
            drone = plant.rotorcraft[i]
            b = drone.body
            if drone.armed == 1 and near_rotor(
                memory, drone, graph.body[b], plant.line[t].rotor_gap, base == b, end == b
            ):
                seen.tether, seen.body = t, b
                return TANGLED_ROTOR
    for t in range(plant.line.shape[0]):
        if _is_robot(plant, graph.tie[t, 0].body) or _is_robot(plant, graph.tie[t, 1].body):
            turns, who = _turns(M.memory_row(graph.memories, t))
            if turns > TURNS_MAX:
                seen.tether, seen.hit_object = t, who
                return TANGLED_TURNS
    return FLYING


@kernel
def _is_robot(plant, b):
    """Whether a body is one; -1: there is none."""
    return b >= 0 and plant.part[b].robot > 0


@kernel
def _short(plant, winch, command, dt):
    """Whether a winch would give more, has nothing left, and its tether has been taut for long."""
    line = plant.line[winch.tether]
    wants = command.mode != HOLD and (command.mode != SPEED or command.wanted > 0.0)
    if wants and winch.length_total - winch.length < 1e-3 and line.distance > TAUT * winch.length:
        line.taut_for += dt
    else:
        line.taut_for = 0.0
    return line.taut_for > SHORT_FOR


@kernel
def _hangs(plant, t):
    """Whether a robot hangs on tether t, so that it is taut in any case."""
    found = False
    for i in range(plant.hanging.shape[0]):
        found = found or plant.hanging[i].tether == t
    return found
