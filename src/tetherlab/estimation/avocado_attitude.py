"""AVOCADO's orientation: the gyroscope moves it on, the camera, which is late, puts it right.

The filter stays at the time of the newest picture; what has happened since is the gyroscope's alone. The
error is a small turn d in the inertial frame, R_true = exp(d) R, so that d' = -R (b_true - b) + noise.
"""

import math

from tetherlab.estimation.avocado_layout import GYRO_COUNT, GYRO_ROWS
from tetherlab.math.kernel import kernel

SMOOTH = 0.2  # weight of one picture's turn


@kernel
def put_rate(m, time, values):
    """Keep a sample of the gyroscope, in order of time."""
    n, gyro = int(m.clock[GYRO_COUNT]), m.gyro
    if n == GYRO_ROWS:
        for i in range(n - 1):
            for j in range(4):
                gyro[i, j] = gyro[i + 1, j]
        n -= 1
    i = n
    while i > 0 and gyro[i - 1, 0] > time:
        for j in range(4):
            gyro[i, j] = gyro[i - 1, j]
        i -= 1
    gyro[i, 0] = time
    for j in range(3):
        gyro[i, 1 + j] = values[j]
    m.clock[GYRO_COUNT] = n + 1


@kernel
def put_turn(m, time, seen, elapsed):
    """Keep a rate by the turn since the last picture, in place of the gyroscope's, smoothed over a few."""
    R, n = m.R, int(m.clock[GYRO_COUNT]) - 1
    rate, scale = m.work[5], 0.5 / elapsed
    for j in range(3):  # of R^T seen = exp(turn), for small turns
        a, b = (j + 2) % 3, (j + 1) % 3
        ab = R[0, a] * seen[b] + R[1, a] * seen[3 + b] + R[2, a] * seen[6 + b]
        ba = R[0, b] * seen[a] + R[1, b] * seen[3 + a] + R[2, b] * seen[6 + a]
        old = m.gyro[n, 1 + j]
        rate[j] = old + SMOOTH * (scale * (ab - ba) + m.bias[j] - old)
    put_rate(m, time - 1e-9, rate)


@kernel
def rate_at(m, time, out):
    """Rates less their bias at a time, straight between samples and held beyond them [rad/s], (3,)."""
    n, gyro = int(m.clock[GYRO_COUNT]), m.gyro
    for j in range(3):
        out[j] = 0.0
    if n == 0:
        return
    i = n - 1
    while i > 0 and gyro[i - 1, 0] >= time:
        i -= 1
    if i == 0 or gyro[i, 0] <= time:
        for j in range(3):
            out[j] = gyro[i, 1 + j] - m.bias[j]
        return
    share = (time - gyro[i - 1, 0]) / (gyro[i, 0] - gyro[i - 1, 0])
    for j in range(3):
        out[j] = (1.0 - share) * gyro[i - 1, 1 + j] + share * gyro[i, 1 + j] - m.bias[j]


@kernel
def turn_on(m, R, start, end):
    """Turn R (3, 3) from one time to another, also back, by the gyroscope."""
    n, gyro = int(m.clock[GYRO_COUNT]), m.gyro
    a, b = m.work[6], m.work[7]
    now = start
    forth = end > start
    rate_at(m, now, a)
    for k in range(n):
        stop = gyro[k if forth else n - 1 - k, 0]
        if (forth and now < stop < end) or (not forth and end < stop < now):
            rate_at(m, stop, b)
            _turn_body(R, 0.5 * (stop - now), a, b)
            now = stop
            for j in range(3):
                a[j] = b[j]
    rate_at(m, end, b)
    _turn_body(R, 0.5 * (end - now), a, b)


