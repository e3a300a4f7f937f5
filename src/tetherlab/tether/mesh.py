"""Adding and removing nodes while the tether moves, keeping mass, momentum and tension."""

import math

from tetherlab.math.kernel import inlined, kernel
from tetherlab.math.record import copy_record
from tetherlab.tether.bending import bending_energy
from tetherlab.tether.capstan import join_wraps, wrap_energy
from tetherlab.tether.contact_books import book_gain
from tetherlab.tether.folding import FOLD_ABOVE, fold_energy, fold_excess, hold_fold
from tetherlab.tether.model import COUNT, DISSIPATED, EVENTS, FREE, KIND_END, open_model, open_state
from tetherlab.tether.proximity import element_gap
from tetherlab.tether.touching import wrap_radius
from tetherlab.tether.wrap import off_cylinder
from tetherlab.world.ask import distance
from tetherlab.world.segment import can_bend, closest_on_segment

CALM = 0.4  # fastest that two elements stretch to be merged, of an element length [1/s]: drifts do work
DRIFT_MAX = 4.0  # fastest offset, of a rest length [1/s]: it then stays below a tenth of it
FOLDED = 0.8  # of its length: two elements that reach less far together become a slack one
MERGE_GAIN_MAX = 1e-3  # kinetic energy that a merge may bring; else it waits [J]
PLACES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8)  # for a new node between two obstacles that one element meets
SPARE = 1.3  # of an element length: two elements shorter than this together become one


@kernel
def shift(memory, first, by):
    """Make room for, or close the gap of, one node: entries from `first` on move by +1 or -1."""
    state = open_state(memory)
    count = state.number[COUNT]
    if by > 0:
        for i in range(count, first - 1, -1):
            _move(memory, i, i + 1)
        new, wrap = state.contact[first], state.wrap[first]
        new.active, new.touching, new.near = 0, 0, 0
        new.stored, new.stored_next, new.depth = 0.0, 0.0, 0.0
        new.clearance = -1.0
        wrap.active, wrap.loose, wrap.near, wrap.way = 0, 0, 0, 0
        wrap.measured = 0
        state.shared[first] = 0.0
        state.free_bend[first] = FOLD_ABOVE
        state.kink[first] = 0.0
    else:
        for i in range(first, count + 1):
            _move(memory, i, i - 1)
    state.number[COUNT] = count + by


@kernel
def _move(memory, i, j):
    """Copy all that belongs to node i and the element after it to index j."""
    state = open_state(memory)
    for k in range(3):
        state.x[j, k] = state.x[i, k]
        state.v[j, k] = state.v[i, k]
        state.a[j, k] = state.a[i, k]
    state.rest[j] = state.rest[i]
    state.offset[j] = state.offset[i]
    state.drift[j] = state.drift[i]
    state.free_bend[j] = state.free_bend[i]
    state.kink[j] = state.kink[i]
    state.tension[j] = state.tension[i]
    state.shared[j] = state.shared[i]
    copy_record(state.contact, i, j)
    copy_record(state.wrap, i, j)


@kernel
def chord(memory, j):
    """Unit vector along element j and its length [m]."""
    state = open_state(memory)
    d0 = state.x[j + 1, 0] - state.x[j, 0]
    d1 = state.x[j + 1, 1] - state.x[j, 1]
    d2 = state.x[j + 1, 2] - state.x[j, 2]
    span = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2) + 1e-12
    return d0 / span, d1 / span, d2 / span, span


@kernel
def chord_rate(memory, j):
    """How fast the chord of element j grows [m/s]."""
    v = open_state(memory).v
    n0, n1, n2, _ = chord(memory, j)
    return (v[j + 1, 0] - v[j, 0]) * n0 + (v[j + 1, 1] - v[j, 1]) * n1 + (v[j + 1, 2] - v[j, 2]) * n2


@kernel
def keep_rate(memory, j, rate):
    """Let the drift of element j take what its chord now grows faster than `rate` [m/s]."""
    state = open_state(memory)
    most = DRIFT_MAX * state.rest[j]
    state.drift[j] = min(most, max(-most, chord_rate(memory, j) - rate))


@kernel
def _straight_spring(wrap):
    """Whether an element is neither wrapped nor slack after a wrap: those have no offset."""
    return wrap.active == 0 and wrap.loose == 0


@inlined
def _takes_momentum(state, i):
    """Whether node i may gain speed in a merge: an end that is held, or carries a mass, may not."""
    return i < state.number[COUNT] or (state.number[KIND_END] == FREE and state.end_mass[1] == 0.0)


