"""Bending stiffness and damping as part of the energy-momentum solve.

At an inner node with unit tangents t- and t+ and node length lambda the energy is EI (1 - t-.t+) / lambda.
Over a step, a chord that goes from d to e turns its tangent by exactly

    e/|e| - d/|d| = P (e - d),   P = W (1 - n n^T),   n = (d + e) / (|d| + |e|),   W = (1/|d| + 1/|e|) / 2,

and the cosine t-.t+ changes by that turn of each tangent times the mean of the other one. The force
(EI / lambda) P+ (mean of t-) on the far node of the element behind, and its like on the one before, therefore
does exactly the work that the energy loses, whatever the step: bending creates no energy. Damping acts on how
far t+ turns against t- in the same way and only takes.

A chord says nothing of the tether's direction where an element is wrapped on an obstacle, or slack and
crumpled. The nodes beside it do not resist, and what they held is lost. When they resist again, they do so
beyond the angle that they have then (`kink`, 1 - its cosine), until they have opened. With
e = 1 - t-.t+ - kink > 0 the energy is EI / lambda times e^2 / (e + kink): the above where there is no kink.

The force of a node depends on its two neighbours, so the Newton matrix has two blocks on each side of its
diagonal (`band`); band.py solves it.
"""

import math

from tetherlab.math.kernel import inlined, kernel
from tetherlab.tether.band import AFTER, AFTER_NEXT, BEFORE, BEFORE_NEXT
from tetherlab.tether.chain import LOWER, UPPER
from tetherlab.tether.model import COUNT, DISSIPATED, open_model, open_state, open_work

CRUMPLED = 0.5  # of its unstretched length: the chord of a shorter element has no direction
KINK_LEAST = 1e-6  # 1 - cosine: what is straighter is taken as open, 0.08 degrees


@inlined
def resists_bending(model):
    """Whether the tether has bending stiffness or damping."""
    return model.bending_stiffness > 0.0 or model.bending_damping > 0.0


@inlined
def bending_damping(model, work):
    """Of the tether, and of the step where that is numerically damped [N m^2 s]."""
    return model.bending_damping + work.damping[0] * model.bending_stiffness


@kernel
def node_sharpness(memory, i):
    """1 - t-.t+ at node i now."""
    x = open_state(memory).x
    product, before, after = 0.0, 1e-24, 1e-24
    for k in range(3):
        a, c = x[i, k] - x[i - 1, k], x[i + 1, k] - x[i, k]
        product += a * c
        before += a * a
        after += c * c
    return 1.0 - product / math.sqrt(before * after)


@inlined
def _held(sharpness, kink):
    """Energy of a node over EI / lambda."""
    e = max(0.0, sharpness - kink)
    return e * e / (e + kink + 1e-300)


@inlined
def _slope(start, end, kink):
    """Mean slope of that energy between two sharpnesses: its change over theirs."""
    if kink == 0.0:
        return 1.0
    a, b = max(0.0, start - kink), max(0.0, end - kink)
    if a == 0.0 and b == 0.0:
        return 0.0
    slope = (a * b + kink * (a + b)) / ((a + kink) * (b + kink))
    if a == 0.0 or b == 0.0:
        slope *= (b - a) / (end - start)
    return slope


@kernel
def bending_energy(memory, first, last):
    """Bending energy of nodes first..last [J]."""
    model, state = open_model(memory), open_state(memory)
    total = 0.0
    if model.bending_stiffness > 0.0:
        for i in range(max(first, 1), min(last, state.number[COUNT] - 1) + 1):
            if state.kink[i] >= 0.0:
                held = _held(node_sharpness(memory, i), state.kink[i])
                total += 2.0 * held / (state.rest[i - 1] + state.rest[i])
    return model.bending_stiffness * total


