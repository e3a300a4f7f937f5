"""A chain condensed to its two end nodes: what its inner nodes, eliminated, add to the ends' equations.

For a tether on a loop, whose bodies cannot be eliminated one through the other. With the end nodes 0 and N
and the inner ones in between, the rows of the ends become

    K_00 z_0 + K_0N z_N = r_0,    K_N0 z_0 + K_NN z_N = r_N

beside what stands in them already: K_00, K_NN, r_0 and r_N are left in `diagonal` and `rhs` of the ends, the
other two in `corner`. `carry` keeps how the inner nodes follow the ends.

A chain is condensed from both ends to its middle, so that each half carries its own end along. A chain that
resists bending is solved once for each direction of its two ends.
"""

from tetherlab.math.kernel import inlined, kernel
from tetherlab.tether.band import side, solve_band, solve_band_again
from tetherlab.tether.chain import LOWER, UPPER, clear_node, fold, invert_block, substitute

# Rows of `corner`, 3x3 blocks: of the node that is next, in the left and the right half, with its end
# (COLUMN) and of the end with that node (ROW); a product; the results.
COLUMN_LEFT, ROW_LEFT, COLUMN_RIGHT, ROW_RIGHT, PRODUCT_LEFT, PRODUCT_RIGHT, K_0N, K_N0 = range(8)
CORNERS = 8


@inlined
def _multiply(X, i, Y, k, Z, j):
    """Z[j] = X[i] Y[k], row-major 3x3."""
    for r in range(0, 9, 3):
        a, b, c = X[i, r], X[i, r + 1], X[i, r + 2]
        Z[j, r] = a * Y[k, 0] + b * Y[k, 3] + c * Y[k, 6]
        Z[j, r + 1] = a * Y[k, 1] + b * Y[k, 4] + c * Y[k, 7]
        Z[j, r + 2] = a * Y[k, 2] + b * Y[k, 5] + c * Y[k, 8]


@inlined
def _subtract_product(X, i, Y, k, Z, j):
    """Z[j] -= X[i] Y[k]."""
    for r in range(0, 9, 3):
        a, b, c = X[i, r], X[i, r + 1], X[i, r + 2]
        Z[j, r] -= a * Y[k, 0] + b * Y[k, 3] + c * Y[k, 6]
        Z[j, r + 1] -= a * Y[k, 1] + b * Y[k, 4] + c * Y[k, 7]
        Z[j, r + 2] -= a * Y[k, 2] + b * Y[k, 5] + c * Y[k, 8]


@inlined
def _add_product(X, i, z, p, rhs, t):
    """rhs[t] += X[i] z[p]."""
    x, y, w = z[p, 0], z[p, 1], z[p, 2]
    rhs[t, 0] += X[i, 0] * x + X[i, 1] * y + X[i, 2] * w
    rhs[t, 1] += X[i, 3] * x + X[i, 4] * y + X[i, 5] * w
    rhs[t, 2] += X[i, 6] * x + X[i, 7] * y + X[i, 8] * w


@inlined
def _link_times(link, j, to, X, i, Z, k):
    """Z[k] = (s I + n m^T) X[i]."""
    s, m0, m1, m2 = link[j, to], link[j, to + 4], link[j, to + 5], link[j, to + 6]
    for c in range(3):
        x, y, z = X[i, c], X[i, 3 + c], X[i, 6 + c]
        mx = m0 * x + m1 * y + m2 * z
        Z[k, c] = s * x + link[j, to + 1] * mx
        Z[k, 3 + c] = s * y + link[j, to + 2] * mx
        Z[k, 6 + c] = s * z + link[j, to + 3] * mx


@inlined
def _times_link(X, i, link, j, to, Z, k):
    """Z[k] = X[i] (s I + n m^T)."""
    s, n0, n1, n2 = link[j, to], link[j, to + 1], link[j, to + 2], link[j, to + 3]
    for r in range(0, 9, 3):
        x, y, z = X[i, r], X[i, r + 1], X[i, r + 2]
        w = x * n0 + y * n1 + z * n2
        Z[k, r] = s * x + w * link[j, to + 4]
        Z[k, r + 1] = s * y + w * link[j, to + 5]
        Z[k, r + 2] = s * z + w * link[j, to + 6]


@inlined
def _write_link(link, j, to, Z, k):
    """Z[k] = s I + n m^T."""
    for r in range(3):
        for c in range(3):
            Z[k, 3 * r + c] = link[j, to + 1 + r] * link[j, to + 4 + c]
        Z[k, 4 * r] += link[j, to]


@inlined
def _condense_node(i, end, step, diagonal, rhs, link, inverse, solved, carry, corner, first):
    """Eliminate node i of the half that began at `end` and goes on by `step`; first: row of its blocks."""
    j, to, fro = (i, LOWER, UPPER) if step > 0 else (i - 1, UPPER, LOWER)
    column, row, product = first, first + 1, PRODUCT_LEFT + first // 2
    invert_block(diagonal, rhs, i, inverse, solved)
    fold(diagonal, rhs, i + step, link, j, to, fro, inverse, solved, i)
    _multiply(corner, row, inverse, i, corner, product)
    _subtract_product(corner, product, corner, column, diagonal, end)
    _add_product(corner, product, rhs, i, rhs, end)
    _times_link(corner, product, link, j, fro, corner, row)
    _multiply(inverse, i, corner, column, carry, i)
    _link_times(link, j, to, carry, i, corner, column)


