"""Tethers on what rides on bodies: the body feels what its riders do to nodes and wraps, in the same step.

Whatever a rider of body c does to node i, a force f_i by contact or by the leg of a wrap, c gets as -f_i at
the same point. Nodes and bodies that touch take backward Euler steps, whose angular momentum counts where the
step starts; for all others it counts half way. The arms of f_i on c are taken accordingly.
"""

import math

from tetherlab.math.kernel import kernel, njit
from tetherlab.plant.pair_contact import LEAVE
from tetherlab.plant.rider import FAR, show_ride, turning
from tetherlab.plant.tied_body import push_body
from tetherlab.plant.winch_feed import kick_body
from tetherlab.tether.accept import settle_debt
from tetherlab.tether.model import (
    CARRIED,
    COUNT,
    DISSIPATED,
    KIND_BASE,
    WORK,
    memory_row,
    open_state,
    open_work,
    touches,
)
from tetherlab.world.ask import distance_within
from tetherlab.world.field import velocity_at

DRAPE_REACH = 0.03  # distance at which a tether is solved together with what a body carries [m]

KICK_LEAST = 1e-15  # less is rounding [N s], [N m s]


@kernel
def show_to_tether(graph, field, t):
    """Put those riders in place that tether t may touch; whether there are any."""
    found = False
    for e in range(graph.ride.shape[0]):
        if graph.drapes[t, graph.ride[e].body] == 1:
            show_ride(graph.ride[e], field)
            found = True
    return found


@kernel
def seen_from_rider(graph, field, t):
    """Speed of the fastest obstacle as the first rider that tether t may touch sees it; its velocity, (4,).

    What rides along on a body hardly moves against it, however fast both are.
    """
    d0, d1, d2 = 0.0, 0.0, 0.0
    for e in range(graph.ride.shape[0] - 1, -1, -1):
        ride = graph.ride[e]
        if graph.drapes[t, ride.body] == 1:
            d0, d1, d2 = ride.twist_W[0], ride.twist_W[1], ride.twist_W[2]
    fastest = 0.0
    for i in range(field.objects.shape[0]):
        w0, w1, w2, turns = 0.0, 0.0, 0.0, 0.0
        if field.objects[i, 1] == 1:
            if field.pose[i, 9] == FAR:
                continue
            w, c = field.twist[i], field.bounds[i]
            w0, w1, w2 = w[0], w[1], w[2]
            turns = math.sqrt(w[3] ** 2 + w[4] ** 2 + w[5] ** 2)
            if turns > 0.0:
                turns *= math.sqrt(c[0] ** 2 + c[1] ** 2 + c[2] ** 2) + c[3]
        speed = math.sqrt((w0 - d0) ** 2 + (w1 - d1) ** 2 + (w2 - d2) ** 2)
        fastest = max(fastest, speed + turns)
    return fastest, d0, d1, d2


@kernel
def shield_ends(graph, t, state):
    """An end node that is tied to a body with riders touches nothing itself: the body does."""
    for e in range(graph.ride.shape[0]):
        for end in range(2):
            if graph.tie[t, end].body == graph.ride[e].body:
                contact = state.contact[end * state.number[COUNT]]
                contact.near = contact.active = contact.touching = 0
                contact.stored = 0.0


@kernel
def carrier_of_node(graph, contact):
    """The body that carries what a node touches, -1: none."""
    return graph.rider[contact.object] if contact.active == 1 and contact.near == 1 else -1


@kernel
def carrier_of_wrap(graph, wrap):
    """The body that carries what an element bends round at the iterate, -1: none."""
    return graph.rider[wrap.object] if wrap.active == 1 and wrap.bent == 1 else -1


@kernel
def ease_under_tether(graph, t, state):
    """Bodies whose riders a node touches take a backward Euler step."""
    if graph.ride.shape[0] == 0:
        return
    for i in range(state.number[COUNT] + 1):
        c = carrier_of_node(graph, state.contact[i])
        if c >= 0:
            graph.body[c].implicit = 1.0


