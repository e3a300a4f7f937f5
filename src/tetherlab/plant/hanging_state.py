"""Where the robot is, in the paper's words: the angles of the free part of the tether and of the robot on it.

(heading, theta, psi) and (heading + pi, -theta, psi - pi) are the same place. Of the two the one is told in
which the robot looks along its heading, |psi| <= pi / 2: then theta is what it measures, positive where it
leans forward, and a swing that passes the plumb line closely changes the sign of theta and not the heading.
"""

import math

from tetherlab.math.attitude import quaternion_of
from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import body_rates
from tetherlab.vehicles.avocado.frames import (
    COLUMNS,
    OMEGA,
    OMEGA_RATE,
    PSI,
    PSI_RATE,
    THETA,
    THETA_RATE,
    near,
    read_angles,
)
from tetherlab.vehicles.avocado.record import ATTITUDE, DISTANCE, LENGTH, PHI, RATES

BEFORE, NOW = 0, 1
PLUMB = 1e-4  # sine of theta below which the heading of the tether is what it was [rad]


@kernel
def tell_state(body, n, speed, length, rate, v, tether_length, state, scratch):
    """Fill state (2, 11): NOW with what is, BEFORE with what was; whole turns of the heading are counted.

    body: the robot; n: from the last contact to P, (3,); speed: of that contact [m/s], (3,); length and
    rate of the free part [m], [m/s]; v: of P [m/s], (3,); tether_length: unstretched [m]; scratch: HANGING.
    """
    for i in range(COLUMNS):
        state[BEFORE, i] = state[NOW, i]
    record, Q = scratch.record, scratch.frame
    _fill_record(body, n, speed, length, rate, v, tether_length, scratch)
    before, row = state[BEFORE], state[NOW]
    row[0], row[1], row[4] = record[DISTANCE], record[LENGTH], record[PHI]
    row[6], row[9] = record[RATES], record[RATES + 4]
    # the vertical in the tether's frame
    down0, down1, down2 = Q[1, 0], Q[1, 1], Q[1, 2]
    if down1 < 0.0 or down0 * down0 + down2 * down2 > PLUMB * PLUMB:
        read_angles(record, before, row)
        if math.cos(row[PSI]) < 0.0:
            row[OMEGA], row[PSI], row[THETA] = row[OMEGA] + math.pi, row[PSI] - math.pi, -row[THETA]
            row[THETA_RATE] = -row[THETA_RATE]
        row[PSI], row[THETA] = near(row[PSI], 0.0), near(row[THETA], 0.0)
        # heading + psi, where the robot looks, is what never jumps.
        row[OMEGA] = near(row[OMEGA] + row[PSI], before[OMEGA] + before[PSI]) - row[PSI]
        return
    # Close to the vertical only heading + psi is known: psi stays.
    psi = before[PSI]
    c, s = math.cos(psi), math.sin(psi)
    row[PSI], row[PSI_RATE] = psi, 0.0
    row[THETA] = math.asin(down0 * c + down2 * s)
    row[OMEGA] = near(2.0 * math.atan2(record[ATTITUDE + 2], record[ATTITUDE]) - psi, before[OMEGA])
    row[OMEGA_RATE] = record[RATES + 2]
    row[THETA_RATE] = record[RATES + 3] * c - record[RATES + 1] * s


@kernel
def _fill_record(body, n, speed, length, rate, v, tether_length, scratch):
    """The record of the analytic model, (12,), and the tether's frame in the paper's axes, (3, 3).

    y runs along the tether, z is the joint's axis, to the right, square to it. In ENU the paper's axes are
    (-x, -z, -y), and the robot's are back, down and right.
    """
    R, record, Q = body.R_WB, scratch.record, scratch.frame
    w0, w1, w2 = body_rates(body)
    along = R[0, 1] * n[0] + R[1, 1] * n[1] + R[2, 1] * n[2]
    size = math.sqrt(max(1.0 - along * along, 1e-12))
    turn = scratch.turn  # n x v / length
    u0, u1, u2 = v[0] - speed[0], v[1] - speed[1], v[2] - speed[2]
    turn[0] = (n[1] * u2 - n[2] * u1) / length
    turn[1] = (n[2] * u0 - n[0] * u2) / length
    turn[2] = (n[0] * u1 - n[1] * u0) / length
    z, x = scratch.joint, scratch.across
    for k in range(3):
        z[k] = -(R[k, 1] - along * n[k]) / size
    x[0], x[1], x[2] = n[1] * z[2] - n[2] * z[1], n[2] * z[0] - n[0] * z[2], n[0] * z[1] - n[1] * z[0]
    ahead, up, spin, pitching, rolling, rising = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        ahead += R[k, 0] * n[k]
        up += R[k, 2] * n[k]
        w = R[k, 0] * w0 + R[k, 1] * w1 + R[k, 2] * w2
        spin += w * n[k]
        pitching += w * z[k]
        rolling += turn[k] * x[k]
        rising += turn[k] * z[k]
        row = 0 if k == 0 else 3 - k
        Q[row, 0], Q[row, 1], Q[row, 2] = -x[k], -n[k], -z[k]
    record[DISTANCE], record[LENGTH] = length, tether_length
    q0, q1, q2, q3 = quaternion_of(Q)
    record[ATTITUDE], record[ATTITUDE + 1] = q0, q1
    record[ATTITUDE + 2], record[ATTITUDE + 3] = q2, q3
    record[PHI] = math.atan2(-ahead, -up)
    record[RATES], record[RATES + 4] = rate, pitching - rising
    record[RATES + 1], record[RATES + 2], record[RATES + 3] = rolling, spin, rising
