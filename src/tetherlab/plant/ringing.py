"""Joints whose bodies ring against them from step to step are calmed by impulses.

Constraints are met by positions, and so by the mean velocity of a step. What the velocity at its end has
against them changes its sign in each step, v+ = 2 u - v: nothing damps it, and contact may feed it. The part
that changes its sign is taken away by an impulse of the joint on both of its bodies, which keeps momentum and
leaves all else as it moves.
"""

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import body_rates, solve_3x3
from tetherlab.plant.joint import HELD, arm_cross, is_active
from tetherlab.plant.winch_feed import kick_body

RINGING = 1e-5  # what a joint may ring by within a step [m], [rad]


@kernel
def calm_joints(graph, n, h):
    """After the bodies have moved on: take away what rings against the joints of island n."""
    island, program, books = graph.program.island[n], graph.program, graph.books[0]
    for k in range(island.first_joint, island.last_joint):
        joint = graph.joint[program.joint[k]]
        rang, work = False, books.work
        for p in range(6):
            before, now = joint.slip_rate[p], _slip_rate(graph, joint, p)
            joint.slip_rate[p] = now
            swing = now - before
            if 0.5 * h * abs(swing) > RINGING and abs(now + before) < 0.5 * abs(swing):
                _push_apart(graph, n, joint, p, -0.5 * swing)
                rang = True
        if rang:
            for p in range(6):
                joint.slip_rate[p] = _slip_rate(graph, joint, p)
            books.dissipated += work - books.work
            books.work = work


@kernel
def _direction(joint, side, p):
    """How a unit impulse in row p of the joint turns the body on a side, (3,)."""
    if p < 3:
        return arm_cross(joint.arm_next_W[side], p)
    row = joint.row_next[p - 3]
    return row[0], row[1], row[2]


@kernel
def _slip_rate(graph, joint, p):
    """Velocity of the child against its parent in row p of the joint, as the state is [m/s], [rad/s]."""
    total = 0.0
    if not is_active(joint, p):
        return total
    for side in range(2):
        if joint.body[side] >= 0:
            body, sign = graph.body[joint.body[side]], 2.0 * side - 1.0
            R, w = body.R_WB, body_rates(body)
            x, y, z = _direction(joint, side, p)
            if p < 3:
                total += sign * body.v_W[p]
            total += sign * x * (R[0, 0] * w[0] + R[0, 1] * w[1] + R[0, 2] * w[2])
            total += sign * y * (R[1, 0] * w[0] + R[1, 1] * w[1] + R[1, 2] * w[2])
            total += sign * z * (R[2, 0] * w[0] + R[2, 1] * w[1] + R[2, 2] * w[2])
    if p > 3 and joint.lock_next[p - 4] == HELD:
        total -= joint.held_rate[p - 4]
    return total


@kernel
def _push_apart(graph, n, joint, p, change):
    """Change the velocity in row p by an impulse of the joint; what is tied to the bodies makes it less."""
    answer = 0.0
    for side in range(2):
        if joint.body[side] >= 0:
            body = graph.body[joint.body[side]]
            R, (x, y, z) = body.R_WB, _direction(joint, side, p)
            a = R[0, 0] * x + R[1, 0] * y + R[2, 0] * z
            b = R[0, 1] * x + R[1, 1] * y + R[2, 1] * z
            c = R[0, 2] * x + R[1, 2] * y + R[2, 2] * z
            u, v, w = solve_3x3(body.inertia_B, a, b, c)
            answer += a * u + b * v + c * w
            if p < 3:
                answer += 1.0 / body.mass
    for side in range(2):
        if joint.body[side] >= 0:
            impulse = (2.0 * side - 1.0) * change / answer
            kick = graph.correction[joint.body[side]]
            x, y, z = _direction(joint, side, p)
            kick[0] = kick[1] = kick[2] = 0.0
            if p < 3:
                kick[p] = impulse
            kick[3], kick[4], kick[5] = impulse * x, impulse * y, impulse * z
            kick_body(graph, n, joint.body[side], kick)