@kernel
def choose_bending(memory):
    """Decide which nodes resist bending in this step; see above."""
    state, work = open_state(memory), open_work(memory)
    for i in range(1, state.number[COUNT]):
        straight = True
        for j in range(i - 1, i + 1):
            wrap = state.wrap[j]
            if wrap.active == 1 or wrap.loose == 1 or work.span[j] < CRUMPLED * state.rest[j]:
                straight = False
        if straight and state.kink[i] != 0.0:
            sharpness = max(node_sharpness(memory, i), 0.0)
            state.kink[i] = sharpness if state.kink[i] < 0.0 else min(state.kink[i], sharpness)
            if state.kink[i] < KINK_LEAST:
                state.total[DISSIPATED] += bending_energy(memory, i, i)
                state.kink[i] = 0.0
                state.total[DISSIPATED] -= bending_energy(memory, i, i)
        elif not straight and state.kink[i] >= 0.0:
            state.total[DISSIPATED] += bending_energy(memory, i, i)
            state.kink[i] = -1.0


@kernel
def _turn(state, work, j, h):
    """Element j in the step: mean tangent, its change, n, tangent at the end, lengths |d| and |e|."""
    x, u = state.x, work.u
    d0, d1, d2 = x[j + 1, 0] - x[j, 0], x[j + 1, 1] - x[j, 1], x[j + 1, 2] - x[j, 2]
    e0 = d0 + h * (u[j + 1, 0] - u[j, 0])
    e1 = d1 + h * (u[j + 1, 1] - u[j, 1])
    e2 = d2 + h * (u[j + 1, 2] - u[j, 2])
    p = work.span[j]
    q = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2) + 1e-12
    w = 1.0 / (p + q)
    s0, s1, s2, t0, t1, t2 = d0 / p, d1 / p, d2 / p, e0 / q, e1 / q, e2 / q
    mean = (0.5 * (s0 + t0), 0.5 * (s1 + t1), 0.5 * (s2 + t2))
    return (
        mean,
        (t0 - s0, t1 - s1, t2 - s2),
        (w * (d0 + e0), w * (d1 + e1), w * (d2 + e2)),
        (t0, t1, t2),
        p,
        q,
    )


@inlined
def _relative_turn(mean_a, change_a, mean_c, change_c):
    """By how much the element behind a node turns against the one before it in the step, a vector [rad].

    Turned as a whole, the tether has none, so that damping does not brake it.
    """
    return (
        mean_c[1] * change_c[2] - mean_c[2] * change_c[1] - mean_a[1] * change_a[2] + mean_a[2] * change_a[1],
        mean_c[2] * change_c[0] - mean_c[0] * change_c[2] - mean_a[2] * change_a[0] + mean_a[0] * change_a[2],
        mean_c[0] * change_c[1] - mean_c[1] * change_c[0] - mean_a[0] * change_a[1] + mean_a[1] * change_a[0],
    )


@inlined
def _moments(model, state, work, i, h, mean_a, change_a, mean_c, change_c):
    """What turns the element before node i and the one behind it towards each other; stiffness, damping."""
    node_length = 0.5 * (state.rest[i - 1] + state.rest[i])
    k, c = model.bending_stiffness / node_length, bending_damping(model, work) / (node_length * h)
    kink = state.kink[i]
    if kink != 0.0:
        start, end = 1.0, 1.0
        for r in range(3):
            a, b = 0.5 * change_a[r], 0.5 * change_c[r]
            start -= (mean_a[r] - a) * (mean_c[r] - b)
            end -= (mean_a[r] + a) * (mean_c[r] + b)
        k *= _slope(start, end, kink) if kink > 0.0 else 0.0
        c *= 1.0 if kink > 0.0 else 0.0
    d0, d1, d2 = _relative_turn(mean_a, change_a, mean_c, change_c)
    d0, d1, d2 = c * d0, c * d1, c * d2
    on_a = (
        k * mean_c[0] + d1 * mean_a[2] - d2 * mean_a[1],
        k * mean_c[1] + d2 * mean_a[0] - d0 * mean_a[2],
        k * mean_c[2] + d0 * mean_a[1] - d1 * mean_a[0],
    )
    on_c = (
        k * mean_a[0] - d1 * mean_c[2] + d2 * mean_c[1],
        k * mean_a[1] - d2 * mean_c[0] + d0 * mean_c[2],
        k * mean_a[2] - d0 * mean_c[1] + d1 * mean_c[0],
    )
    return on_a, on_c, k, c


