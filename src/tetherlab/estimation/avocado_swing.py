"""One hypothesis about AVOCADO's tether: that its free length is so much, give or take.

Across the tether, in the plane in which the joint turns, the robot's centre of mass has the speed
s = l w3 + l_g cos(phi) omega_z, and the tether, which pulls along itself, does not change it:

    s' = -g G0 + T cos(phi)/m - (k/m) s + w2 v_z - w3 v_y + a,
    alpha' = w3 - G2 (w2 G1 + w1 G0)/(G0^2 + G1^2)

with alpha the tether's angle from the vertical in that plane, G the vertical in the tether's frame, a an
unknown push. w3 = (s - l_g cos(phi) omega_z)/l is where the free length l comes in: the speed of P over the
turning rate of the tether. At a contact alpha, s and the place of P go on as they were; only l is another.
"""

import math

from tetherlab.estimation.avocado_layout import (
    ALPHA,
    DOWN,
    LAG,
    LOG_LENGTH,
    PLACE,
    PLAY,
    PUSH,
    RATE,
    REEL,
    SIZE,
    SPEED,
    THRUST,
)
from tetherlab.math.kernel import kernel

LOOSE = 3e-3  # by which a joint's lag is not that of an ideal play [rad/sqrt(s)]
ROOT, NORM = math.sqrt(2.0), math.sqrt(2.0 * math.pi)


@kernel
def slope(s, x, u, out):
    """Rates of alpha, s and log l into out[:3]; turning rates w1, w2, w3 of the tether into out[3:6].

    u: the robot at that moment, (MOMENT,).
    """
    gx, gy, gz = u[DOWN], u[DOWN + 1], u[DOWN + 2]
    alpha = x[ALPHA]
    phi = math.atan2(gx, gy) - alpha
    cf, sf = math.cos(phi), math.sin(phi)
    level = math.sqrt(gx * gx + gy * gy)
    g0, g1 = level * math.sin(alpha), level * math.cos(alpha)
    w1, w2 = u[RATE] * cf - u[RATE + 1] * sf, u[RATE] * sf + u[RATE + 1] * cf
    turn, length = u[RATE + 2], math.exp(x[LOG_LENGTH])
    w3 = (x[SPEED] - s.mass_arm * cf * turn) / length
    v_y = u[REEL] - s.mass_arm * turn * sf
    v_z = length * w1 + s.mass_arm * (w1 * cf + w2 * sf)
    out[ALPHA] = w3 - gz * (w2 * g1 + w1 * g0) / max(level * level, 1e-6)
    out[SPEED] = (
        w2 * v_z
        - w3 * v_y
        - s.gravity * g0
        + (u[THRUST] * cf - s.drag * x[SPEED] + s.damping_phi * (turn - w3) / length) / s.mass
        + x[PUSH]
    )
    out[LOG_LENGTH] = u[REEL] / length
    out[3], out[4], out[5] = w1, w2, w3


@kernel
def move(s, x, C, before, after, R, elapsed, places, work, F):
    """Move a hypothesis x (SIZE,), C (SIZE, SIZE) on over a time [s] between two moments, (MOMENT,).

    R: of the robot, for the place of P, if `places`.
    """
    size = SIZE if places else PLACE
    first, second, middle = work[0], work[1], work[2]
    slope(s, x, before, first)
    for i in range(size):
        middle[i] = x[i]
    for i in range(3):
        middle[i] += elapsed * first[i]
    slope(s, middle, after, second)
    length = math.exp(x[LOG_LENGTH])
    phi = math.atan2(before[DOWN], before[DOWN + 1]) - x[ALPHA]
    cf, sf = math.cos(phi), math.sin(phi)
    w3 = first[5]
    kept_push = math.exp(-elapsed / s.push_time)
    # F: derivatives of the state after by the state before.
    for i in range(size):
        for j in range(size):
            F[i, j] = 0.0
        F[i, i] = 1.0
    level = math.sqrt(before[DOWN] ** 2 + before[DOWN + 1] ** 2)
    v_y = before[REEL] - s.mass_arm * before[RATE + 2] * sf
    F[ALPHA, ALPHA] -= elapsed * s.mass_arm * before[RATE + 2] * sf / length
    F[ALPHA, SPEED] = elapsed / length
    F[ALPHA, LOG_LENGTH] = -elapsed * w3
    F[SPEED, ALPHA] = elapsed * (-s.gravity * level * math.cos(x[ALPHA]) + before[THRUST] * sf / s.mass)
    F[SPEED, SPEED] -= elapsed * (v_y / length + s.drag / s.mass)
    F[SPEED, LOG_LENGTH] = elapsed * w3 * v_y
    F[SPEED, PUSH] = elapsed
    F[PUSH, PUSH] = kept_push
    # Within its play the encoder stands still, and falls behind by all that phi moves.
    for j in range(3):
        F[LAG, j] = (1.0 if j == ALPHA else 0.0) - F[ALPHA, j]
    moved = math.atan2(after[DOWN], after[DOWN + 1]) - math.atan2(before[DOWN], before[DOWN + 1])
    moved -= 2.0 * math.pi * math.floor(moved / (2.0 * math.pi) + 0.5)
    x[LAG] += moved - 0.5 * elapsed * (first[ALPHA] + second[ALPHA])
    if places:
        # P moves by (-l w3, l', l w1) in the tether's frame Q = R Rz(-phi).
        along = 0.5 * length * (first[5] + second[5])
        for i in range(3):
            back = R[i, 0] * cf - R[i, 1] * sf  # Q e_x
            down = R[i, 0] * sf + R[i, 1] * cf  # Q e_y
            x[PLACE + i] += elapsed * (-along * back + before[REEL] * down + length * first[3] * R[i, 2])
            F[PLACE + i, SPEED] = -elapsed * back
            F[PLACE + i, LOG_LENGTH] = elapsed * length * first[3] * R[i, 2]
    for i in range(3):
        x[i] += 0.5 * elapsed * (first[i] + second[i])
    x[PUSH] *= kept_push
    _sandwich(F, C, size, work)
    noise = s.gyro_noise * s.mass_arm / length
    C[ALPHA, ALPHA] += noise * noise * s.gyro_period * elapsed
    C[SPEED, SPEED] += (s.jerk * s.jerk + s.push_time * _sideways(s, before, first, x, length) ** 2) * elapsed
    C[LAG, LAG] += LOOSE**2 * elapsed
    _stop(x, C, size)
    unknown = s.push**2 + (s.thrust_error * before[THRUST] / s.mass) ** 2
    C[PUSH, PUSH] += unknown * (1.0 - kept_push * kept_push)
    if places:
        for i in range(3):
            C[PLACE + i, PLACE + i] += s.position_walk**2 * elapsed


