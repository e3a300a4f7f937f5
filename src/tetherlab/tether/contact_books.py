"""Energy in contact: what obstacles and friction take, and the rule that contact never gives.

A contact with a curved obstacle is not convex, so a step of any length may gain a little energy, and so may a
wrap that is fitted anew or cut by a new node. What is gained becomes a debt, and the nodes near the obstacle
pay it with their motion relative to it, as in an impact that is slightly less elastic.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import body_kinetic_energy
from tetherlab.tether.capstan import taut_energy, wrap_energy
from tetherlab.tether.model import (
    COUNT,
    DEBT,
    DISSIPATED,
    FREE,
    KIND_BASE,
    RIGID,
    WORK,
    open_model,
    open_state,
    open_work,
)
from tetherlab.world.ask import nearest
from tetherlab.world.body_contact import body_point
from tetherlab.world.field import velocity_at

LARGEST_SHARE = 0.5  # of the kinetic energy near the obstacle that one step may take
FORGIVEN_IN = 0.02  # a debt that finds no motion to pay it fades in this time, lest it freeze the contact [s]


@kernel
def _start_energy(memory, j):
    """Elastic energy, at the start of the step, of an element that is handled as a string in it [J]."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    wrap, EA, rest = state.wrap[j], model.axial_stiffness, work.rest_start[j]
    if wrap.active == 1 and wrap.began == 1:
        return wrap_energy(wrap, EA, rest)
    if wrap.loose == 1:
        return taut_energy(EA, rest, work.stretch[j])
    return 0.5 * EA * rest * (work.stretch[j] - 1.0) ** 2


@kernel
def end_stretch(memory, j, h):
    """Chord of an element at the end of the step over its unstretched length."""
    state, work = open_state(memory), open_work(memory)
    x, u = state.x, work.u
    square = 0.0
    for k in range(3):
        square += (x[j + 1, k] - x[j, k] + h * (u[j + 1, k] - u[j, k])) ** 2
    return math.sqrt(square) / work.rest_next[j]


