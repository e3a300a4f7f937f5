"""The linear solve of an island: a list of operations, carried out forward and then backward.

All chains and bodies are assembled before: a body's block and right-hand side hold its inertia, contacts and
the rows of the end nodes that are tied to it (J^T A J+, J^T r with J = [1, -[arm]x], J+ at the end of the
step, see math/rigid_body.py). Then

    CHAIN     a tether with nothing else on its bodies: both are eliminated first, the chain from both ends
    LEAF      a tether whose other end no body holds is swept into the body at `end`
    THROUGH   the body at `end` is eliminated, then the tether, into the body at its other end
    CONDENSE  a tether on a loop is condensed to its two ties
    PIVOT     a body or a joint is eliminated with its links to others; the last one of an island has none
    DRAPE     a tether that may touch what rides on bodies is condensed to these and its ties (drape_solve.py)

An inertia and positive stiffness need no pivoting, nor do joints after their bodies. Backward, each operation
solves for what it eliminated.
"""

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import arm_at_end, eliminate_tied, factor_block, solve_block, stiffen_body
from tetherlab.plant.drape_solve import add_drape, eliminate_drape, solve_drape
from tetherlab.plant.tied_body import couple_ties, follow_body, push_body, recover_body
from tetherlab.tether.band import coupled, solve_band, sweep_band, sweep_band_back
from tetherlab.tether.bending import resists_bending
from tetherlab.tether.chain import LOWER, UPPER, pushed_by, solve_chain, sweep_chain, sweep_chain_back
from tetherlab.tether.condensation import (
    K_0N,
    K_N0,
    condense_band,
    condense_band_back,
    condense_chain,
    condense_chain_back,
)
from tetherlab.tether.model import COUNT, FREE, KIND_BASE, memory_row, open_model, open_state, open_work

CHAIN, LEAF, THROUGH, CONDENSE, PIVOT, DRAPE = range(6)


@kernel
def solve_island(graph, n):
    """Solve the assembled system of island n for the corrections of its bodies and nodes."""
    island, operations = graph.program.island[n], graph.program.operation
    for k in range(island.first_operation, island.last_operation):
        operation = operations[k]
        if operation.code == PIVOT:
            _pivot(graph, operation)
        elif operation.code == DRAPE:
            eliminate_drape(graph, operation)
        else:
            _eliminate_tether(graph, operation)
    for k in range(island.last_operation - 1, island.first_operation - 1, -1):
        operation = operations[k]
        if operation.code == PIVOT:
            _pivot_back(graph, operation)
        elif operation.code == DRAPE:
            solve_drape(graph, operation)
        else:
            _solve_tether(graph, operation)


@kernel
def add_drapes(graph, n, h):
    """Put what riders do to the tethers of island n into the rows of their bodies, and into borders."""
    island, operations = graph.program.island[n], graph.program.operation
    for k in range(island.first_operation, island.last_operation):
        if operations[k].code == DRAPE:
            add_drape(graph, operations[k], h)


