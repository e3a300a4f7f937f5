"""The linear solve of a tether that touches what rides on bodies: its nodes answer to all of these bodies.

Contact couples the rows of a node with the six unknowns of the carrier. Such a tether is eliminated with six
more right-hand sides for each body that it touches or is tied to, X = D^-1 G, and what it leaves are the
blocks -H X between these bodies (a border round the chain). G and H are kept node by node as two row-major
3x3 blocks: of a body's translation (9) and of its turn (9).
"""

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import arm_at_end
from tetherlab.plant.drape import carrier_of_node, carrier_of_wrap, node_arm
from tetherlab.plant.tied_body import couple_ties, follow_body
from tetherlab.tether.band import side, solve_band, solve_band_again
from tetherlab.tether.bending import resists_bending
from tetherlab.tether.chain import LOWER, UPPER, solve_chain, solve_chain_again
from tetherlab.tether.model import COUNT, FREE, KIND_BASE, memory_row, open_model, open_state, open_work


@kernel
def add_drape(graph, operation, h):
    """Borders G and H of the tether of an operation, and what it adds to the rows of its bodies directly."""
    program, t = graph.program, operation.what
    memory = memory_row(graph.memories, t)
    state, work, stiff = open_state(memory), open_work(memory), resists_bending(open_model(memory))
    count = state.number[COUNT]
    for e in range(operation.first, operation.last):
        border = program.border[e]
        border.low, border.high = count + 1, -1
        for i in range(count + 1):
            for k in range(18):
                program.column[e, i, k] = program.row[e, i, k] = 0.0
    for e in range(operation.first, operation.last):
        _add_touches(graph, program.border[e], program.column[e], program.row[e], state, work, h)
    for e in range(operation.first, operation.last):
        s = program.border[e].body
        for end in range(2):
            tie = graph.tie[t, end]
            if tie.body == s:
                _add_tie(
                    program.border[e], program.column[e], program.row[e], end * count, count, tie.arm_W,
                    arm_at_end(graph.body[s], tie.arm_W), work, stiff,
                )  # fmt: skip
    if stiff and count <= 2:
        _couple_ends(graph, graph.tie[t, 0], graph.tie[t, 1], work.band[side(0, count), 0])
        _couple_ends(graph, graph.tie[t, 1], graph.tie[t, 0], work.band[side(count, 0), count])
    for end in range(2):
        tie, i = graph.tie[t, end], end * count
        if tie.body >= 0:
            # What couples the tied node to others than inner nodes goes to its body.
            r_end = arm_at_end(graph.body[tie.body], tie.arm_W)
            for e in range(operation.first, operation.last):
                s = program.border[e].body
                if s == tie.body:
                    _add_from_left(graph.body[s].block, tie.arm_W, program.column[e, i])
                    _add_from_right(graph.body[s].block, program.row[e, i], r_end)
                else:
                    there, back = program.slot[tie.body, s], program.slot[s, tie.body]
                    _add_from_left(program.coupling[there], tie.arm_W, program.column[e, i])
                    _add_from_right(program.coupling[back], program.row[e, i], r_end)


@kernel
def _couple_ends(graph, one, other, K):
    """The two end nodes of a short tether that resists bending are neighbours."""
    if one.body < 0 or other.body < 0:
        return
    r_end = arm_at_end(graph.body[other.body], other.arm_W)
    if one.body == other.body:
        couple_ties(graph.body[one.body].block, K, one.arm_W, r_end)
    else:
        couple_ties(graph.program.coupling[graph.program.slot[one.body, other.body]], K, one.arm_W, r_end)


