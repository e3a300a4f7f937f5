"""Newton's method for one step of the chain with its bodies and contacts."""

import math

from tetherlab.math.kernel import inlined, kernel
from tetherlab.math.rigid_body import (
    correct_body,
    eliminate_body,
    load_body,
    predict_body,
    stiffen_body,
)
from tetherlab.tether.band import coupled, solve_band
from tetherlab.tether.bending import add_bending, bending_forces, resists_bending
from tetherlab.tether.chain import LOWER, UPPER, solve_chain
from tetherlab.tether.element import assemble, element_forces
from tetherlab.tether.ends import hold_ends
from tetherlab.tether.folding import resist_folds
from tetherlab.tether.model import (
    BASE,
    COUNT,
    FOLDED,
    FREE,
    KIND_BASE,
    RIGID,
    open_model,
    open_state,
    open_work,
)
from tetherlab.tether.touching import add_contacts, bend_elements, chain_touches, touch_nodes
from tetherlab.world.body_contact import add_body_contacts, feet_settled

ITERATIONS_MAX = 12
ITERATIONS_LAST = 40  # in the smallest step, with shorter and shorter corrections
ACCURACY_LAST = 1e-3  # and then this is enough [m]
STIFFNESS_HIGH = 1e6  # of an element, from which on its forces ask for a smaller error [N/m]
STIFFNESS_LINEAR = 1e7  # the same where convergence is linear [N/m]
SMALLEST2 = 1e-20  # square of the smallest correction that is asked for [m^2]
STEP_LONG = 0.005  # from which on a step is solved to a smaller error [s]
TURN_FAST = 0.01  # of a body within one step [rad]
TURN_MAX = 0.3  # of an element that resists bending, by the guess or one correction [rad]
LINEAR_TOLERANCE = 2e-7  # [m]: friction and folds converge linearly, not quadratically; see 18 degree slope


@inlined
def _push_on_body(work, stiff, end, count, first, last):
    """What the corrections of its neighbours push the attachment at an end with, through the coupling."""
    if stiff:
        i = end * count
        return (
            coupled(work.band, work.solved, i, first, last, 0),
            coupled(work.band, work.solved, i, first, last, 1),
            coupled(work.band, work.solved, i, first, last, 2),
        )
    j, i = (0, 1) if end == BASE else (count - 1, count - 1)
    column = UPPER if end == BASE else LOWER
    z, link = work.solved[i], work.link[j, column : column + 7]
    mz = link[4] * z[0] + link[5] * z[1] + link[6] * z[2]
    return link[0] * z[0] + link[1] * mz, link[0] * z[1] + link[2] * mz, link[0] * z[2] + link[3] * mz


@kernel
def largest_turn(state, change, first, last, count, h):
    """Most that changes of the mean velocities of nodes first..last, the others held, turn an element."""
    largest = 0.0
    for j in range(count):
        square = 0.0
        for k in range(3):
            near = change[j, k] if first <= j <= last else 0.0
            far = change[j + 1, k] if first <= j + 1 <= last else 0.0
            square += (far - near) ** 2
        largest = max(largest, square / (state.rest[j] * state.rest[j]))
    return h * math.sqrt(largest)


@kernel
def calm_guess(memory, h):
    """Let a guess that would crumple a stiff tether move it as a whole.

    Where the step is longer than bending waves take, their velocity says nothing about where they lead.
    """
    state, work = open_state(memory), open_work(memory)
    count = state.number[COUNT]
    turn = largest_turn(state, work.u, 0, count, count, h)
    if turn < TURN_MAX:
        return
    share = TURN_MAX / turn
    for k in range(3):
        mean = 0.0
        for i in range(count + 1):
            mean += work.u[i, k] / (count + 1)
        for i in range(1, count):
            work.u[i, k] = mean + share * (work.u[i, k] - mean)


@kernel
def chain_tolerance2(model, state, h):
    """Square of the largest correction at which a chain without bodies counts as solved [m^2].

    One more iteration squares the relative error, so the correction may be far larger than the error left.
    """
    tolerance2 = 1e-7 * model.element_length
    if h > STEP_LONG:
        tolerance2 *= (STEP_LONG / h) ** 2  # what is left of the error does work all along a longer way
    if state.end_mass[0] + state.end_mass[1] > 0.0:
        tolerance2 *= 1e-4  # a heavy one swings long
    return tolerance2


@kernel
def finer_where_stiff(model, h, tolerance2):
    """(tolerance2, LINEAR_TOLERANCE), smaller where the error left works against stiff springs."""
    length, axial = model.element_length, model.axial_stiffness + 2.0 * model.axial_damping / h
    stiffest = max(axial / length, 100.0 * model.bending_stiffness / length**3)
    if stiffest > STIFFNESS_HIGH:
        tolerance2 = max(tolerance2 * (STIFFNESS_HIGH / stiffest) ** 2, SMALLEST2)
    linear = LINEAR_TOLERANCE * min(1.0, STIFFNESS_LINEAR / stiffest)
    return tolerance2, max(linear, math.sqrt(SMALLEST2))