@kernel
def merge_at(memory, i, reel_speed):
    """Remove node i and join its two elements; folds beside it stay, if it is the one at the winch."""
    model, state = open_model(memory), open_state(memory)
    folded = fold_excess(memory, 2) if i == 1 else 0.0
    if i > 1:
        for k in range(i - 1, i + 2):
            state.total[DISSIPATED] += fold_energy(memory, k)
    rho, EA = model.linear_density, model.axial_stiffness
    j = i - 1
    inner, outer = state.rest[j], state.rest[i]
    rest = inner + outer
    n0, n1, n2, span_n = chord(memory, j)
    m0, m1, m2, span_m = chord(memory, i)
    share = inner / rest
    far = 1.0 - share
    T_n, T_m = state.tension[j], state.tension[i]
    p, q = share * T_n, far * T_m
    f0, f1, f2 = p * n0 + q * m0, p * n1 + q * m1, p * n2 + q * m2
    stretch = share * (span_n - state.offset[j]) / inner + far * (span_m - state.offset[i]) / outer
    # The strain rates are to stay as well, of the joined element and of its neighbours.
    flow = reel_speed if i == 1 else 0.0
    wound = min(flow, 0.0)  # an element that is reeled in takes its offset along
    rate = chord_rate(memory, j) - state.drift[j] - wound * state.offset[j] / inner
    rate += chord_rate(memory, i) - state.drift[i]
    rate_before = chord_rate(memory, j - 1) - state.drift[j - 1] if j > 0 else 0.0
    rate_after = chord_rate(memory, i + 1) - state.drift[i + 1] if i + 1 < state.number[COUNT] else 0.0
    # What the removed node moves more than the straight line between its neighbours goes to the neighbours.
    removed = 0.5 * rho * rest
    n = (n0, n1, n2)
    v = state.v
    after = 0.5 * rho * (rest + (state.rest[i + 1] if i + 1 < state.number[COUNT] else 0.0))
    before = 0.5 * rho * (rest + (state.rest[j - 1] if j > 0 else 0.0))
    outward = share if _takes_momentum(state, i + 1) else 0.0
    for k in range(3):
        entering = v[j, k] + flow * n[k]
        momentum = removed * (v[i, k] - (entering + share * (v[i + 1, k] - entering)))
        v[i + 1, k] += outward * momentum / after
        if j > 0:
            v[j, k] += (1.0 - outward) * momentum / before
    loose = max(state.wrap[j].loose, state.wrap[i].loose)
    bent = join_wraps(state.wrap[j], state.wrap[i], inner, outer)
    shift(memory, i + 1, -1)
    c0, c1, c2, span = chord(memory, j)
    T = f0 * c0 + f1 * c1 + f2 * c2
    if span < FOLDED * max(span_n + span_m, rest):
        loose = 1
    state.rest[j] = rest
    state.wrap[j].measured = 0
    state.tension[j] = T
    state.offset[j] = state.drift[j] = 0.0
    if not bent and loose == 1:
        # Slack: a string, which has no offset, unless its chord is longer than it.
        state.wrap[j].loose = 1 if span <= rest else 0
        state.offset[j] = max(span - rest, 0.0)
        state.tension[j] = 0.0
    elif not bent:
        state.offset[j] = span - rest * (stretch + (T - share * T_n - far * T_m) / EA)
        keep_rate(memory, j, rate + wound * state.offset[j] / rest)
    if j > 0 and _straight_spring(state.wrap[j - 1]):
        keep_rate(memory, j - 1, rate_before)
    if i < state.number[COUNT] and _straight_spring(state.wrap[i]):
        keep_rate(memory, i, rate_after)
    hold_fold(memory, j, 0.0)
    hold_fold(memory, i, folded)
    state.number[EVENTS] += 1


@kernel
def leg_material(wrap, rest, at_a):
    """Unstretched length per length of the leg of a wrapped element, at_a: that of its first node.

    The path may count as shorter than it is (`ease`), so this is not the inverse of the stretch.
    """
    rest_b = rest - wrap.rest_a
    counted = wrap.stretch_a * wrap.rest_a + wrap.stretch_b * rest_b
    stretch = wrap.stretch_a if at_a else wrap.stretch_b
    return counted / ((counted + wrap.ease) * stretch)


