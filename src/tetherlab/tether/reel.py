"""Reeling at the base: tether flows through the base node, and nodes appear and vanish next to it.

The base element takes up what the winch pays out. Above 1.6 element lengths it is split, below 0.45 it is
merged with its neighbour. Both keep mass and momentum, and keep the tension: the new node is placed on the
curve of the loaded tether, and what the chord then lacks or has too much, and grows too fast or too slowly,
is an offset that fades in 0.1 s.
A tether of two elements shares its length between them, so that its polygon can always be closed.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.tether.folding import MERGE_BELOW, fold_energy, fold_excess, hold_fold
from tetherlab.tether.mesh import (
    chord,
    chord_rate,
    energy_between,
    keep_rate,
    leg_material,
    merge_at,
    shift,
    split_leg,
)
from tetherlab.tether.model import COUNT, EVENTS, WORK_WINCH, open_model, open_state

SPLIT_ABOVE = 1.6  # of an element length
COUNT_MIN = 2
SHARING_TIME = 0.1  # [s]
FADING_TIME = 0.05  # [s]


@kernel
def flow_rates(memory, reel_speed):
    """Rates of the rest lengths of the first two elements [m/s]."""
    model, state = open_model(memory), open_state(memory)
    if state.number[COUNT] > COUNT_MIN:
        return reel_speed, 0.0
    length = state.rest[0] + state.rest[1]
    wanted = min(0.5 * length, model.element_length)
    flow = (wanted - state.rest[1]) / SHARING_TIME
    if length < 2.0 * model.element_length:
        flow += 0.5 * reel_speed
    return reel_speed - flow, flow


@kernel
def fade(offset, drift, h, rest, rest_next):
    """Offset [m] and its rate [m/s] after h: critically damped, so that the strain rate does not jump.

    An element that is reeled in takes its share of the offset along: what is left of it stays a spring.
    """
    if abs(offset) + FADING_TIME * abs(drift) < 1e-12:
        return 0.0, 0.0
    pull = drift + offset / FADING_TIME
    left = math.exp(-h / FADING_TIME) * min(1.0, rest_next / rest)
    return (offset + pull * h) * left, (drift - pull * h / FADING_TIME) * left


@kernel
def split_base(memory, reel_speed):
    """Split the base element into the rest (at the base) and one full element."""
    model, state = open_model(memory), open_state(memory)
    rho, EA = model.linear_density, model.axial_stiffness
    rest = state.rest[0]
    outer = model.element_length
    inner = rest - outer
    n0, n1, n2, span = chord(memory, 0)
    T = state.tension[0]
    stretch = (span - state.offset[0]) / rest
    flow, _ = flow_rates(memory, reel_speed)
    strain_rate = (chord_rate(memory, 0) - state.drift[0] - stretch * flow) / rest
    # Load per mass that bends the tether here: what node 1 feels, limited where it would fold the element.
    m0, m1, m2, _ = chord(memory, 1)
    mass = 0.5 * rho * (rest + state.rest[1])
    q0 = (T * n0 - state.tension[1] * m0) / mass
    q1 = (T * n1 - state.tension[1] * m1) / mass
    q2 = (T * n2 - state.tension[1] * m2) / mass
    size = math.sqrt(q0 * q0 + q1 * q1 + q2 * q2)
    most = 0.9 * max(T, 0.0) / (rho * rest)
    if size > most:
        w = most / size
        q0, q1, q2 = q0 * w, q1 * w, q2 * w
    # Tension vectors at the middle of both parts; d(T t)/ds = -rho q.
    w = 0.5 * rho * inner
    f0, f1, f2 = T * n0 - w * q0, T * n1 - w * q1, T * n2 - w * q2
    outer_T = math.sqrt(f0 * f0 + f1 * f1 + f2 * f2)
    if T < 0.0 or outer_T < 1e-9:
        f0, f1, f2, outer_T = n0, n1, n2, 1.0
        outer_stretch, inner_stretch = stretch, stretch
        inner_tension, outer_tension = T, T
    else:
        w = 0.5 * rho * outer
        g0, g1, g2 = T * n0 + w * q0, T * n1 + w * q1, T * n2 + w * q2
        inner_tension = math.sqrt(g0 * g0 + g1 * g1 + g2 * g2)
        outer_tension = outer_T
        outer_stretch = stretch + (outer_tension - T) / EA
        inner_stretch = stretch + (inner_tension - T) / EA
    excess = fold_excess(memory, 1)
    shift(memory, 1, 1)
    x, v, a = state.x, state.v, state.a
    w = outer * outer_stretch / outer_T
    x[1, 0], x[1, 1], x[1, 2] = x[2, 0] - w * f0, x[2, 1] - w * f1, x[2, 2] - w * f2
    share = inner / rest
    n = (n0, n1, n2)
    for k in range(3):
        entering = v[0, k] + reel_speed * n[k]
        v[1, k] = entering + share * (v[2, k] - entering)
        a[1, k] = a[0, k] + share * (a[2, k] - a[0, k])
    state.wrap[1].loose = state.wrap[0].loose
    state.wrap[0].measured = state.wrap[1].measured = 0
    state.rest[0], state.rest[1] = inner, outer
    state.tension[0], state.tension[1] = inner_tension, outer_tension
    _, _, _, span = chord(memory, 0)
    state.offset[0] = span - inner * inner_stretch
    state.offset[1] = 0.0
    keep_rate(memory, 0, strain_rate * inner + stretch * reel_speed)
    keep_rate(memory, 1, strain_rate * outer)
    hold_fold(memory, 1, 0.0)
    hold_fold(memory, 2, excess)
    state.number[EVENTS] += 1


@kernel
def remesh_base(memory, reel_speed):
    """Split or merge at the base until its element has an ordinary length.

    What energy this takes, mostly that tether which comes out is set in motion, is work of the winch.
    """
    model, state = open_model(memory), open_state(memory)
    room = state.rest.shape[0]
    while state.rest[0] > SPLIT_ABOVE * model.element_length and state.number[COUNT] + 2 < room:
        wrap = state.wrap[0]
        if wrap.active == 0:
            before = energy_between(memory, 0, 0) + fold_energy(memory, 1)
            split_base(memory, reel_speed)
            after = energy_between(memory, 0, 1) + fold_energy(memory, 1) + fold_energy(memory, 2)
            state.total[WORK_WINCH] += after - before
            continue
        material = leg_material(wrap, state.rest[0], True)
        reach = (state.rest[0] - model.element_length) / material
        if reach > 0.9 * wrap.reach_a:
            reach = 0.5 * wrap.reach_a
        if reach * material < 0.3 * model.element_length:
            break  # wrapped too close to the winch to put a node between: wait
        split_leg(memory, 0, reach, True)
    while state.number[COUNT] > COUNT_MIN and state.rest[0] < MERGE_BELOW * model.element_length:
        before = energy_between(memory, 0, 2) + fold_energy(memory, 1) + fold_energy(memory, 2)
        merge_at(memory, 1, reel_speed)
        state.total[WORK_WINCH] += energy_between(memory, 0, 1) + fold_energy(memory, 1) - before
