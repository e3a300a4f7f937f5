"""Contact as part of the chain's system: wrapped elements and touching nodes replace or join its terms."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.tether.capstan import wrap_forces
from tetherlab.tether.chain import LOWER, UPPER
from tetherlab.tether.model import COUNT, KIND_BASE, RIGID, open_model, open_state, open_work
from tetherlab.tether.wrap_fit import start_wrap
from tetherlab.world.body_contact import touch_body
from tetherlab.world.contact import touch
from tetherlab.world.segment import can_bend, closest_on_segment

# Of the tether's radius: how much closer elements may come than nodes. A node then rides over a bend at a
# small height, where the way round it has a bounded curvature.
WRAP_DEPTH = 0.15
# Share of an element next to its nodes on which it is not wrapped, since the node touches there: a radius of
# the tether, and not more, or a pole would fit in between.
AT_NODE_LEAST, AT_NODE_MOST = 0.004, 0.02


@kernel
def wrap_radius(model):
    """Distance from an obstacle at which elements bend [m]."""
    return (1.0 - WRAP_DEPTH) * model.radius


@kernel
def contact_stiffness(model, mass):
    """Of the normal and the friction spring [N/m] for a node of that mass.

    That of an element, at least 1e5, and enough to stop the mass from 10 m/s within 8 mm.
    """
    return max(1e5, model.axial_stiffness / model.element_length, 1.5e6 * mass)


@kernel
def chain_touches(state):
    """Whether a node or an element touches something or came off it slack: Newton's method then converges linearly."""
    for j in range(state.number[COUNT] + 1):
        if state.contact[j].active == 1 or state.wrap[j].active == 1 or state.wrap[j].loose == 1:
            return True
    return False


@kernel
def bend_elements(memory, field, h):
    """Overwrite force, tension and link of the elements that bend round something, or came off it slack.

    Returns False where an element is held on trial, so that this cannot be the solution yet.
    """
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    count = state.number[COUNT]
    half = 0.5 * h * h
    decided = True
    for j in range(count):
        wrap = state.wrap[j]
        wrap.bent, wrap.string = 0, 0
        if wrap.near == 0 and wrap.loose == 0:
            continue
        if wrap.active == 0 and (wrap.near == 0 or not _meets(memory, field, j, h)):
            if wrap.loose == 1:
                _hang_loose(memory, j, h)
            continue
        inflow = work.rest_next[j] - work.rest_start[j]
        if not wrap_forces(
            field, wrap, state.x, work.u, j, h, model.axial_stiffness, model.axial_damping,
            work.rest_next[j], inflow,
        ):  # fmt: skip
            _hang_loose(memory, j, h)
            continue
        if wrap.held == 1:
            decided = False
        wrap.bent, wrap.string = 1, 1
        T_a, T_b = wrap.tension_a, wrap.tension_b
        work.tension[j] = 0.5 * (T_a + T_b)
        link, force = work.link[j], work.force[j]
        link[UPPER] = link[LOWER] = 0.0
        for i in range(3):
            force[i] = T_a * wrap.pull_a[i]
            link[1 + i] = wrap.pull_a[i]
            link[4 + i] = -half * wrap.k_ab * wrap.pull_b[i]
            link[8 + i] = wrap.pull_b[i]
            link[11 + i] = -half * wrap.k_ba * wrap.pull_a[i]
    return decided


