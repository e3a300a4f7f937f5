"""Systems of five rows, real or complex: elimination with row exchange, and substitution."""

from tetherlab.math.kernel import kernel

ROWS = 5


@kernel
def eliminate(A, order):
    """Make A (5, 5) its own triangular factors, with the reciprocals of the pivots on the diagonal.

    order (5,): which row was taken as pivot. False: singular.
    """
    for k in range(ROWS):
        best, size = k, abs(A[k, k].real) + abs(A[k, k].imag)
        for i in range(k + 1, ROWS):
            other = abs(A[i, k].real) + abs(A[i, k].imag)
            if other > size:
                best, size = i, other
        order[k] = best
        if not size > 0.0:
            return False
        if best != k:
            for j in range(ROWS):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        inverse = 1.0 / A[k, k]
        A[k, k] = inverse
        for i in range(k + 1, ROWS):
            factor = A[i, k] * inverse
            A[i, k] = factor
            for j in range(k + 1, ROWS):
                A[i, j] -= factor * A[k, j]
    return True


@kernel
def substitute(A, order, x):
    """Solve with eliminated A; x (5,): right-hand side in, solution out."""
    for k in range(ROWS):
        if order[k] != k:
            x[k], x[order[k]] = x[order[k]], x[k]
    for k in range(ROWS):
        for i in range(k + 1, ROWS):
            x[i] -= A[i, k] * x[k]
    for i in range(ROWS):
        k = ROWS - 1 - i
        for j in range(k + 1, ROWS):
            x[k] -= A[k, j] * x[j]
        x[k] *= A[k, k]
