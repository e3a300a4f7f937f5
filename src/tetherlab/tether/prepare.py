"""Everything of a step that does not depend on the iterate, and the first guess."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.tether.bending import choose_bending, resists_bending
from tetherlab.tether.folding import FOLD_NEAR, hold_fold
from tetherlab.tether.model import COUNT, FOLDED, REELED, TIME, open_model, open_state, open_work
from tetherlab.tether.reel import fade, flow_rates
from tetherlab.world.wind_field import wind_at


@kernel
def prepare(memory, wind, h, reel_speed):
    """Fill mass, load, drag, stretch, rest_next and stiff of the workspace, and guess u."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    count = state.number[COUNT]
    x, v, rest = state.x, state.v, state.rest
    rho = model.linear_density
    for j in range(count):
        d0, d1, d2 = x[j + 1, 0] - x[j, 0], x[j + 1, 1] - x[j, 1], x[j + 1, 2] - x[j, 2]
        work.span[j] = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2) + 1e-12
        wrap = state.wrap[j]
        if wrap.active == 1:
            work.stretch[j] = wrap.stretch_b + (wrap.stretch_a - wrap.stretch_b) * wrap.rest_a / rest[j]
        else:
            work.stretch[j] = (work.span[j] - state.offset[j]) / rest[j]
        work.rest_next[j] = rest[j]
        work.rest_start[j] = rest[j]
        work.stiff[j] = state.shared[j]
    flow_0, flow_1 = flow_rates(memory, reel_speed)
    work.rest_next[0] += h * flow_0
    if count > 1:
        work.rest_next[1] += h * flow_1
    for j in range(count):
        work.offset_next[j] = 0.0
        if state.wrap[j].active == 0:
            work.offset_next[j], _ = fade(state.offset[j], state.drift[j], h, rest[j], work.rest_next[j])
    time = state.total[TIME] + 0.5 * h
    was_folded = state.number[FOLDED]
    state.number[FOLDED] = 0
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
        reach = t0 * t0 + t1 * t1 + t2 * t2
        if 0 < i < count:
            a, b = work.span[i - 1], work.span[i]
            if reach < (a + b) * (a + b) - 2.0 * FOLD_NEAR * a * b:
                state.number[FOLDED] = 1
        w = 1.0 / (math.sqrt(reach) + 1e-12)
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
        work.inertia[i] = 0.5 * m if state.contact[i].active == 1 else m
        work.load[i, 2] -= m * model.gravity
    if flow_0 == 0.0 and was_folded == 0:
        state.number[FOLDED] = 0  # folds begin to resist when the winch runs, and stop when they are open
    if state.number[FOLDED] > 0:
        if was_folded == 0:
            for i in range(1, count):
                hold_fold(memory, i, 0.0)
        if flow_0 != 0.0:
            state.number[FOLDED] = REELED
    for end in range(2):
        for k in range(3):
            work.load[end * count, k] += state.end_force[end, k]
    # Tether that enters the base element brings its own momentum: half of it reaches node 1.
    q = 0.25 * rho * flow_0
    work.inflow[:] = 0.0
    if q != 0.0:
        n0, n1, n2 = x[1, 0] - x[0, 0], x[1, 1] - x[0, 1], x[1, 2] - x[0, 2]
        w = reel_speed / work.span[0]
        work.inflow[0] = q * (v[0, 0] + w * n0 - v[1, 0])
        work.inflow[1] = q * (v[0, 1] + w * n1 - v[1, 1])
        work.inflow[2] = q * (v[0, 2] + w * n2 - v[1, 2])
        for k in range(3):
            work.load[1, k] += work.inflow[k]
    if resists_bending(model):
        choose_bending(memory)
    for end in range(2):
        body = state.body[end]
        body.implicit = 0.0
        for k in range(body.point_count):
            if state.body_contact[end, k].active == 1:
                body.implicit = 1.0
                work.inertia[end * count] = 0.5 * work.mass[end * count]