@kernel
def split_leg(memory, j, reach, at_a):
    """Cut the straight leg of a wrapped element j with a new node at the distance `reach` from its node [m].

    at_a: whether the leg of node j or that of node j + 1 is cut; the rest stays wrapped.
    """
    state = open_state(memory)
    wrap = state.wrap[j]
    before = energy_between(memory, j, j)
    shift(memory, j + 1, 1)
    new = j + 1
    x, v, a = state.x, state.v, state.a
    own, other = (j, j + 2) if at_a else (j + 2, j)
    pull, other_pull = (wrap.pull_a, wrap.pull_b) if at_a else (wrap.pull_b, wrap.pull_a)
    stretch = wrap.stretch_a if at_a else wrap.stretch_b
    leg = wrap.reach_a if at_a else wrap.reach_b
    part = reach * leg_material(wrap, state.rest[j], at_a)
    # At the contact the tether runs through as the other node pulls it.
    through = 0.0
    for k in range(3):
        through += v[other, k] * other_pull[k]
    for k in range(3):
        x[new, k] = x[own, k] + reach * pull[k]
        v[new, k] = v[own, k] + min(1.0, reach / leg) * (-through * pull[k] - v[own, k])
        a[new, k] = 0.0
    rest = state.rest[j]
    first, second = j, j + 1
    bent, straight = (second, first) if at_a else (first, second)
    if at_a:
        copy_record(state.wrap, first, second)
        state.wrap[second].rest_a -= part
        state.wrap[first].active = 0
        state.tension[first], state.tension[second] = wrap.tension_a, state.tension[first]
    else:
        state.tension[second] = wrap.tension_b
    state.rest[straight], state.rest[bent] = part, rest - part
    # By as much as the leg counts as shorter than it is, the rest of the path no longer does.
    eased = reach - part * stretch
    state.wrap[bent].ease -= eased
    # And the leg that is left is shorter, which the next obstacle on it must know.
    if at_a:
        state.wrap[bent].reach_a -= reach
        state.wrap[bent].leg_a *= 1.0 - reach / leg
    else:
        state.wrap[bent].reach_b -= reach
        state.wrap[bent].leg_b *= 1.0 - reach / leg
    # Slack: a string, which has no offset, unless its chord is longer than it.
    slack = stretch < 1.0
    state.wrap[straight].loose = 1 if slack and reach <= part else 0
    state.offset[straight] = max(reach - part, 0.0) if slack else eased
    state.offset[bent] = 0.0
    state.drift[first], state.drift[second] = 0.0, 0.0
    state.wrap[first].measured = state.wrap[second].measured = 0
    for i in range(j, j + 3):
        hold_fold(memory, i, 0.0)
    book_gain(memory, energy_between(memory, first, second) - before)
    state.number[EVENTS] += 1


@kernel
def spring_energy(memory, j):
    """Elastic energy of element j [J]."""
    model, state = open_model(memory), open_state(memory)
    EA, rest, wrap = model.axial_stiffness, state.rest[j], state.wrap[j]
    if wrap.active == 1:
        return wrap_energy(wrap, EA, rest)
    _, _, _, span = chord(memory, j)
    stretch = (span - state.offset[j]) / rest
    if stretch > 1.0 or wrap.loose == 0:
        return 0.5 * EA * rest * (stretch - 1.0) ** 2
    return 0.0


@kernel
def energy_between(memory, first, last):
    """Kinetic, potential and elastic energy of elements first..last and of bending at their nodes [J]."""
    model, state = open_model(memory), open_state(memory)
    total = bending_energy(memory, first, last + 1)
    for j in range(max(first, 0), min(last, state.number[COUNT] - 1) + 1):
        rest = state.rest[j]
        for k in range(3):
            total += 0.5 * state.shared[j] * (state.v[j + 1, k] - state.v[j, k]) ** 2
        for i in range(j, j + 2):
            x, v = state.x[i], state.v[i]
            moving = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
            total += 0.5 * model.linear_density * rest * (moving + model.gravity * x[2])
        total += spring_energy(memory, j)
    return total


