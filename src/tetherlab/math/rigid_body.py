"""The inertia block: a rigid body as it enters an implicit solve, with the point where a tether is tied.

Unknowns of a step of length h are the mean velocity u of the centre of mass and the rotation rate w, both in
the world frame. The attitude moves by the Cayley map, R+ = cay(h w) R, for which R+ - R = h [w]x (R + R+) / 2
holds exactly. The attachment r_B therefore moves with the mean velocity u + w x arm, arm = (R + R+) r_B / 2,
and a force there does exactly the work that the body gains. Angular momentum L obeys

    R+^T (L + h torque) + R^T L = 2 I (R^T w),

which conserves kinetic energy in free rotation and angular momentum always (see docs/theory/bodies.md).
A body that touches something takes a backward Euler step instead (`implicit`): an impact only loses energy.
"""

import math

import numpy as np

from tetherlab.math.kernel import kernel

POINTS_MAX = 8  # spheres of a body that touch obstacles

BODY = np.dtype(
    [
        ("mass", np.float64),  # [kg]
        ("inertia_B", np.float64, (3, 3)),  # about the centre of mass [kg m^2]
        ("attachment_B", np.float64, (3,)),  # where the tether is tied [m]
        ("p_W", np.float64, (3,)),  # centre of mass [m]
        ("R_WB", np.float64, (3, 3)),
        ("v_W", np.float64, (3,)),  # [m/s]
        ("L_W", np.float64, (3,)),  # angular momentum about the centre of mass [N m s]
        ("force_W", np.float64, (3,)),  # external, at the centre of mass, without weight [N]
        ("torque_W", np.float64, (3,)),  # external [N m]
        # spheres fixed to it that touch obstacles
        ("point_count", np.int64),
        ("point_B", np.float64, (POINTS_MAX, 3)),  # [m]
        ("point_radius", np.float64, (POINTS_MAX,)),  # [m]
        ("friction", np.float64),  # Coulomb coefficient against obstacles that name none
        ("stiffness", np.float64),  # of each sphere [N/m]
        ("implicit", np.float64),  # 1.0 while in contact: backward Euler, else 0.0
        ("pull_W", np.float64, (6,)),  # other forces and torques than its loads, mean of the last step
        ("u", np.float64, (6,)),  # iterate: mean velocity (3), rotation rate (3)
        ("arm_W", np.float64, (3,)),  # mean lever arm of the attachment at the iterate [m]
        ("R_next", np.float64, (3, 3)),  # attitude at the iterate
        ("half_W", np.float64, (3,)),  # half the turn of the step at the iterate, h w / 2
        ("rhs", np.float64, (6,)),
        ("block", np.float64, (6, 6)),
        ("response", np.float64, (6, 4)),  # block^-1 [J^T, rhs]
    ]
)


@kernel
def _cayley(wx, wy, wz, R, out):
    """out = cay([w]x) R: rotate the columns of R about w by 2 atan(|w| / 2)."""
    k = 1.0 / (1.0 + 0.25 * (wx * wx + wy * wy + wz * wz))
    for j in range(3):
        x, y, z = R[0, j], R[1, j], R[2, j]
        cx, cy, cz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
        out[0, j] = x + k * (cx + 0.5 * (wy * cz - wz * cy))
        out[1, j] = y + k * (cy + 0.5 * (wz * cx - wx * cz))
        out[2, j] = z + k * (cz + 0.5 * (wx * cy - wy * cx))


@kernel
def half_turn(wx, wy, wz, x, y, z):
    """Rotate (x, y, z) by half the Cayley rotation of w."""
    tangent2 = 0.25 * (wx * wx + wy * wy + wz * wz)
    # tan(angle/2) = t halves to tan(angle/4) = t / (1 + sqrt(1 + t^2))
    g = 1.0 / (1.0 + math.sqrt(1.0 + tangent2))
    hx, hy, hz = g * wx, g * wy, g * wz
    k = 1.0 / (1.0 + 0.25 * (hx * hx + hy * hy + hz * hz))
    cx, cy, cz = hy * z - hz * y, hz * x - hx * z, hx * y - hy * x
    return (
        x + k * (cx + 0.5 * (hy * cz - hz * cy)),
        y + k * (cy + 0.5 * (hz * cx - hx * cz)),
        z + k * (cz + 0.5 * (hx * cy - hy * cx)),
    )