@kernel
def node_arm(body, state, work, i, h):
    """Where body c feels what its riders do to node i: arm from its centre of mass, (3,)."""
    x, u, p, w = state.x[i], work.u[i], body.p_W, body.u
    tied = (i == 0 and state.number[KIND_BASE] == CARRIED) or (
        i == state.number[COUNT] and state.number[KIND_BASE + 1] == CARRIED
    )
    half = 0.0 if touches(work, i) and body.implicit > 0.5 and not tied else 0.5 * h
    return (
        x[0] - p[0] + half * (u[0] - w[0]),
        x[1] - p[1] + half * (u[1] - w[1]),
        x[2] - p[2] + half * (u[2] - w[2]),
    )


@kernel
def push_under_tether(graph, t, h):
    """What tether t pushes the carriers with at the iterate joins their loads."""
    if graph.ride.shape[0] == 0:
        return
    memory = memory_row(graph.memories, t)
    state, work = open_state(memory), open_work(memory)
    count = state.number[COUNT]
    for i in range(count + 1):
        c = carrier_of_node(graph, state.contact[i])
        if c >= 0:
            f = state.contact[i].force_W
            push_body(graph.load[c], node_arm(graph.body[c], state, work, i, h), -f[0], -f[1], -f[2])
    for j in range(count):
        wrap = state.wrap[j]
        c = carrier_of_wrap(graph, wrap)
        if c >= 0:
            body, load, p, q = graph.body[c], graph.load[c], wrap.pull_a, wrap.pull_b
            T = -wrap.tension_a
            push_body(load, node_arm(body, state, work, j, h), T * p[0], T * p[1], T * p[2])
            T = -wrap.tension_b
            push_body(load, node_arm(body, state, work, j + 1, h), T * q[0], T * q[1], T * q[2])


@kernel
def _power(body, r, f, scale):
    """Of a force at an arm of a body, at the iterate [W]."""
    u = body.u
    return scale * (
        f[0] * (u[0] + u[4] * r[2] - u[5] * r[1])
        + f[1] * (u[1] + u[5] * r[0] - u[3] * r[2])
        + f[2] * (u[2] + u[3] * r[1] - u[4] * r[0])
    )


@kernel
def drape_books(graph, field, t, h):
    """Work of carriers on tether t within the step, and by how much that of the field is less [J]."""
    inner, outer = 0.0, 0.0
    if graph.ride.shape[0] == 0:
        return inner, 0.0
    memory = memory_row(graph.memories, t)
    state, work = open_state(memory), open_work(memory)
    count = state.number[COUNT]
    for i in range(count + 1):
        contact = state.contact[i]
        c = carrier_of_node(graph, contact)
        if c >= 0:
            f, x = contact.force_W, state.x[i]
            inner += h * _power(graph.body[c], node_arm(graph.body[c], state, work, i, h), f, 1.0)
            v0, v1, v2 = velocity_at(field, contact.object, x[0], x[1], x[2])
            outer += h * (f[0] * v0 + f[1] * v1 + f[2] * v2)
    for j in range(count):
        wrap = state.wrap[j]
        c = carrier_of_wrap(graph, wrap)
        if c >= 0:
            body, p, q, x = graph.body[c], wrap.pull_a, wrap.pull_b, wrap.point_W
            T_a, T_b = wrap.tension_a, wrap.tension_b
            inner += h * _power(body, node_arm(body, state, work, j, h), p, T_a)
            inner += h * _power(body, node_arm(body, state, work, j + 1, h), q, T_b)
            v0, v1, v2 = velocity_at(field, wrap.object, x[0], x[1], x[2])
            outer += h * (T_a * p[0] + T_b * q[0]) * v0
            outer += h * (T_a * p[1] + T_b * q[1]) * v1
            outer += h * (T_a * p[2] + T_b * q[2]) * v2
    return inner, inner - outer


@kernel
def book_drape(graph, field, t, h):
    """Before the solution of tether t becomes its state: loads of the carriers, and what is no outer work."""
    state = open_state(memory_row(graph.memories, t))
    push_under_tether(graph, t, h)
    inner, more = drape_books(graph, field, t, h)
    state.total[WORK] += more - inner
    state.total[DISSIPATED] += more


