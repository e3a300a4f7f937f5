"""Contact between two bodies, inside the solve: spheres with a stiff normal spring and Coulomb friction.

The law is that of a sphere and an obstacle (world/contact.py): the push k depth grows with the speed of
approach and never pulls; friction is a spring of the same stiffness that is dragged along where it would
exceed mu N. Both bodies feel the same force at one point, so that momentum is kept to rounding. While they
touch, both take a backward Euler step, so that an impact only loses energy.

Two springs in series have k = k1 k2 / (k1 + k2); two coefficients of friction count as their geometric mean.
"""

import math

import numpy as np

from tetherlab.math.kernel import kernel, njit
from tetherlab.plant.tied_body import couple_ties, push_body
from tetherlab.world.body_contact import TRAVEL_SHARE
from tetherlab.world.contact import DAMPING, DEEP, DEEP_MAX

PAIR = np.dtype(
    [
        ("body", np.int64, (2,)),
        ("point", np.int64, (2,)),  # which sphere of each
        ("near", np.int64),  # 1: may touch within this step
        ("active", np.int64),  # 1: touches
        ("touching", np.int64),  # 1: it touched at the end of the last step
        ("normal_W", np.float64, (3,)),  # from the second body to the first
        ("arm_W", np.float64, (2, 3)),  # lever arms of the point of touch [m]
        ("force_W", np.float64, (3,)),  # on the first body [N]
        ("normal_force", np.float64),  # [N]
        ("depth", np.float64),  # now, and at the iterate [m]
        ("depth_next", np.float64),
        ("stick_W", np.float64, (3,)),  # stretch of the spring of friction, now and at the iterate [m]
        ("stick_next_W", np.float64, (3,)),
        ("stored", np.float64),  # energy in the two springs, now and at the iterate [J]
        ("stored_next", np.float64),
        ("stiffness", np.float64, (9,)),  # -d(force)/d(displacement of the first against the second) [N/m]
        ("coupling", np.float64, (9,)),  # the same, as it couples the two bodies
    ]
)

REACH = 0.1  # distance at which two bodies are solved together [m]
LEAVE = 2.0  # times as far away they are not any more
RADIUS_LEAST = 1e-6  # of a sphere that touches others [m]


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def find_near_bodies(body, dt, near):
    """Update which bodies may touch within dt, near (bodies, bodies); True if that has changed."""
    changed = False
    for a in range(body.shape[0]):
        for b in range(a + 1, body.shape[0]):
            gap, closing = _body_gap(body[a], body[b])
            reach = (LEAVE if near[a, b] == 1 else 1.0) * (REACH + 2.0 * dt * closing)
            now = 1 if gap < reach else 0
            if now != near[a, b]:
                near[a, b] = now
                changed = True
    return changed


@kernel
def _body_gap(a, b):
    """Smallest distance between the spheres of two bodies [m], and the largest speed between them [m/s]."""
    gap, arm_a, arm_b = 1e300, 0.0, 0.0
    for i in range(a.point_count):
        if a.point_radius[i] < RADIUS_LEAST:
            continue
        for k in range(b.point_count):
            if b.point_radius[k] < RADIUS_LEAST:
                continue
            ax, ay, az = _centre(a, i, a.R_WB, 0.0)
            bx, by, bz = _centre(b, k, b.R_WB, 0.0)
            apart = math.sqrt((ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2)
            gap = min(gap, apart - a.point_radius[i] - b.point_radius[k])
            arm_a, arm_b = max(arm_a, _reach(a, i)), max(arm_b, _reach(b, k))
    v, w = a.v_W, b.v_W
    closing = math.sqrt((v[0] - w[0]) ** 2 + (v[1] - w[1]) ** 2 + (v[2] - w[2]) ** 2)
    return gap, closing + arm_a * _turning(a) + arm_b * _turning(b)


@kernel
def _centre(body, k, R, h):
    """Centre of sphere k at the attitude R, h after the start of the step."""
    p, r, u = body.p_W, body.point_B[k], body.u
    return (
        p[0] + h * u[0] + R[0, 0] * r[0] + R[0, 1] * r[1] + R[0, 2] * r[2],
        p[1] + h * u[1] + R[1, 0] * r[0] + R[1, 1] * r[1] + R[1, 2] * r[2],
        p[2] + h * u[2] + R[2, 0] * r[0] + R[2, 1] * r[1] + R[2, 2] * r[2],
    )


@kernel
def _reach(body, k):
    """How far sphere k reaches from the centre of mass [m]."""
    r = body.point_B[k]
    return math.sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2) + body.point_radius[k]


@kernel
def _turning(body):
    """How fast the body turned in its last step [rad/s]."""
    return math.sqrt(body.u[3] ** 2 + body.u[4] ** 2 + body.u[5] ** 2)


