"""Newton's method for one step of an island: all of its tethers and bodies at once."""

import math

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import (
    carry_point,
    load_inertia,
    predict_body,
    rate_of_turn,
    stiffen_body,
    stiffen_turn,
    turn_body,
)
from tetherlab.plant.drape import ease_under_tether, push_under_tether, show_to_tether
from tetherlab.plant.elimination import CHAIN, add_drapes, clear_couplings, solve_island, unknowns
from tetherlab.plant.joint import (
    add_joints,
    correct_joints,
    joints_hold,
    largest_joint_motion,
    push_joints,
    spread_contact,
)
from tetherlab.plant.pair_contact import add_pairs, touch_pairs
from tetherlab.plant.rider import hide_riders, ride_on, show_riders
from tetherlab.plant.rider_contact import add_rider_contacts, ease_carriers, rests_on_rider
from tetherlab.plant.tied_body import push_body
from tetherlab.plant.winch_feed import load_feed
from tetherlab.tether.bending import add_bending, bending_forces, resists_bending
from tetherlab.tether.element import assemble, element_forces
from tetherlab.tether.ends import hold_ends
from tetherlab.tether.folding import resist_folds
from tetherlab.tether.model import (
    COUNT,
    FOLDED,
    KIND_BASE,
    PRESCRIBED,
    memory_row,
    open_model,
    open_state,
    open_work,
)
from tetherlab.tether.newton import (
    ACCURACY_LAST,
    ITERATIONS_LAST,
    ITERATIONS_MAX,
    LINEAR_TOLERANCE,
    TURN_FAST,
    TURN_MAX,
    calm_guess,
    chain_tolerance2,
    finer_where_stiff,
    largest_turn,
)
from tetherlab.tether.touching import add_contacts, bend_elements, chain_touches, touch_nodes
from tetherlab.world.body_contact import add_body_contacts, feet_settled, touch_body

LEVER_LEAST = 0.01  # at which turning of a body counts as motion, if all of its ties are nearer [m]


