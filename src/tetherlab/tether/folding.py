"""What keeps a slack tether from folding more sharply than its elements can follow.

A tether without stiffness that hangs between two ends close together folds to a point. A chain of elements
cannot: each one that comes round the fold falls over and snaps taut. Where neighbours are bent by more than
11 degrees they therefore resist, as if the tether were stiff enough to lie in a curve of about two elements'
radius. With unit tangents t- and t+ and the mean length l of the two elements,

    U = FOLD_STIFFNESS rho g l^2 e^2 / (e + FOLD_SOFT),    e = 1 - t-.t+ - free > 0.

`free` is what the node bends without resisting: 11 degrees, or more where something else has bent it (an
obstacle, a mesh that changed, the shape at the start), until it has opened again: so no event creates energy.
The force is a discrete gradient, which does exactly the work that U loses, whatever the step. Folds begin to
resist when the winch runs, and go on until the tether is open everywhere.

While the winch runs, or an obstacle is near, neighbours all along a folded tether are damped in turning
against each other, lest the waves that a fold sends up the strands, as short as the elements, shake the ends.
"""

import math

from tetherlab.math.kernel import inlined, kernel
from tetherlab.tether.bending import node_sharpness
from tetherlab.tether.chain import LOWER, UPPER
from tetherlab.tether.model import COUNT, FOLDED, REELED, open_model, open_state, open_work

FOLD_ABOVE = 0.02  # 1 - cosine of the angle that any node bends freely: 11 degrees
FOLD_NEAR = 0.015  # the same, where it is watched, so that it can begin to resist within a step: 10 degrees
FOLD_SOFT = 0.1  # beyond that, where the moment has three quarters of its strength
FOLD_STIFFNESS = 8.0  # of an element's weight times its length
FOLD_DAMPING = 0.3  # of the same and the time sqrt(l / g) in which an element falls
MERGE_BELOW = 0.45  # of an element length: a shorter one at the winch is merged with its neighbour


@inlined
def _chords(x, u, i, h):
    """Chord of element i at the start of the step and at its end."""
    d0, d1, d2 = x[i + 1, 0] - x[i, 0], x[i + 1, 1] - x[i, 1], x[i + 1, 2] - x[i, 2]
    e0 = d0 + h * (u[i + 1, 0] - u[i, 0])
    e1 = d1 + h * (u[i + 1, 1] - u[i, 1])
    e2 = d2 + h * (u[i + 1, 2] - u[i, 2])
    return d0, d1, d2, e0, e1, e2


@inlined
def _turning(state, work, i, h):
    """Sharpness 1 - t-.t+ of node i at the start and at the end of the step."""
    a0, a1, a2, p0, p1, p2 = _chords(state.x, work.u, i - 1, h)
    c0, c1, c2, q0, q1, q2 = _chords(state.x, work.u, i, h)
    size = (p0 * p0 + p1 * p1 + p2 * p2) * (q0 * q0 + q1 * q1 + q2 * q2)
    start = 1.0 - (a0 * c0 + a1 * c1 + a2 * c2) / (work.span[i - 1] * work.span[i])
    return start, 1.0 - (p0 * q0 + p1 * q1 + p2 * q2) / math.sqrt(size + 1e-24)


@inlined
def _tangent(state, work, i, h):
    """Of element i in the step: change of its tangent, direction n, and mean of 1 / length.

    With n = (d + d+) / (|d| + |d+|) the change is exactly that mean times (1 - n n^T) (d+ - d).
    """
    d0, d1, d2, e0, e1, e2 = _chords(state.x, work.u, i, h)
    a, b = 1.0 / work.span[i], 1.0 / (math.sqrt(e0 * e0 + e1 * e1 + e2 * e2) + 1e-12)
    w = a * b / (a + b)
    n0, n1, n2 = w * (d0 + e0), w * (d1 + e1), w * (d2 + e2)
    return b * e0 - a * d0, b * e1 - a * d1, b * e2 - a * d2, n0, n1, n2, 0.5 * (a + b)