@kernel
def survey_pairs(graph, n, h, travel_max):
    """Which pairs of island n may touch within a step h; the longest step that they allow [s]."""
    island, program = graph.program.island[n], graph.program
    longest = 1e9
    for e in range(island.first_pair, island.last_pair):
        pair = graph.pair[program.pair[e]]
        a, b, i, k = graph.body[pair.body[0]], graph.body[pair.body[1]], pair.point[0], pair.point[1]
        ax, ay, az = _centre(a, i, a.R_WB, 0.0)
        bx, by, bz = _centre(b, k, b.R_WB, 0.0)
        ra, rb = a.point_radius[i], b.point_radius[k]
        gap = math.sqrt((ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2) - ra - rb
        v, w = a.v_W, b.v_W
        speed = math.sqrt((v[0] - w[0]) ** 2 + (v[1] - w[1]) ** 2 + (v[2] - w[2]) ** 2)
        speed += _turning(a) * _reach(a, i) + _turning(b) * _reach(b, k)
        travel = max(travel_max, TRAVEL_SHARE * min(ra, rb))
        pair.near = 0
        if gap < 2.0 * h * speed + travel or pair.active == 1:
            pair.near = 1
            longest = min(longest, (max(gap, 0.0) + travel) / (speed + 1e-9))
    return longest


@kernel
def begin_pairs(graph, n):
    """Bodies that touch each other at the start of the step take it by backward Euler."""
    island, program = graph.program.island[n], graph.program
    for e in range(island.first_pair, island.last_pair):
        pair = graph.pair[program.pair[e]]
        if pair.active == 1:
            graph.body[pair.body[0]].implicit = graph.body[pair.body[1]].implicit = 1.0


@kernel
def touch_pairs(graph, n, h):
    """Forces between the bodies of island n at the iterate."""
    island, program = graph.program.island[n], graph.program
    for e in range(island.first_pair, island.last_pair):
        pair = graph.pair[program.pair[e]]
        if pair.near == 1:
            a, b = graph.body[pair.body[0]], graph.body[pair.body[1]]
            if _touch(pair, a, b, h):
                a.implicit = b.implicit = 1.0


@kernel
def _touch(pair, a, b, h):
    """Force and stiffness of a pair at the iterate; True if it touches."""
    i, k = pair.point[0], pair.point[1]
    ra, rb = a.point_radius[i], b.point_radius[k]
    ax, ay, az = _centre(a, i, a.R_next, h)
    bx, by, bz = _centre(b, k, b.R_next, h)
    dx, dy, dz = ax - bx, ay - by, az - bz
    apart = math.sqrt(dx * dx + dy * dy + dz * dz) + 1e-12
    depth = ra + rb - apart
    f, K = pair.force_W, pair.stiffness
    if depth <= 0.0:
        pair.normal_force = pair.stored_next = pair.depth_next = 0.0
        for c in range(3):
            f[c] = pair.stick_next_W[c] = 0.0
        for c in range(9):
            K[c] = 0.0
        return False
    if pair.active == 0:
        pair.active = 1
        pair.stick_W[0] = pair.stick_W[1] = pair.stick_W[2] = 0.0
    nx, ny, nz = dx / apart, dy / apart, dz / apart
    stiffness = a.stiffness * b.stiffness / (a.stiffness + b.stiffness)
    deepest = min(DEEP * min(ra, rb), DEEP_MAX)
    before = pair.depth if pair.touching == 1 else 0.0
    damping = 1.0 + DAMPING * (depth - before) / h
    N, k_n = 0.0, 0.0
    if depth < deepest and damping > 0.0:
        N = stiffness * depth * damping
        k_n = stiffness * (damping + DAMPING * depth / h)
    elif depth >= deepest:
        N = stiffness * deepest
    pair.depth_next, pair.normal_force = depth, N
    pair.normal_W[0], pair.normal_W[1], pair.normal_W[2] = nx, ny, nz
    _lay_arms(pair, a, b)
    tx, ty, tz = _slide(pair, a, b, h)
    stretch = math.sqrt(tx * tx + ty * ty + tz * tz)
    most = math.sqrt(a.friction * b.friction) * N
    s = pair.stick_next_W
    if stiffness * stretch <= most:
        s[0], s[1], s[2] = tx, ty, tz
        w = k_n - stiffness
        K[0], K[1], K[2] = stiffness + w * nx * nx, w * nx * ny, w * nx * nz
        K[3], K[4], K[5] = w * ny * nx, stiffness + w * ny * ny, w * ny * nz
        K[6], K[7], K[8] = w * nz * nx, w * nz * ny, stiffness + w * nz * nz
    else:
        q = 1.0 / stretch
        tx, ty, tz = tx * q, ty * q, tz * q
        slack = most / stiffness
        s[0], s[1], s[2] = slack * tx, slack * ty, slack * tz
        g = most * q
        w, across, m = k_n - g, -0.95 * g, -k_n * most / max(N, 1e-12)
        n, t = (nx, ny, nz), (tx, ty, tz)
        for p in range(3):
            for r in range(3):
                K[3 * p + r] = w * n[p] * n[r] + across * t[p] * t[r] + m * t[p] * n[r]
            K[4 * p] += g
    f[0], f[1], f[2] = N * nx - stiffness * s[0], N * ny - stiffness * s[1], N * nz - stiffness * s[2]
    pair.stored_next = 0.5 * stiffness * (depth * depth + s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    return True


@kernel
def _lay_arms(pair, a, b):
    """Lever arms to the one point where both feel the force, midway between the two surfaces.

    Where it was at the start of the step: a backward Euler step then keeps angular momentum as well.
    """
    i, k, n, arm = pair.point[0], pair.point[1], pair.normal_W, pair.arm_W
    ax, ay, az = _centre(a, i, a.R_WB, 0.0)
    bx, by, bz = _centre(b, k, b.R_WB, 0.0)
    reach = b.point_radius[k] - a.point_radius[i]
    px, py, pz = (
        0.5 * (ax + bx + reach * n[0]),
        0.5 * (ay + by + reach * n[1]),
        0.5 * (az + bz + reach * n[2]),
    )
    arm[0, 0], arm[0, 1], arm[0, 2] = px - a.p_W[0], py - a.p_W[1], pz - a.p_W[2]
    arm[1, 0], arm[1, 1], arm[1, 2] = px - b.p_W[0], py - b.p_W[1], pz - b.p_W[2]


@kernel
def _closing(pair, a, b):
    """Mean velocity of the first body against the second where they touch, at the iterate [m/s]."""
    u, w, r, s = a.u, b.u, pair.arm_W[0], pair.arm_W[1]
    return (
        u[0] + u[4] * r[2] - u[5] * r[1] - w[0] - w[4] * s[2] + w[5] * s[1],
        u[1] + u[5] * r[0] - u[3] * r[2] - w[1] - w[5] * s[0] + w[3] * s[2],
        u[2] + u[3] * r[1] - u[4] * r[0] - w[2] - w[3] * s[1] + w[4] * s[0],
    )


@kernel
def _slide(pair, a, b, h):
    """Stretch of the spring of friction at the iterate if it holds: in the plane of touch [m]."""
    x, y, z = _closing(pair, a, b)
    s, n = pair.stick_W, pair.normal_W
    x, y, z = s[0] + h * x, s[1] + h * y, s[2] + h * z
    along = x * n[0] + y * n[1] + z * n[2]
    return x - along * n[0], y - along * n[1], z - along * n[2]


@kernel
def add_pairs(graph, n, h):
    """Put the contacts of island n into the rows of its bodies, and into the blocks between them."""
    island, program = graph.program.island[n], graph.program
    b, half = 0.5 * h, 0.5 * h * h
    for e in range(island.first_pair, island.last_pair):
        pair = graph.pair[program.pair[e]]
        if pair.near == 0 or pair.normal_force <= 0.0:
            continue
        f = pair.force_W
        for c in range(9):
            pair.coupling[c] = half * pair.stiffness[c]
        for side in range(2):  # the same arms in all blocks, so that each correction keeps momentum
            body, r, w = graph.body[pair.body[side]], pair.arm_W[side], b if side == 0 else -b
            push_body(body.rhs, r, w * f[0], w * f[1], w * f[2])
            couple_ties(body.block, pair.coupling, r, r)
        for c in range(9):
            pair.coupling[c] = -pair.coupling[c]
        for side in range(2):
            block = program.coupling[program.slot[pair.body[side], pair.body[1 - side]]]
            couple_ties(block, pair.coupling, pair.arm_W[side], pair.arm_W[1 - side])


@kernel
def pair_loss(graph, n, h):
    """Energy that the contacts between bodies of island n take within the step [J]."""
    island, program = graph.program.island[n], graph.program
    lost = 0.0
    for e in range(island.first_pair, island.last_pair):
        pair = graph.pair[program.pair[e]]
        if pair.active == 1:
            x, y, z = _closing(pair, graph.body[pair.body[0]], graph.body[pair.body[1]])
            f = pair.force_W
            lost -= h * (f[0] * x + f[1] * y + f[2] * z) + pair.stored_next - pair.stored
    return lost


@kernel
def forget_pairs(graph, n):
    """A step is discarded: contacts that began in it did not happen."""
    island, program = graph.program.island[n], graph.program
    for e in range(island.first_pair, island.last_pair):
        pair = graph.pair[program.pair[e]]
        if pair.touching == 0:
            pair.active = 0


@kernel
def keep_pairs(graph, n):
    """The solution becomes the state; what bodies push each other with joins their loads."""
    island, program = graph.program.island[n], graph.program
    for e in range(island.first_pair, island.last_pair):
        pair = graph.pair[program.pair[e]]
        if pair.active == 0:
            continue
        f = pair.force_W
        push_body(graph.load[pair.body[0]], pair.arm_W[0], f[0], f[1], f[2])
        push_body(graph.load[pair.body[1]], pair.arm_W[1], -f[0], -f[1], -f[2])
        pair.stored, pair.depth = pair.stored_next, pair.depth_next
        for c in range(3):
            pair.stick_W[c] = pair.stick_next_W[c]
        pair.active = pair.touching = 1 if pair.depth > 0.0 else 0
