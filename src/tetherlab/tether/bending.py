"""Bending stiffness and damping, explicit in the force and stabilised in the inertia.

At an interior node with unit tangents t- and t+ and node length lambda the energy is EI (1 - t-.t+) / lambda.
The force is taken at x + (h/2) v. Explicit bending alone breaks when h exceeds l^2 sqrt(rho / EI) / 2; adding
(h^2/4) K to the inertia of velocity *changes*, K a bound of the bending stiffness that fits the chain's
coupling, makes it stable at any step (K >= the true stiffness, so the modified frequency stays below 2/h),
costs nothing, and vanishes with h^2.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.tether.model import COUNT, open_model, open_state, open_work


@kernel
def _tangent(x, v, w, i, b):
    """Unit tangent of element i at x + b v, its rate if the nodes move with w, and its length."""
    d0 = x[i + 1, 0] - x[i, 0] + b * (v[i + 1, 0] - v[i, 0])
    d1 = x[i + 1, 1] - x[i, 1] + b * (v[i + 1, 1] - v[i, 1])
    d2 = x[i + 1, 2] - x[i, 2] + b * (v[i + 1, 2] - v[i, 2])
    span = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2) + 1e-12
    t0, t1, t2 = d0 / span, d1 / span, d2 / span
    w0, w1, w2 = w[i + 1, 0] - w[i, 0], w[i + 1, 1] - w[i, 1], w[i + 1, 2] - w[i, 2]
    along = w0 * t0 + w1 * t1 + w2 * t2
    return t0, t1, t2, (w0 - along * t0) / span, (w1 - along * t1) / span, (w2 - along * t2) / span, span


@kernel
def add_bending(memory, h):
    """Add bending forces to `load` and the stabiliser to `stiff`."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    count = state.number[COUNT]
    x, v, rest, load = state.x, state.v, state.rest, work.load
    EI, eta = model.bending_stiffness, model.bending_damping
    b = 0.5 * h
    a0, a1, a2, p0, p1, p2, span_a = _tangent(x, v, v, 0, b)
    for i in range(1, count):
        c0, c1, c2, q0, q1, q2, span_c = _tangent(x, v, v, i, b)
        node_length = 0.5 * (rest[i - 1] + rest[i])
        k, c = EI / node_length, eta / node_length
        # Moment vector on the pair of tangents: it turns t+ towards t-, and damps their relative turning.
        m0, m1, m2 = (
            k * (c0 - a0) + c * (q0 - p0),
            k * (c1 - a1) + c * (q1 - p1),
            k * (c2 - a2) + c * (q2 - p2),
        )
        along = m0 * c0 + m1 * c1 + m2 * c2
        w = 1.0 / span_c
        f0, f1, f2 = w * (m0 - along * c0), w * (m1 - along * c1), w * (m2 - along * c2)
        load[i + 1, 0] -= f0
        load[i + 1, 1] -= f1
        load[i + 1, 2] -= f2
        load[i, 0] += f0
        load[i, 1] += f1
        load[i, 2] += f2
        along = m0 * a0 + m1 * a1 + m2 * a2
        w = 1.0 / span_a
        f0, f1, f2 = w * (m0 - along * a0), w * (m1 - along * a1), w * (m2 - along * a2)
        load[i, 0] += f0
        load[i, 1] += f1
        load[i, 2] += f2
        load[i - 1, 0] -= f0
        load[i - 1, 1] -= f1
        load[i - 1, 2] -= f2
        bound = 2.0 * (b * b * k + b * c)
        work.stiff[i - 1] += bound / (span_a * span_a)
        work.stiff[i] += bound / (span_c * span_c)
        a0, a1, a2, p0, p1, p2, span_a = c0, c1, c2, q0, q1, q2, span_c


@kernel
def bending_loss(memory, h):
    """What bending damping takes in the step [J]: its moments, known before the solve, times the turning."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    x, v, u, rest = state.x, state.v, work.u, state.rest
    b = 0.5 * h
    lost = 0.0
    _, _, _, p0, p1, p2, _ = _tangent(x, v, v, 0, b)
    _, _, _, r0, r1, r2, _ = _tangent(x, v, u, 0, b)
    for i in range(1, state.number[COUNT]):
        _, _, _, q0, q1, q2, _ = _tangent(x, v, v, i, b)
        _, _, _, s0, s1, s2, _ = _tangent(x, v, u, i, b)
        c = model.bending_damping / (0.5 * (rest[i - 1] + rest[i]))
        lost += h * c * ((q0 - p0) * (s0 - r0) + (q1 - p1) * (s1 - r1) + (q2 - p2) * (s2 - r2))
        p0, p1, p2, r0, r1, r2 = q0, q1, q2, s0, s1, s2
    return lost
