"""Readings of AVOCADO as they come: who spoke, who repeats itself, and the length by the wheel."""

import math

from tetherlab.estimation.avocado_attitude import put_rate
from tetherlab.estimation.avocado_layout import (
    GYROSCOPE,
    HEARD,
    JOINT,
    JOINT_COUNT,
    JOINT_ROWS,
    KIND,
    PATH,
    REPEATS,
    SLACK_SINCE,
    TIME,
    VALUE,
    WHEEL,
)
from tetherlab.math.kernel import kernel

SLACK_TIME = 0.3  # for which a tether counts as slack after it could not have pulled [s]
REEL_WALK = 1.0  # by which the reel's speed changes, after a second [m/s/sqrt(s)]


@kernel
def listen(s, m, row):
    """Note that a sensor spoke, and whether it repeats itself; keep rates, angles and lengths."""
    c, kind, time = m.clock, int(row[KIND]), row[TIME]
    same = True
    for j in range(9):
        same = same and m.last[kind, j] == row[VALUE + j]
        m.last[kind, j] = row[VALUE + j]
    c[REPEATS + kind] = c[REPEATS + kind] + 1.0 if same else 0.0
    c[HEARD + kind] = max(c[HEARD + kind], time)
    if kind == GYROSCOPE:
        if c[REPEATS + kind] < s.repeats_max:
            put_rate(m, time, row[VALUE:])
    elif kind == JOINT:
        n = int(c[JOINT_COUNT])
        if n < JOINT_ROWS:
            m.joint[n, 0], m.joint[n, 1] = time, row[VALUE]
            c[JOINT_COUNT] = n + 1
    elif kind == WHEEL:
        _roll(s, m, time, row[VALUE])


@kernel
def _roll(s, m, time, length):
    """Take a length; wheel: length, speed, their variances and covariance, time."""
    w, c = m.wheel, m.clock
    if w[5] == -math.inf:
        w[0], w[1], w[2], w[3], w[4], w[5] = length, 0.0, s.wheel_noise**2, 0.01, 0.0, time
        return
    dt = time - w[5]
    if dt <= 0.0:
        return
    slip = s.slip_slack if time - c[SLACK_SINCE] < SLACK_TIME else s.slip
    c[PATH] += slip * abs(w[1]) * dt
    w[0] += dt * w[1]
    q = REEL_WALK**2
    w[2] += dt * (2.0 * w[4] + dt * w[3]) + q * dt**3 / 3.0
    w[4] += dt * w[3] + q * dt * dt / 2.0
    w[3] += q * dt
    gain, other = w[2] / (w[2] + s.wheel_noise**2), w[4] / (w[2] + s.wheel_noise**2)
    off = length - w[0]
    w[0] += gain * off
    w[1] += other * off
    w[3] -= other * w[4]
    w[4] *= 1.0 - gain
    w[2] *= 1.0 - gain
    w[5] = time
