"""One internal step of a tether: prepare, iterate, accept."""

import math

from numba import njit

from tetherlab.math.rigid_body import (
    advance_body,
    correct_body,
    eliminate_body,
    load_body,
    move_attachment,
    predict_body,
    stiffen_body,
)
from tetherlab.tether.bending import add_bending
from tetherlab.tether.chain import solve_chain
from tetherlab.tether.element import assemble, element_forces
from tetherlab.tether.model import BASE, COUNT, DISSIPATED, END, FREE, KIND_BASE, PRESCRIBED, RIGID, TIME, WORK
from tetherlab.tether.reel import flow_rates
from tetherlab.world.wind import wind_at

ITERATIONS_MAX = 12


@njit(cache=True, error_model="numpy")
def path_point(path, duration, s):
    """Position and velocity on the cubic of a prescribed end, s from 0 to 1 over `duration`."""
    a = (1.0 + 2.0 * s) * (1.0 - s) ** 2
    b = s * (1.0 - s) ** 2 * duration
    c = s * s * (3.0 - 2.0 * s)
    d = s * s * (s - 1.0) * duration
    w = 1.0 / duration
    e = 6.0 * s * (s - 1.0) * w
    f = (1.0 - s) * (1.0 - 3.0 * s)
    g = s * (3.0 * s - 2.0)
    return (
        a * path[0, 0] + b * path[1, 0] + c * path[2, 0] + d * path[3, 0],
        a * path[0, 1] + b * path[1, 1] + c * path[2, 1] + d * path[3, 1],
        a * path[0, 2] + b * path[1, 2] + c * path[2, 2] + d * path[3, 2],
        e * path[0, 0] + f * path[1, 0] - e * path[2, 0] + g * path[3, 0],
        e * path[0, 1] + f * path[1, 1] - e * path[2, 1] + g * path[3, 1],
        e * path[0, 2] + f * path[1, 2] - e * path[2, 2] + g * path[3, 2],
    )


@njit(cache=True, error_model="numpy")
def prepare(model, state, work, wind, h, reel_speed):
    """Everything of a step that does not depend on the iterate, and the first guess."""
    count = state.number[COUNT]
    x, v, rest = state.x, state.v, state.rest
    rho = model.linear_density
    for j in range(count):
        d0, d1, d2 = x[j + 1, 0] - x[j, 0], x[j + 1, 1] - x[j, 1], x[j + 1, 2] - x[j, 2]
        work.span[j] = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2) + 1e-12
        work.stretch[j] = (work.span[j] - state.offset[j]) / rest[j]
        work.rest_next[j] = rest[j]
        work.stiff[j] = 0.0
    flow_0, flow_1 = flow_rates(model, state, reel_speed)
    work.rest_next[0] += h * flow_0
    if count > 1:
        work.rest_next[1] += h * flow_1
    time = state.total[TIME] + 0.5 * h
    for i in range(count + 1):
        share = 0.0  # length of tether that this node carries
        a0, a1, a2, b0, b1, b2 = x[i, 0], x[i, 1], x[i, 2], x[i, 0], x[i, 1], x[i, 2]
        if i > 0:
            share += 0.25 * (rest[i - 1] + work.rest_next[i - 1])
            a0, a1, a2 = x[i - 1, 0], x[i - 1, 1], x[i - 1, 2]
        if i < count:
            share += 0.25 * (rest[i] + work.rest_next[i])
            b0, b1, b2 = x[i + 1, 0], x[i + 1, 1], x[i + 1, 2]
        m = rho * share
        for k in range(3):
            work.u[i, k] = v[i, k] + 0.5 * h * state.a[i, k]
            work.load[i, k] = 0.0
        # drag: tangent, wind, and the coefficients at the guessed velocity
        t0, t1, t2 = b0 - a0, b1 - a1, b2 - a2
        w = 1.0 / (math.sqrt(t0 * t0 + t1 * t1 + t2 * t2) + 1e-12)
        t0, t1, t2 = t0 * w, t1 * w, t2 * w
        w0, w1, w2 = wind_at(wind, x[i, 0], x[i, 1], x[i, 2], time)
        r0, r1, r2 = work.u[i, 0] - w0, work.u[i, 1] - w1, work.u[i, 2] - w2
        along = r0 * t0 + r1 * t1 + r2 * t2
        across = math.sqrt(max(r0 * r0 + r1 * r1 + r2 * r2 - along * along, 0.0))
        drag = work.drag
        drag[i, 0] = share * model.drag_normal * across
        drag[i, 1] = share * model.drag_tangential * abs(along) - drag[i, 0]
        drag[i, 2], drag[i, 3], drag[i, 4] = t0, t1, t2
        drag[i, 5], drag[i, 6], drag[i, 7] = w0, w1, w2
        for end in range(2):
            if i == end * count and state.end_mass[end] > 0.0:
                m += state.end_mass[end]
        work.mass[i] = m
        work.inertia[i] = m
        work.load[i, 2] -= m * model.gravity
    for end in range(2):
        for k in range(3):
            work.load[end * count, k] += state.end_force[end, k]
    # Tether that enters the base element brings its own momentum: half of it reaches node 1.
    q = 0.25 * rho * flow_0
    if q != 0.0:
        n0, n1, n2 = x[1, 0] - x[0, 0], x[1, 1] - x[0, 1], x[1, 2] - x[0, 2]
        w = reel_speed / work.span[0]
        work.load[1, 0] += q * (v[0, 0] + w * n0 - v[1, 0])
        work.load[1, 1] += q * (v[0, 1] + w * n1 - v[1, 1])
        work.load[1, 2] += q * (v[0, 2] + w * n2 - v[1, 2])
    if model.bending_stiffness > 0.0 or model.bending_damping > 0.0:
        add_bending(model, state, work, h)


