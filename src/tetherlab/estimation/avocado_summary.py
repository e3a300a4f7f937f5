"""What AVOCADO's estimator answers: all hypotheses in one state, at the present."""

import math

from tetherlab.estimation.avocado_attitude import rate_at, turn_on
from tetherlab.estimation.avocado_hinge import RATE_VARIANCE, VARIANCE, near, read_hinge
from tetherlab.estimation.avocado_layout import (
    ALPHA,
    CAUGHT,
    DEVIATION,
    DOWN,
    FREE,
    FREE_PROBABILITY,
    FUSED,
    GYRO_COUNT,
    HEADING_TIME,
    JOINT,
    LOG_LENGTH,
    MODES,
    PATH,
    SLACK_SINCE,
    SPEED,
    SPIN,
    SWUNG,
    TENSION,
    THRUST,
)
from tetherlab.estimation.avocado_swing import slope
from tetherlab.math.kernel import kernel

SURE = 0.02  # probability that is left to the contrary when a contact, or its end, is reported
SLACK_SHARE = 0.03  # of its weight: a tether that ought to pull less may be slack


@kernel
def summarise(s, m, time):
    """Fill m.out."""
    c, out, now = m.clock, m.out, m.moment[0]
    for i in range(3):
        for j in range(3):
            m.turn[i, j] = m.R[i, j]
    turn_on(m, m.turn, c[FUSED], time)
    ahead = time - c[SWUNG]
    rates = m.work[6]
    rate_at(m, time, rates)
    rates[2] += m.clock[SPIN] * max(0.0, min(time - m.gyro[int(c[GYRO_COUNT]) - 1, 0], 0.02))
    alpha, alpha_var, speed, w3, w3_var = _mix(s, m, now, ahead, rates[2])
    level = math.atan2(m.turn[1, 0], m.turn[1, 1])
    phi = near(level - alpha, m.last[JOINT, 0], 2.0 * math.pi)
    cf, sf = math.cos(phi), math.sin(phi)
    w, angles = m.work[4], m.work[5]
    w[0], w[1], w[2] = rates[0] * cf - rates[1] * sf, rates[0] * sf + rates[1] * cf, w3
    tilt2 = max(m.cov[0, 0], m.cov[2, 2]) + s.tilt_wander**2
    read_hinge(m.hinge, m.turn, phi, w, math.sqrt(alpha_var + tilt2), time - c[HEADING_TIME], angles)
    c[HEADING_TIME] = time
    length, length_var = _free_length(m, math.sqrt(m.wheel[2] + c[PATH] ** 2))
    for i in range(3):
        back = m.turn[i, 0] * cf - m.turn[i, 1] * sf
        down = m.turn[i, 0] * sf + m.turn[i, 1] * cf
        m.velocity[i] = -length * w3 * back + m.wheel[1] * down + length * w[0] * m.turn[i, 2]
    # The fields of AvocadoState, in their order.
    out[0], out[1] = length, m.wheel[0]
    out[2], out[3], out[4], out[5] = angles[0], angles[1], phi, angles[2]
    out[6], out[7], out[8], out[9], out[10] = m.wheel[1], angles[3], angles[4], rates[2] - w3, angles[5]
    gyro = s.gyro_noise**2 + m.cov[5, 5]
    drifted = s.heading_walk**2 * time + m.cov[1, 1]
    heading = m.hinge[VARIANCE]
    out[DEVIATION] = math.sqrt(length_var)
    out[DEVIATION + 1] = math.sqrt(m.wheel[2] + c[PATH] ** 2)
    out[DEVIATION + 2] = math.sqrt(heading + drifted)
    out[DEVIATION + 3] = math.sqrt(alpha_var + s.tilt_wander**2)
    out[DEVIATION + 4] = math.sqrt(alpha_var)
    out[DEVIATION + 5] = math.sqrt(heading + tilt2)
    out[DEVIATION + 6] = math.sqrt(m.wheel[3])
    out[DEVIATION + 7] = math.sqrt(m.hinge[RATE_VARIANCE])
    out[DEVIATION + 8] = math.sqrt(w3_var + gyro + w[0] * w[0] * min(heading, 1.0))
    out[DEVIATION + 9] = math.sqrt(w3_var + gyro)
    out[DEVIATION + 10] = math.sqrt(m.hinge[RATE_VARIANCE] + gyro)
    out[FREE_PROBABILITY] = m.p[FREE]
    out[TENSION], c[SPIN] = _pull(s, m, speed, phi, w, rates[2], length)
    if out[TENSION] < SLACK_SHARE * s.mass * s.gravity:
        c[SLACK_SINCE] = time