@inlined
def _push(force, near, far, moment, n, p, q):
    """Force P moment on the far node of an element, and its opposite on the near one."""
    W = 0.5 * (1.0 / p + 1.0 / q)
    along = moment[0] * n[0] + moment[1] * n[1] + moment[2] * n[2]
    for k in range(3):
        f = W * (moment[k] - along * n[k])
        force[far, k] += f
        force[near, k] -= f


@kernel
def bending_forces(memory, h):
    """Fill `bend`, the forces of bending on all nodes at the iterate u."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    count = state.number[COUNT]
    for i in range(count + 1):
        for k in range(3):
            work.bend[i, k] = 0.0
    mean_a, change_a, n_a, _, p_a, q_a = _turn(state, work, 0, h)
    for i in range(1, count):
        mean_c, change_c, n_c, _, p_c, q_c = _turn(state, work, i, h)
        on_a, on_c, _, _ = _moments(model, state, work, i, h, mean_a, change_a, mean_c, change_c)
        _push(work.bend, i - 1, i, on_a, n_a, p_a, q_a)
        _push(work.bend, i, i + 1, on_c, n_c, p_c, q_c)
        mean_a, change_a, n_a, p_a, q_a = mean_c, change_c, n_c, p_c, q_c


@kernel
def add_bending(memory, h):
    """Add `bend` to the right-hand sides and its derivative to the matrix; call after `assemble`."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    count = state.number[COUNT]
    _band_of_links(work, count)
    b, half = 0.5 * h, 0.5 * h * h
    for i in range(count + 1):
        for k in range(3):
            work.rhs[i, k] += b * work.bend[i, k]
    mean_a, change_a, n_a, t_a, p_a, q_a = _turn(state, work, 0, h)
    for i in range(1, count):
        mean_c, change_c, n_c, t_c, p_c, q_c = _turn(state, work, i, h)
        on_a, on_c, k, c = _moments(model, state, work, i, h, mean_a, change_a, mean_c, change_c)
        W_a, W_c = 0.5 * (1.0 / p_a + 1.0 / q_a), 0.5 * (1.0 / p_c + 1.0 / q_c)
        dot_aa = n_a[0] * t_a[0] + n_a[1] * t_a[1] + n_a[2] * t_a[2]
        dot_ac = n_a[0] * t_c[0] + n_a[1] * t_c[1] + n_a[2] * t_c[2]
        dot_ca = n_c[0] * t_a[0] + n_c[1] * t_a[1] + n_c[2] * t_a[2]
        dot_cc = n_c[0] * t_c[0] + n_c[1] * t_c[1] + n_c[2] * t_c[2]
        along_a = max(n_a[0] * on_a[0] + n_a[1] * on_a[1] + n_a[2] * on_a[2], 0.0)
        along_c = max(n_c[0] * on_c[0] + n_c[1] * on_c[1] + n_c[2] * on_c[2], 0.0)
        cross = half * (0.5 * k + c)
        diagonal, band = work.diagonal, work.band
        for r in range(3):
            for s in range(3):
                # own_*: -h^2/2 times the derivative of the force on an element by its own chord at the end,
                # other_*: by that of its neighbour.
                own_a = -half * _derivative(r, s, n_a, t_a, on_a, along_a, W_a, p_a, q_a)
                own_c = -half * _derivative(r, s, n_c, t_c, on_c, along_c, W_c, p_c, q_c)
                own_a += half * c * W_a / q_a * _projected(r, s, n_a, t_a, dot_aa)
                own_c += half * c * W_c / q_c * _projected(r, s, n_c, t_c, dot_cc)
                other_a = -cross * W_a / q_c * _projected(r, s, n_a, t_c, dot_ac)
                other_c = -cross * W_c / q_a * _projected(r, s, n_c, t_a, dot_ca)
                at = 3 * r + s
                diagonal[i - 1, at] += own_a
                band[AFTER, i - 1, at] += other_a - own_a
                band[AFTER_NEXT, i - 1, at] -= other_a
                band[BEFORE, i, at] += other_c - own_a
                diagonal[i, at] += own_a + own_c - other_a - other_c
                band[AFTER, i, at] += other_a - own_c
                band[BEFORE_NEXT, i + 1, at] -= other_c
                band[BEFORE, i + 1, at] += other_c - own_c
                diagonal[i + 1, at] += own_c
        mean_a, change_a, n_a, t_a, p_a, q_a = mean_c, change_c, n_c, t_c, p_c, q_c


