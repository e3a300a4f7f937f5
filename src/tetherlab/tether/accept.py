"""The end of a step: the iterate becomes the state, and the books are kept."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.math.record import copy_record
from tetherlab.math.rigid_body import advance_body, body_kinetic_energy
from tetherlab.tether.bending import bending_forces, bending_loss, bending_work_of_winch, resists_bending
from tetherlab.tether.capstan import ease_off, keep_wrap, slide_anchor, taut_energy, wrap_energy
from tetherlab.tether.contact_books import add_reactions, book_gain, contact_books, end_stretch, pay_debt
from tetherlab.tether.element import axial_damping, element_forces
from tetherlab.tether.ends import path_point
from tetherlab.tether.folding import fold_loss, resist_folds
from tetherlab.tether.mass import shared_loss
from tetherlab.tether.mesh import leg_meets
from tetherlab.tether.model import (
    BASE,
    CARRIED,
    COUNT,
    DEBT,
    DISSIPATED,
    END,
    FED,
    FOLDED,
    KIND_BASE,
    PRESCRIBED,
    RIGID,
    STRETCH_PEAK,
    TENSION_PEAK,
    TIME,
    WORK,
    WORK_WINCH,
    open_model,
    open_state,
    open_work,
    touches,
)
from tetherlab.tether.reel import fade
from tetherlab.tether.touching import bend_elements, touch_nodes, wrap_radius
from tetherlab.tether.wrap_fit import refit_wrap
from tetherlab.world.body_contact import contact_work, keep_body_contacts, turn_by_contacts
from tetherlab.world.contact import keep_contact
from tetherlab.world.field import velocity_at

AT_WINCH = 3  # elements that the winch stretches: it feeds them, and splits and merges them
EASING_SHARE = 0.1  # of the kinetic energy beside a wrap, which one step of its easing may take
REFIT_GAIN_MAX = 1e-3  # [J]


@kernel
def evaluate_end(memory, field, h, near):
    """Forces at the solution of the step."""
    element_forces(memory, open_state(memory).number[COUNT], h)
    if near:
        if not bend_elements(memory, field, h):
            bend_elements(memory, field, h)  # held on trial: the second time it is decided
        touch_nodes(memory, field, h)
    if open_state(memory).number[FOLDED] > 0:
        resist_folds(memory, h, near)
    if resists_bending(open_model(memory)):
        bending_forces(memory, h)


@kernel
def _keep_contacts(memory, field, h):
    """What touches at the end of the step is what touches from now on."""
    state = open_state(memory)
    count = state.number[COUNT]
    for j in range(count):
        wrap = state.wrap[j]
        if wrap.bent == 1:
            keep_wrap(wrap)
        elif wrap.active == 1 or wrap.loose == 1:
            if wrap.loose == 1:
                wrap.ease = 0.0  # it did not count
            wrap.active = 0
            wrap.loose = 1 if end_stretch(memory, j, h) < 1.0 else 0
    for i in range(count + 1):
        if state.contact[i].active == 1:
            keep_contact(field, state.contact[i], h)
    for end in range(2):
        if state.number[KIND_BASE + end] == RIGID:
            keep_body_contacts(field, state.body[end], state.body_contact[end], h)


@kernel
def _inflow(model, state, work, h):
    """Work of the winch on the tether that has come out: motion, and weight lifted above the winch [J]."""
    rho = model.linear_density
    gained = 0.0
    for i in range(min(3, state.number[COUNT]) + 1):
        # Mass of the node at the end of the step less that in the middle, which its motion was computed with.
        change = 0.0
        if i > 0:
            change += 0.25 * rho * (work.rest_next[i - 1] - work.rest_start[i - 1])
        if i < state.number[COUNT]:
            change += 0.25 * rho * (work.rest_next[i] - work.rest_start[i])
        x, v, u = state.x[i], state.v[i], work.u[i]
        for k in range(3):
            before = v[k] - h * state.a[i, k]
            gained += 0.5 * change * (v[k] * v[k] + before * before)
            if i == 1:
                gained += h * work.inflow[k] * u[k]
        gained += model.gravity * change * (2.0 * x[2] - h * u[2])
    fed = 0.0
    for j in range(min(2, state.number[COUNT])):
        fed += rho * (work.rest_next[j] - work.rest_start[j])
    fed *= model.gravity * (state.x[0, 2] - 0.5 * h * work.u[0, 2])
    state.total[FED] += fed
    return gained - fed


@kernel
def accept(memory, field, h, duration, s, near, flow, obstacles):
    """Move the state to the end of the step and keep the books; `evaluate_end` has been called."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    count = state.number[COUNT]
    x, v, u = state.x, state.v, work.u
    work_done, wound, dissipated, folds, folded_by_winch = 0.0, 0.0, 0.0, 0.0, 0.0
    if state.number[FOLDED] > 0:
        folds, folded_by_winch = fold_loss(memory, h, near)
    if near:
        work_done, wound, dissipated = contact_books(memory, field, h)
        state.total[DEBT] += max(-dissipated, 0.0)
        add_reactions(memory, field, h)
        _keep_contacts(memory, field, h)
    dissipated += folds
    wound += folded_by_winch
    if resists_bending(model):
        dissipated += bending_loss(memory, h)
    tension_peak, stretch_peak = state.total[TENSION_PEAK], state.total[STRETCH_PEAK]
    for j in range(count):
        rest = work.rest_next[j]
        state.tension[j] = work.tension[j]
        tension_peak = max(tension_peak, work.tension[j])
        if near and state.wrap[j].string == 1:
            wrap = state.wrap[j]
            if wrap.bent == 1:
                stretch_peak = max(stretch_peak, wrap.stretch_a, wrap.stretch_b)
                tension_peak = max(tension_peak, wrap.tension_a, wrap.tension_b)
            state.rest[j] = rest
            state.offset[j] = state.drift[j] = 0.0
            if state.wrap[j].active == 0 and state.wrap[j].loose == 0:
                # It has opened: what its way still counts as shorter fades as an offset.
                spare = (end_stretch(memory, j, h) - 1.0) * rest
                state.offset[j] = min(max(state.wrap[j].ease, 0.0), max(spare, 0.0))
            continue
        d0 = x[j + 1, 0] - x[j, 0] + h * (u[j + 1, 0] - u[j, 0])
        d1 = x[j + 1, 1] - x[j, 1] + h * (u[j + 1, 1] - u[j, 1])
        d2 = x[j + 1, 2] - x[j, 2] + h * (u[j + 1, 2] - u[j, 2])
        span = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
        stretch = (span - work.offset_next[j]) / rest
        stretch_peak = max(stretch_peak, stretch)
        rate = (stretch - work.stretch[j]) / h
        lost = h * rest * axial_damping(model, work) * rate * rate
        dissipated += lost
        if rest != state.rest[j] or work.offset_next[j] != state.offset[j]:
            # The winch, and offsets that fade: what the spring has gained beyond the work of its two nodes.
            gain = (
                0.5
                * model.axial_stiffness
                * (rest * (stretch - 1.0) ** 2 - state.rest[j] * (work.stretch[j] - 1.0) ** 2)
            )
            gain += lost - work.tension[j] * (span - work.span[j])
            if j < AT_WINCH:
                wound += gain
            else:
                work_done += gain
        state.offset[j], state.drift[j] = fade(state.offset[j], state.drift[j], h, state.rest[j], rest)
        state.rest[j] = rest
    state.total[TENSION_PEAK], state.total[STRETCH_PEAK] = tension_peak, stretch_peak
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
        a0, a1, a2 = u[i, 0] - v[i, 0], u[i, 1] - v[i, 1], u[i, 2] - v[i, 2]
        if touches(work, i):
            dissipated += 0.5 * m * (a0 * a0 + a1 * a1 + a2 * a2)
        else:
            a0, a1, a2 = 2.0 * a0, 2.0 * a1, 2.0 * a2
        if end >= 0:
            kind = state.number[KIND_BASE + end]
            c0, c1, c2 = 0.0, 0.0, 0.0  # what an obstacle does to this end
            contact = state.contact[i]
            if near and contact.near == 1 and contact.normal_force > 0.0:
                c0, c1, c2 = h * contact.force_W[0], h * contact.force_W[1], h * contact.force_W[2]
            f0 = work.load[i, 0] + work.bend[i, 0] - g0
            f1 = work.load[i, 1] + work.bend[i, 1] - g1
            f2 = work.load[i, 2] + work.bend[i, 2] - g2
            if i < count:
                f0 += work.force[i, 0]
                f1 += work.force[i, 1]
                f2 += work.force[i, 2]
            if i > 0:
                p0, p1, p2 = -work.force[i - 1, 0], -work.force[i - 1, 1], -work.force[i - 1, 2]
                wrap = state.wrap[i - 1]
                if near and wrap.bent == 1:
                    p0, p1, p2 = (
                        wrap.tension_b * wrap.pull_b[0],
                        wrap.tension_b * wrap.pull_b[1],
                        wrap.tension_b * wrap.pull_b[2],
                    )
                f0, f1, f2 = f0 + p0, f1 + p1, f2 + p2
            if kind == PRESCRIBED:
                _, _, _, q0, q1, q2 = path_point(state.path[end], duration, s)
                a0, a1, a2 = q0 - v[i, 0], q1 - v[i, 1], q2 - v[i, 2]
                # What the tether leaves for its holder to carry: forces on the node less its momentum change.
                i0, i1, i2 = h * f0 - m * a0, h * f1 - m * a1, h * f2 - m * a2
                work_done -= h * (f0 * u[i, 0] + f1 * u[i, 1] + f2 * u[i, 2])
                # A hand may jerk, and then moves on average as it does at neither end of the step.
                work_done += 0.5 * m * (a0 * (q0 + v[i, 0]) + a1 * (q1 + v[i, 1]) + a2 * (q2 + v[i, 2]))
            elif kind == RIGID:
                body = state.body[end]
                i0 = h * f0 - m * a0
                i1 = h * f1 - m * a1
                i2 = h * f2 - m * a2
                pushed, before = 0.0, body_kinetic_energy(body)
                for k in range(3):
                    pushed += h * (body.force_W[k] * body.u[k] + body.torque_W[k] * body.u[3 + k])
                work_done += pushed
                pushed += (i0 + c0) * u[i, 0] + (i1 + c1) * u[i, 1] + (i2 + c2) * u[i, 2]
                pushed += contact_work(body, state.body_contact[end], h)
                pushed -= h * body.mass * model.gravity * body.u[2]
                turn_by_contacts(body, state.body_contact[end], h)
                advance_body(body, h, (i0 + c0) / h, (i1 + c1) / h, (i2 + c2) / h)
                if body.implicit > 0.5:
                    dissipated += before + pushed - body_kinetic_energy(body)
            elif kind == CARRIED:
                i0, i1, i2 = h * f0 - m * a0, h * f1 - m * a1, h * f2 - m * a2
                push = state.push[end]
                push[0], push[1], push[2] = i0 + c0, i1 + c1, i2 + c2
            else:
                i0, i1, i2 = 0.0, 0.0, 0.0
                force = state.end_force[end]
                work_done += h * (force[0] * u[i, 0] + force[1] * u[i, 1] + force[2] * u[i, 2])
                if state.end_mass[end] > 0.0:
                    share = state.end_mass[end]
                    i0 = share * a0 - h * force[0] - c0
                    i1 = share * a1 - h * force[1] - c1
                    i2 = share * (a2 + h * model.gravity) - h * force[2] - c2
            state.impulse[end, 0] += i0
            state.impulse[end, 1] += i1
            state.impulse[end, 2] += i2
        for k in range(3):
            x[i, k] += h * u[i, k]
        speed = math.sqrt(u[i, 0] ** 2 + u[i, 1] ** 2 + u[i, 2] ** 2)
        travel = h * (speed + obstacles)
        state.contact[i].clearance -= travel
        state.wrap[i].moved += travel
        if i > 0:
            state.wrap[i - 1].moved += travel
        v[i, 0] += a0
        v[i, 1] += a1
        v[i, 2] += a2
        state.a[i, 0] = a0 / h
        state.a[i, 1] = a1 / h
        state.a[i, 2] = a2 / h
    if flow != 0.0:
        wound += _inflow(model, state, work, h) + bending_work_of_winch(memory)
    state.total[WORK] += work_done
    state.total[WORK_WINCH] += wound
    state.total[DISSIPATED] += dissipated
    state.total[TIME] += h
    if near:
        state.total[DISSIPATED] += shared_loss(memory, h)
        _settle_wraps(memory, field, h)
        _go_slack(memory)


