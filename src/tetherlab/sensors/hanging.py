"""What the sensors of a tether at rest would say, from where its end is and how hard it is pulled.

A tether at rest is known by its end (x, y, z) from the base [m] and by b = w D/(2 H), with weight w per
length, span D and horizontal force H. For one that is nearly straight b is half its weight over its tension,
whatever its direction, so nothing happens straight above the base, where D and H vanish together. With
s = sinh(b)/b and k = b coth(b), its length is L² = z² + (D s)², and the forces at its ends, times 2b/w, are
(x, y, z k − b L) and (x, y, z k + b L). The derivation is in docs/theory/localisation.md.
"""

import math

from tetherlab.math.kernel import njit

# Rows of what is read, and columns of its Jacobian.
LENGTH, BASE, END, LOG_TENSION = (
    0,
    1,
    4,
    7,
)  # [m], unit tangents (3 rows each), log of tension over w [m] at the base
READ_SIZE, STATE_SIZE = 8, 4  # state: x, y, z [m], b


@njit(cache=True)
def _stretch(b):
    """s = sinh(b)/b, k = b coth(b), and their slopes."""
    if abs(b) < 0.1:
        q = b * b
        s = 1.0 + q / 6.0 * (1.0 + q / 20.0 * (1.0 + q / 42.0 * (1.0 + q / 72.0)))
        s_slope = b / 3.0 * (1.0 + q / 10.0 * (1.0 + q / 28.0 * (1.0 + q / 54.0)))
        k = 1.0 + q / 3.0 - q * q / 45.0 + 2.0 * q**3 / 945.0 - q**4 / 4725.0 + 2.0 * q**5 / 93555.0
        k_slope = b * (
            2.0 / 3.0 - 4.0 * q / 45.0 + 12.0 * q * q / 945.0 - 8.0 * q**3 / 4725.0 + 20.0 * q**4 / 93555.0
        )
        return s, k, s_slope, k_slope
    sinh_b, cosh_b = math.sinh(b), math.cosh(b)
    coth = cosh_b / sinh_b
    return sinh_b / b, b * coth, (b * cosh_b - sinh_b) / (b * b), coth - b / (sinh_b * sinh_b)


@njit(cache=True)
def read_hanging(x, y, z, b, out, jacobian):
    """Write what is read, (8,), and its derivatives by (x, y, z, b), (8, 4); b > 0, the end not the base."""
    s, k, s_slope, k_slope = _stretch(b)
    square = x * x + y * y
    length = math.sqrt(z * z + square * s * s)
    by = (x * s * s / length, y * s * s / length, z / length, square * s * s_slope / length)
    out[LENGTH] = length
    for j in range(4):
        jacobian[LENGTH, j] = by[j]
    for side in (-1.0, 1.0):
        row = BASE if side < 0.0 else END
        up = z * k + side * b * length
        size = math.sqrt(square + up * up)
        t = (x / size, y / size, up / size)
        up_by = (
            side * b * by[0],
            side * b * by[1],
            k + side * b * by[2],
            z * k_slope + side * (length + b * by[3]),
        )
        for j in range(4):
            # of the force (x, y, up), and of its size
            fx, fy, fz = (1.0 if j == 0 else 0.0), (1.0 if j == 1 else 0.0), up_by[j]
            grown = t[0] * fx + t[1] * fy + t[2] * fz
            jacobian[row, j] = (fx - t[0] * grown) / size
            jacobian[row + 1, j] = (fy - t[1] * grown) / size
            jacobian[row + 2, j] = (fz - t[2] * grown) / size
            if side < 0.0:
                jacobian[LOG_TENSION, j] = grown / size - (1.0 / b if j == 3 else 0.0)
        out[row], out[row + 1], out[row + 2] = t
        if side < 0.0:
            out[LOG_TENSION] = math.log(size / (2.0 * b))