@kernel
def _mix(s, m, now, ahead, turn):
    """alpha and w3 with their variances, and s, over the hypotheses, some time ahead of the last step [s]."""
    alpha = alpha2 = speed = w3 = w32 = 0.0
    rates, g = m.work[0], m.work[1]
    level = math.atan2(now[DOWN], now[DOWN + 1])
    for k in range(MODES):
        p, x, C = m.p[k], m.x[k], m.C[k]
        if p < 1e-6:
            continue
        slope(s, x, now, rates)
        phi, length = level - x[ALPHA], math.exp(x[LOG_LENGTH])
        a, v = x[ALPHA] + ahead * rates[ALPHA], x[SPEED] + ahead * rates[SPEED]
        w = (v - s.mass_arm * math.cos(phi) * turn) / length
        g[0], g[1], g[2] = -s.mass_arm * turn * math.sin(phi) / length, 1.0 / length, -w
        variance = 0.0
        for i in range(3):
            for j in range(3):
                variance += g[i] * C[i, j] * g[j]
        alpha += p * a
        alpha2 += p * (a * a + C[ALPHA, ALPHA])
        speed += p * v
        w3 += p * w
        w32 += p * (w * w + variance)
    return alpha, max(alpha2 - alpha * alpha, 1e-12), speed, w3, max(w32 - w3 * w3, 1e-12)


@kernel
def _free_length(m, wheel):
    """The free length that is reported, and its variance about that, over all hypotheses."""
    paid = m.wheel[0]
    caught = mean = 0.0
    for k in range(FREE + 1, MODES):
        caught += m.p[k]
        mean += m.p[k] * min(math.exp(m.x[k, LOG_LENGTH]), paid)
    if m.p[FREE] > 1.0 - SURE:
        m.clock[CAUGHT] = 0.0
    elif m.p[FREE] < SURE:
        m.clock[CAUGHT] = 1.0
    length = mean / caught if m.clock[CAUGHT] > 0.0 else paid
    variance = m.p[FREE] * ((paid - length) ** 2 + wheel * wheel)
    for k in range(FREE + 1, MODES):
        one = min(math.exp(m.x[k, LOG_LENGTH]), paid)
        variance += m.p[k] * ((one - length) ** 2 + one * one * m.C[k, LOG_LENGTH, LOG_LENGTH])
    return length, variance


@kernel
def _pull(s, m, speed, phi, w, turn, length):
    """What a taut tether has to pull with [N], negative where it cannot be taut; and omega_z' [rad/s^2].

    Along the tether  F = m (g G1 + w3 s + w1 v_z + l_g (omega_z' sin(phi) + omega_z phi' cos(phi)))
    - T sin(phi) - k v_y, about the centre of mass  J_z omega_z' = T (l_Th - l_g) - F l_g sin(phi) - losses.
    """
    cf, sf, arm = math.cos(phi), math.sin(phi), s.mass_arm
    v_y = m.wheel[1] - arm * turn * sf
    v_z = length * w[0] + arm * (w[0] * cf + w[1] * sf)
    down = m.turn[1, 0] * sf + m.turn[1, 1] * cf
    thrust, phi_rate = m.moment[0, THRUST], turn - w[2]
    still = s.mass * (s.gravity * down + w[2] * speed + w[0] * v_z + arm * turn * phi_rate * cf)
    still -= thrust * sf + s.drag * v_y
    torque = thrust * (s.thrust_arm - arm) - still * arm * sf
    torque -= s.damping_phi * phi_rate + s.drag_z * turn
    spin = torque / (s.inertia_z + s.mass * arm * arm * sf * sf)
    return still + s.mass * arm * sf * spin, spin