@njit(cache=True, error_model="numpy")
def hold_ends(state, work, h, duration, s):
    """Mean velocities of both end nodes at the iterate; s is where on its path a prescribed end arrives."""
    count = state.number[COUNT]
    for end in range(2):
        i = end * count
        kind = state.number[KIND_BASE + end]
        if kind == PRESCRIBED:
            p0, p1, p2, _, _, _ = path_point(state.path[end], duration, s)
            work.u[i, 0] = (p0 - state.x[i, 0]) / h
            work.u[i, 1] = (p1 - state.x[i, 1]) / h
            work.u[i, 2] = (p2 - state.x[i, 2]) / h
        elif kind == RIGID:
            work.u[i, 0], work.u[i, 1], work.u[i, 2] = move_attachment(state.body[end], h)


@njit(cache=True, error_model="numpy")
def newton(model, state, work, h, duration, s):
    """Solve the step; returns (converged, iterations)."""
    count = state.number[COUNT]
    base_kind, end_kind = state.number[KIND_BASE], state.number[KIND_BASE + 1]
    first = 1 if base_kind != FREE else 0
    last = count - 1 if end_kind != FREE else count
    head, tail = base_kind == RIGID, end_kind == RIGID
    gravity = model.gravity
    # One more iteration squares the relative error, so the correction may be far larger than the error left.
    tolerance2 = 1e-7 * model.element_length
    for end in range(2):
        if state.number[KIND_BASE + end] == RIGID:
            predict_body(state.body[end], h, gravity)
    hold_ends(state, work, h, duration, s)
    previous = 1e300
    for iteration in range(1, ITERATIONS_MAX + 1):
        element_forces(model, state, work, count, h)
        assemble(state, work, 0 if head else first, count if tail else last, h)
        for end in range(2):
            if state.number[KIND_BASE + end] == RIGID:
                body, i = state.body[end], end * count
                rhs = work.rhs[i]
                w = 2.0 / h
                load_body(body, h, gravity, w * rhs[0], w * rhs[1], w * rhs[2])
                stiffen_body(body, work.diagonal[i].reshape(3, 3))
                eliminate_body(body, work.inverse, work.solved, i)
        solve_chain(first, last, head, tail, work.diagonal, work.rhs, work.link, work.inverse, work.solved)
        largest = 0.0
        for i in range(first, last + 1):
            for k in range(3):
                largest = max(largest, abs(work.solved[i, k]))
        if not largest * h < 1e6:
            return False, iteration
        shrink = min(1.0, 0.5 / (largest * h + 1e-300))
        for i in range(first, last + 1):
            for k in range(3):
                work.u[i, k] += shrink * work.solved[i, k]
        for end in range(2):
            if state.number[KIND_BASE + end] == RIGID:
                # What the neighbour's correction pushes through the coupling.
                j, i = (0, 1) if end == BASE else (count - 1, count - 1)
                column = 1 if end == BASE else 7
                z, link = work.solved[i], work.link[j]
                mz = link[column + 3] * z[0] + link[column + 4] * z[1] + link[column + 5] * z[2]
                p0 = link[0] * z[0] + link[column] * mz
                p1 = link[0] * z[1] + link[column + 1] * mz
                p2 = link[0] * z[2] + link[column + 2] * mz
                largest = max(largest, correct_body(state.body[end], p0, p1, p2))
        hold_ends(state, work, h, duration, s)
        delta = largest * h
        if delta * delta < tolerance2:
            return True, iteration
        if iteration > 3 and delta > 4.0 * previous:
            return False, iteration
        previous = delta
    return False, ITERATIONS_MAX