@kernel
def leg_meets(memory, field, j, at_a):
    """Where the leg of a wrapped element meets another obstacle: distance from its node [m], or -1."""
    model, state = open_model(memory), open_state(memory)
    wrap = state.wrap[j]
    i = j if at_a else j + 1
    pull = wrap.pull_a if at_a else wrap.pull_b
    leg = wrap.reach_a if at_a else wrap.reach_b
    close = wrap_radius(model)
    way = leg - 3.0 * model.radius  # near the contact the leg is close to the obstacle it is wrapped on
    if way < 2.0 * model.radius:
        return -1.0
    ax, ay, az = state.x[i, 0], state.x[i, 1], state.x[i, 2]
    bx, by, bz = ax + way * pull[0], ay + way * pull[1], az + way * pull[2]
    for who in range(field.objects.shape[0]):
        if not can_bend(field, who):
            continue
        d, t = closest_on_segment(field, who, ax, ay, az, bx, by, bz, close)
        if d >= 0.8 * close or t * way <= model.radius or t > 0.98:
            continue
        px, py, pz = ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az)
        if abs(off_cylinder(field, wrap, px, py, pz)) > 4.0 * model.radius:
            return t * way  # not the obstacle that it is already wrapped on
    return -1.0


@kernel
def _free_place(memory, field, j, at_a, met):
    """Where on the leg beyond what it meets there is room for a node: distance from its node [m], or -1."""
    model, state = open_model(memory), open_state(memory)
    wrap = state.wrap[j]
    x = state.x[j if at_a else j + 1]
    pull, leg = (wrap.pull_a, wrap.reach_a) if at_a else (wrap.pull_b, wrap.reach_b)
    for share in PLACES:
        reach = met + share * (leg - met)
        p0, p1, p2 = x[0] + reach * pull[0], x[1] + reach * pull[1], x[2] + reach * pull[2]
        if distance(field, p0, p1, p2) > model.radius:
            return reach
    return -1.0


@kernel
def _straight(memory, field, i):
    """Whether node i can go: the tether is straight there, and the chord without it is free."""
    model, state = open_model(memory), open_state(memory)
    a0, a1, a2, _ = chord(memory, i - 1)
    b0, b1, b2, _ = chord(memory, i)
    if a0 * b0 + a1 * b1 + a2 * b2 < 0.98:
        return False
    if state.contact[i].near == 0:
        return True
    p, q = state.x[i - 1], state.x[i + 1]
    return element_gap(field, p[0], p[1], p[2], q[0], q[1], q[2], model.radius) > 0.9 * model.radius


@kernel
def _kinetic_gain(memory, i):
    """What kinetic energy would appear if node i were merged away; see `merge_at` [J]."""
    model, state = open_model(memory), open_state(memory)
    v, half = state.v, 0.5 * model.linear_density
    inner, outer = state.rest[i - 1], state.rest[i]
    rest = inner + outer
    beyond = state.rest[i + 1] if i + 1 < state.number[COUNT] else 0.0
    below = state.rest[i - 2] if i > 1 else 0.0
    share = inner / rest
    outward = share if _takes_momentum(state, i + 1) else 0.0
    gained = 0.0
    for k in range(3):
        near, here, far = v[i - 1, k], v[i, k], v[i + 1, k]
        excess = rest * (here - near - share * (far - near))
        near_after = near + (1.0 - outward) * excess / (below + rest)
        far_after = far + outward * excess / (rest + beyond)
        gained += (below + rest) * near_after**2 + (rest + beyond) * far_after**2
        gained -= (below + inner) * near**2 + rest * here**2 + (outer + beyond) * far**2
    return 0.5 * half * gained


@kernel
def remesh(memory, field, room):
    """Give a second obstacle on one element its own element; remove nodes that are no longer needed."""
    model, state = open_model(memory), open_state(memory)
    j = 0
    while j < state.number[COUNT]:
        wrap = state.wrap[j]
        if wrap.active == 1 and state.number[COUNT] + 3 < room:
            for side in range(2):
                at_a = side == 0
                met = leg_meets(memory, field, j, at_a)
                reach = _free_place(memory, field, j, at_a, met) if met > 0.0 else -1.0
                if reach > 0.0:
                    split_leg(memory, j, reach, at_a)
                    break
        j += 1
    i = 2
    while i < state.number[COUNT]:
        short = state.rest[i - 1] + state.rest[i] < SPARE * model.element_length
        if (
            short
            and state.wrap[i - 1].active == 0
            and state.wrap[i].active == 0
            and _straight(memory, field, i)
            and _kinetic_gain(memory, i) < MERGE_GAIN_MAX
            and abs(chord_rate(memory, i - 1)) + abs(chord_rate(memory, i)) < CALM * model.element_length
        ):
            before = energy_between(memory, i - 2, i + 1)
            merge_at(memory, i, 0.0)
            book_gain(memory, energy_between(memory, i - 2, i) - before)
        i += 1