@kernel
def predict_body(body, h, gravity):
    """First guess of the iterate: under its weight, its loads, and what else acted on it in the last step.

    What else acts is then summed up anew, until `advance_turned`: a step that is taken again knows nothing of it.
    """
    R, L, torque, pull = body.R_WB, body.L_W, body.torque_W, body.pull_W
    span = h if body.implicit > 0.5 else 0.5 * h
    for i in range(3):
        body.u[i] = body.v_W[i] + span * (body.force_W[i] + pull[i]) / body.mass
    body.u[2] -= span * gravity
    l0 = L[0] + span * (torque[0] + pull[3])
    l1 = L[1] + span * (torque[1] + pull[4])
    l2 = L[2] + span * (torque[2] + pull[5])
    # w = R I^-1 R^T L, by Cramer's rule on the body-frame inertia.
    lx = R[0, 0] * l0 + R[1, 0] * l1 + R[2, 0] * l2
    ly = R[0, 1] * l0 + R[1, 1] * l1 + R[2, 1] * l2
    lz = R[0, 2] * l0 + R[1, 2] * l1 + R[2, 2] * l2
    wx, wy, wz = solve_3x3(body.inertia_B, lx, ly, lz)
    for i in range(3):
        body.u[3 + i] = R[i, 0] * wx + R[i, 1] * wy + R[i, 2] * wz
        pull[i] = pull[3 + i] = 0.0
    pull[2] = body.mass * gravity


@kernel
def solve_3x3(m, x, y, z):
    """m^-1 (x, y, z)."""
    A = m[1, 1] * m[2, 2] - m[1, 2] * m[2, 1]
    B = m[0, 2] * m[2, 1] - m[0, 1] * m[2, 2]
    C = m[0, 1] * m[1, 2] - m[0, 2] * m[1, 1]
    w = 1.0 / (m[0, 0] * A + m[1, 0] * B + m[2, 0] * C)
    return (
        w * (A * x + B * y + C * z),
        w * (
            (m[1, 2] * m[2, 0] - m[1, 0] * m[2, 2]) * x
            + (m[0, 0] * m[2, 2] - m[0, 2] * m[2, 0]) * y
            + (m[0, 2] * m[1, 0] - m[0, 0] * m[1, 2]) * z
        ),
        w * (
            (m[1, 0] * m[2, 1] - m[1, 1] * m[2, 0]) * x
            + (m[0, 1] * m[2, 0] - m[0, 0] * m[2, 1]) * y
            + (m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]) * z
        ),
    )  # fmt: skip


@kernel
def turn_body(body, h):
    """Attitude at the iterate."""
    _cayley(h * body.u[3], h * body.u[4], h * body.u[5], body.R_WB, body.R_next)
    for i in range(3):
        body.half_W[i] = 0.5 * h * body.u[3 + i]


@kernel
def arm_at_end(body, r):
    """Lever arm at the end of the step of the point with the mean one r.

    A change of the rate by dw turns the attitude at the end by h y, dw = y - g x y + g (g.y), g = h w / 2,
    and moves the point by h y x (R+ r_B), R+ r_B = r + g x r: with y as the unknown of a correction, J is
    exact.
    """
    g = body.half_W
    return (
        r[0] + g[1] * r[2] - g[2] * r[1],
        r[1] + g[2] * r[0] - g[0] * r[2],
        r[2] + g[0] * r[1] - g[1] * r[0],
    )


@kernel
def rate_of_turn(body, y0, y1, y2):
    """Change of the rotation rate for the unknown y of a correction, see `arm_at_end`."""
    g = body.half_W
    along = g[0] * y0 + g[1] * y1 + g[2] * y2
    return (
        y0 - g[1] * y2 + g[2] * y1 + g[0] * along,
        y1 - g[2] * y0 + g[0] * y2 + g[1] * along,
        y2 - g[0] * y1 + g[1] * y0 + g[2] * along,
    )


@kernel
def carry_point(body, r_B, arm_W):
    """Mean lever arm of a point of the body at the iterate, into arm_W; returns its mean velocity."""
    R, Rn, u = body.R_WB, body.R_next, body.u
    for i in range(3):
        arm_W[i] = 0.0
        for k in range(3):
            arm_W[i] += 0.5 * (R[i, k] + Rn[i, k]) * r_B[k]
    rx, ry, rz = arm_W[0], arm_W[1], arm_W[2]
    return u[0] + u[4] * rz - u[5] * ry, u[1] + u[5] * rx - u[3] * rz, u[2] + u[3] * ry - u[4] * rx