@kernel
def _add_touches(graph, border, G, H, state, work, h):
    """Contacts and wraps of the tether on riders of one body."""
    c, half, count = border.body, 0.5 * h * h, state.number[COUNT]
    body = graph.body[c]
    for i in range(count + 1):
        contact = state.contact[i]
        if carrier_of_node(graph, contact) != c or contact.normal_force <= 0.0:
            continue
        K, f = contact.stiffness, contact.force_W
        A = (
            half * K[0], half * K[1], half * K[2],
            half * K[3], half * K[4], half * K[5],
            half * K[6], half * K[7], half * K[8],
        )  # fmt: skip
        r = node_arm(body, state, work, i, h)
        _move(G[i], A, _arm_end(body, state, work, i, h))
        _turn(G[i], half * f[0], half * f[1], half * f[2])
        _answer(H[i], A, r)
        _note(border, i)
    for j in range(count):
        wrap = state.wrap[j]
        if carrier_of_wrap(graph, wrap) != c:
            continue
        k = j + 1
        p, q, T_a, T_b = wrap.pull_a, wrap.pull_b, wrap.tension_a, wrap.tension_b
        s_a = half * max(T_a, 0.0) / max(wrap.leg_a, 1e-3)
        s_b = half * max(T_b, 0.0) / max(wrap.leg_b, 1e-3)
        A_aa = _dyad(s_a, half * wrap.k_aa - s_a, p, p)
        A_bb = _dyad(s_b, half * wrap.k_bb - s_b, q, q)
        A_ab, A_ba = _dyad(0.0, half * wrap.k_ab, p, q), _dyad(0.0, half * wrap.k_ba, q, p)
        a_end, b_end = _arm_end(body, state, work, j, h), _arm_end(body, state, work, k, h)
        r_a, r_b = node_arm(body, state, work, j, h), node_arm(body, state, work, k, h)
        _move(G[j], A_aa, a_end)
        _move(G[j], A_ab, b_end)
        _move(G[k], A_ba, a_end)
        _move(G[k], A_bb, b_end)
        T_a, T_b = half * T_a, half * T_b
        _turn(G[j], T_a * p[0], T_a * p[1], T_a * p[2])
        _turn(G[k], T_b * q[0], T_b * q[1], T_b * q[2])
        _answer(H[j], A_aa, r_a)
        _answer(H[j], A_ba, r_b)
        _answer(H[k], A_ab, r_a)
        _answer(H[k], A_bb, r_b)
        _note(border, j)
        _note(border, k)
    # The body feels the opposite of all that its motion does to the nodes.
    for i in range(max(border.low, 0), border.high + 1):
        _subtract_from_left(body.block, node_arm(body, state, work, i, h), G[i])


@kernel
def _note(border, i):
    """Node i answers to the body."""
    border.low, border.high = min(border.low, i), max(border.high, i)


@kernel
def _arm_end(body, state, work, i, h):
    """From the centre of mass to node i at the end of the step."""
    x, u, p, w = state.x[i], work.u[i], body.p_W, body.u
    return (
        x[0] - p[0] + h * (u[0] - w[0]),
        x[1] - p[1] + h * (u[1] - w[1]),
        x[2] - p[2] + h * (u[2] - w[2]),
    )


@kernel
def _dyad(s, k, p, q):
    """s I + k p q^T, row-major (9,)."""
    return (
        s + k * p[0] * q[0], k * p[0] * q[1], k * p[0] * q[2],
        k * p[1] * q[0], s + k * p[1] * q[1], k * p[1] * q[2],
        k * p[2] * q[0], k * p[2] * q[1], s + k * p[2] * q[2],
    )  # fmt: skip


@kernel
def _move(G, A, r):
    """G -= A [1, -[r]x]: a node pulled along by a body whose point at the arm r moves."""
    for i in range(3):
        a, b, c = A[3 * i], A[3 * i + 1], A[3 * i + 2]
        G[3 * i] -= a
        G[3 * i + 1] -= b
        G[3 * i + 2] -= c
        G[9 + 3 * i] -= r[1] * c - r[2] * b
        G[10 + 3 * i] -= r[2] * a - r[0] * c
        G[11 + 3 * i] -= r[0] * b - r[1] * a


@kernel
def _turn(G, x, y, z):
    """G -= [0, -[f]x]: a force that turns with the body."""
    G[10] -= z
    G[11] += y
    G[12] += z
    G[14] -= x
    G[15] -= y
    G[16] += x


@kernel
def _answer(H, A, r):
    """H -= [1; [r]x] A: a body pulled along at the arm r by a node that moves."""
    for k in range(3):
        a, b, c = A[k], A[3 + k], A[6 + k]
        H[k] -= a
        H[3 + k] -= b
        H[6 + k] -= c
        H[9 + k] -= r[1] * c - r[2] * b
        H[12 + k] -= r[2] * a - r[0] * c
        H[15 + k] -= r[0] * b - r[1] * a


@kernel
def _add_tie(border, G, H, node, count, r, r_end, work, stiff):
    """A tied node as it pulls along inner nodes, and these its body."""
    step = 1 if node == 0 else -1
    if stiff:
        for i in (node + step, node + 2 * step):
            if 0 < i < count:
                _move(G[i], _negative(work.band[side(i, node), i]), r_end)
                _answer(H[i], _negative(work.band[side(node, i), node]), r)
                _note(border, i)
        return
    i, j = node + step, min(node, node + step)
    to, fro = (LOWER, UPPER) if step > 0 else (UPPER, LOWER)
    link = work.link[j]
    _move(G[i], _dyad(link[to], 1.0, link[to + 1 : to + 4], link[to + 4 : to + 7]), r_end)
    _answer(H[i], _dyad(link[fro], 1.0, link[fro + 1 : fro + 4], link[fro + 4 : fro + 7]), r)
    _note(border, i)


@kernel
def _negative(A):
    return (-A[0], -A[1], -A[2], -A[3], -A[4], -A[5], -A[6], -A[7], -A[8])


