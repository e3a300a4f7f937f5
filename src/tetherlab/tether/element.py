"""Element forces of one step and their derivatives, the energy-momentum midpoint rule.

For an element with chord d at the start of a step of length h and d+ at its end, and stretch S = |d| / rest:

    T = EA ((S + S+) / 2 - 1) + c (S+ - S) / h,    force = T n,    n = (d + d+) / (|d| + |d+|).

Since n.(d+ - d) = |d+| - |d|, the force does exactly the work that the spring stores and the damper takes:
no energy is created, whatever h, EA or rotation. The derivative is exact (not symmetric), so that one Newton
iteration leaves a second-order error and the tension of a single iteration is already smooth.
"""

import math

from tetherlab.math.kernel import inlined, kernel
from tetherlab.tether.model import open_model, open_state, open_work, touches


@inlined
def axial_damping(model, work):
    """Of the tether, and of the step where that is numerically damped [N s]."""
    return model.axial_damping + work.damping[0] * model.axial_stiffness


@kernel
def element_forces(memory, count, h):
    """Fill `force`, `tension` and `link` for all elements at the iterate u."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    EA, c = model.axial_stiffness, axial_damping(model, work)
    x, u = state.x, work.u
    half = 0.5 * h * h
    for j in range(count):
        d0, d1, d2 = x[j + 1, 0] - x[j, 0], x[j + 1, 1] - x[j, 1], x[j + 1, 2] - x[j, 2]
        e0 = d0 + h * (u[j + 1, 0] - u[j, 0])
        e1 = d1 + h * (u[j + 1, 1] - u[j, 1])
        e2 = d2 + h * (u[j + 1, 2] - u[j, 2])
        span = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2) + 1e-12
        rest = work.rest_next[j]
        stretch = (span - work.offset_next[j]) / rest
        T = EA * (0.5 * (work.stretch[j] + stretch) - 1.0) + c * (stretch - work.stretch[j]) / h
        w = 1.0 / (work.span[j] + span)
        n0, n1, n2 = (d0 + e0) * w, (d1 + e1) * w, (d2 + e2) * w
        work.tension[j] = T
        work.force[j, 0] = T * n0
        work.force[j, 1] = T * n1
        work.force[j, 2] = T * n2
        # Compression softens the chain sideways; more than a fifth of the inertia of nodes that move against
        # each other would spoil the solve.
        softest = -0.2 * (min(work.inertia[j], work.inertia[j + 1]) + 4.0 * state.shared[j])
        s = max(half * T * w, softest)
        k = (half * (0.5 * EA + c / h) / rest - s) / span
        link = work.link
        link[j, 0] = s
        link[j, 1] = n0
        link[j, 2] = n1
        link[j, 3] = n2
        link[j, 4] = k * e0
        link[j, 5] = k * e1
        link[j, 6] = k * e2
        link[j, 7] = s
        link[j, 8] = n0
        link[j, 9] = n1
        link[j, 10] = n2
        link[j, 11] = k * e0
        link[j, 12] = k * e1
        link[j, 13] = k * e2


@kernel
def assemble(memory, first, last, h):
    """Diagonal blocks and right-hand sides of nodes first..last: (h/2) F - M (u - v) = 0.

    Nodes that touch something gain u - v in a step, the others twice that: so much of `stiff`, by which the
    changes of velocity of neighbours are coupled, counts for each.
    """
    state, work = open_state(memory), open_work(memory)
    b = 0.5 * h
    u, v = work.u, state.v
    link, force, drag = work.link, work.force, work.drag
    diagonal, rhs = work.diagonal, work.rhs
    count = state.number[0]
    before = link[first - 1, 0] if first > 0 else 0.0
    after = before
    for i in range(first, last + 1):
        m = work.inertia[i]
        own = 0.5 if touches(work, i) else 1.0
        t0, t1, t2 = drag[i, 2], drag[i, 3], drag[i, 4]
        g, gt = b * drag[i, 0], b * drag[i, 1]
        w0, w1, w2 = u[i, 0] - drag[i, 5], u[i, 1] - drag[i, 6], u[i, 2] - drag[i, 7]
        wt = gt * (w0 * t0 + w1 * t1 + w2 * t2)
        a0, a1, a2 = u[i, 0] - v[i, 0], u[i, 1] - v[i, 1], u[i, 2] - v[i, 2]
        r0 = b * work.load[i, 0] - g * w0 - wt * t0 - m * a0
        r1 = b * work.load[i, 1] - g * w1 - wt * t1 - m * a1
        r2 = b * work.load[i, 2] - g * w2 - wt * t2 - m * a2
        gt0, gt1 = gt * t0, gt * t1
        s = m + g
        A00, A01, A02 = gt0 * t0, gt0 * t1, gt0 * t2
        A10, A11, A12 = gt0 * t1, gt1 * t1, gt1 * t2
        A20, A21, A22 = gt0 * t2, gt1 * t2, gt * t2 * t2
        if i < count:
            q = work.stiff[i]
            other = 0.5 * q if touches(work, i + 1) else q
            q *= own
            after = link[i, 0]
            s += after + q
            link[i, 0] += other
            link[i, 7] += q
            n0, n1, n2 = link[i, 1], link[i, 2], link[i, 3]
            m0, m1, m2 = link[i, 4], link[i, 5], link[i, 6]
            A00 += n0 * m0
            A01 += n0 * m1
            A02 += n0 * m2
            A10 += n1 * m0
            A11 += n1 * m1
            A12 += n1 * m2
            A20 += n2 * m0
            A21 += n2 * m1
            A22 += n2 * m2
            r0 += b * force[i, 0] + other * (u[i + 1, 0] - v[i + 1, 0]) - q * a0
            r1 += b * force[i, 1] + other * (u[i + 1, 1] - v[i + 1, 1]) - q * a1
            r2 += b * force[i, 2] + other * (u[i + 1, 2] - v[i + 1, 2]) - q * a2
        if i > 0:
            j = i - 1
            q = work.stiff[j]
            other = 0.5 * q if touches(work, j) else q
            q *= own
            s += before + q
            n0, n1, n2 = link[j, 8], link[j, 9], link[j, 10]
            m0, m1, m2 = link[j, 11], link[j, 12], link[j, 13]
            A00 += n0 * m0
            A01 += n0 * m1
            A02 += n0 * m2
            A10 += n1 * m0
            A11 += n1 * m1
            A12 += n1 * m2
            A20 += n2 * m0
            A21 += n2 * m1
            A22 += n2 * m2
            r0 += other * (u[j, 0] - v[j, 0]) - q * a0 - b * force[j, 0]
            r1 += other * (u[j, 1] - v[j, 1]) - q * a1 - b * force[j, 1]
            r2 += other * (u[j, 2] - v[j, 2]) - q * a2 - b * force[j, 2]
        before = after
        diagonal[i, 0] = s + A00
        diagonal[i, 1] = A01
        diagonal[i, 2] = A02
        diagonal[i, 3] = A10
        diagonal[i, 4] = s + A11
        diagonal[i, 5] = A12
        diagonal[i, 6] = A20
        diagonal[i, 7] = A21
        diagonal[i, 8] = s + A22
        rhs[i, 0] = r0
        rhs[i, 1] = r1
        rhs[i, 2] = r2
