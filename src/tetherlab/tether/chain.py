"""Linear algebra of a chain: a block-tridiagonal system with 3x3 blocks, solved from both ends to the middle.

Node i has the diagonal block A_i; the element j between nodes j and j+1 couples them by

    row j,   column j+1:  -(s I + n m^T)         "upper"
    row j+1, column j:    -(r I + p q^T)         "lower"

An ordinary element has r = s, p = n and q = m; one that slides over an obstacle has its own direction and
tension at each end, so the two differ. Rank-one couplings keep the elimination at a fraction of the cost of
full 3x3 blocks, and two independent halves keep the processor busy.

Rows of `link`, one per element: s, n (3), m (3), r, p (3), q (3).
A head or tail outside the chain (a rigid body) is eliminated first by its owner, who leaves the 3x3 inverse
and the solved velocity of its attachment in `inverse` and `solved` of the neighbouring index.
"""

from tetherlab.math.kernel import inlined, kernel

LINK_COLUMNS = 14
UPPER, LOWER = 0, 7  # where the two couplings start


@kernel
def _store_inverse(inverse, i, a, b, c, d, e, f, g, h, k):
    """inverse[i] = the inverse of the row-major 3x3 matrix a..k, by the adjugate."""
    A = e * k - f * h
    B = c * h - b * k
    C = b * f - c * e
    w = 1.0 / (a * A + d * B + g * C)
    inverse[i, 0] = A * w
    inverse[i, 1] = B * w
    inverse[i, 2] = C * w
    inverse[i, 3] = (f * g - d * k) * w
    inverse[i, 4] = (a * k - c * g) * w
    inverse[i, 5] = (c * d - a * f) * w
    inverse[i, 6] = (d * h - e * g) * w
    inverse[i, 7] = (b * g - a * h) * w
    inverse[i, 8] = (a * e - b * d) * w


@inlined
def fold(diagonal, rhs, i, link, j, to, fro, inverse, solved, p):
    """Fold the eliminated neighbour p into row i: A_i -= L Q U, rhs_i += L z, with Q, z of node p.

    `to` and `fro` are the columns of `link` at which the couplings (i, p) and (p, i) start.
    """
    s, r = link[j, to], link[j, fro]
    n0, n1, n2 = link[j, to + 1], link[j, to + 2], link[j, to + 3]
    m0, m1, m2 = link[j, to + 4], link[j, to + 5], link[j, to + 6]
    p0, p1, p2 = link[j, fro + 1], link[j, fro + 2], link[j, fro + 3]
    q0, q1, q2 = link[j, fro + 4], link[j, fro + 5], link[j, fro + 6]
    a, b, c = inverse[p, 0], inverse[p, 1], inverse[p, 2]
    d, e, f = inverse[p, 3], inverse[p, 4], inverse[p, 5]
    g, h, k = inverse[p, 6], inverse[p, 7], inverse[p, 8]
    # (s I + n m^T) Q (r I + p q^T) = s r Q + (s Q p + (m.Q p) n) q^T + n (r Q^T m)^T
    v0 = a * p0 + b * p1 + c * p2
    v1 = d * p0 + e * p1 + f * p2
    v2 = g * p0 + h * p1 + k * p2
    w0 = r * (a * m0 + d * m1 + g * m2)
    w1 = r * (b * m0 + e * m1 + h * m2)
    w2 = r * (c * m0 + f * m1 + k * m2)
    mv = m0 * v0 + m1 * v1 + m2 * v2
    v0 = s * v0 + mv * n0
    v1 = s * v1 + mv * n1
    v2 = s * v2 + mv * n2
    sr = s * r
    diagonal[i, 0] -= sr * a + v0 * q0 + n0 * w0
    diagonal[i, 1] -= sr * b + v0 * q1 + n0 * w1
    diagonal[i, 2] -= sr * c + v0 * q2 + n0 * w2
    diagonal[i, 3] -= sr * d + v1 * q0 + n1 * w0
    diagonal[i, 4] -= sr * e + v1 * q1 + n1 * w1
    diagonal[i, 5] -= sr * f + v1 * q2 + n1 * w2
    diagonal[i, 6] -= sr * g + v2 * q0 + n2 * w0
    diagonal[i, 7] -= sr * h + v2 * q1 + n2 * w1
    diagonal[i, 8] -= sr * k + v2 * q2 + n2 * w2
    z0, z1, z2 = solved[p, 0], solved[p, 1], solved[p, 2]
    mz = m0 * z0 + m1 * z1 + m2 * z2
    rhs[i, 0] += s * z0 + n0 * mz
    rhs[i, 1] += s * z1 + n1 * mz
    rhs[i, 2] += s * z2 + n2 * mz