@kernel
def move_attachment(body, h):
    """Attitude and lever arm at the iterate; returns the mean velocity of the attachment."""
    turn_body(body, h)
    return carry_point(body, body.attachment_B, body.arm_W)


@kernel
def load_body(body, h, gravity, fx, fy, fz):
    """Residual and inertia of the body under its own loads and the force f at the attachment."""
    r = body.arm_W
    load_inertia(
        body, h, gravity, fx, fy, fz, r[1] * fz - r[2] * fy, r[2] * fx - r[0] * fz, r[0] * fy - r[1] * fx
    )
    stiffen_turn(body, r, fx, fy, fz, h)


@kernel
def load_inertia(body, h, gravity, fx, fy, fz, tx, ty, tz):
    """Residual and inertia of the body under its own loads and the force and torque of all its ties.

    Rows are scaled by h/2: (h/2) F - m (u - v), and the same for rotation.
    """
    b = 0.5 * h
    m = body.mass
    scale = 1.0 - 0.5 * body.implicit  # backward Euler counts half the inertia against the same h/2 F
    body.rhs[0] = b * (body.force_W[0] + fx) - scale * m * (body.u[0] - body.v_W[0])
    body.rhs[1] = b * (body.force_W[1] + fy) - scale * m * (body.u[1] - body.v_W[1])
    body.rhs[2] = b * (body.force_W[2] - m * gravity + fz) - scale * m * (body.u[2] - body.v_W[2])

    tx, ty, tz = body.torque_W[0] + tx, body.torque_W[1] + ty, body.torque_W[2] + tz
    wx, wy, wz = body.u[3], body.u[4], body.u[5]
    # I w at the half-way attitude: rotate w to the body (its axis is the same before and after), and back.
    R = body.R_WB
    a0 = R[0, 0] * wx + R[1, 0] * wy + R[2, 0] * wz
    a1 = R[0, 1] * wx + R[1, 1] * wy + R[2, 1] * wz
    a2 = R[0, 2] * wx + R[1, 2] * wy + R[2, 2] * wz
    inertia = body.inertia_B
    c0 = inertia[0, 0] * a0 + inertia[0, 1] * a1 + inertia[0, 2] * a2
    c1 = inertia[1, 0] * a0 + inertia[1, 1] * a1 + inertia[1, 2] * a2
    c2 = inertia[2, 0] * a0 + inertia[2, 1] * a1 + inertia[2, 2] * a2
    L = body.L_W
    if body.implicit > 0.5:
        # L+ = R+ I W; rows in the world frame.
        Rn = body.R_next
        for i in range(3):
            body.rhs[3 + i] = -0.5 * (Rn[i, 0] * c0 + Rn[i, 1] * c1 + Rn[i, 2] * c2 - L[i])
        body.rhs[3] += b * tx
        body.rhs[4] += b * ty
        body.rhs[5] += b * tz
    else:
        gx, gy, gz = (
            R[0, 0] * c0 + R[0, 1] * c1 + R[0, 2] * c2,
            R[1, 0] * c0 + R[1, 1] * c1 + R[1, 2] * c2,
            0.0,
        )
        gz = R[2, 0] * c0 + R[2, 1] * c1 + R[2, 2] * c2
        px, py, pz = half_turn(h * wx, h * wy, h * wz, L[0] - 2.0 * gx, L[1] - 2.0 * gy, L[2] - 2.0 * gz)
        qx, qy, qz = half_turn(-h * wx, -h * wy, -h * wz, L[0] + h * tx, L[1] + h * ty, L[2] + h * tz)
        body.rhs[3] = 0.5 * (px + qx)
        body.rhs[4] = 0.5 * (py + qy)
        body.rhs[5] = 0.5 * (pz + qz)

    S = body.block
    for i in range(6):
        for k in range(6):
            S[i, k] = 0.0
    for i in range(3):
        S[i, i] = scale * m
    # World-frame inertia at the mean of the two attitudes is close enough for a Newton matrix.
    for i in range(3):
        for k in range(3):
            total = 0.0
            for p in range(3):
                for q in range(3):
                    total += R[i, p] * inertia[p, q] * R[k, q]
            S[3 + i, 3 + k] = scale * total