@kernel
def _add_from_left(block, r, G):
    """block (6, 6) += [1; [r]x] G."""
    for k in range(6):
        at = 9 * (k // 3) + k % 3
        a, b, c = G[at], G[at + 3], G[at + 6]
        block[0, k] += a
        block[1, k] += b
        block[2, k] += c
        block[3, k] += r[1] * c - r[2] * b
        block[4, k] += r[2] * a - r[0] * c
        block[5, k] += r[0] * b - r[1] * a


@kernel
def _subtract_from_left(block, r, G):
    """block (6, 6) -= [1; [r]x] G."""
    for k in range(6):
        at = 9 * (k // 3) + k % 3
        a, b, c = G[at], G[at + 3], G[at + 6]
        block[0, k] -= a
        block[1, k] -= b
        block[2, k] -= c
        block[3, k] -= r[1] * c - r[2] * b
        block[4, k] -= r[2] * a - r[0] * c
        block[5, k] -= r[0] * b - r[1] * a


@kernel
def _add_from_right(block, H, r):
    """block (6, 6) += H [1, -[r]x]."""
    for p in range(6):
        at = 3 * p
        a, b, c = H[at], H[at + 1], H[at + 2]
        block[p, 0] += a
        block[p, 1] += b
        block[p, 2] += c
        block[p, 3] += r[1] * c - r[2] * b
        block[p, 4] += r[2] * a - r[0] * c
        block[p, 5] += r[0] * b - r[1] * a


@kernel
def _inner(state):
    """The first and the last node that the chain itself solves for."""
    count = state.number[COUNT]
    first = 0 if state.number[KIND_BASE] == FREE else 1
    last = count if state.number[KIND_BASE + 1] == FREE else count - 1
    return first, last


@kernel
def eliminate_drape(graph, operation):
    """Forward: the nodes answer, and what they leave joins the rows of the bodies."""
    program = graph.program
    memory = memory_row(graph.memories, operation.what)
    state, work, stiff = open_state(memory), open_work(memory), resists_bending(open_model(memory))
    first, last = _inner(state)
    if stiff:
        solve_band(first, last, False, False, work.diagonal, work.rhs, work.band, work.inverse, work.solved)
    else:
        solve_chain(first, last, False, False, work.diagonal, work.rhs, work.link, work.inverse, work.solved)
    for e in range(operation.first, operation.last):
        if program.border[e].high < 0:
            continue
        X = program.column[e]
        if stiff:
            for at in range(6):
                at += 6 * (at // 3)
                for i in range(first, last + 1):
                    for r in range(3):
                        work.rhs[i, r] = X[i, at + 3 * r]
                solve_band_again(first, last, work.rhs, work.band, work.inverse, X, at)
        else:
            solve_chain_again(first, last, work.link, work.inverse, X)
    for e in range(operation.first, operation.last):
        border, H = program.border[e], program.row[e]
        b = border.body
        low, high = max(border.low, first), min(border.high, last)
        for i in range(low, high + 1):
            z = work.solved[i]
            for p in range(6):
                at = 3 * p
                graph.body[b].rhs[p] -= H[i, at] * z[0] + H[i, at + 1] * z[1] + H[i, at + 2] * z[2]
        for d in range(operation.first, operation.last):
            s = program.border[d].body
            if program.border[d].high < 0:
                continue
            for i in range(low, high + 1):
                if s == b:
                    _subtract_product(graph.body[b].block, H[i], program.column[d, i])
                else:
                    _subtract_product(program.coupling[program.slot[b, s]], H[i], program.column[d, i])


@kernel
def _subtract_product(block, H, X):
    """block (6, 6) -= H X."""
    for p in range(6):
        a, b, c = H[3 * p], H[3 * p + 1], H[3 * p + 2]
        if a == 0.0 and b == 0.0 and c == 0.0:
            continue
        for k in range(3):
            block[p, k] -= a * X[k] + b * X[3 + k] + c * X[6 + k]
            block[p, 3 + k] -= a * X[9 + k] + b * X[12 + k] + c * X[15 + k]


@kernel
def solve_drape(graph, operation):
    """Backward: the nodes, from the bodies that are known."""
    program, t = graph.program, operation.what
    memory = memory_row(graph.memories, t)
    state, work = open_state(memory), open_work(memory)
    first, last = _inner(state)
    for e in range(operation.first, operation.last):
        if program.border[e].high < 0:
            continue
        z, X = graph.correction[program.border[e].body], program.column[e]
        for i in range(first, last + 1):
            for r in range(3):
                at = 3 * r
                work.solved[i, r] -= (
                    X[i, at] * z[0] + X[i, at + 1] * z[1] + X[i, at + 2] * z[2]
                    + X[i, at + 9] * z[3] + X[i, at + 10] * z[4] + X[i, at + 11] * z[5]
                )  # fmt: skip
    for end in range(2):
        tie = graph.tie[t, end]
        if tie.body >= 0:
            r_end = arm_at_end(graph.body[tie.body], tie.arm_W)
            follow_body(graph.correction[tie.body], r_end, work.solved[end * state.number[COUNT]])
