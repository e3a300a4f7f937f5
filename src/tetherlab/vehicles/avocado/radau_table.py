"""Coefficients of the three-stage Radau IIA method, order 5.

It is the collocation method at the nodes below. In the basis that makes the inverse of its matrix block
diagonal the stage equations fall apart into one real and one complex system.
"""

import math

import numpy as np
from numpy.typing import NDArray

STAGES = 3

_R = math.sqrt(6.0)
NODES = np.array([(4.0 - _R) / 10.0, (4.0 + _R) / 10.0, 1.0])
WEIGHTS = np.array(
    [
        [(88.0 - 7.0 * _R) / 360.0, (296.0 - 169.0 * _R) / 1800.0, (-2.0 + 3.0 * _R) / 225.0],
        [(296.0 + 169.0 * _R) / 1800.0, (88.0 + 7.0 * _R) / 360.0, (-2.0 - 3.0 * _R) / 225.0],
        [(16.0 - _R) / 36.0, (16.0 + _R) / 36.0, 1.0 / 9.0],
    ]
)


def _real_basis(matrix: NDArray[np.float64]) -> tuple[float, complex, NDArray[np.float64]]:
    """Eigenvalues of a (3, 3), one real and one of a pair, and the basis that makes it block diagonal."""
    values, vectors = np.linalg.eig(matrix)
    real, pair = int(np.argmin(abs(values.imag))), int(np.argmin(values.imag))
    columns = [vectors[:, real].real, vectors[:, pair].real, vectors[:, pair].imag]
    return float(values[real].real), complex(values[pair].conjugate()), np.column_stack(columns)


INVERSE = np.linalg.inv(WEIGHTS)
REAL, PAIR, BASIS = _real_basis(INVERSE)
TO_BASIS = np.linalg.inv(BASIS)
# Of the embedded formula of order 3 that takes the slope at the start with weight 1 / REAL.
ERROR = np.array([-13.0 - 7.0 * _R, -13.0 + 7.0 * _R, -1.0]) / (3.0 * REAL)
