"""Linear algebra of a chain that resists bending: 3x3 blocks, two on each side of the diagonal.

`band[k, i]` is the block of node i with node i - 2, i - 1, i + 1 or i + 2 (k = 0 to 3), row-major. As in
chain.py, a head or tail outside the chain (a rigid body) is eliminated first by its owner, whose 3x3 inverse
and solved velocity stand in `inverse` and `solved` at its index.
"""

from tetherlab.math.kernel import inlined, kernel
from tetherlab.tether.chain import invert_block

BEFORE_NEXT, BEFORE, AFTER, AFTER_NEXT = 0, 1, 2, 3  # first index of `band`


@inlined
def _side(row, column):
    """First index of the block of `row` with `column`, one or two nodes away."""
    away = column - row
    return away + 2 if away < 0 else away + 1


@kernel
def _fold(diagonal, band, rhs, inverse, solved, p, low, high):
    """Fold the eliminated node p into its neighbours low..high: A -= A[:, p] Q A[p, :], rhs -= A[:, p] z."""
    Q, z = inverse[p], solved[p]
    for row in range(low, high + 1):
        L = band[_side(row, p), row]
        for r in range(3):
            l0, l1, l2 = L[3 * r], L[3 * r + 1], L[3 * r + 2]
            rhs[row, r] -= l0 * z[0] + l1 * z[1] + l2 * z[2]
            q0 = l0 * Q[0] + l1 * Q[3] + l2 * Q[6]
            q1 = l0 * Q[1] + l1 * Q[4] + l2 * Q[7]
            q2 = l0 * Q[2] + l1 * Q[5] + l2 * Q[8]
            for column in range(low, high + 1):
                U = band[_side(p, column), p]
                for s in range(3):
                    change = q0 * U[s] + q1 * U[3 + s] + q2 * U[6 + s]
                    if column == row:
                        diagonal[row, 3 * r + s] -= change
                    else:
                        band[_side(row, column), row, 3 * r + s] -= change


@kernel
def coupled(band, solved, i, first, last, r):
    """Entry r of what the solved nodes first..last within two of node i push it with, -sum A[i, j] z_j."""
    push = 0.0
    for j in range(max(first, i - 2), min(last, i + 2) + 1):
        if j != i:
            A, z = band[_side(i, j), i], solved[j]
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
        r0 = coupled(band, solved, i, i + 1, last, 0)
        r1 = coupled(band, solved, i, i + 1, last, 1)
        r2 = coupled(band, solved, i, i + 1, last, 2)
        solved[i, 0] += inverse[i, 0] * r0 + inverse[i, 1] * r1 + inverse[i, 2] * r2
        solved[i, 1] += inverse[i, 3] * r0 + inverse[i, 4] * r1 + inverse[i, 5] * r2
        solved[i, 2] += inverse[i, 6] * r0 + inverse[i, 7] * r1 + inverse[i, 8] * r2