@kernel
def condense_chain(count, diagonal, rhs, link, inverse, solved, carry, corner):
    """Condense nodes 1..count - 1 to nodes 0 and count; see above."""
    clear_node(diagonal, rhs, 0)
    clear_node(diagonal, rhs, count)
    _write_link(link, 0, LOWER, corner, COLUMN_LEFT)
    _write_link(link, 0, UPPER, corner, ROW_LEFT)
    _write_link(link, count - 1, UPPER, corner, COLUMN_RIGHT)
    _write_link(link, count - 1, LOWER, corner, ROW_RIGHT)
    middle = count // 2
    for k in range(count - middle - 1):  # the left half is as long, or shorter by one
        if 1 + k < middle:
            _condense_node(1 + k, 0, 1, diagonal, rhs, link, inverse, solved, carry, corner, COLUMN_LEFT)
        _condense_node(
            count - 1 - k, count, -1, diagonal, rhs, link, inverse, solved, carry, corner, COLUMN_RIGHT
        )
    i = middle
    invert_block(diagonal, rhs, i, inverse, solved)
    _multiply(corner, ROW_LEFT, inverse, i, corner, PRODUCT_LEFT)
    _multiply(corner, ROW_RIGHT, inverse, i, corner, PRODUCT_RIGHT)
    for k in range(9):
        corner[K_0N, k] = corner[K_N0, k] = 0.0
    _subtract_product(corner, PRODUCT_LEFT, corner, COLUMN_LEFT, diagonal, 0)
    _subtract_product(corner, PRODUCT_LEFT, corner, COLUMN_RIGHT, corner, K_0N)
    _subtract_product(corner, PRODUCT_RIGHT, corner, COLUMN_LEFT, corner, K_N0)
    _subtract_product(corner, PRODUCT_RIGHT, corner, COLUMN_RIGHT, diagonal, count)
    _add_product(corner, PRODUCT_LEFT, rhs, i, rhs, 0)
    _add_product(corner, PRODUCT_RIGHT, rhs, i, rhs, count)
    _multiply(inverse, i, corner, COLUMN_LEFT, carry, i)
    _multiply(inverse, i, corner, COLUMN_RIGHT, carry, 0)  # no inner node: there is room


@kernel
def condense_chain_back(count, link, inverse, solved, carry):
    """Solve for the inner nodes once both ends are known."""
    middle = count // 2
    _add_product(carry, middle, solved, 0, solved, middle)
    _add_product(carry, 0, solved, count, solved, middle)
    for i in range(middle - 1, 0, -1):
        _add_product(carry, i, solved, 0, solved, i)
        substitute(link, i, UPPER, inverse, solved, i, i + 1)
    for i in range(middle + 1, count):
        _add_product(carry, i, solved, count, solved, i)
        substitute(link, i - 1, LOWER, inverse, solved, i, i - 1)


@kernel
def condense_band(count, diagonal, rhs, band, inverse, solved, carry, corner):
    """Condense nodes 1..count - 1 of a chain that resists bending to nodes 0 and count; see above.

    carry: how each inner node follows node 0 (9) and node `count` (9).
    """
    solve_band(1, count - 1, False, False, diagonal, rhs, band, inverse, solved)
    for end in range(2):
        e = end * count
        for c in range(3):
            for i in range(1, count):
                for r in range(3):
                    rhs[i, r] = -band[side(i, e), i, 3 * r + c] if abs(i - e) <= 2 else 0.0
            solve_band_again(1, count - 1, rhs, band, inverse, carry, 9 * end + c)
    clear_node(diagonal, rhs, 0)
    clear_node(diagonal, rhs, count)
    for end in range(2):
        e, other = end * count, (1 - end) * count
        K = corner[K_0N + end]
        for k in range(9):
            K[k] = band[side(e, other), e, k] if count <= 2 else 0.0
        for i in range(max(1, e - 2), min(count - 1, e + 2) + 1):
            A = band[side(e, i), e]
            for r in range(3):
                for q in range(3):
                    a = A[3 * r + q]
                    rhs[e, r] -= a * solved[i, q]
                    for c in range(3):
                        diagonal[e, 3 * r + c] += a * carry[i, 9 * end + 3 * q + c]
                        K[3 * r + c] += a * carry[i, 9 * (1 - end) + 3 * q + c]


@kernel
def condense_band_back(count, solved, carry):
    """Solve for the inner nodes of a chain that resists bending once both ends are known."""
    for i in range(1, count):
        for end in range(2):
            z = solved[end * count]
            for r in range(3):
                at = 9 * end + 3 * r
                solved[i, r] += carry[i, at] * z[0] + carry[i, at + 1] * z[1] + carry[i, at + 2] * z[2]