@kernel
def clear_couplings(graph, n):
    """Set the blocks between the bodies of island n to zero."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_operation, island.last_operation):
        if program.operation[k].code == PIVOT:
            for e in range(program.operation[k].first, program.operation[k].last):
                there, back = program.link[e].row, program.link[e].column
                for p in range(6):
                    for q in range(6):
                        program.coupling[there, p, q] = program.coupling[back, p, q] = 0.0


@kernel
def unknowns(state):
    """The first and the last node that the chain itself solves for."""
    count = state.number[COUNT]
    first = 0 if state.number[KIND_BASE] == FREE else 1
    last = count if state.number[KIND_BASE + 1] == FREE else count - 1
    return first, last


@kernel
def _eliminate_tether(graph, operation):
    """Forward: CHAIN, LEAF, THROUGH or CONDENSE."""
    t, end = operation.what, operation.end
    memory = memory_row(graph.memories, t)
    state, work, stiff = open_state(memory), open_work(memory), resists_bending(open_model(memory))
    count = state.number[COUNT]
    first, last = unknowns(state)
    if operation.code == CONDENSE:
        _condense(graph, t, count, stiff, work)
        return
    for side in range(2):
        tie = graph.tie[t, side]
        if tie.body >= 0 and (operation.code == CHAIN or (operation.code == THROUGH and side == end)):
            body = graph.body[tie.body]
            eliminate_tied(body, tie.arm_W, tie.response, work.inverse, work.solved, side * count)
    if operation.code == CHAIN:
        head, tail = graph.tie[t, 0].body >= 0, graph.tie[t, 1].body >= 0
        if stiff:
            solve_band(first, last, head, tail, work.diagonal, work.rhs, work.band, work.inverse, work.solved)
        else:
            solve_chain(
                first, last, head, tail, work.diagonal, work.rhs, work.link, work.inverse, work.solved
            )
        return
    through = operation.code == THROUGH
    near = 1 - end if through else end  # the tie that it is swept into
    if stiff:
        sweep_band(
            first, last, near == 1, through, work.diagonal, work.rhs, work.band, work.inverse, work.solved
        )
    else:
        sweep_chain(
            first, last, near == 1, through, work.diagonal, work.rhs, work.link, work.inverse, work.solved
        )
    _join_tie(graph, t, near, count, work)


@kernel
def _condense(graph, t, count, stiff, work):
    """Condense a tether to its ties and couple what they are tied to."""
    carry, corner = graph.carry[t], graph.corner[t]
    if stiff:
        condense_band(count, work.diagonal, work.rhs, work.band, work.inverse, work.solved, carry, corner)
    else:
        condense_chain(count, work.diagonal, work.rhs, work.link, work.inverse, work.solved, carry, corner)
    _join_tie(graph, t, 0, count, work)
    _join_tie(graph, t, 1, count, work)
    base, end = graph.tie[t, 0], graph.tie[t, 1]
    base_next = arm_at_end(graph.body[base.body], base.arm_W)
    end_next = arm_at_end(graph.body[end.body], end.arm_W)
    if base.body == end.body:
        block = graph.body[base.body].block
        couple_ties(block, corner[K_0N], base.arm_W, end_next)
        couple_ties(block, corner[K_N0], end.arm_W, base_next)
    else:
        program = graph.program
        there, back = program.slot[base.body, end.body], program.slot[end.body, base.body]
        couple_ties(program.coupling[there], corner[K_0N], base.arm_W, end_next)
        couple_ties(program.coupling[back], corner[K_N0], end.arm_W, base_next)


@kernel
def _join_tie(graph, t, end, count, work):
    """What was folded into an end node joins the rows of its body."""
    tie, i = graph.tie[t, end], end * count
    body, r = graph.body[tie.body], tie.arm_W
    stiffen_body(body, work.diagonal[i], 1.0, r[0], r[1], r[2])
    push_body(body.rhs, r, work.rhs[i, 0], work.rhs[i, 1], work.rhs[i, 2])


@kernel
def _follow(graph, tie, out):
    """Correction of an end node, from that of its body."""
    follow_body(graph.correction[tie.body], arm_at_end(graph.body[tie.body], tie.arm_W), out)


@kernel
def _solve_tether(graph, operation):
    """Backward: the nodes, from the bodies that are known; then the bodies that were eliminated with them."""
    t, end = operation.what, operation.end
    memory = memory_row(graph.memories, t)
    state, work, stiff = open_state(memory), open_work(memory), resists_bending(open_model(memory))
    count = state.number[COUNT]
    first, last = unknowns(state)
    for side in range(2):
        tie = graph.tie[t, side]
        known = operation.code == CONDENSE or (side == end if operation.code == LEAF else side != end)
        if tie.body >= 0 and operation.code != CHAIN and known:
            _follow(graph, tie, work.solved[side * count])
    if operation.code == CONDENSE:
        if stiff:
            condense_band_back(count, work.solved, graph.carry[t])
        else:
            condense_chain_back(count, work.link, work.inverse, work.solved, graph.carry[t])
        return
    if operation.code != CHAIN:
        near = 1 - end if operation.code == THROUGH else end
        if stiff:
            sweep_band_back(first, last, near == 1, work.band, work.inverse, work.solved)
        else:
            sweep_chain_back(first, last, near == 1, work.link, work.inverse, work.solved)
    for side in range(2):
        tie = graph.tie[t, side]
        if tie.body >= 0 and (operation.code == CHAIN or (operation.code == THROUGH and side == end)):
            if stiff:
                i = side * count
                # All that is solved within two nodes; a body at the other end as well, but for CHAIN.
                low = first if operation.code == CHAIN else 0
                high = last if operation.code == CHAIN else count
                p0 = coupled(work.band, work.solved, i, low, high, 0)
                p1 = coupled(work.band, work.solved, i, low, high, 1)
                p2 = coupled(work.band, work.solved, i, low, high, 2)
            elif side == 0:
                p0, p1, p2 = pushed_by(work.link, 0, UPPER, work.solved, 1)
            else:
                p0, p1, p2 = pushed_by(work.link, count - 1, LOWER, work.solved, count - 1)
            recover_body(tie.response, p0, p1, p2, graph.correction[tie.body])
            _follow(graph, tie, work.solved[side * count])


@kernel
def _pivot(graph, operation):
    """Eliminate a body with its links to others."""
    program, b = graph.program, operation.what
    block, rhs = _rows(graph, b)
    z = graph.correction[b]
    factor_block(block)
    for k in range(6):
        z[k] = rhs[k]
    solve_block(block, z.reshape(6, 1))
    for e in range(operation.first, operation.last):
        for p in range(6):
            for q in range(6):
                program.pivot[e, p, q] = program.coupling[program.link[e].row, p, q]
        solve_block(block, program.pivot[e])
    for e in range(operation.first, operation.last):
        i, A = program.link[e].other, program.coupling[program.link[e].column]
        others_block, others_rhs = _rows(graph, i)
        for p in range(6):
            for q in range(6):
                others_rhs[p] -= A[p, q] * z[q]
        for f in range(operation.first, operation.last):
            j = program.link[f].other
            if i == j:
                _subtract(A, program.pivot[f], others_block)
            else:
                _subtract(A, program.pivot[f], program.coupling[program.slot[i, j]])


@kernel
def _rows(graph, i):
    """Block and right-hand side of a body, or of a joint."""
    bodies = graph.body.shape[0]
    if i < bodies:
        return graph.body[i].block, graph.body[i].rhs
    return graph.joint[i - bodies].block, graph.joint[i - bodies].rhs


@kernel
def _subtract(A, B, out):
    """out -= A B, (6, 6)."""
    for p in range(6):
        for q in range(6):
            for k in range(6):
                out[p, k] -= A[p, q] * B[q, k]


@kernel
def _pivot_back(graph, operation):
    """The correction of a body, from those of the bodies that it is linked to."""
    z = graph.correction[operation.what]
    for e in range(operation.first, operation.last):
        other = graph.correction[graph.program.link[e].other]
        for p in range(6):
            for q in range(6):
                z[p] -= graph.program.pivot[e, p, q] * other[q]