@kernel
def _settled(state, near):
    """Whether what is near touches nothing, or sticks where it did before."""
    if state.number[FOLDED] > 0 or (near and chain_touches(state)):
        return False
    for end in range(2):
        if state.number[KIND_BASE + end] == RIGID:
            if not feet_settled(state.body[end], state.body_contact[end]):
                return False
    return True


@kernel
def newton(memory, field, h, duration, s, near, last_resort):
    """Solve the step; returns (converged, iterations).

    duration, s: of the prescribed paths. near: whether anything may touch.
    last_resort: the step cannot be made shorter.
    """
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    count = state.number[COUNT]
    base_kind, end_kind = state.number[KIND_BASE], state.number[KIND_BASE + 1]
    first = 1 if base_kind != FREE else 0
    last = count - 1 if end_kind != FREE else count
    head, tail = base_kind == RIGID, end_kind == RIGID
    gravity = model.gravity
    folded = state.number[FOLDED] > 0
    linear = near or folded
    stiff = resists_bending(model)
    tolerance2 = chain_tolerance2(model, state, h)
    for end in range(2):
        if state.number[KIND_BASE + end] == RIGID:
            body = state.body[end]
            predict_body(body, h, gravity)
            turn = h * math.sqrt(body.u[3] ** 2 + body.u[4] ** 2 + body.u[5] ** 2)
            # The turn of a body that spins fast is far from linear.
            tolerance2 = min(tolerance2, (1e-11 if turn > TURN_FAST else 1e-9) * model.element_length)
    tolerance2, linear_tolerance = finer_where_stiff(model, h, tolerance2)
    hold_ends(memory, h, duration, s)
    if stiff:
        calm_guess(memory, h)
    previous, pace = 1e300, 1.0
    for iteration in range(1, (ITERATIONS_LAST if last_resort else ITERATIONS_MAX) + 1):
        element_forces(memory, count, h)
        decided = True
        if near:
            decided = bend_elements(memory, field, h)
            touch_nodes(memory, field, h)
        if folded:
            resist_folds(memory, h, near)
        assemble(memory, 0 if head else first, count if tail else last, h)
        if stiff:
            bending_forces(memory, h)
            add_bending(memory, h)
        if near:
            add_contacts(memory, h)
        for end in range(2):
            if state.number[KIND_BASE + end] == RIGID:
                body, i = state.body[end], end * count
                rhs = work.rhs[i]
                w = 2.0 / h
                load_body(body, h, gravity, w * rhs[0], w * rhs[1], w * rhs[2])
                arm = body.arm_W
                stiffen_body(body, work.diagonal[i], 1.0, arm[0], arm[1], arm[2])
                if near:
                    add_body_contacts(body, state.body_contact[end], h)
                eliminate_body(body, work.inverse, work.solved, i)
        if stiff:
            solve_band(first, last, head, tail, work.diagonal, work.rhs, work.band, work.inverse, work.solved)
        else:
            solve_chain(
                first, last, head, tail, work.diagonal, work.rhs, work.link, work.inverse, work.solved
            )
        largest, total = 0.0, 0.0
        for i in range(first, last + 1):
            z = work.solved[i]
            square = z[0] * z[0] + z[1] * z[1] + z[2] * z[2]
            largest = max(largest, square)
            total += square  # unlike the maximum, the sum does not overlook a NaN
        if not total * h * h < 1e12:
            return False, iteration
        largest = math.sqrt(largest)
        shrink = min(pace, 0.5 / (largest * h + 1e-300))
        if stiff:
            shrink = min(
                shrink, TURN_MAX / (largest_turn(state, work.solved, first, last, count, h) + 1e-300)
            )
        for i in range(first, last + 1):
            for k in range(3):
                work.u[i, k] += shrink * work.solved[i, k]
        for end in range(2):
            if state.number[KIND_BASE + end] == RIGID:
                p0, p1, p2 = _push_on_body(work, stiff, end, count, first, last)
                largest = max(largest, correct_body(state.body[end], p0, p1, p2))
        hold_ends(memory, h, duration, s)
        delta = largest * h
        if (
            delta * delta < tolerance2
            and decided
            and (
                not linear
                or delta < linear_tolerance
                or (last_resort and iteration > 6)
                or _settled(state, near)
            )
        ):
            return True, iteration
        if iteration > 3 and delta > 4.0 * previous and not last_resort:
            return False, iteration
        if iteration > 4 and delta > 0.5 * previous:
            pace = max(0.2, 0.8 * pace)  # contact that comes and goes: take smaller bites
        previous = delta
    return last_resort and previous < ACCURACY_LAST, iteration
