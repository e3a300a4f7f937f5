"""Joints between two bodies, or a body and the world, inside the solve of an island.

A joint holds a point of its child at a point of its parent, and its two axes at right angles: the first is
fixed in the parent, the second in the child, as in a universal joint. Locking the second axis makes a hinge,
locking both makes a fixed joint; a ball joint leaves all rotation free. Each constraint is met at the end of
the step. Its force acts with the mean lever arms and axes of the step, so that

    h (w_b - w_a) . (b x a) = a+ . b+ - a . b        for mean axes a of the parent and b of the child

holds exactly: constraints do no work, and both bodies feel opposite forces at one point. Springs act with the
secant of their energy in the joint angle. The multipliers are unknowns of the island (elimination.py), with a
block of their own that is eliminated after the body below the joint.
"""

import math

import numpy as np

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import half_turn
from tetherlab.plant.tied_body import push_body

BALL, UNIVERSAL, HINGE, FIXED = range(4)  # kinds
FREE, HELD, AT_LOWER, AT_UPPER = range(4)  # locks of an axis

JOINT = np.dtype(
    [
        ("kind", np.int64),
        ("body", np.int64, (2,)),  # parent and child; parent -1: the world
        ("r_B", np.float64, (2, 3)),  # the point in both bodies, or in the world [m]
        ("axes_B", np.float64, (2, 3, 3)),  # first, second and third axis in both, parallel at angles of zero
        # about the first and the second axis
        ("stiffness", np.float64, (2,)),  # [N m/rad]
        ("rest", np.float64, (2,)),  # angle at which the spring is relaxed [rad]
        ("damping", np.float64, (2,)),  # [N m s/rad]
        ("torque", np.float64, (2,)),  # commanded, of the parent on the child [N m]
        ("torque_max", np.float64, (2,)),  # of the actuator [N m]
        ("limit", np.float64, (2, 2)),  # end stops: least and largest angle of each axis [rad]
        ("release_time", np.float64, (2,)),  # held axes are let go then [s]
        ("held_rate", np.float64, (2,)),  # at which a held axis is driven [rad/s]
        # state
        ("lock", np.int64, (2,)),
        ("held_angle", np.float64, (2,)),  # of a held axis [rad]
        ("driven_rate", np.float64, (2,)),  # of a held axis in the last step [rad/s]
        ("angle", np.float64, (2,)),  # [rad]
        ("load", np.float64, (6,)),  # of the constraints on the child: force [N], torques of three rows [N m]
        ("slip_rate", np.float64, (6,)),  # velocity against the constraints [m/s], [rad/s], see ringing.py
        ("settling", np.int64),  # remaining backward Euler steps of the bodies after an axis was locked
        # at the iterate
        ("lock_next", np.int64, (2,)),
        ("held_next", np.float64, (2,)),
        ("angle_next", np.float64, (2,)),
        ("load_next", np.float64, (6,)),
        ("settling_next", np.int64),
        ("switched", np.int64, (2,)),  # 1: a stop was met or left in this step
        ("arm_W", np.float64, (2, 3)),  # mean lever arms [m]
        ("arm_next_W", np.float64, (2, 3)),  # lever arms at the end of the step [m]
        ("axes_W", np.float64, (2, 3, 3)),
        ("axes_next_W", np.float64, (2, 3, 3)),
        ("cross", np.float64, (5, 3)),  # of mean axes, see PRODUCT
        ("cross_next", np.float64, (5, 3)),
        ("product", np.float64, (5,)),
        ("product_next", np.float64, (5,)),
        ("row", np.float64, (3, 3)),  # directions of the torques of the constraints
        ("row_next", np.float64, (3, 3)),
        ("spring", np.float64, (2, 3)),  # directions in which the angles grow
        ("spring_next", np.float64, (2, 3)),
        ("pull", np.float64, (2,)),  # torque of spring, damper and actuator against the angle [N m]
        ("gap", np.float64, (6,)),  # of the constraints [m], [rad]
        ("rhs", np.float64, (6,)),
        ("block", np.float64, (6, 6)),
    ]
)