@kernel
def settle_drape(graph, field, t, h):
    """Let nodes pay for energy that contact has gained; what they push the riders with then is a kick."""
    memory = memory_row(graph.memories, t)
    reaction = open_state(memory).reaction
    for turn in range(2):
        for e in range(graph.ride.shape[0]):
            ride = graph.ride[e]
            for k in range(6):
                ride.kick[k] += reaction[ride.object, k] if turn == 1 else -reaction[ride.object, k]
        if turn == 0:
            settle_debt(memory, field, h, True, True)


@kernel
def clear_kicks(graph):
    """No rider has got anything yet."""
    for e in range(graph.ride.shape[0]):
        for k in range(6):
            graph.ride[e].kick[k] = 0.0


@kernel
def kick_carriers(graph, n):
    """Carriers, which have moved on, get what their riders got beside the forces of contact."""
    for e in range(graph.ride.shape[0]):
        ride = graph.ride[e]
        size = 0.0
        for k in range(6):
            size = max(size, abs(ride.kick[k]))
        if size > KICK_LEAST:
            kick_body(graph, n, ride.body, ride.kick)


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def find_near_tethers(memories, body, ride, field, dt, drapes):
    """Update which tethers may touch riders of whom within dt, drapes (tethers, bodies); True if changed.

    What is -1 in `drapes` never touches, and stays so.
    """
    changed = False
    for t in range(drapes.shape[0]):
        memory = memory_row(memories, t)
        for c in range(body.shape[0]):
            if drapes[t, c] < 0:
                continue
            now = 0
            for e in range(ride.shape[0]):
                if ride[e].body == c and now == 0:
                    times = LEAVE if drapes[t, c] == 1 else 1.0
                    now = 1 if _comes_near(memory, body[c], field, ride[e].object, dt, times) else 0
            if now != drapes[t, c]:
                drapes[t, c] = now
                changed = True
                state = open_state(memory)
                for i in range(state.number[COUNT] + 1):
                    # There is more to touch than what was measured.
                    state.contact[i].clearance = 0.0
                    state.wrap[i].measured = 0
    return changed


@kernel
def _comes_near(memory, body, field, who, dt, times):
    """Whether an element comes within reach of an object that rides on a body.

    A distance changes by no more than the way between two points: at both ends and the middle of an element
    it tells the least of all its points within a quarter of its length.
    """
    state, ball, w = open_state(memory), field.bounds[who], body.v_W
    far = math.sqrt(ball[0] * ball[0] + ball[1] * ball[1] + ball[2] * ball[2]) + ball[3]
    turns = far * turning(body)
    before = 0.0
    for j in range(state.number[COUNT] + 1):
        x, v = state.x[j], state.v[j]
        v0, v1, v2 = v[0] - w[0], v[1] - w[1], v[2] - w[2]
        reach = times * (DRAPE_REACH + 2.0 * dt * (math.sqrt(v0 * v0 + v1 * v1 + v2 * v2) + turns))
        gap = _gap(field, who, ball, body, x[0], x[1], x[2])
        if gap < reach:
            return True
        if j > 0:
            y = state.x[j - 1]
            d0, d1, d2 = x[0] - y[0], x[1] - y[1], x[2] - y[2]
            quarter = 0.25 * math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
            if min(gap, before) - 2.0 * quarter < reach:
                middle = _gap(field, who, ball, body, y[0] + 0.5 * d0, y[1] + 0.5 * d1, y[2] + 0.5 * d2)
                if min(gap, before, middle) - quarter < reach:
                    return True
        before = gap
    return False


@kernel
def _gap(field, who, ball, body, x, y, z):
    """Distance of a point of the world from an object that rides on a body [m]; at least that, if far."""
    R, p = body.R_WB, body.p_W
    d0, d1, d2 = x - p[0], y - p[1], z - p[2]
    u = R[0, 0] * d0 + R[1, 0] * d1 + R[2, 0] * d2
    v = R[0, 1] * d0 + R[1, 1] * d1 + R[2, 1] * d2
    w = R[0, 2] * d0 + R[1, 2] * d1 + R[2, 2] * d2
    away = math.sqrt((u - ball[0]) ** 2 + (v - ball[1]) ** 2 + (w - ball[2]) ** 2) - ball[3]
    return away if away > 1.0 else distance_within(field, who, u, v, w)