@kernel
def stiffen_turn(body, r, fx, fy, fz, h):
    """Add the positive part of how the torque of f turns with its arm: (r.f + |r||f|)/2 I - sym(r f^T)."""
    S = body.block
    weight = 0.25 * h * h
    dot = r[0] * fx + r[1] * fy + r[2] * fz
    size = math.sqrt((r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) * (fx * fx + fy * fy + fz * fz))
    f = (fx, fy, fz)
    for i in range(3):
        S[3 + i, 3 + i] += weight * 0.5 * (dot + size)
        for k in range(3):
            S[3 + i, 3 + k] -= weight * 0.5 * (r[i] * f[k] + f[i] * r[k])


@kernel
def stiffen_body(body, K, scale, rx, ry, rz):
    """Add J^T K J+, J = [I, -[r]x]: a stiffness at the mean arm r, row-major (9,), `scale` makes it a mass.

    J+ has the arm at the end of the step, see `arm_at_end`.
    """
    S = body.block
    ex, ey, ez = arm_at_end(body, (rx, ry, rz))
    # Row i of K J is (k, r x k) with k the row of K, since k^T (-[r]x) = (r x k)^T.
    for i in range(3):
        k0, k1, k2 = scale * K[3 * i], scale * K[3 * i + 1], scale * K[3 * i + 2]
        S[i, 0] += k0
        S[i, 1] += k1
        S[i, 2] += k2
        S[i, 3] += ey * k2 - ez * k1
        S[i, 4] += ez * k0 - ex * k2
        S[i, 5] += ex * k1 - ey * k0
    # Lower rows: r x (columns of K J).
    for k in range(6):
        if k < 3:
            a, b, c = K[k], K[3 + k], K[6 + k]
        elif k == 3:
            a, b, c = ey * K[2] - ez * K[1], ey * K[5] - ez * K[4], ey * K[8] - ez * K[7]
        elif k == 4:
            a, b, c = ez * K[0] - ex * K[2], ez * K[3] - ex * K[5], ez * K[6] - ex * K[8]
        else:
            a, b, c = ex * K[1] - ey * K[0], ex * K[4] - ey * K[3], ex * K[7] - ey * K[6]
        S[3, k] += scale * (ry * c - rz * b)
        S[4, k] += scale * (rz * a - rx * c)
        S[5, k] += scale * (rx * b - ry * a)


@kernel
def factor_block(S):
    """L U of a (6, 6) block in place, reciprocals on its diagonal.

    The block is an inertia plus positive stiffness, so it needs no pivoting.
    """
    for p in range(6):
        w = 1.0 / S[p, p]
        S[p, p] = w
        for i in range(p + 1, 6):
            factor = S[i, p] * w
            S[i, p] = factor
            for k in range(p + 1, 6):
                S[i, k] -= factor * S[p, k]


@kernel
def solve_block(S, Y):
    """Y (6, n) = S^-1 Y, with the factors in S."""
    n = Y.shape[1]
    for p in range(6):
        for i in range(p + 1, 6):
            for k in range(n):
                Y[i, k] -= S[i, p] * Y[p, k]
    for p in range(5, -1, -1):
        for k in range(n):
            total = Y[p, k]
            for q in range(p + 1, 6):
                total -= S[p, q] * Y[q, k]
            Y[p, k] = total * S[p, p]


@kernel
def eliminate_body(body, inverse, solved, i):
    """Factor the block; leave the response of the attachment and its free motion at index i of the chain."""
    eliminate_tied(body, body.arm_W, body.response, inverse, solved, i)


@kernel
def eliminate_tied(body, r, Y, inverse, solved, i):
    """Factor the block; leave how the point at the arm r answers, and how it moves freely, at index i.

    Y: block^-1 [J^T, rhs], (6, 4).
    """
    rx, ry, rz = r[0], r[1], r[2]
    for k in range(3):
        for row in range(6):
            Y[row, k] = 0.0
        Y[k, k] = 1.0
    # J^T = [I; X^T], X^T = [r]x
    Y[3, 1], Y[3, 2] = -rz, ry
    Y[4, 0], Y[4, 2] = rz, -rx
    Y[5, 0], Y[5, 1] = -ry, rx
    for row in range(6):
        Y[row, 3] = body.rhs[row]
    # As `factor_block` and `solve_block`, in one go.
    S = body.block
    for p in range(6):
        w = 1.0 / S[p, p]
        for row in range(p + 1, 6):
            factor = S[row, p] * w
            for k in range(p + 1, 6):
                S[row, k] -= factor * S[p, k]
            for k in range(4):
                Y[row, k] -= factor * Y[p, k]
    for p in range(5, -1, -1):
        w = 1.0 / S[p, p]
        for k in range(4):
            total = Y[p, k]
            for q in range(p + 1, 6):
                total -= S[p, q] * Y[q, k]
            Y[p, k] = total * w
    rx, ry, rz = arm_at_end(body, r)
    for k in range(4):
        a = Y[0, k] + Y[4, k] * rz - Y[5, k] * ry
        b = Y[1, k] - Y[3, k] * rz + Y[5, k] * rx
        c = Y[2, k] + Y[3, k] * ry - Y[4, k] * rx
        if k < 3:
            inverse[i, k] = a
            inverse[i, 3 + k] = b
            inverse[i, 6 + k] = c
        else:
            solved[i, 0] = a
            solved[i, 1] = b
            solved[i, 2] = c


