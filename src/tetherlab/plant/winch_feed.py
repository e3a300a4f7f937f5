"""Tether that a winch on a body pays out comes from that body, with its mass and its momentum.

The drum is part of the body and sits at its centre of mass: the body grows lighter by what is paid out, its
inertia stays. In a step the masses m_k of the first nodes grow by d_k, and that of the body shrinks by their
sum d. Each row holds for the mass in the middle of the step, so what a node gains beside it is d_k u_k, with
the angular momentum d_k (x_k x v_k + x_k+ x v_k+) / 2, and what enters node 1 at the speed of the winch. The
body gives all of that, as a force and a torque of the same solve; see docs/theory/islands.md.
"""

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import body_kinetic_energy, factor_block, solve_block, stiffen_body
from tetherlab.plant.joint import settle_joints_of
from tetherlab.plant.tied_body import follow_body, push_body
from tetherlab.tether.mass import share_masses
from tetherlab.tether.model import COUNT, memory_row, open_model, open_state, open_work
from tetherlab.tether.reel import remesh_base

FED_NODES = 3  # whose mass the winch changes


@kernel
def begin_feed(graph, t):
    """How much the winch of tether t takes from its body in the step; half of it is gone in the middle."""
    feed, b = graph.feed[t], graph.tie[t, 0].body
    feed.active, feed.mass = 0, 0.0
    if b < 0 or (graph.flow[t, 0] == 0.0 and graph.flow[t, 1] == 0.0):
        return
    memory = memory_row(graph.memories, t)
    model, work = open_model(memory), open_work(memory)
    mass = 0.0
    for j in range(2):
        mass += model.linear_density * (work.rest_next[j] - work.rest_start[j])
    if mass > graph.stock[b]:
        return  # the drum is empty: what comes out has no source
    feed.active, feed.mass = 1, mass
    graph.body[b].mass -= 0.5 * mass


@kernel
def forget_feed(graph, t):
    """The step is discarded."""
    if graph.feed[t].active == 1:
        graph.body[graph.tie[t, 0].body].mass += 0.5 * graph.feed[t].mass


@kernel
def load_feed(graph, t, h):
    """Force and torque on the body for what tether t takes from it at the iterate, into its load."""
    feed, b = graph.feed[t], graph.tie[t, 0].body
    if feed.active == 0:
        return
    memory = memory_row(graph.memories, t)
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    body, count, load = graph.body[b], state.number[COUNT], feed.load
    for c in range(6):
        if c < 3:
            feed.lag[c] = -load[c]
        load[c] = 0.0
    given = feed.mass / h
    # About where the centre of mass is at the start of the step.
    _carry_away(load, -given, h, body.p_W, body.p_W, body.u, body.v_W)
    for i in range(min(FED_NODES, count + 1)):
        rate = 0.0
        if i > 0:
            rate += 0.5 * model.linear_density * (work.rest_next[i - 1] - work.rest_start[i - 1]) / h
        if i < count:
            rate += 0.5 * model.linear_density * (work.rest_next[i] - work.rest_start[i]) / h
        _carry_away(load, rate, h, body.p_W, state.x[i], work.u[i], state.v[i])
    x, u, f, p = state.x[1], work.u[1], work.inflow, body.p_W
    r = (x[0] - p[0] + 0.5 * h * u[0], x[1] - p[1] + 0.5 * h * u[1], x[2] - p[2] + 0.5 * h * u[2])
    push_body(load, r, -f[0], -f[1], -f[2])
    # The force acts at the centre of mass, half way along its path.
    w, u = 0.5 * h, body.u
    load[3] -= w * (u[1] * load[2] - u[2] * load[1])
    load[4] -= w * (u[2] * load[0] - u[0] * load[2])
    load[5] -= w * (u[0] * load[1] - u[1] * load[0])
    for c in range(6):
        graph.load[b, c] += load[c]
        if c < 3:
            feed.lag[c] += load[c]


@kernel
def _carry_away(load, rate, h, origin, x, u, v):
    """Momentum, and angular momentum about the origin, of mass that leaves the body at a rate [kg/s]."""
    r0, r1, r2 = x[0] - origin[0], x[1] - origin[1], x[2] - origin[2]
    # (x+ x v+ + x x v) / 2 with x+ = x + h u, v+ = 2 u - v: (x + h v / 2) x u
    w = 0.5 * h
    push_body(load, (r0 + w * v[0], r1 + w * v[1], r2 + w * v[2]), -rate * u[0], -rate * u[1], -rate * u[2])


@kernel
def end_feed(graph, t, h, v0, v1, v2):
    """The body has moved, from the velocity v: let it go without what was paid out, and keep the books."""
    feed, b = graph.feed[t], graph.tie[t, 0].body
    if feed.active == 0:
        return
    body = graph.body[b]
    for c in range(3):
        body.v_W[c] += h * feed.lag[c] / body.mass  # the solve has seen the iterate before the last one
    body.mass -= 0.5 * feed.mass
    graph.stock[b] -= feed.mass
    v, u = body.v_W, body.u
    square = v0 * v0 + v1 * v1 + v2 * v2 + v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    work = -feed.mass * (0.25 * square + graph.gravity * (body.p_W[2] - 0.5 * h * u[2]))
    for c in range(6):
        work += h * feed.load[c] * u[c]
    graph.books[0].work += work