@kernel
def _turn_body(R, half, a, b):
    """R exp((a + b) half), both rates in the robot's axes."""
    x, y, z = half * (a[0] + b[0]), half * (a[1] + b[1]), half * (a[2] + b[2])
    angle2 = x * x + y * y + z * z
    angle = math.sqrt(angle2)
    if angle < 1e-4:
        f, g = 1.0 - angle2 / 6.0, 0.5 - angle2 / 24.0
    else:
        f, g = math.sin(angle) / angle, (1.0 - math.cos(angle)) / angle2
    # r exp([a]x) is the row r turned back: r - f a x r + g a x (a x r).
    for i in range(3):
        r0, r1, r2 = R[i, 0], R[i, 1], R[i, 2]
        c0, c1, c2 = y * r2 - z * r1, z * r0 - x * r2, x * r1 - y * r0
        R[i, 0] = r0 - f * c0 + g * (y * c2 - z * c1)
        R[i, 1] = r1 - f * c1 + g * (z * c0 - x * c2)
        R[i, 2] = r2 - f * c2 + g * (x * c1 - y * c0)


@kernel
def spread(s, m, elapsed):
    """Let the covariance grow over a time [s], with R as it is."""
    P, R = m.cov, m.R
    for i in range(3):  # d loses -dt R b: first the rows, then the columns
        for j in range(6):
            for k in range(3):
                P[i, j] -= elapsed * R[i, k] * P[3 + k, j]
    for j in range(3):
        for i in range(6):
            for k in range(3):
                P[i, j] -= elapsed * R[j, k] * P[i, 3 + k]
    for i in range(3):
        P[i, i] += s.gyro_noise**2 * s.gyro_period * abs(elapsed)
        P[3 + i, 3 + i] += s.gyro_walk**2 * abs(elapsed)


@kernel
def see(s, m, seen):
    """Take a picture: R as the camera has it, row by row, (9,). Its surprise, in deviations squared, of 3."""
    P, R = m.cov, m.R
    r = m.work[5]
    # E = seen R^T = exp(r): its rotation vector.
    E = m.turn
    for i in range(3):
        for j in range(3):
            E[i, j] = seen[3 * i] * R[j, 0] + seen[3 * i + 1] * R[j, 1] + seen[3 * i + 2] * R[j, 2]
    r[0], r[1], r[2] = 0.5 * (E[2, 1] - E[1, 2]), 0.5 * (E[0, 2] - E[2, 0]), 0.5 * (E[1, 0] - E[0, 1])
    sine = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    scale = math.atan2(sine, 0.5 * (E[0, 0] + E[1, 1] + E[2, 2] - 1.0)) / sine if sine > 1e-9 else 1.0
    far = 0.0
    for i in range(3):
        r[i] *= scale
        noise = s.heading_noise if i == 1 else s.tilt_noise
        far += r[i] * r[i] / (P[i, i] + noise * noise)
    if far > s.gate * s.gate * 3.0:
        return far
    x, gain = m.work[4], m.work[3]
    for j in range(6):
        x[j] = 0.0
    for i in range(3):
        noise = s.heading_noise if i == 1 else s.tilt_noise
        spread_i = P[i, i] + noise * noise
        left = r[i] - x[i]
        for j in range(6):
            gain[j] = P[j, i] / spread_i
            x[j] += gain[j] * left
        for j in range(6):
            m.work[2, j] = P[i, j]
        for j in range(6):
            for k in range(6):
                P[j, k] -= gain[j] * m.work[2, k]
    lean(R, x[0], x[1], x[2])
    for j in range(3):
        m.bias[j] += x[3 + j]
    return far


@kernel
def lean(R, x, y, z):
    """exp((x, y, z)) R, small, kept orthonormal to second order by Gram and Schmidt."""
    for j in range(3):
        a, b, c = R[0, j], R[1, j], R[2, j]
        c0, c1, c2 = y * c - z * b, z * a - x * c, x * b - y * a
        R[0, j] = a + c0 + 0.5 * (y * c2 - z * c1)
        R[1, j] = b + c1 + 0.5 * (z * c0 - x * c2)
        R[2, j] = c + c2 + 0.5 * (x * c1 - y * c0)
    for j in range(3):
        for k in range(j):
            dot = R[0, j] * R[0, k] + R[1, j] * R[1, k] + R[2, j] * R[2, k]
            for i in range(3):
                R[i, j] -= dot * R[i, k]
        size = math.sqrt(R[0, j] ** 2 + R[1, j] ** 2 + R[2, j] ** 2)
        for i in range(3):
            R[i, j] /= size