# Axes of child and parent whose products are used: the constraint, then sine and cosine of both angles.
PRODUCT = ((1, 0), (1, 2), (1, 1), (2, 0), (0, 0))
GAP_MAX = 2e-10  # of a constraint at the end of a step [m], [rad]
COMPLIANCE = 1e-9  # of a joint that closes a loop, relative to its bodies: such joints may be redundant
SETTLING = 2  # steps by backward Euler: the one that meets a stop, and the one that rests there


@kernel
def begin_joint_call(graph, n):
    """Release held axes whose release time has passed."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_joint, island.last_joint):
        joint = graph.joint[program.joint[k]]
        for axis in range(2):
            if joint.lock[axis] == HELD and graph.books[0].time >= joint.release_time[axis] - 1e-9:
                joint.lock[axis] = FREE


@kernel
def begin_joints(graph, n, h):
    """Start the iterate of a step from the state."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_joint, island.last_joint):
        joint = graph.joint[program.joint[k]]
        joint.settling_next = joint.settling
        for c in range(6):
            joint.load_next[c] = joint.load[c]
        for axis in range(2):
            joint.lock_next[axis], joint.switched[axis] = joint.lock[axis], 0
            joint.held_next[axis] = joint.held_angle[axis] + h * joint.held_rate[axis]
            if joint.lock[axis] == FREE:
                joint.load_next[4 + axis] = 0.0
            elif joint.lock[axis] == HELD and joint.held_rate[axis] != joint.driven_rate[axis]:
                joint.settling_next = max(joint.settling_next, 1)
    spread_contact(graph, n)


@kernel
def spread_contact(graph, n):
    """All bodies that are joined to one that touches something take a backward Euler step, as it does."""
    island, program = graph.program.island[n], graph.program
    changed = True
    while changed:
        changed = False
        for k in range(island.first_joint, island.last_joint):
            joint = graph.joint[program.joint[k]]
            a, b = joint.body[0], joint.body[1]
            if joint.settling_next > 0 and graph.body[b].implicit < 0.5:
                graph.body[b].implicit = 1.0
                changed = True
            if a >= 0 and graph.body[a].implicit != graph.body[b].implicit:
                graph.body[a].implicit = graph.body[b].implicit = 1.0
                changed = True


