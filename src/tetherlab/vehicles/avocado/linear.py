"""Small dense systems, real or complex: elimination with row exchange, and substitution."""

from tetherlab.math.kernel import kernel


@kernel
def eliminate(A, order):
    """Make A (n, n) its own triangular factors; order (n,): which row was taken as pivot. False: singular."""
    n = A.shape[0]
    for k in range(n):
        best, size = k, abs(A[k, k])
        for i in range(k + 1, n):
            if abs(A[i, k]) > size:
                best, size = i, abs(A[i, k])
        order[k] = best
        if not size > 0.0:
            return False
        if best != k:
            for j in range(n):
                A[k, j], A[best, j] = A[best, j], A[k, j]
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return True


@kernel
def substitute(A, order, x):
    """Solve with eliminated A; x (n,): right-hand side in, solution out."""
    n = A.shape[0]
    for k in range(n):
        if order[k] != k:
            x[k], x[order[k]] = x[order[k]], x[k]
    for k in range(n):
        for i in range(k + 1, n):
            x[i] -= A[i, k] * x[k]
    for i in range(n):
        k = n - 1 - i
        for j in range(k + 1, n):
            x[k] -= A[k, j] * x[j]
        x[k] /= A[k, k]