@kernel
def invert_block(diagonal, rhs, i, inverse, solved):
    """Q_i = A_i^-1 and z_i = Q_i rhs_i."""
    _store_inverse(
        inverse, i,
        diagonal[i, 0], diagonal[i, 1], diagonal[i, 2],
        diagonal[i, 3], diagonal[i, 4], diagonal[i, 5],
        diagonal[i, 6], diagonal[i, 7], diagonal[i, 8],
    )  # fmt: skip
    r0, r1, r2 = rhs[i, 0], rhs[i, 1], rhs[i, 2]
    solved[i, 0] = inverse[i, 0] * r0 + inverse[i, 1] * r1 + inverse[i, 2] * r2
    solved[i, 1] = inverse[i, 3] * r0 + inverse[i, 4] * r1 + inverse[i, 5] * r2
    solved[i, 2] = inverse[i, 6] * r0 + inverse[i, 7] * r1 + inverse[i, 8] * r2


@inlined
def substitute(link, j, to, inverse, solved, i, p):
    """solved_i += Q_i L solved_p: node i once its neighbour p on the way to the middle is known."""
    s = link[j, to]
    z0, z1, z2 = solved[p, 0], solved[p, 1], solved[p, 2]
    mz = link[j, to + 4] * z0 + link[j, to + 5] * z1 + link[j, to + 6] * z2
    r0 = s * z0 + link[j, to + 1] * mz
    r1 = s * z1 + link[j, to + 2] * mz
    r2 = s * z2 + link[j, to + 3] * mz
    solved[i, 0] += inverse[i, 0] * r0 + inverse[i, 1] * r1 + inverse[i, 2] * r2
    solved[i, 1] += inverse[i, 3] * r0 + inverse[i, 4] * r1 + inverse[i, 5] * r2
    solved[i, 2] += inverse[i, 6] * r0 + inverse[i, 7] * r1 + inverse[i, 8] * r2


@kernel
def solve_chain(first, last, head, tail, diagonal, rhs, link, inverse, solved):
    """Solve for nodes first..last (at least one); the answer is left in `solved`, the inputs are overwritten.

    head, tail: whether an eliminated body stands at first - 1 and last + 1.
    """
    middle = (first + last) // 2
    if head:
        fold(diagonal, rhs, first, link, first - 1, LOWER, UPPER, inverse, solved, first - 1)
    if tail:
        fold(diagonal, rhs, last, link, last, UPPER, LOWER, inverse, solved, last + 1)
    left = middle - first
    right = last - middle
    both = min(left, right)
    for k in range(both):
        i = first + k
        invert_block(diagonal, rhs, i, inverse, solved)
        fold(diagonal, rhs, i + 1, link, i, LOWER, UPPER, inverse, solved, i)
        i = last - k
        invert_block(diagonal, rhs, i, inverse, solved)
        fold(diagonal, rhs, i - 1, link, i - 1, UPPER, LOWER, inverse, solved, i)
    for i in range(last - both, middle, -1):
        invert_block(diagonal, rhs, i, inverse, solved)
        fold(diagonal, rhs, i - 1, link, i - 1, UPPER, LOWER, inverse, solved, i)
    invert_block(diagonal, rhs, middle, inverse, solved)
    for i in range(middle + 1, last - both + 1):
        substitute(link, i - 1, LOWER, inverse, solved, i, i - 1)
    for k in range(both - 1, -1, -1):
        i = first + k
        substitute(link, i, UPPER, inverse, solved, i, i + 1)
        i = last - k
        substitute(link, i - 1, LOWER, inverse, solved, i, i - 1)


@kernel
def solve_chain_again(first, last, link, inverse, columns):
    """Solve for nodes first..last with six other right-hand sides, after `solve_chain` without head and tail.

    columns: of each node two row-major 3x3 blocks, overwritten by the answer.
    """
    middle = (first + last) // 2
    for i in range(first, middle):
        _multiply_columns(inverse, i, columns, i)
        _push_columns(link, i, LOWER, columns, i, columns[i + 1])
    for i in range(last, middle, -1):
        _multiply_columns(inverse, i, columns, i)
        _push_columns(link, i - 1, UPPER, columns, i, columns[i - 1])
    _multiply_columns(inverse, middle, columns, middle)
    for i in range(middle - 1, first - 1, -1):
        _substitute_columns(link, i, UPPER, inverse, columns, i, i + 1)
    for i in range(middle + 1, last + 1):
        _substitute_columns(link, i - 1, LOWER, inverse, columns, i, i - 1)