@kernel
def settle_joints_of(graph, n, b):
    """Body b was kicked, and now moves against its joints: a backward Euler step makes them agree."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_joint, island.last_joint):
        joint = graph.joint[program.joint[k]]
        if joint.body[0] == b or joint.body[1] == b:
            joint.settling = max(joint.settling, 1)


@kernel
def _lay(graph, joint, h):
    """Arms, axes and gaps at the iterate.

    A backward Euler step keeps angular momentum with the arms of its start.
    """
    gap = joint.gap
    for c in range(3):
        gap[c] = 0.0
    for side in range(2):
        r, sign = joint.r_B[side], 2.0 * side - 1.0
        if joint.body[side] < 0:
            for i in range(3):
                joint.arm_W[side, i] = joint.arm_next_W[side, i] = 0.0
                gap[i] += sign * r[i]
                for axis in range(3):
                    joint.axes_W[side, axis, i] = joint.axes_next_W[side, axis, i] = joint.axes_B[
                        side, axis, i
                    ]
            continue
        body = graph.body[joint.body[side]]
        R, Rn = body.R_WB, body.R_next
        for i in range(3):
            now = R[i, 0] * r[0] + R[i, 1] * r[1] + R[i, 2] * r[2]
            then = Rn[i, 0] * r[0] + Rn[i, 1] * r[1] + Rn[i, 2] * r[2]
            joint.arm_W[side, i] = now if body.implicit > 0.5 else 0.5 * (now + then)
            joint.arm_next_W[side, i] = then
            gap[i] += sign * (body.p_W[i] + h * body.u[i] + then)
            for axis in range(3):
                a = joint.axes_B[side, axis]
                joint.axes_W[side, axis, i] = R[i, 0] * a[0] + R[i, 1] * a[1] + R[i, 2] * a[2]
                joint.axes_next_W[side, axis, i] = Rn[i, 0] * a[0] + Rn[i, 1] * a[1] + Rn[i, 2] * a[2]


@kernel
def _multiply_axes(joint):
    """Products of the axes of child and parent, now, at the end and between."""
    for k in range(5):
        i, j = PRODUCT[k]
        b, a = joint.axes_W[1, i], joint.axes_W[0, j]
        bn, an = joint.axes_next_W[1, i], joint.axes_next_W[0, j]
        joint.product[k] = b[0] * a[0] + b[1] * a[1] + b[2] * a[2]
        joint.product_next[k] = bn[0] * an[0] + bn[1] * an[1] + bn[2] * an[2]
        b0, b1, b2 = 0.5 * (b[0] + bn[0]), 0.5 * (b[1] + bn[1]), 0.5 * (b[2] + bn[2])
        a0, a1, a2 = 0.5 * (a[0] + an[0]), 0.5 * (a[1] + an[1]), 0.5 * (a[2] + an[2])
        out = joint.cross[k]
        out[0], out[1], out[2] = b1 * a2 - b2 * a1, b2 * a0 - b0 * a2, b0 * a1 - b1 * a0
        out = joint.cross_next[k]
        out[0] = bn[1] * an[2] - bn[2] * an[1]
        out[1] = bn[2] * an[0] - bn[0] * an[2]
        out[2] = bn[0] * an[1] - bn[1] * an[0]


@kernel
def _turn_axis(joint, axis, h):
    """Angle about an axis at the end, the direction of its torques, and what spring and actuator do."""
    p, q = 1 + 2 * axis, 2 + 2 * axis
    s, c, sn, cn = joint.product[p], joint.product[q], joint.product_next[p], joint.product_next[q]
    x, y = sn * c - cn * s, cn * c + sn * s
    turned = math.atan2(x, y)
    secant = turned / x if abs(x) > 1e-8 else 1.0 / y
    joint.angle_next[axis] = joint.angle[axis] + turned
    held = joint.held_next[axis]
    if joint.lock_next[axis] > HELD:
        held = joint.limit[axis, joint.lock_next[axis] - AT_LOWER]
    sh, ch = math.sin(held), math.cos(held)
    sm, cm = 0.5 * secant * (s + sn), 0.5 * secant * (c + cn)
    w = 1.0 / (sn * sn + cn * cn)
    for i in range(3):
        joint.spring[axis, i] = cm * joint.cross[p, i] - sm * joint.cross[q, i]
        joint.spring_next[axis, i] = w * (cn * joint.cross_next[p, i] - sn * joint.cross_next[q, i])
        joint.row[1 + axis, i] = ch * joint.cross[p, i] - sh * joint.cross[q, i]
        joint.row_next[1 + axis, i] = ch * joint.cross_next[p, i] - sh * joint.cross_next[q, i]
    joint.gap[4 + axis] = ch * sn - sh * cn if joint.lock_next[axis] != FREE else 0.0
    middle = joint.angle[axis] + 0.5 * turned - joint.rest[axis]
    most = joint.torque_max[axis]
    driven = min(max(joint.torque[axis], -most), most)
    joint.pull[axis] = joint.stiffness[axis] * middle + joint.damping[axis] * turned / h - driven


@kernel
def _evaluate(graph, joint, h):
    """Evaluate a joint at the iterate."""
    _lay(graph, joint, h)
    joint.gap[3] = joint.gap[4] = joint.gap[5] = 0.0
    if joint.kind == BALL:
        return
    _multiply_axes(joint)
    joint.gap[3] = joint.product_next[0]
    for i in range(3):
        joint.row[0, i], joint.row_next[0, i] = joint.cross[0, i], joint.cross_next[0, i]
    _turn_axis(joint, 0, h)
    _turn_axis(joint, 1, h)


@kernel
def is_active(joint, row):
    """Whether a row of the joint is a constraint now."""
    if row < 3:
        return True
    if row == 3:
        return joint.kind != BALL
    return joint.lock_next[row - 4] != FREE


@kernel
def push_joints(graph, n, h):
    """Forces of all joints of island n at the iterate, into the loads of their bodies."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_joint, island.last_joint):
        joint = graph.joint[program.joint[k]]
        _evaluate(graph, joint, h)
        f = joint.load_next
        t0 = t1 = t2 = 0.0
        if joint.kind != BALL:
            for i in range(3):
                row = joint.row[i]
                t0, t1, t2 = t0 + f[3 + i] * row[0], t1 + f[3 + i] * row[1], t2 + f[3 + i] * row[2]
            for axis in range(2):
                s, pull = joint.spring[axis], joint.pull[axis]
                t0, t1, t2 = t0 - pull * s[0], t1 - pull * s[1], t2 - pull * s[2]
        for side in range(2):
            if joint.body[side] >= 0:
                load, sign = graph.load[joint.body[side]], 2.0 * side - 1.0
                push_body(load, joint.arm_W[side], sign * f[0], sign * f[1], sign * f[2])
                load[3] += sign * t0
                load[4] += sign * t1
                load[5] += sign * t2