@inlined
def _moment(model, rest, i):
    """Weight of an element at node i times its length [N m], and the time in which it falls [s].

    Node 1 resists the more, the longer the element at the winch: not at all where that is merged.
    """
    length, share = 0.5 * (rest[i - 1] + rest[i]), 1.0
    if i == 1:
        share = min(max(rest[0] / model.element_length - MERGE_BELOW, 0.0), 1.0)
        length = min(length, model.element_length)
    time = math.sqrt(length / max(model.gravity, 1e-9))
    return share * model.linear_density * model.gravity * length * length, time


@inlined
def _energy(moment, sharpness, free):
    """What a fold holds [J]."""
    e = max(0.0, sharpness - free)
    return FOLD_STIFFNESS * moment * e * e / (e + FOLD_SOFT)


@inlined
def _slope(start, end, free):
    """Mean slope of e^2 / (e + FOLD_SOFT) between two sharpnesses: its change over theirs."""
    a, b = max(0.0, start - free), max(0.0, end - free)
    if a == 0.0 and b == 0.0:
        return 0.0
    slope = (a * b + FOLD_SOFT * (a + b)) / ((a + FOLD_SOFT) * (b + FOLD_SOFT))
    if a == 0.0 or b == 0.0:
        slope *= (b - a) / (end - start)
    return slope


@inlined
def _left_alone(state, work, i, near):
    """Whether node i has no part in folds: last before the end, at an obstacle, or beside a slack element."""
    if i == state.number[COUNT] - 1:
        return True
    if near and (
        state.contact[i].touching == 1 or state.wrap[i - 1].string == 1 or state.wrap[i].string == 1
    ):
        return True
    return work.span[i - 1] < 0.5 * state.rest[i - 1] or work.span[i] < 0.5 * state.rest[i]


@inlined
def _pull(work, i, w, f0, f1, f2, n0, n1, n2):
    """Turn element i by w (1 - n n^T) f on its far node, and the opposite on its near one."""
    along = f0 * n0 + f1 * n1 + f2 * n2
    force = work.force[i]
    force[0] -= w * (f0 - along * n0)
    force[1] -= w * (f1 - along * n1)
    force[2] -= w * (f2 - along * n2)


@inlined
def _stiffen(work, i, stiffness, a, c):
    """Couple the nodes of both elements at node i in the matrix; a, c: the inverses of their lengths."""
    for side in (UPPER, LOWER):
        work.link[i - 1, side] += stiffness * a * a
        work.link[i, side] += stiffness * c * c