@inlined
def _projected(r, s, n, t, dot):
    """Entry of (1 - n n^T) (1 - t t^T)."""
    one = 1.0 if r == s else 0.0
    return one - n[r] * n[s] - t[r] * t[s] + dot * n[r] * t[s]


@inlined
def _derivative(r, s, n, t, moment, along, W, p, q):
    """Entry of the derivative of P moment by the chord e at the end of the step, the moment held.

    along: n.moment, or zero where that is negative, which would soften the matrix.
    """
    w = W / (p + q)
    one = along if r == s else 0.0
    return (
        -w * (one + n[r] * moment[s])
        + (2.0 * w * along * n[r] - 0.5 * (moment[r] - along * n[r]) / (q * q)) * t[s]
    )


@kernel
def _band_of_links(work, count):
    """Start the band with the couplings of the elements."""
    link, band = work.link, work.band
    for i in range(count + 1):
        for k in range(9):
            band[BEFORE_NEXT, i, k] = band[AFTER_NEXT, i, k] = 0.0
    for j in range(count):
        for r in range(3):
            for s in range(3):
                at = 3 * r + s
                one = 1.0 if r == s else 0.0
                band[AFTER, j, at] = -one * link[j, UPPER] - link[j, UPPER + 1 + r] * link[j, UPPER + 4 + s]
                band[BEFORE, j + 1, at] = (
                    -one * link[j, LOWER] - link[j, LOWER + 1 + r] * link[j, LOWER + 4 + s]
                )


@kernel
def bending_loss(memory, h):
    """What bending damping takes in the step [J]."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    rest, lost = state.rest, 0.0
    mean_a, change_a, _, _, _, _ = _turn(state, work, 0, h)
    for i in range(1, state.number[COUNT]):
        mean_c, change_c, _, _, _, _ = _turn(state, work, i, h)
        if state.kink[i] >= 0.0:
            d0, d1, d2 = _relative_turn(mean_a, change_a, mean_c, change_c)
            node_length = 0.5 * (rest[i - 1] + rest[i])
            lost += bending_damping(model, work) / (node_length * h) * (d0 * d0 + d1 * d1 + d2 * d2)
        mean_a, change_a = mean_c, change_c
    return lost


@kernel
def bending_work_of_winch(memory):
    """What the winch does to bending by changing node lengths in the step, nodes at their end [J]."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    gained = 0.0
    if model.bending_stiffness > 0.0:
        for i in range(1, min(3, state.number[COUNT])):
            if state.kink[i] >= 0.0:
                before = 0.5 * (work.rest_start[i - 1] + work.rest_start[i])
                after = 0.5 * (work.rest_next[i - 1] + work.rest_next[i])
                held = _held(node_sharpness(memory, i), state.kink[i])
                gained += model.bending_stiffness * held * (1.0 / after - 1.0 / before)
    return gained