@kernel
def hold_ties(graph, n, h, duration, s):
    """Mean velocities of all end nodes of island n at the iterate; duration, s: of prescribed paths."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_body, island.last_body):
        turn_body(graph.body[program.body[k]], h)
    ride_on(graph, h)
    for k in range(island.first_tether, island.last_tether):
        t = program.tether[k]
        memory = memory_row(graph.memories, t)
        state, work = open_state(memory), open_work(memory)
        hold_ends(memory, h, duration, s)
        for end in range(2):
            tie = graph.tie[t, end]
            if tie.body >= 0:
                u = work.u[end * state.number[COUNT]]
                u[0], u[1], u[2] = _carry_tie(graph.body[tie.body], tie, h)


@kernel
def _carry_tie(body, tie, h):
    """Mean velocity of a tied point, which may slide on its body: of R+ (r + h s) - R r, exactly."""
    r, s, w = tie.r_B, tie.slide_B, 0.5 * h
    v0, v1, v2 = carry_point(body, (r[0] + w * s[0], r[1] + w * s[1], r[2] + w * s[2]), tie.arm_W)
    if s[0] != 0.0 or s[1] != 0.0 or s[2] != 0.0:
        R, Q = body.R_WB, body.R_next
        v0 += 0.5 * ((R[0, 0] + Q[0, 0]) * s[0] + (R[0, 1] + Q[0, 1]) * s[1] + (R[0, 2] + Q[0, 2]) * s[2])
        v1 += 0.5 * ((R[1, 0] + Q[1, 0]) * s[0] + (R[1, 1] + Q[1, 1]) * s[1] + (R[1, 2] + Q[1, 2]) * s[2])
        v2 += 0.5 * ((R[2, 0] + Q[2, 0]) * s[0] + (R[2, 1] + Q[2, 1]) * s[1] + (R[2, 2] + Q[2, 2]) * s[2])
    return v0, v1, v2


@kernel
def newton_island(graph, n, field, h, duration, s, last_resort):
    """Solve the step of island n; returns (converged, iterations).

    duration, s: of prescribed paths. last_resort: the step cannot be made shorter.
    """
    tolerance2, linear, linear_tolerance = _begin(graph, n, h)
    hold_ties(graph, n, h, duration, s)
    _calm_guesses(graph, n, h)
    previous, pace = 1e300, 1.0
    for iteration in range(1, (ITERATIONS_LAST if last_resort else ITERATIONS_MAX) + 1):
        decided = _assemble_tethers(graph, n, field, h)
        push_joints(graph, n, h)
        _assemble_bodies(graph, n, h)
        clear_couplings(graph, n)
        add_pairs(graph, n, h)
        add_rider_contacts(graph, n, h)
        add_drapes(graph, n, h)
        add_joints(graph, n, h)
        solve_island(graph, n)
        largest, turn, finite = _largest_correction(graph, n, h)
        if not finite:
            return False, iteration
        shrink = min(pace, 0.5 / (largest * h + 1e-300), TURN_MAX / (turn + 1e-300))
        _correct(graph, n, shrink)
        correct_joints(graph, n, shrink, h)
        hold_ties(graph, n, h, duration, s)
        delta = largest * h
        if (
            delta * delta < tolerance2
            and decided
            and (
                not linear
                or delta < linear_tolerance
                or (last_resort and iteration > 6)
                or _settled(graph, n)
            )
        ):
            if joints_hold(graph, n, h):
                return True, iteration
            previous = 1e300
            continue
        if iteration > 3 and delta > 4.0 * previous and not last_resort:
            return False, iteration
        if iteration > 4 and delta > 0.5 * previous:
            pace = max(0.2, 0.8 * pace)  # contact that comes and goes: take smaller bites
        previous = delta
    return last_resort and previous < ACCURACY_LAST, iteration


@kernel
def _begin(graph, n, h):
    """First guess of the bodies; (square of the largest correction to stop at [m^2], whether convergence is
    linear, and then the largest correction [m])."""
    island, program = graph.program.island[n], graph.program
    tolerance2, linear, shortest = 1e-8, False, 0.1
    for k in range(island.first_tether, island.last_tether):
        t = program.tether[k]
        memory = memory_row(graph.memories, t)
        model, state = open_model(memory), open_state(memory)
        shortest = min(shortest, model.element_length)
        tolerance2 = min(tolerance2, chain_tolerance2(model, state, h))
        linear = linear or graph.near[t] == 1 or state.number[FOLDED] > 0
    for k in range(island.first_body, island.last_body):
        b = program.body[k]
        body = graph.body[b]
        predict_body(body, h, graph.gravity)
        turn = h * math.sqrt(body.u[3] ** 2 + body.u[4] ** 2 + body.u[5] ** 2)
        tolerance2 = min(tolerance2, (1e-11 if turn > TURN_FAST else 1e-9) * shortest)
        for p in range(body.point_count):
            linear = linear or graph.body_contact[b, p].near == 1
    for e in range(island.first_pair, island.last_pair):
        linear = linear or graph.pair[program.pair[e]].near == 1
    finest2, finest = tolerance2, LINEAR_TOLERANCE
    for k in range(island.first_tether, island.last_tether):
        model = open_model(memory_row(graph.memories, program.tether[k]))
        own2, own = finer_where_stiff(model, h, tolerance2)
        finest2, finest = min(finest2, own2), min(finest, own)
    return min(finest2, graph.tolerance**2), linear, min(finest, graph.tolerance)


@kernel
def _settled(graph, n):
    """Whether what is near in island n touches nothing, or sticks where it did before, but for its pairs."""
    island, program = graph.program.island[n], graph.program
    if island.first_pair < island.last_pair:
        return False
    for k in range(island.first_body, island.last_body):
        b = program.body[k]
        if rests_on_rider(graph, b) or not feet_settled(graph.body[b], graph.body_contact[b]):
            return False
    for k in range(island.first_tether, island.last_tether):
        t = program.tether[k]
        state = open_state(memory_row(graph.memories, t))
        if state.number[FOLDED] > 0 or (graph.near[t] == 1 and chain_touches(state)):
            return False
    return True


@kernel
def _calm_guesses(graph, n, h):
    """See `calm_guess`."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_tether, island.last_tether):
        memory = memory_row(graph.memories, program.tether[k])
        if resists_bending(open_model(memory)):
            calm_guess(memory, h)


@kernel
def _assemble_tethers(graph, n, field, h):
    """Rows of all nodes at the iterate; what their ends pull the bodies with, into `load`.

    Returns False where an element is held on trial, so that this cannot be the solution yet.
    """
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_body, island.last_body):
        b = program.body[k]
        for c in range(6):
            graph.load[b, c] = 0.0
        show_riders(graph, field, b)
        if touch_body(field, graph.body[b], graph.body_contact[b], h):
            graph.body[b].implicit = 1.0
        hide_riders(graph, field)
    ease_carriers(graph, n)
    touch_pairs(graph, n, h)
    spread_contact(graph, n)
    decided = True
    for k in range(island.first_tether, island.last_tether):
        t = program.tether[k]
        memory = memory_row(graph.memories, t)
        state, work = open_state(memory), open_work(memory)
        count, near = state.number[COUNT], graph.near[t] == 1
        element_forces(memory, count, h)
        if near:
            show_to_tether(graph, field, t)
            decided = bend_elements(memory, field, h) and decided
            touch_nodes(memory, field, h)
            hide_riders(graph, field)
            ease_under_tether(graph, t, state)
        ease_tied_nodes(graph, t, state, work)
        if state.number[FOLDED] > 0:
            resist_folds(memory, h, near)
        first = 1 if state.number[KIND_BASE] == PRESCRIBED else 0
        last = count - 1 if state.number[KIND_BASE + 1] == PRESCRIBED else count
        assemble(memory, first, last, h)
        if resists_bending(open_model(memory)):
            bending_forces(memory, h)
            add_bending(memory, h)
        if near:
            add_contacts(memory, h)
            push_under_tether(graph, t, h)
        for end in range(2):
            tie = graph.tie[t, end]
            if tie.body >= 0:
                f, w = work.rhs[end * count], 2.0 / h
                push_body(graph.load[tie.body], tie.arm_W, w * f[0], w * f[1], w * f[2])
        load_feed(graph, t, h)
    return decided