@kernel
def add_joints(graph, n, h):
    """Assemble the joints of island n: their own blocks, and their share of the blocks of their bodies."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_joint, island.last_joint):
        j = program.joint[k]
        joint = graph.joint[j]
        _fill_block(graph, j, joint, h)
        for side in range(2):
            if joint.body[side] >= 0:
                _couple(graph, j, joint, side, h)
                _stiffen_arm(graph.body[joint.body[side]], joint, side, h)
        if joint.kind != BALL:
            _add_springs(graph, joint, h)


@kernel
def _fill_block(graph, j, joint, h):
    """Own rows: -(J_b z_b - J_a z_a) - c m = gap / h + c (h/2) load, m the change of (h/2) load."""
    for p in range(6):
        for q in range(6):
            joint.block[p, q] = 0.0
        joint.rhs[p] = 0.0
    shift, turn = 0.0, 0.0  # how the bodies answer
    if graph.program.closing[j] == 1:
        for side in range(2):
            if joint.body[side] >= 0:
                body = graph.body[joint.body[side]]
                inertia = body.inertia_B
                shift += COMPLIANCE / body.mass
                turn += 3.0 * COMPLIANCE / (inertia[0, 0] + inertia[1, 1] + inertia[2, 2])
    for p in range(6):
        if is_active(joint, p):
            c = shift if p < 3 else turn
            joint.block[p, p] = -c
            joint.rhs[p] = joint.gap[p] / h + c * 0.5 * h * joint.load_next[p]
        else:
            joint.block[p, p] = 1.0


@kernel
def _couple(graph, j, joint, side, h):
    """Blocks between a body and the multipliers; torques as the rows of the body have them."""
    program, b = graph.program, joint.body[side]
    body, node = graph.body[b], graph.body.shape[0] + j
    down, back = program.coupling[program.slot[b, node]], program.coupling[program.slot[node, b]]
    sign = 1.0 - 2.0 * side
    r, e, w = joint.arm_W[side], joint.arm_next_W[side], body.u
    g = 0.0 if body.implicit > 0.5 else -h
    for p in range(6):
        if not is_active(joint, p):
            continue
        if p < 3:
            down[p, p] += sign
            back[p, p] += sign
            # r x e_p turns the body for a force along e_p; e_p . (y x r) = y . (r x e_p)
            x, y, z = arm_cross(r, p)
            ex, ey, ez = arm_cross(e, p)
        else:
            t, tn = joint.row[p - 3], joint.row_next[p - 3]
            x, y, z = t[0], t[1], t[2]
            ex, ey, ez = tn[0], tn[1], tn[2]
        x, y, z = half_turn(g * w[3], g * w[4], g * w[5], x, y, z)
        down[3, p] += sign * x
        down[4, p] += sign * y
        down[5, p] += sign * z
        back[p, 3] += sign * ex
        back[p, 4] += sign * ey
        back[p, 5] += sign * ez


@kernel
def arm_cross(r, p):
    """r x e_p."""
    if p == 0:
        return 0.0, r[2], -r[1]
    if p == 1:
        return -r[2], 0.0, r[0]
    return r[1], -r[0], 0.0


@kernel
def _stiffen_arm(body, joint, side, h):
    """Add how the torque of the force turns with its arm, (h/2)^2 ((r.f) 1 - r f^T).

    As far as that is negative, it counts up to a quarter of the inertia.
    """
    if body.implicit > 0.5:
        return
    r, f, sign = joint.arm_next_W[side], joint.load_next, 2.0 * side - 1.0
    weight = 0.25 * h * h * sign
    dot = r[0] * f[0] + r[1] * f[1] + r[2] * f[2]
    size = math.sqrt((r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) * (f[0] * f[0] + f[1] * f[1] + f[2] * f[2]))
    inertia = body.inertia_B
    spare = 0.25 * min(inertia[0, 0], inertia[1, 1], inertia[2, 2])
    lift = max(0.0, 0.5 * (0.25 * h * h * size - weight * dot) - spare)
    S = body.block
    for i in range(3):
        S[3 + i, 3 + i] += weight * dot + lift
        for k in range(3):
            S[3 + i, 3 + k] -= weight * r[i] * f[k]


@kernel
def _add_springs(graph, joint, h):
    """Stiffness and damping about both axes, in the blocks of the bodies and between them."""
    program, a, b = graph.program, joint.body[0], joint.body[1]
    for axis in range(2):
        w = 0.25 * h * h * joint.stiffness[axis] + 0.5 * h * joint.damping[axis]
        if w == 0.0:
            continue
        s, t = joint.spring[axis], joint.spring_next[axis]
        for i in range(3):
            for k in range(3):
                x = w * s[i] * t[k]
                graph.body[b].block[3 + i, 3 + k] += x
                if a >= 0:
                    graph.body[a].block[3 + i, 3 + k] += x
                    program.coupling[program.slot[a, b], 3 + i, 3 + k] -= x
                    program.coupling[program.slot[b, a], 3 + i, 3 + k] -= x


@kernel
def largest_joint_motion(graph, n):
    """Largest correction of the velocity of a jointed point by the rotation of its body [m/s]."""
    island, program = graph.program.island[n], graph.program
    largest = 0.0
    for k in range(island.first_joint, island.last_joint):
        joint = graph.joint[program.joint[k]]
        for side in range(2):
            if joint.body[side] >= 0:
                z, r = graph.correction[joint.body[side]], joint.arm_W[side]
                lever = abs(r[0]) + abs(r[1]) + abs(r[2])
                largest = max(largest, lever * max(abs(z[3]), abs(z[4]), abs(z[5])))
    return largest


@kernel
def correct_joints(graph, n, share, h):
    """Apply that share of the corrections of the multipliers."""
    island, program = graph.program.island[n], graph.program
    for k in range(island.first_joint, island.last_joint):
        j = program.joint[k]
        z, load = graph.correction[graph.body.shape[0] + j], graph.joint[j].load_next
        for p in range(6):
            if is_active(graph.joint[j], p):
                load[p] += share * z[p] * 2.0 / h


@kernel
def joints_hold(graph, n, h):
    """Whether all constraints hold at the iterate, and every stop pushes if and only if it is met.

    A stop that does not is locked, or let go, once in a step.
    """
    island, program = graph.program.island[n], graph.program
    hold = True
    for k in range(island.first_joint, island.last_joint):
        j = program.joint[k]
        joint = graph.joint[j]
        _evaluate(graph, joint, h)
        if graph.program.closing[j] == 0:
            for p in range(6):
                if is_active(joint, p) and not abs(joint.gap[p]) < GAP_MAX:
                    hold = False
        if joint.kind == BALL:
            continue
        for axis in range(2):
            now = joint.lock_next[axis]
            if now == HELD or joint.switched[axis] == 1:
                continue
            new = now
            if now == FREE:
                if joint.angle_next[axis] < joint.limit[axis, 0]:
                    new = AT_LOWER
                elif joint.angle_next[axis] > joint.limit[axis, 1]:
                    new = AT_UPPER
            elif (joint.load_next[4 + axis] < 0.0) == (now == AT_LOWER):
                new = FREE
            if new != now:
                joint.lock_next[axis], joint.switched[axis], hold = new, 1, False
                if new == FREE:
                    joint.load_next[4 + axis] = 0.0
                else:
                    joint.settling_next = SETTLING
                    spread_contact(graph, n)
    return hold


@kernel
def keep_joints(graph, n, h):
    """Accept the solution as the state; add the work of actuators and the losses of dampers and stops to the
    books."""
    island, program, books = graph.program.island[n], graph.program, graph.books[0]
    for k in range(island.first_joint, island.last_joint):
        joint = graph.joint[program.joint[k]]
        books.dissipated -= _constraint_work(graph, joint, h)
        for axis in range(2):
            if joint.kind == BALL:
                continue
            turned, most = joint.angle_next[axis] - joint.angle[axis], joint.torque_max[axis]
            books.work += min(max(joint.torque[axis], -most), most) * turned
            books.dissipated += joint.damping[axis] * turned * turned / h
            if joint.lock_next[axis] == HELD and joint.held_rate[axis] != 0.0:
                driven = joint.load_next[4 + axis] * _turned_about(graph, joint, joint.row[1 + axis], h)
                books.work += driven
                books.dissipated += driven
            joint.lock[axis], joint.angle[axis] = joint.lock_next[axis], joint.angle_next[axis]
            joint.held_angle[axis] = joint.held_next[axis]
            joint.driven_rate[axis] = joint.held_rate[axis]
        for p in range(6):
            joint.load[p] = joint.load_next[p]
        joint.settling = max(0, joint.settling_next - 1)


@kernel
def _constraint_work(graph, joint, h):
    """Work of the constraints in a step [J]: zero, except where a stop is met and in backward Euler steps."""
    work, f = 0.0, joint.load_next
    for side in range(2):
        if joint.body[side] >= 0:
            u, r, sign = graph.body[joint.body[side]].u, joint.arm_W[side], 2.0 * side - 1.0
            work += sign * h * f[0] * (u[0] + u[4] * r[2] - u[5] * r[1])
            work += sign * h * f[1] * (u[1] + u[5] * r[0] - u[3] * r[2])
            work += sign * h * f[2] * (u[2] + u[3] * r[1] - u[4] * r[0])
    if joint.kind != BALL:
        for i in range(3):
            work += f[3 + i] * _turned_about(graph, joint, joint.row[i], h)
    return work


@kernel
def _turned_about(graph, joint, axis, h):
    """Turn of the child against its parent about a direction in the step [rad]."""
    u = graph.body[joint.body[1]].u
    turned = u[3] * axis[0] + u[4] * axis[1] + u[5] * axis[2]
    if joint.body[0] >= 0:
        u = graph.body[joint.body[0]].u
        turned -= u[3] * axis[0] + u[4] * axis[1] + u[5] * axis[2]
    return h * turned
