"""Linear algebra of a chain that resists bending: 3x3 blocks, two on each side of the diagonal.

`band[k, i]` is the block of node i with node i - 2, i - 1, i + 1 or i + 2 (k = 0 to 3), row-major. As in
chain.py, a head or tail outside the chain (a rigid body) is eliminated first by its owner, whose 3x3 inverse
and solved velocity stand in `inverse` and `solved` at its index.
"""

from tetherlab.math.kernel import inlined, kernel
from tetherlab.tether.chain import clear_node, invert_block

BEFORE_NEXT, BEFORE, AFTER, AFTER_NEXT = 0, 1, 2, 3  # first index of `band`


@inlined
def side(row, column):
    """First index of the block of `row` with `column`, one or two nodes away."""
    away = column - row
    return away + 2 if away < 0 else away + 1


@kernel
def _fold(diagonal, band, rhs, inverse, solved, p, low, high):
    """Fold the eliminated node p into its neighbours low..high: A -= A[:, p] Q A[p, :], rhs -= A[:, p] z."""
    Q, z = inverse[p], solved[p]
    for row in range(low, high + 1):
        L = band[side(row, p), row]
        for r in range(3):
            l0, l1, l2 = L[3 * r], L[3 * r + 1], L[3 * r + 2]
            rhs[row, r] -= l0 * z[0] + l1 * z[1] + l2 * z[2]
            q0 = l0 * Q[0] + l1 * Q[3] + l2 * Q[6]
            q1 = l0 * Q[1] + l1 * Q[4] + l2 * Q[7]
            q2 = l0 * Q[2] + l1 * Q[5] + l2 * Q[8]
            for column in range(low, high + 1):
                U = band[side(p, column), p]
                for s in range(3):
                    change = q0 * U[s] + q1 * U[3 + s] + q2 * U[6 + s]
                    if column == row:
                        diagonal[row, 3 * r + s] -= change
                    else:
                        band[side(row, column), row, 3 * r + s] -= change


@kernel
def coupled(band, solved, i, first, last, r):
    """Entry r of what the solved nodes first..last within two of node i push it with, -sum A[i, j] z_j."""
    push = 0.0
    for j in range(max(first, i - 2), min(last, i + 2) + 1):
        if j != i:
            A, z = band[side(i, j), i], solved[j]
            push -= A[3 * r] * z[0] + A[3 * r + 1] * z[1] + A[3 * r + 2] * z[2]
    return push


@kernel
def solve_band(first, last, head, tail, diagonal, rhs, band, inverse, solved):
    """Solve for nodes first..last (at least one) into `solved`; the inputs are overwritten."""
    if head:
        _fold(diagonal, band, rhs, inverse, solved, first - 1, first, min(first + 1, last))
    if tail:
        _fold(diagonal, band, rhs, inverse, solved, last + 1, max(last - 1, first), last)
    for i in range(first, last + 1):
        invert_block(diagonal, rhs, i, inverse, solved)
        _fold(diagonal, band, rhs, inverse, solved, i, i + 1, min(i + 2, last))
    for i in range(last - 1, first - 1, -1):
        _substitute(band, inverse, solved, i, i + 1, last)


@kernel
def _substitute(band, inverse, solved, i, first, last):
    """solved_i += Q_i (push of the solved nodes first..last)."""
    r0 = coupled(band, solved, i, first, last, 0)
    r1 = coupled(band, solved, i, first, last, 1)
    r2 = coupled(band, solved, i, first, last, 2)
    solved[i, 0] += inverse[i, 0] * r0 + inverse[i, 1] * r1 + inverse[i, 2] * r2
    solved[i, 1] += inverse[i, 3] * r0 + inverse[i, 4] * r1 + inverse[i, 5] * r2
    solved[i, 2] += inverse[i, 6] * r0 + inverse[i, 7] * r1 + inverse[i, 8] * r2


@kernel
def sweep_band(first, last, to_end, far_body, diagonal, rhs, band, inverse, solved):
    """Fold nodes first..last into one end node, as `sweep_chain` does."""
    target = last + 1 if to_end else first - 1
    clear_node(diagonal, rhs, target)
    if to_end:
        if far_body:
            _fold(diagonal, band, rhs, inverse, solved, first - 1, first, first + 1)
        for i in range(first, last + 1):
            invert_block(diagonal, rhs, i, inverse, solved)
            _fold(diagonal, band, rhs, inverse, solved, i, i + 1, min(i + 2, target))
    else:
        if far_body:
            _fold(diagonal, band, rhs, inverse, solved, last + 1, last - 1, last)
        for i in range(last, first - 1, -1):
            invert_block(diagonal, rhs, i, inverse, solved)
            _fold(diagonal, band, rhs, inverse, solved, i, max(i - 2, target), i - 1)


@kernel
def sweep_band_back(first, last, to_end, band, inverse, solved):
    """Solve for nodes first..last once the end node that they were folded into is known."""
    if to_end:
        for i in range(last, first - 1, -1):
            _substitute(band, inverse, solved, i, i + 1, last + 1)
    else:
        for i in range(first, last + 1):
            _substitute(band, inverse, solved, i, first - 1, i - 1)


@kernel
def solve_band_again(first, last, rhs, band, inverse, out, at):
    """Solve for nodes first..last with another right-hand side, after `solve_band` without head and tail.

    Entry r of node i goes to out[i, at + 3 r]; rhs is overwritten.
    """
    for i in range(first, last + 1):
        r0, r1, r2 = rhs[i, 0], rhs[i, 1], rhs[i, 2]
        for r in range(3):
            out[i, at + 3 * r] = (
                inverse[i, 3 * r] * r0 + inverse[i, 3 * r + 1] * r1 + inverse[i, 3 * r + 2] * r2
            )
        z0, z1, z2 = out[i, at], out[i, at + 3], out[i, at + 6]
        for row in range(i + 1, min(i + 2, last) + 1):
            L = band[side(row, i), row]
            for r in range(3):
                rhs[row, r] -= L[3 * r] * z0 + L[3 * r + 1] * z1 + L[3 * r + 2] * z2
    for i in range(last - 1, first - 1, -1):
        p0, p1, p2 = 0.0, 0.0, 0.0
        for j in range(i + 1, min(i + 2, last) + 1):
            U = band[side(i, j), i]
            z0, z1, z2 = out[j, at], out[j, at + 3], out[j, at + 6]
            p0 -= U[0] * z0 + U[1] * z1 + U[2] * z2
            p1 -= U[3] * z0 + U[4] * z1 + U[5] * z2
            p2 -= U[6] * z0 + U[7] * z1 + U[8] * z2
        for r in range(3):
            out[i, at + 3 * r] += (
                inverse[i, 3 * r] * p0 + inverse[i, 3 * r + 1] * p1 + inverse[i, 3 * r + 2] * p2
            )