@kernel
def remesh_winch(graph, n, t):
    """Nodes come and go at the winch of tether t; what momentum that takes, its body and ties give."""
    memory, b = memory_row(graph.memories, t), graph.tie[t, 0].body
    if graph.feed[t].active == 0:
        remesh_base(memory, graph.command[t].reel_speed)
        return
    z, rhs, p = graph.correction[b], graph.body[b].rhs, graph.body[b].p_W
    count = memory.number[COUNT]
    for c in range(6):
        rhs[c] = z[c] = 0.0
    _add_momentum(memory, p, rhs)
    remesh_base(memory, graph.command[t].reel_speed)
    if memory.number[COUNT] == count:
        return
    share_masses(memory)  # which elements are the first ones has changed
    _add_momentum(memory, p, z)
    for c in range(6):
        z[c] = rhs[c] - z[c]
    kick_body(graph, n, b, z)
    settle_joints_of(graph, n, b)


@kernel
def _add_momentum(memory, origin, out):
    """Momentum and angular momentum about the origin of a tether, into out (6,)."""
    model, state = open_model(memory), open_state(memory)
    x, v, count = state.x, state.v, state.number[COUNT]
    for j in range(count):
        m = 0.5 * model.linear_density * state.rest[j]
        for i in range(j, j + 2):
            r = (x[i, 0] - origin[0], x[i, 1] - origin[1], x[i, 2] - origin[2])
            push_body(out, r, m * v[i, 0], m * v[i, 1], m * v[i, 2])
        q = state.shared[j]
        if q != 0.0:
            d0, d1, d2 = x[j + 1, 0] - x[j, 0], x[j + 1, 1] - x[j, 1], x[j + 1, 2] - x[j, 2]
            w0, w1, w2 = v[j + 1, 0] - v[j, 0], v[j + 1, 1] - v[j, 1], v[j + 1, 2] - v[j, 2]
            out[3] += q * (d1 * w2 - d2 * w1)
            out[4] += q * (d2 * w0 - d0 * w2)
            out[5] += q * (d0 * w1 - d1 * w0)


@kernel
def kick_body(graph, n, b, z):
    """Give body b of island n, and all end nodes tied to it, an impulse and angular impulse z (6,).

    They move on together: z becomes the change of velocity and angular velocity. The energy is work.
    """
    island, program = graph.program.island[n], graph.program
    body = graph.body[b]
    step = body.rhs  # of an end node; scratch
    S, R, inertia = body.block, body.R_WB, body.inertia_B
    before = body_kinetic_energy(body)
    for i in range(3):
        body.half_W[i] = 0.0  # it jumps: no step, no turn
    for i in range(6):
        for k in range(6):
            S[i, k] = 0.0
    for i in range(3):
        S[i, i] = body.mass
        for k in range(3):
            for p in range(3):
                for q in range(3):
                    S[3 + i, 3 + k] += R[i, p] * inertia[p, q] * R[k, q]
    for change in range(2):
        for k in range(island.first_tether, island.last_tether):
            t = program.tether[k]
            memory = memory_row(graph.memories, t)
            model, state = open_model(memory), open_state(memory)
            for end in range(2):
                tie, i = graph.tie[t, end], end * state.number[COUNT]
                if tie.body != b:
                    continue
                m = 0.5 * model.linear_density * state.rest[i - end]
                for c in range(3):
                    tie.arm_W[c] = state.x[i, c] - body.p_W[c]
                r, v = tie.arm_W, state.v[i]
                if change == 0:
                    unit = (m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m)
                    stiffen_body(body, unit, 1.0, r[0], r[1], r[2])
                    continue
                before += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
                follow_body(z, r, step)
                for c in range(3):
                    v[c] += step[c]
                before -= 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        if change == 0:
            factor_block(S)
            solve_block(S, z.reshape(6, 1))
    w0 = R[0, 0] * z[3] + R[1, 0] * z[4] + R[2, 0] * z[5]
    w1 = R[0, 1] * z[3] + R[1, 1] * z[4] + R[2, 1] * z[5]
    w2 = R[0, 2] * z[3] + R[1, 2] * z[4] + R[2, 2] * z[5]
    l0 = inertia[0, 0] * w0 + inertia[0, 1] * w1 + inertia[0, 2] * w2
    l1 = inertia[1, 0] * w0 + inertia[1, 1] * w1 + inertia[1, 2] * w2
    l2 = inertia[2, 0] * w0 + inertia[2, 1] * w1 + inertia[2, 2] * w2
    for c in range(3):
        body.v_W[c] += z[c]
        body.L_W[c] += R[c, 0] * l0 + R[c, 1] * l1 + R[c, 2] * l2
    graph.books[0].work += body_kinetic_energy(body) - before