@njit(cache=True, error_model="numpy")
def accept(model, state, work, h, duration, s):
    """Move the state to the end of the step and keep the books of work, dissipation and impulse."""
    count = state.number[COUNT]
    x, v, u = state.x, state.v, work.u
    element_forces(model, state, work, count, h)
    work_done, dissipated = 0.0, 0.0
    for j in range(count):
        rest = work.rest_next[j]
        d0 = x[j + 1, 0] - x[j, 0] + h * (u[j + 1, 0] - u[j, 0])
        d1 = x[j + 1, 1] - x[j, 1] + h * (u[j + 1, 1] - u[j, 1])
        d2 = x[j + 1, 2] - x[j, 2] + h * (u[j + 1, 2] - u[j, 2])
        stretch = (math.sqrt(d0 * d0 + d1 * d1 + d2 * d2) - state.offset[j]) / rest
        rate = (stretch - work.stretch[j]) / h
        dissipated += h * rest * model.axial_damping * rate * rate
        state.rest[j] = rest
        state.offset[j] *= 1.0 - min(1.0, h / 0.1)
    for i in range(count + 1):
        m = work.mass[i]
        drag = work.drag[i]
        w0, w1, w2 = u[i, 0] - drag[5], u[i, 1] - drag[6], u[i, 2] - drag[7]
        wt = drag[1] * (w0 * drag[2] + w1 * drag[3] + w2 * drag[4])
        g0, g1, g2 = drag[0] * w0 + wt * drag[2], drag[0] * w1 + wt * drag[3], drag[0] * w2 + wt * drag[4]
        dissipated += h * (g0 * u[i, 0] + g1 * u[i, 1] + g2 * u[i, 2])
        end = -1
        if i == 0:
            end = BASE
        elif i == count:
            end = END
        a0, a1, a2 = 2.0 * (u[i, 0] - v[i, 0]), 2.0 * (u[i, 1] - v[i, 1]), 2.0 * (u[i, 2] - v[i, 2])
        if end >= 0:
            kind = state.number[KIND_BASE + end]
            f0, f1, f2 = work.load[i, 0] - g0, work.load[i, 1] - g1, work.load[i, 2] - g2
            if i < count:
                f0 += work.force[i, 0]
                f1 += work.force[i, 1]
                f2 += work.force[i, 2]
            if i > 0:
                f0 -= work.force[i - 1, 0]
                f1 -= work.force[i - 1, 1]
                f2 -= work.force[i - 1, 2]
            if kind == PRESCRIBED:
                p0, p1, p2, q0, q1, q2 = path_point(state.path[end], duration, s)
                a0, a1, a2 = q0 - v[i, 0], q1 - v[i, 1], q2 - v[i, 2]
                # What the tether leaves for its holder to carry: forces on the node less its momentum change.
                i0, i1, i2 = h * f0 - m * a0, h * f1 - m * a1, h * f2 - m * a2
                work_done -= i0 * u[i, 0] + i1 * u[i, 1] + i2 * u[i, 2]
            elif kind == RIGID:
                body = state.body[end]
                rx, ry, rz = v[i, 0], v[i, 1], v[i, 2]
                i0 = h * f0 - m * a0
                i1 = h * f1 - m * a1
                i2 = h * f2 - m * a2
                for k in range(3):
                    work_done += h * (body.force_W[k] * body.u[k] + body.torque_W[k] * body.u[3 + k])
                advance_body(body, h, i0 / h, i1 / h, i2 / h, model.gravity)
            else:
                i0, i1, i2 = 0.0, 0.0, 0.0
                force = state.end_force[end]
                work_done += h * (force[0] * u[i, 0] + force[1] * u[i, 1] + force[2] * u[i, 2])
                if state.end_mass[end] > 0.0:
                    share = state.end_mass[end]
                    i0 = share * a0 - h * force[0]
                    i1 = share * a1 - h * force[1]
                    i2 = share * (a2 + h * model.gravity) - h * force[2]
            state.impulse[end, 0] += i0
            state.impulse[end, 1] += i1
            state.impulse[end, 2] += i2
        for k in range(3):
            x[i, k] += h * u[i, k]
        v[i, 0] += a0
        v[i, 1] += a1
        v[i, 2] += a2
        state.a[i, 0] = a0 / h
        state.a[i, 1] = a1 / h
        state.a[i, 2] = a2 / h
    state.total[WORK] += work_done
    state.total[DISSIPATED] += dissipated
    state.total[TIME] += h