@inlined
def _multiply_columns(inverse, i, columns, p):
    """columns_p = Q_i columns_p."""
    for k in range(6):
        at = 9 * (k // 3) + k % 3
        a, b, c = columns[p, at], columns[p, at + 3], columns[p, at + 6]
        columns[p, at] = inverse[i, 0] * a + inverse[i, 1] * b + inverse[i, 2] * c
        columns[p, at + 3] = inverse[i, 3] * a + inverse[i, 4] * b + inverse[i, 5] * c
        columns[p, at + 6] = inverse[i, 6] * a + inverse[i, 7] * b + inverse[i, 8] * c


@inlined
def _push_columns(link, j, to, columns, p, out):
    """out += (s I + n m^T) columns_p."""
    s = link[j, to]
    for k in range(6):
        at = 9 * (k // 3) + k % 3
        a, b, c = columns[p, at], columns[p, at + 3], columns[p, at + 6]
        m = link[j, to + 4] * a + link[j, to + 5] * b + link[j, to + 6] * c
        out[at] += s * a + link[j, to + 1] * m
        out[at + 3] += s * b + link[j, to + 2] * m
        out[at + 6] += s * c + link[j, to + 3] * m


@inlined
def _substitute_columns(link, j, to, inverse, columns, i, p):
    """columns_i += Q_i (s I + n m^T) columns_p."""
    s = link[j, to]
    for k in range(6):
        at = 9 * (k // 3) + k % 3
        a, b, c = columns[p, at], columns[p, at + 3], columns[p, at + 6]
        m = link[j, to + 4] * a + link[j, to + 5] * b + link[j, to + 6] * c
        a, b, c = s * a + link[j, to + 1] * m, s * b + link[j, to + 2] * m, s * c + link[j, to + 3] * m
        columns[i, at] += inverse[i, 0] * a + inverse[i, 1] * b + inverse[i, 2] * c
        columns[i, at + 3] += inverse[i, 3] * a + inverse[i, 4] * b + inverse[i, 5] * c
        columns[i, at + 6] += inverse[i, 6] * a + inverse[i, 7] * b + inverse[i, 8] * c


@kernel
def sweep_chain(first, last, to_end, far_body, diagonal, rhs, link, inverse, solved):
    """Fold nodes first..last into the end node behind the last (or before the first) one of them.

    Its diagonal and right-hand side are then what they add to it. far_body: an eliminated body stands at the
    other side.
    """
    clear_node(diagonal, rhs, last + 1 if to_end else first - 1)
    if to_end:
        if far_body:
            fold(diagonal, rhs, first, link, first - 1, LOWER, UPPER, inverse, solved, first - 1)
        for i in range(first, last + 1):
            invert_block(diagonal, rhs, i, inverse, solved)
            fold(diagonal, rhs, i + 1, link, i, LOWER, UPPER, inverse, solved, i)
    else:
        if far_body:
            fold(diagonal, rhs, last, link, last, UPPER, LOWER, inverse, solved, last + 1)
        for i in range(last, first - 1, -1):
            invert_block(diagonal, rhs, i, inverse, solved)
            fold(diagonal, rhs, i - 1, link, i - 1, UPPER, LOWER, inverse, solved, i)


@kernel
def sweep_chain_back(first, last, to_end, link, inverse, solved):
    """Solve for nodes first..last once the end node that they were folded into is known."""
    if to_end:
        for i in range(last, first - 1, -1):
            substitute(link, i, UPPER, inverse, solved, i, i + 1)
    else:
        for i in range(first, last + 1):
            substitute(link, i - 1, LOWER, inverse, solved, i, i - 1)


@kernel
def pushed_by(link, j, to, solved, p):
    """What the solved node p pushes its neighbour across element j with, (s I + n m^T) z."""
    z0, z1, z2 = solved[p, 0], solved[p, 1], solved[p, 2]
    s, mz = link[j, to], link[j, to + 4] * z0 + link[j, to + 5] * z1 + link[j, to + 6] * z2
    return s * z0 + link[j, to + 1] * mz, s * z1 + link[j, to + 2] * mz, s * z2 + link[j, to + 3] * mz


@kernel
def clear_node(diagonal, rhs, i):
    """Set the rows of node i to zero."""
    for k in range(9):
        diagonal[i, k] = 0.0
    for k in range(3):
        rhs[i, k] = 0.0
