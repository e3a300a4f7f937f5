"""What ties do to the rows of a body: a force at an arm, a stiffness between two arms, and back."""

from tetherlab.math.kernel import kernel


@kernel
def push_body(rows, r, fx, fy, fz):
    """rows (6,) += J^T f: a force at the arm r, and its torque."""
    rows[0] += fx
    rows[1] += fy
    rows[2] += fz
    rows[3] += r[1] * fz - r[2] * fy
    rows[4] += r[2] * fx - r[0] * fz
    rows[5] += r[0] * fy - r[1] * fx


@kernel
def follow_body(z, r, out):
    """out (3,) = J z: how the point at the arm r moves with its body."""
    out[0] = z[0] + z[4] * r[2] - z[5] * r[1]
    out[1] = z[1] + z[5] * r[0] - z[3] * r[2]
    out[2] = z[2] + z[3] * r[1] - z[4] * r[0]


@kernel
def recover_body(response, px, py, pz, z):
    """Correction z (6,) of a body that was eliminated through a tie, from what its neighbour pushes with."""
    for row in range(6):
        z[row] = response[row, 3] + response[row, 0] * px + response[row, 1] * py + response[row, 2] * pz


@kernel
def couple_ties(block, K, a, b):
    """block (6, 6) += J_a^T K J_b, K row-major (9,): a stiffness between ties at the arms a and b."""
    for k in range(6):
        # column k of K J_b
        if k < 3:
            x, y, z = K[k], K[3 + k], K[6 + k]
        elif k == 3:
            x, y, z = b[1] * K[2] - b[2] * K[1], b[1] * K[5] - b[2] * K[4], b[1] * K[8] - b[2] * K[7]
        elif k == 4:
            x, y, z = b[2] * K[0] - b[0] * K[2], b[2] * K[3] - b[0] * K[5], b[2] * K[6] - b[0] * K[8]
        else:
            x, y, z = b[0] * K[1] - b[1] * K[0], b[0] * K[4] - b[1] * K[3], b[0] * K[7] - b[1] * K[6]
        block[0, k] += x
        block[1, k] += y
        block[2, k] += z
        block[3, k] += a[1] * z - a[2] * y
        block[4, k] += a[2] * x - a[0] * z
        block[5, k] += a[0] * y - a[1] * x