@kernel
def settle_debt(memory, field, h, near, ask):
    """Let nodes pay for energy that contact has gained; `accept` has been called. ask: see `pay_debt`."""
    state = open_state(memory)
    if near:
        pay_debt(memory, field, h, ask)
    else:
        state.total[DEBT] = 0.0


@kernel
def _go_slack(memory):
    """Elements that push and touch go slack, as wrapped ones do: else they stand on the ground like tents."""
    model, state = open_model(memory), open_state(memory)
    for j in range(state.number[COUNT]):
        wrap = state.wrap[j]
        touching = state.contact[j].touching == 1 or state.contact[j + 1].touching == 1
        if touching and wrap.active == 0 and wrap.loose == 0:
            straight = end_stretch(memory, j, 0.0)
            stretch = straight - state.offset[j] / state.rest[j]
            # With an offset, too: a winch that pays out against an obstacle does not push the tether.
            if stretch < 1.0 and straight < 1.0:
                wrap.loose = 1
                state.offset[j] = state.drift[j] = 0.0
                lost = 0.5 * model.axial_stiffness * state.rest[j] * (stretch - 1.0) ** 2
                state.total[DISSIPATED] += lost


@kernel
def _payable(memory, field, j):
    """Share of the kinetic energy of the nodes of a wrapped element, seen from the obstacle [J]."""
    state, work = open_state(memory), open_work(memory)
    energy = 0.0
    for i in range(j, j + 2):
        x, v = state.x[i], state.v[i]
        w = velocity_at(field, state.wrap[j].object, x[0], x[1], x[2])
        for k in range(3):
            energy += 0.5 * work.mass[i] * (v[k] - w[k]) ** 2
    return EASING_SHARE * energy