@kernel
def _stop(x, C, size):
    """Keep the joint's lag within its play: moments and slopes of a normal number cut off at both sides."""
    b, play = x[LAG], max(x[PLAY], 0.0)
    deviation = math.sqrt(C[LAG, LAG])
    low, high = (-play - b) / deviation, (play - b) / deviation
    below, above = 0.5 * math.erfc(-low / ROOT), 0.5 * math.erfc(high / ROOT)
    at_low, at_high = math.exp(-0.5 * low * low) / NORM, math.exp(-0.5 * high * high) / NORM
    inside, outside = max(1.0 - below - above, 0.0), above - below
    mean = play * outside + b * inside + deviation * (at_low - at_high)
    square = play * play * (above + below) + (b * b + deviation * deviation) * inside
    square += deviation * ((b - play) * at_low - (b + play) * at_high)
    # At a stop the lag is the play, whichever that is: slopes `inside` by the lag and `outside` by the play.
    spread = max(square - mean * mean, inside * inside * deviation * deviation, 1e-12)
    spread += outside * (2.0 * inside * C[LAG, PLAY] + outside * C[PLAY, PLAY])
    for i in range(size):
        if i != LAG:
            C[i, LAG] = C[LAG, i] = inside * C[i, LAG] + outside * C[i, PLAY]
    C[LAG, LAG] = spread
    x[LAG] = mean


@kernel
def _sideways(s, u, rates, x, length):
    """Size of the push by the damping of heading and psi, which is not followed [m/s^2].

    It acts against the anchor through the tether as if that were a shaft, in this plane once psi is not 0.
    """
    aside = u[DOWN + 2]
    sine2 = aside * aside + (1.0 - aside * aside) * math.sin(x[ALPHA]) ** 2
    turning = abs(rates[3]) + abs(rates[4])
    return s.damping_turn * turning * abs(aside) / (max(sine2, 0.01) * s.mass * length)


@kernel
def _sandwich(F, C, size, work):
    """C becomes F C F^T; F is the unit matrix but for few entries."""
    row = work[3]
    for j in range(size):
        for i in range(size):
            row[i] = 0.0
            for k in range(size):
                if F[i, k] != 0.0:
                    row[i] += F[i, k] * C[k, j]
        for i in range(size):
            C[i, j] = row[i]
    for i in range(size):
        for j in range(size):
            row[j] = 0.0
            for k in range(size):
                if F[j, k] != 0.0:
                    row[j] += F[j, k] * C[i, k]
        for j in range(size):
            C[i, j] = row[j]


@kernel
def take(x, C, first, second, innovation, variance, size, work):
    """Take a reading of x[first] + x[second] (second < 0: x[first]). Its log likelihood, surprise squared."""
    gain = work[3]
    for i in range(size):
        gain[i] = C[i, first] + (C[i, second] if second >= 0 else 0.0)
    spread = gain[first] + (gain[second] if second >= 0 else 0.0) + variance
    for i in range(size):
        x[i] += gain[i] / spread * innovation
    for i in range(size):
        for j in range(size):
            C[i, j] -= gain[i] * gain[j] / spread
    return -0.5 * (innovation * innovation / spread + math.log(spread)), innovation * innovation / spread