@kernel
def correct_body(body, px, py, pz):
    """Apply the Newton correction, p being what the chain pushes with; returns the largest correction [m/s].

    Rotation counts with the lever arm of the attachment.
    """
    Y = body.response
    largest = 0.0
    y0 = Y[3, 3] + Y[3, 0] * px + Y[3, 1] * py + Y[3, 2] * pz
    y1 = Y[4, 3] + Y[4, 0] * px + Y[4, 1] * py + Y[4, 2] * pz
    y2 = Y[5, 3] + Y[5, 0] * px + Y[5, 1] * py + Y[5, 2] * pz
    turn = rate_of_turn(body, y0, y1, y2)
    for row in range(6):
        change = Y[row, 3] + Y[row, 0] * px + Y[row, 1] * py + Y[row, 2] * pz
        if row > 2:
            change = turn[row - 3]
        body.u[row] += change
        if row < 3:
            largest = max(largest, abs(change))
        else:
            reach = 0.01 + abs(body.arm_W[0]) + abs(body.arm_W[1]) + abs(body.arm_W[2])
            largest = max(largest, abs(change) * reach)
    return largest


@kernel
def advance_body(body, h, fx, fy, fz):
    """Accept the iterate: f is the force at the attachment over the step."""
    r = body.arm_W
    advance_turned(body, h, r[1] * fz - r[2] * fy, r[2] * fx - r[0] * fz, r[0] * fy - r[1] * fx)


@kernel
def advance_turned(body, h, tx, ty, tz):
    """Accept the iterate: t is the torque over the step of all that is tied to the body."""
    body.L_W[0] += h * (body.torque_W[0] + tx)
    body.L_W[1] += h * (body.torque_W[1] + ty)
    body.L_W[2] += h * (body.torque_W[2] + tz)
    pull, times = body.pull_W, 1.0 if body.implicit > 0.5 else 2.0
    pull[3], pull[4], pull[5] = pull[3] + tx, pull[4] + ty, pull[5] + tz
    for i in range(3):
        pull[i] += times * body.mass * (body.u[i] - body.v_W[i]) / h - body.force_W[i]
        body.p_W[i] += h * body.u[i]
        if body.implicit > 0.5:
            body.v_W[i] = body.u[i]
        else:
            body.v_W[i] = 2.0 * body.u[i] - body.v_W[i]
        for k in range(3):
            body.R_WB[i, k] = body.R_next[i, k]


@kernel
def body_kinetic_energy(body):
    """Of translation and rotation [J]."""
    R = body.R_WB
    L = body.L_W
    a0 = R[0, 0] * L[0] + R[1, 0] * L[1] + R[2, 0] * L[2]
    a1 = R[0, 1] * L[0] + R[1, 1] * L[1] + R[2, 1] * L[2]
    a2 = R[0, 2] * L[0] + R[1, 2] * L[1] + R[2, 2] * L[2]
    w0, w1, w2 = solve_3x3(body.inertia_B, a0, a1, a2)
    speed2 = body.v_W[0] ** 2 + body.v_W[1] ** 2 + body.v_W[2] ** 2
    return 0.5 * body.mass * speed2 + 0.5 * (a0 * w0 + a1 * w1 + a2 * w2)


@kernel
def body_rates(body):
    """Angular velocity in the body frame [rad/s]."""
    R, L = body.R_WB, body.L_W
    return solve_3x3(
        body.inertia_B,
        R[0, 0] * L[0] + R[1, 0] * L[1] + R[2, 0] * L[2],
        R[0, 1] * L[0] + R[1, 1] * L[1] + R[2, 1] * L[2],
        R[0, 2] * L[0] + R[1, 2] * L[1] + R[2, 2] * L[2],
    )