@kernel
def contact_books(memory, field, h):
    """(Work of obstacles, work of the winch, energy lost) of all that touches, within the step [J]."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    count = state.number[COUNT]
    u = work.u
    work_done, wound, lost = 0.0, 0.0, 0.0
    EA = model.axial_stiffness
    for j in range(count):
        wrap = state.wrap[j]
        if wrap.string == 0:
            continue
        rest = work.rest_next[j]
        to_nodes, outside = 0.0, 0.0
        if wrap.bent == 1:
            stored = taut_energy(EA, wrap.rest_a_next, wrap.stretch_a_next)
            stored += taut_energy(EA, rest - wrap.rest_a_next, wrap.stretch_b_next)
            stretch = wrap.stretch_a_next
            p = wrap.point_W
            velocity = velocity_at(field, wrap.object, p[0], p[1], p[2])
            for k in range(3):
                f_a, f_b = wrap.tension_a * wrap.pull_a[k], wrap.tension_b * wrap.pull_b[k]
                to_nodes += h * (f_a * u[j, k] + f_b * u[j + 1, k])
                outside += h * (f_a + f_b) * velocity[k]
        else:
            stretch = end_stretch(memory, j, h)
            if wrap.active == 1 and wrap.loose == 0:
                stretch -= wrap.ease / rest  # it opens in this step
            stored = taut_energy(EA, rest, stretch)
            for k in range(3):
                to_nodes += h * work.force[j, k] * (u[j, k] - u[j + 1, k])
        # The winch: unstretched length comes in at the stretch of the base side.
        entered = -0.5 * EA * max(stretch * stretch - 1.0, 0.0) * (rest - work.rest_start[j])
        work_done += outside
        wound += entered
        lost += outside + entered - to_nodes - (stored - _start_energy(memory, j))
    for i in range(count + 1):
        if state.contact[i].active == 1:
            x = state.x[i]
            given, taken = _of_contact(
                field, state.contact[i], h, x[0], x[1], x[2], u[i, 0], u[i, 1], u[i, 2]
            )
            work_done += given
            lost += taken
    for end in range(2):
        if state.number[KIND_BASE + end] == RIGID:
            given, taken = body_contact_books(field, state.body[end], state.body_contact[end], h)
            work_done += given
            lost += taken
    return work_done, wound, lost


@kernel
def body_contact_books(field, body, contacts, h):
    """(Work of obstacles and of drives, energy lost) of the spheres of a body within the step [J]."""
    work_done, lost = 0.0, 0.0
    for k in range(body.point_count):
        if contacts[k].active == 1:
            x0, x1, x2, u0, u1, u2 = body_point(body, contacts[k], k)
            given, taken = _of_contact(field, contacts[k], h, x0, x1, x2, u0, u1, u2)
            work_done += given
            lost += taken
    return work_done, lost


@kernel
def _of_contact(field, contact, h, x, y, z, ux, uy, uz):
    """(Work of the obstacle and of a wheel's drive, energy lost) of a sphere at x that moves with u [J]."""
    f, roll = contact.force_W, contact.roll_W
    vx, vy, vz = velocity_at(field, contact.object, x, y, z)
    given = h * (f[0] * (vx + roll[0]) + f[1] * (vy + roll[1]) + f[2] * (vz + roll[2]))
    return given, given - h * (f[0] * ux + f[1] * uy + f[2] * uz) - (contact.stored_next - contact.stored)


@kernel
def _push_object(reactions, field, who, px, py, pz, i0, i1, i2):
    """An impulse on object `who` at p, and its moment about the object's origin."""
    reaction, pose = reactions[who], field.pose[who]
    rx, ry, rz = px - pose[9], py - pose[10], pz - pose[11]
    reaction[0] += i0
    reaction[1] += i1
    reaction[2] += i2
    reaction[3] += ry * i2 - rz * i1
    reaction[4] += rz * i0 - rx * i2
    reaction[5] += rx * i1 - ry * i0


@kernel
def add_reactions(memory, field, h):
    """Sum up what obstacles feel in this step."""
    state, work = open_state(memory), open_work(memory)
    count = state.number[COUNT]
    x, u = state.x, work.u
    for j in range(count):
        wrap = state.wrap[j]
        if wrap.bent == 1:
            T_a, T_b, a, b, p = (
                -h * wrap.tension_a,
                -h * wrap.tension_b,
                wrap.pull_a,
                wrap.pull_b,
                wrap.point_W,
            )
            _push_object(
                state.reaction, field, wrap.object, p[0], p[1], p[2],
                T_a * a[0] + T_b * b[0], T_a * a[1] + T_b * b[1], T_a * a[2] + T_b * b[2],
            )  # fmt: skip
    for i in range(count + 1):
        contact = state.contact[i]
        if contact.active == 1:
            f = contact.force_W
            p0, p1, p2 = x[i, 0] + h * u[i, 0], x[i, 1] + h * u[i, 1], x[i, 2] + h * u[i, 2]
            _push_object(state.reaction, field, contact.object, p0, p1, p2, -h * f[0], -h * f[1], -h * f[2])
    for end in range(2):
        if state.number[KIND_BASE + end] == RIGID:
            add_body_reactions(state.reaction, field, state.body[end], state.body_contact[end], h)


@kernel
def add_body_reactions(reaction, field, body, contacts, h):
    """Add what obstacles feel of the spheres of a body in this step."""
    for k in range(body.point_count):
        if contacts[k].active == 1:
            f = contacts[k].force_W
            x0, x1, x2, u0, u1, u2 = body_point(body, contacts[k], k)
            p0, p1, p2 = x0 + h * u0, x1 + h * u1, x2 + h * u2
            _push_object(reaction, field, contacts[k].object, p0, p1, p2, -h * f[0], -h * f[1], -h * f[2])


@kernel
def obstacle_at(memory, i):
    """The obstacle that node i has to do with: its number, -1 if it is only near one, -2 if it is not."""
    state = open_state(memory)
    if state.contact[i].active == 1:
        return state.contact[i].object
    found = -1 if state.contact[i].near == 1 else -2
    for j in range(max(i - 1, 0), min(i + 1, state.number[COUNT])):
        wrap = state.wrap[j]
        if wrap.active == 1:
            return wrap.object
        if wrap.near == 1 or wrap.loose == 1:
            found = -1
    return found


@kernel
def _touched_by(body, contacts):
    """The obstacle that a body touches, -2: none."""
    for k in range(body.point_count):
        if contacts[k].active == 1:
            return contacts[k].object
    return -2


@kernel
def _brake(state, field, who, x, v, mass, slower):
    """Slow a mass down against an obstacle (-1: one at rest) by that share; its kinetic energy before [J]."""
    w0, w1, w2 = 0.0, 0.0, 0.0
    if who >= 0:
        w0, w1, w2 = velocity_at(field, who, x[0], x[1], x[2])
    d0, d1, d2 = v[0] - w0, v[1] - w1, v[2] - w2
    if slower > 0.0:
        v[0] -= slower * d0
        v[1] -= slower * d1
        v[2] -= slower * d2
        m = slower * mass
        if who >= 0:
            _push_object(state.reaction, field, who, x[0], x[1], x[2], m * d0, m * d1, m * d2)
        state.total[WORK] -= m * (d0 * w0 + d1 * w1 + d2 * w2)
    return 0.5 * mass * (d0 * d0 + d1 * d1 + d2 * d2)


@kernel
def _paid_against(memory, field, i, ask):
    """The obstacle against which node i is braked, -1: one at rest, -2: it is not. ask: see `pay_debt`."""
    who, x = obstacle_at(memory, i), open_state(memory).x[i]
    if who == -1 and ask:
        _, _, _, _, who = nearest(field, x[0], x[1], x[2])
    return who


@kernel
def _against(memory, field, i, ask):
    """Velocity of node i against the obstacle it has to do with, zero if there is none [m/s]."""
    state = open_state(memory)
    who, x, v = _paid_against(memory, field, i, ask), state.x[i], state.v[i]
    if who == -2:
        return 0.0, 0.0, 0.0
    w0, w1, w2 = 0.0, 0.0, 0.0
    if who >= 0:
        w0, w1, w2 = velocity_at(field, who, x[0], x[1], x[2])
    return v[0] - w0, v[1] - w1, v[2] - w2


@kernel
def _shared_in_braking(memory, field, first, last, ask):
    """Sums q D.(v[j+1] - v[j]) / 2 and q D^2 / 2 over the elements, q their shared mass (`mass.py`) [J].

    D: by which v[j+1] - v[j] falls if the nodes first..last stop at their obstacles.
    """
    state = open_state(memory)
    v, linear, square = state.v, 0.0, 0.0
    n0, n1, n2 = 0.0, 0.0, 0.0
    for i in range(first, last + 1):
        m0, m1, m2 = n0, n1, n2
        n0, n1, n2 = _against(memory, field, i, ask)
        if i == 0:
            continue
        j, half = i - 1, 0.5 * state.shared[i - 1]
        D = (n0 - m0, n1 - m1, n2 - m2)
        for k in range(3):
            linear += half * D[k] * (v[i, k] - v[j, k])
            square += half * D[k] * D[k]
    return linear, square


@kernel
def pay_debt(memory, field, h, ask):
    """Take what contact has gained from the motion of the nodes near it and of bodies that touch.

    ask: nodes that touch nothing pay with their motion relative to what is nearest, which may move.
    """
    state, work = open_state(memory), open_work(memory)
    owed = state.total[DEBT]
    if owed <= 0.0:
        return
    count = state.number[COUNT]
    first = 0 if state.number[KIND_BASE] == FREE else 1
    last = count if state.number[KIND_BASE + 1] == FREE else count - 1
    x, v = state.x, state.v
    available, slower = 0.0, 0.0
    for act in range(2):
        if act == 1:
            # Slower by a share s, the nodes lose 2 P s - Q s^2: what is shared between them gains.
            linear, square = _shared_in_braking(memory, field, first, last, ask)
            P, Q = available + linear, available + square
            taken = min(owed, LARGEST_SHARE * P * min(1.0, P / Q)) if min(P, Q) > 0.0 else 0.0
            state.total[DEBT] = (owed - taken) * max(0.0, 1.0 - h / FORGIVEN_IN)
            if taken <= 0.0:
                return
            state.total[DISSIPATED] += taken
            slower = (P - math.sqrt(P * P - Q * taken)) / Q
        for i in range(first, last + 1):
            who = _paid_against(memory, field, i, ask)
            if who != -2:
                available += _brake(state, field, who, x[i], v[i], work.mass[i], slower)
        for end in range(2):
            if state.number[KIND_BASE + end] == RIGID:
                body, i = state.body[end], end * count
                who = _touched_by(body, state.body_contact[end])
                if who != -2:
                    # Its turning and the node that is tied to it slow down alike.
                    spin = body_kinetic_energy(body)
                    for k in range(3):
                        spin -= 0.5 * body.mass * body.v_W[k] ** 2
                        body.L_W[k] *= 1.0 - slower
                    available += spin + _brake(state, field, who, body.p_W, body.v_W, body.mass, slower)
                    available += _brake(state, field, who, x[i], v[i], work.mass[i], slower)


@kernel
def book_gain(memory, gained):
    """Energy that appeared outside the step, in a wrap fitted anew or a node that came or went [J]."""
    state = open_state(memory)
    state.total[DISSIPATED] -= gained
    if gained > 0.0:
        state.total[DEBT] += gained
