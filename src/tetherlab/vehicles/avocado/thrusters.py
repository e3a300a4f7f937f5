"""The two propellers of AVOCADO: how thrust and torque are shared, motors that lag, and surfaces behind them.

Body frame: forward (along the thrust), left, up (from the centre of mass towards P), from the centre of mass.
"""

import math

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import kernel
from tetherlab.math.record import make_records
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.world import field as world_field
from tetherlab.world.ask import distance

LEFT, RIGHT = 0, 1
FAR = 4.0  # propeller radii: beyond, a surface changes the thrust by less than 0.4 %
NEAREST = 0.5  # propeller radii: nearer than that the law has not been measured, and thrust grows no more

ROBOT = np.dtype(
    [
        ("thrust_up", np.float64),  # height of the thrust line above the centre of mass [m]
        ("motor_arm", np.float64),  # [m]
        ("motor_min", np.float64),  # of each motor [N]
        ("motor_max", np.float64),
        ("motor_lag", np.float64),  # [s]
        ("propeller_radius", np.float64),  # [m]
        ("drag", np.float64),  # force per speed through the air [N s/m]
        ("drag_turning_B", np.float64, (3,)),  # torque per rate [N m s]
        ("damping_phi", np.float64),  # of the joint at P [N m s]
        ("damping_roll", np.float64),  # across it [N m s]
        ("fails_at", np.float64, (2,)),  # when the left and the right motor fail [s]; inf: never
        # state
        ("motor", np.float64, (2,)),  # thrust of the motors in free air [N]
        ("cushion", np.float64, (2,)),  # by how much what stands behind the propellers raises it
        # what was done in the last step
        ("thrust", np.float64, (2,)),  # with what stands behind them [N]
        ("saturated", np.int64),  # 1: not all that was wanted could be had
    ]
)


def make_robot(spec: AvocadoRobotSpec) -> NDArray[np.void]:
    """Motors, drag and joint, (1,) of ROBOT."""
    row = make_records(1, ROBOT)
    row["thrust_up"] = spec.mass_arm - spec.thrust_arm
    row["motor_min"], row["motor_max"] = 0.5 * spec.thrust_least, 0.5 * spec.thrust_max
    a2, b2 = 0.25 * spec.half_axis_y**2, 0.25 * spec.half_axis_z**2
    row["drag"] = spec.drag_coefficient * spec.plate_area
    row["drag_turning_B"] = row["drag"][:, None] * np.array([a2 + b2, a2, b2])
    row["fails_at"], row["cushion"] = math.inf, 1.0
    for name in ("motor_arm", "motor_lag", "propeller_radius", "damping_phi", "damping_roll"):
        row[name] = getattr(spec, name)
    return row


@kernel
def share(robot, thrust, torque):
    """Thrusts of the left and the right motor for a thrust [N] and a torque to the right [N m].

    At the upper limit thrust gives way and torque is kept: less thrust leans the robot less, which is safe,
    while a robot that leans and cannot hold its heading swings out of its plane. At the lower limit thrust is
    all but gone, and each motor stops where it is: as the paper says, one propeller rises, the other stays at
    its minimum, and the torque is accompanied by a little thrust.
    """
    half, turn = 0.5 * thrust, 0.5 * torque / robot.motor_arm
    most, least = robot.motor_max, robot.motor_min
    robot.saturated = 0
    limit = 0.5 * (most - least)
    if abs(turn) > limit:
        turn, robot.saturated = math.copysign(limit, turn), 1
    if half + abs(turn) > most:
        half, robot.saturated = most - abs(turn), 1
    left, right = half + turn, half - turn
    if min(left, right) < least:
        robot.saturated = 1
    return min(max(left, least), most), min(max(right, least), most)


@kernel
def turn_motors(robot, thrust, torque, time, h):
    """Let both motors follow what is wanted; a motor that has failed runs down."""
    left, right = share(robot, thrust, torque)
    pace = 1.0 - math.exp(-h / robot.motor_lag) if robot.motor_lag > 0.0 else 1.0
    for k in range(2):
        wanted = left if k == LEFT else right
        if time >= robot.fails_at[k]:
            wanted = 0.0
        robot.motor[k] += pace * (wanted - robot.motor[k])


@kernel
def push_robot(robot, body, wind, w0, w1, w2):
    """Loads of the body by its propellers and the air: force and torque about the centre of mass.

    wind: velocity of the air at the centre [m/s], (3,). w: body rates [rad/s].
    """
    R = body.R_WB
    a0, a1, a2 = body.v_W[0] - wind[0], body.v_W[1] - wind[1], body.v_W[2] - wind[2]
    total, up = 0.0, robot.thrust_up
    for k in range(2):
        robot.thrust[k] = robot.motor[k] * robot.cushion[k]
        total += robot.thrust[k]
    turn = robot.motor_arm * (robot.thrust[LEFT] - robot.thrust[RIGHT])
    c = robot.drag_turning_B
    m0, m1, m2 = -c[0] * w0, up * total - c[1] * w1, -turn - c[2] * w2
    for i in range(3):
        air = a0 if i == 0 else (a1 if i == 1 else a2)
        body.force_W[i] = R[i, 0] * total - robot.drag * air
        body.torque_W[i] = R[i, 0] * m0 + R[i, 1] * m1 + R[i, 2] * m2