@kernel
def _meets(memory, field, j, h):
    """Whether the straight element j meets an obstacle at the iterate; then it is wrapped on it."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    wrap = state.wrap[j]
    x, u = state.x, work.u
    k = j + 1
    fastest = max(u[j, 0] ** 2 + u[j, 1] ** 2 + u[j, 2] ** 2, u[k, 0] ** 2 + u[k, 1] ** 2 + u[k, 2] ** 2)
    if h * math.sqrt(fastest) < wrap.room:
        return False
    close = wrap_radius(model)
    ax, ay, az = x[j, 0] + h * u[j, 0], x[j, 1] + h * u[j, 1], x[j, 2] + h * u[j, 2]
    bx, by, bz = x[k, 0] + h * u[k, 0], x[k, 1] + h * u[k, 1], x[k, 2] + h * u[k, 2]
    rest = work.rest_next[j]
    at_node = max(AT_NODE_LEAST, min(AT_NODE_MOST, model.radius / rest))
    for who in range(field.objects.shape[0]):
        if not can_bend(field, who):
            continue
        d, t = closest_on_segment(field, who, ax, ay, az, bx, by, bz, close)
        if d >= close or t < at_node or t > 1.0 - at_node:
            continue
        px, py, pz = ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az)
        if start_wrap(
            field, who, wrap, x, u, j, h, px, py, pz, close, model.friction, work.stretch[j], rest,
            work.offset_next[j],
        ):  # fmt: skip
            return True
    return False


@kernel
def _hang_loose(memory, j, h):
    """A straight element whose wrap opens in this step, or has opened slack: a string, which does not push.

    The spring acts as it stands at the end of the step, as in a wrap, so that nothing jumps between the two.
    """
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    x, u = state.x, work.u
    d0 = x[j + 1, 0] - x[j, 0] + h * (u[j + 1, 0] - u[j, 0])
    d1 = x[j + 1, 1] - x[j, 1] + h * (u[j + 1, 1] - u[j, 1])
    d2 = x[j + 1, 2] - x[j, 2] + h * (u[j + 1, 2] - u[j, 2])
    span = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2) + 1e-12
    n = (d0 / span, d1 / span, d2 / span)
    rest = work.rest_next[j]
    EA, c_h = model.axial_stiffness, model.axial_damping / h
    wrap = state.wrap[j]
    stretch = (span - wrap.ease) / rest if wrap.active == 1 and wrap.loose == 0 else span / rest
    T = EA * (stretch - 1.0) + c_h * (stretch - max(work.stretch[j], 1.0))
    half = 0.5 * h * h
    s, k = 0.0, 0.0
    if T > 0.0:
        s = half * T / span
        k = half * (EA + c_h) / rest - s
    else:
        T = 0.0
    state.wrap[j].string = 1
    link, force = work.link[j], work.force[j]
    work.tension[j] = T
    link[UPPER] = link[LOWER] = s
    for i in range(3):
        force[i] = T * n[i]
        link[1 + i] = link[8 + i] = n[i]
        link[4 + i] = link[11 + i] = k * n[i]


@kernel
def _turn_cosine(memory, i):
    """Cosine of the angle by which the tether turns at node i."""
    state = open_state(memory)
    count = state.number[COUNT]
    if i == 0 or i == count:
        return 1.0
    x = state.x
    a, b = state.wrap[i - 1], state.wrap[i]
    if a.bent == 1:
        p0, p1, p2 = -a.pull_b[0], -a.pull_b[1], -a.pull_b[2]
    else:
        p0, p1, p2 = x[i, 0] - x[i - 1, 0], x[i, 1] - x[i - 1, 1], x[i, 2] - x[i - 1, 2]
    if b.bent == 1:
        q0, q1, q2 = b.pull_a[0], b.pull_a[1], b.pull_a[2]
    else:
        q0, q1, q2 = x[i + 1, 0] - x[i, 0], x[i + 1, 1] - x[i, 1], x[i + 1, 2] - x[i, 2]
    size = (p0 * p0 + p1 * p1 + p2 * p2) * (q0 * q0 + q1 * q1 + q2 * q2)
    return (p0 * q0 + p1 * q1 + p2 * q2) / math.sqrt(size + 1e-300)


@kernel
def touch_nodes(memory, field, h):
    """Contact forces of all nodes and bodies at the iterate; a node that touches turns to backward Euler."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    count = state.number[COUNT]
    x, u = state.x, work.u
    for i in range(count + 1):
        contact = state.contact[i]
        if contact.near == 0:
            continue
        radius = model.radius
        if i == 0:
            radius = max(radius, state.end_radius[0])
        elif i == count:
            radius = max(radius, state.end_radius[1])
        if touch(
            field, contact, x[i, 0], x[i, 1], x[i, 2], u[i, 0], u[i, 1], u[i, 2], h,
            radius, contact_stiffness(model, work.mass[i]), model.friction, _turn_cosine(memory, i),
        ):  # fmt: skip
            work.inertia[i] = 0.5 * work.mass[i]
    for end in range(2):
        if state.number[KIND_BASE + end] == RIGID:
            body = state.body[end]
            if touch_body(field, body, state.body_contact[end], h):
                body.implicit = 1.0
                work.inertia[end * count] = 0.5 * work.mass[end * count]


@kernel
def add_contacts(memory, h):
    """Put wraps and contacts of nodes into the assembled system."""
    state, work = open_state(memory), open_work(memory)
    count = state.number[COUNT]
    b, half = 0.5 * h, 0.5 * h * h
    for j in range(count):
        wrap = state.wrap[j]
        if wrap.bent == 0:
            continue
        link = work.link[j]
        A, B = work.diagonal[j], work.diagonal[j + 1]
        rhs = work.rhs[j + 1]
        p, q = wrap.pull_a, wrap.pull_b
        s_a = half * max(wrap.tension_a, 0.0) / max(wrap.leg_a, 1e-3)
        s_b = half * max(wrap.tension_b, 0.0) / max(wrap.leg_b, 1e-3)
        k_a, k_b = half * wrap.k_aa - s_a, half * wrap.k_bb - s_b
        for i in range(3):
            rhs[i] += b * (wrap.tension_b * q[i] + wrap.tension_a * p[i])
            A[4 * i] += s_a
            B[4 * i] += s_b
            for k in range(3):
                # Take out what `assemble` made of the off-diagonal coupling, put in the true diagonal.
                A[3 * i + k] += k_a * p[i] * p[k] - link[1 + i] * link[4 + k]
                B[3 * i + k] += k_b * q[i] * q[k] - link[8 + i] * link[11 + k]
    for i in range(count + 1):
        contact = state.contact[i]
        if contact.near == 1 and contact.normal_force > 0.0:
            for k in range(3):
                work.rhs[i, k] += b * contact.force_W[k]
            for k in range(9):
                work.diagonal[i, k] += half * contact.stiffness[k]