@kernel
def _settle_wraps(memory, field, h):
    """Let the anchors slide, and fit the cylinders anew where the obstacles are shaped differently."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    EA = model.axial_stiffness
    spare = state.wrap.shape[0] - 1  # never an element
    for j in range(state.number[COUNT]):
        wrap, rest = state.wrap[j], state.rest[j]
        if wrap.active == 1:
            state.total[DISSIPATED] += slide_anchor(field, wrap, state.x, work.u, j, EA, rest)
            book_gain(memory, ease_off(wrap, EA, rest, h, _payable(memory, field, j)))
            before = wrap_energy(wrap, EA, rest)
            copy_record(state.wrap, j, spare)
            if not refit_wrap(field, wrap, state.x, work.u, j, wrap_radius(model), model.friction, rest):
                continue
            if wrap.active == 1:
                after = wrap_energy(wrap, EA, rest)
                through = leg_meets(memory, field, j, True) > 0.0 or leg_meets(memory, field, j, False) > 0.0
            else:
                wrap.loose, through = 1, False
                after = taut_energy(EA, rest, end_stretch(memory, j, 0.0))
            if through or after - before > REFIT_GAIN_MAX:
                copy_record(state.wrap, spare, j)  # a way through the obstacle is not the one it took
            else:
                book_gain(memory, after - before)