@kernel
def ease_tied_nodes(graph, t, state, work):
    """The end node on a body that touches something steps by backward Euler, as the body does."""
    for end in range(2):
        tie, i = graph.tie[t, end], end * state.number[COUNT]
        if tie.body >= 0 and graph.body[tie.body].implicit > 0.5:
            work.inertia[i] = 0.5 * work.mass[i]


@kernel
def _assemble_bodies(graph, n, h):
    """Rows of all bodies: inertia, loads, contacts, and the rows of the end nodes that are tied to them."""
    island, program = graph.program.island[n], graph.program
    alone = program.operation[island.first_operation].code == CHAIN
    for k in range(island.first_body, island.last_body):
        b = program.body[k]
        f = graph.load[b]
        load_inertia(graph.body[b], h, graph.gravity, f[0], f[1], f[2], f[3], f[4], f[5])
        add_body_contacts(graph.body[b], graph.body_contact[b], h)
    for k in range(island.first_tether, island.last_tether):
        t = program.tether[k]
        memory = memory_row(graph.memories, t)
        state, work = open_state(memory), open_work(memory)
        for end in range(2):
            tie = graph.tie[t, end]
            if tie.body >= 0:
                i, r, body, w = end * state.number[COUNT], tie.arm_W, graph.body[tie.body], 2.0 / h
                f = work.rhs[i]
                if alone:  # in the order of `Tether`, whose answer this is to the last bit
                    stiffen_turn(body, r, w * f[0], w * f[1], w * f[2], h)
                stiffen_body(body, work.diagonal[i], 1.0, r[0], r[1], r[2])
                if not alone:
                    stiffen_turn(body, r, w * f[0], w * f[1], w * f[2], h)


@kernel
def _largest_correction(graph, n, h):
    """(Largest correction of a velocity [m/s], largest turn of a stiff element [rad], all are numbers)."""
    island, program = graph.program.island[n], graph.program
    largest2, total, turn = 0.0, 0.0, 0.0
    for k in range(island.first_tether, island.last_tether):
        memory = memory_row(graph.memories, program.tether[k])
        state, work = open_state(memory), open_work(memory)
        first, last = unknowns(state)
        for i in range(first, last + 1):
            z = work.solved[i]
            square = z[0] * z[0] + z[1] * z[1] + z[2] * z[2]
            largest2 = max(largest2, square)
            total += square  # unlike the maximum, the sum does not overlook a NaN
        if resists_bending(open_model(memory)):
            turn = max(turn, largest_turn(state, work.solved, first, last, state.number[COUNT], h))
    largest = math.sqrt(largest2)
    for k in range(island.first_body, island.last_body):
        z = graph.correction[program.body[k]]
        largest = max(largest, abs(z[0]), abs(z[1]), abs(z[2]))
        largest = max(largest, LEVER_LEAST * max(abs(z[3]), abs(z[4]), abs(z[5])))
        for c in range(6):
            total += z[c] * z[c]
    for k in range(island.first_tether, island.last_tether):
        for end in range(2):
            tie = graph.tie[program.tether[k], end]
            if tie.body >= 0:
                z, r = graph.correction[tie.body], tie.arm_W
                lever = LEVER_LEAST + abs(r[0]) + abs(r[1]) + abs(r[2])
                largest = max(largest, lever * max(abs(z[3]), abs(z[4]), abs(z[5])))
    largest = max(largest, largest_joint_motion(graph, n))
    return largest, turn, total * h * h < 1e12


@kernel
def _correct(graph, n, share):
    """Apply that share of the corrections."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_tether, island.last_tether):
        memory = memory_row(graph.memories, program.tether[k])
        state, work = open_state(memory), open_work(memory)
        first, last = unknowns(state)
        for i in range(first, last + 1):
            for c in range(3):
                work.u[i, c] += share * work.solved[i, c]
    for k in range(island.first_body, island.last_body):
        b = program.body[k]
        z, u = graph.correction[b], graph.body[b].u
        turn = rate_of_turn(graph.body[b], z[3], z[4], z[5])
        for c in range(3):
            u[c] += share * z[c]
            u[3 + c] += share * turn[c]