@kernel
def resist_folds(memory, h, near):
    """Add to the forces of the elements, at the iterate, what folds resist."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    folded = False
    for i in range(1, state.number[COUNT] - 1):
        start, end = _turning(state, work, i, h)
        # Who resists is settled at the start of the step, since iterates may fold wildly.
        if start <= FOLD_NEAR or _left_alone(state, work, i, near):
            continue
        folded = True
        slope = _slope(start, end, state.free_bend[i])
        if slope > 0.0:
            moment, _ = _moment(model, state.rest, i)
            _unfold(state, work, i, h, FOLD_STIFFNESS * moment * slope)
    if folded and (near or state.number[FOLDED] == REELED):
        _damp_turning(memory, h, near)


@kernel
def _unfold(state, work, i, h, K):
    """A force K on the cosine at node i, whose work is exactly K times the change of the cosine.

    The change of t-.t+ is that of t- times the mean of t+, and that of t+ times the mean of t-.
    """
    a0, a1, a2, n0, n1, n2, a = _tangent(state, work, i - 1, h)
    c0, c1, c2, m0, m1, m2, c = _tangent(state, work, i, h)
    d0, d1, d2, _, _, _ = _chords(state.x, work.u, i - 1, h)
    w = 1.0 / work.span[i - 1]
    _pull(work, i, K * c, w * d0 + 0.5 * a0, w * d1 + 0.5 * a1, w * d2 + 0.5 * a2, m0, m1, m2)
    d0, d1, d2, _, _, _ = _chords(state.x, work.u, i, h)
    w = 1.0 / work.span[i]
    _pull(work, i - 1, K * a, w * d0 + 0.5 * c0, w * d1 + 0.5 * c1, w * d2 + 0.5 * c2, n0, n1, n2)
    # For the solve alone: half of a bound of the stiffness, which makes its iteration converge at any step.
    _stiffen(work, i, 0.25 * h * h * K, a, c)


@kernel
def _damp_turning(memory, h, near):
    """Damp how neighbours turn against each other."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    a0, a1, a2, n0, n1, n2, a = _tangent(state, work, 0, h)
    for i in range(1, state.number[COUNT] - 1):
        c0, c1, c2, m0, m1, m2, c = _tangent(state, work, i, h)
        if not _left_alone(state, work, i, near):
            moment, time = _moment(model, state.rest, i)
            w = FOLD_DAMPING * moment * time / h
            f0, f1, f2 = w * (a0 - c0), w * (a1 - c1), w * (a2 - c2)
            _pull(work, i, c, f0, f1, f2, m0, m1, m2)
            _pull(work, i - 1, -a, f0, f1, f2, n0, n1, n2)
            _stiffen(work, i, 0.5 * h * h * w, a, c)
        a0, a1, a2, n0, n1, n2, a = c0, c1, c2, m0, m1, m2, c


@kernel
def fold_loss(memory, h, near):
    """What folds take in the step, and what the winch gives them [J].

    Nodes that have opened, or had no part, are free as far as that.
    """
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    free = state.free_bend
    lost, damped, gained = 0.0, 0.0, 0.0
    folded = False
    a0, a1, a2, _, _, _, _ = _tangent(state, work, 0, h)
    for i in range(1, state.number[COUNT]):
        c0, c1, c2, _, _, _, _ = _tangent(state, work, i, h)
        start, end = _turning(state, work, i, h)
        moment, time = _moment(model, state.rest, i)
        if _left_alone(state, work, i, near):
            lost += _energy(moment, start, free[i])
            free[i] = max(FOLD_ABOVE, end)
        else:
            square = (c0 - a0) ** 2 + (c1 - a1) ** 2 + (c2 - a2) ** 2
            damped += FOLD_DAMPING * moment * time / h * square
            if i == 1:
                longer, _ = _moment(model, work.rest_next, i)
                gained += _energy(longer, end, free[i]) - _energy(moment, end, free[i])
            if start > FOLD_NEAR:
                folded = True
                end = min(free[i], end)
            free[i] = max(FOLD_ABOVE, end)
        a0, a1, a2 = c0, c1, c2
    if folded and (near or state.number[FOLDED] == REELED):
        lost += damped
    return lost, gained


@kernel
def fold_energy(memory, i):
    """What the fold at node i holds [J]."""
    model, state = open_model(memory), open_state(memory)
    if 0 < i < state.number[COUNT] and state.number[FOLDED] > 0:
        moment, _ = _moment(model, state.rest, i)
        return _energy(moment, node_sharpness(memory, i), state.free_bend[i])
    return 0.0


@kernel
def fold_excess(memory, i):
    """How much sharper than free node i is bent."""
    state = open_state(memory)
    if 0 < i < state.number[COUNT]:
        return max(0.0, node_sharpness(memory, i) - state.free_bend[i])
    return 0.0


@kernel
def hold_fold(memory, i, excess):
    """Let node i bend as it does now but for an excess: the mesh has changed, or folds have begun."""
    state = open_state(memory)
    if 0 < i < state.number[COUNT]:
        state.free_bend[i] = max(FOLD_ABOVE, node_sharpness(memory, i) - excess)