@kernel
def look_behind(robot, body, field):
    """How much surfaces in the slipstreams of the propellers raise their thrusts.

    Cheeseman and Bennett (ARC R&M 3021, 1955): by 1 / (1 - (R / 4 z)^2) for a rotor of radius R at the
    distance z from a wide flat surface that its slipstream meets.
    """
    R, p, radius = body.R_WB, body.p_W, robot.propeller_radius
    far, up = FAR * radius, robot.thrust_up
    for k in range(2):
        robot.cushion[k] = 1.0
        left = robot.motor_arm if k == LEFT else -robot.motor_arm
        x = p[0] + R[0, 1] * left + R[0, 2] * up
        y = p[1] + R[1, 1] * left + R[1, 2] * up
        z = p[2] + R[2, 1] * left + R[2, 2] * up
        if robot.motor[k] == 0.0 or distance(field, x, y, z) >= far:
            continue
        back = -math.copysign(1.0, robot.motor[k])  # where the air goes
        behind, who = world_field.raycast(field, x, y, z, back * R[0, 0], back * R[1, 0], back * R[2, 0], far)
        if who >= 0:
            near = max(behind, NEAREST * radius)
            robot.cushion[k] = 1.0 / (1.0 - (0.25 * radius / near) ** 2)


@kernel
def damp_joint(robot, body, n, length, va, vb, vc, w, h):
    """Add the damping of the joint at P, the attachment, to the loads of the body; see `damp_tie`."""
    damp_tie(robot, body, body.attachment_B[2], n, length, va, vb, vc, w, h)


@kernel
def damp_tie(robot, body, arm, n, length, va, vb, vc, w, h):
    """Add the damping of a joint at P, `arm` above the centre of mass [m], to the loads of the body.

    robot: a record with damping_phi about the body's y axis and damping_roll across it [N m s]. n: along the
    tether, from its last contact to P, (3,); length between them [m]; v: velocity of P relative to the
    contact [m/s]; w: angular velocity of the body, world frame [rad/s], (3,).
    A tether carries no torque. What the joint does to it, it takes as a force across at P and the
    opposite one at its last contact: f = n x torque / length.
    """
    R = body.R_WB
    # rate of the tether's line, n x v / length
    t0 = (n[1] * vc - n[2] * vb) / length
    t1 = (n[2] * va - n[0] * vc) / length
    t2 = (n[0] * vb - n[1] * va) / length
    d0, d1, d2 = w[0] - t0, w[1] - t1, w[2] - t2
    # the joint's axis, to the left, square to the tether
    along = R[0, 1] * n[0] + R[1, 1] * n[1] + R[2, 1] * n[2]
    e0, e1, e2 = R[0, 1] - along * n[0], R[1, 1] - along * n[1], R[2, 1] - along * n[2]
    size = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    if size < 1e-3:
        return
    e0, e1, e2 = e0 / size, e1 / size, e2 / size
    g0, g1, g2 = n[1] * e2 - n[2] * e1, n[2] * e0 - n[0] * e2, n[0] * e1 - n[1] * e0
    reach = (1.0 + arm / length) ** 2
    far = 1.0 / (body.mass * length * length)
    q0, q1, q2 = 0.0, 0.0, 0.0
    for axis in range(2):
        a0, a1, a2 = (e0, e1, e2) if axis == 0 else (g0, g1, g2)
        damping = robot.damping_phi if axis == 0 else robot.damping_roll
        inertia = body.inertia_B[1, 1] if axis == 0 else body.inertia_B[0, 0]
        # Half of what the torque changes within the step, as the midpoint rule has it: never too much.
        soft = 1.0 + 0.5 * h * damping * (reach / inertia + far)
        rate = damping * (d0 * a0 + d1 * a1 + d2 * a2) / soft
        q0, q1, q2 = q0 - rate * a0, q1 - rate * a1, q2 - rate * a2
    f0 = (n[1] * q2 - n[2] * q1) / length
    f1 = (n[2] * q0 - n[0] * q2) / length
    f2 = (n[0] * q1 - n[1] * q0) / length
    r0, r1, r2 = R[0, 2] * arm, R[1, 2] * arm, R[2, 2] * arm
    body.force_W[0] += f0
    body.force_W[1] += f1
    body.force_W[2] += f2
    body.torque_W[0] += q0 + r1 * f2 - r2 * f1
    body.torque_W[1] += q1 + r2 * f0 - r0 * f2
    body.torque_W[2] += q2 + r0 * f1 - r1 * f0
