"""All hypotheses about AVOCADO's tether together: free, or caught with one of several free lengths.

A contact can come while the tether sweeps through the canopy. Its hypotheses are fed all the time from
those that are believed, with a free length of their own, and live or die by what they predict: an
interacting set, in which only few numbers are exchanged, since a contact leaves all but the length as it was.
"""

import math

from tetherlab.estimation.avocado_layout import (
    ALPHA,
    FREE,
    LAG,
    LOG_LENGTH,
    MODES,
    PLACE,
    PLAY,
    PUSH,
    SIZE,
    SPEED,
)
from tetherlab.estimation.avocado_swing import take
from tetherlab.math.kernel import kernel

STIRRED = 0.05  # rate of a tether from which on its motion counts in full [rad/s]
WILD = 30.0  # turning rate that no tether has [rad/s]
SHORTEST = (
    0.03  # share of what is paid out: a shorter free length turns faster than steps of 10 ms can follow
)
SWAY = 5.0  # logarithm by which one reading alone can count at most: there are outliers


@kernel
def begin(s, m, alpha, length):
    """All hypotheses at a tether that hangs still at an angle [rad], with so much paid out [m]."""
    for k in range(MODES):
        x, C = m.x[k], m.C[k]
        for i in range(SIZE):
            x[i] = 0.0
            for j in range(SIZE):
                C[i, j] = 0.0
        x[ALPHA] = alpha
        C[ALPHA, ALPHA] = s.joint_noise**2 + s.play**2 / 3.0
        C[LAG, LAG] = s.play**2 / 3.0
        C[ALPHA, LAG] = C[LAG, ALPHA] = -s.play * s.play / 3.0
        C[SPEED, SPEED] = (length * math.exp(m.fresh[k, 0])) ** 2  # a radian per second
        x[PLAY] = s.play
        C[PLAY, PLAY] = s.play_deviation**2
        C[PUSH, PUSH] = s.push**2
        x[LOG_LENGTH] = math.log(length) + m.fresh[k, 0]
        C[LOG_LENGTH, LOG_LENGTH] = m.fresh[k, 1] ** 2
        m.p[k] = s.free_prior if k == FREE else (1.0 - s.free_prior) / (MODES - 1)


@kernel
def hold_free(m, length, deviation):
    """The free hypothesis knows its length from the wheel."""
    x, C = m.x[FREE], m.C[FREE]
    x[LOG_LENGTH] = math.log(length)
    for i in range(SIZE):
        C[i, LOG_LENGTH] = C[LOG_LENGTH, i] = 0.0
    C[LOG_LENGTH, LOG_LENGTH] = (deviation / length) ** 2


@kernel
def pool(m, caught_alone, size, work, P):
    """Mean into work[4] and covariance into P of what a contact leaves as it is, over the hypotheses."""
    mean, start = work[4], FREE + 1 if caught_alone else FREE
    total = 0.0
    for i in range(size):
        mean[i] = 0.0
        for j in range(size):
            P[i, j] = 0.0
    for k in range(start, MODES):
        total += m.p[k]
    if not total > 1e-12:
        return 0.0
    for k in range(start, MODES):
        for i in range(size):
            mean[i] += m.p[k] / total * m.x[k, i]
    for k in range(start, MODES):
        share = m.p[k] / total
        if share > 1e-6:
            for i in range(size):
                for j in range(size):
                    apart = (m.x[k, i] - mean[i]) * (m.x[k, j] - mean[j])
                    P[i, j] += share * (m.C[k, i, j] + apart)
    return total


@kernel
def exchange(s, m, length, turned, elapsed, size):
    """Let contacts begin and end: after a turn of the tether by so much [rad] within a time [s]."""
    turned *= stirred(turned / elapsed)
    begins = s.contact_per_radian * turned + s.contact_per_second * elapsed
    ends = min(0.5, s.release_per_radian * turned)
    P = m.work2
    caught = pool(m, True, size, m.work, P)
    released = ends * caught
    pour(m, FREE, released, math.log(length), 0.0, size, P)
    pool(m, False, size, m.work, P)
    share = begins / (MODES - 1)
    for k in range(FREE + 1, MODES):
        m.p[k] *= 1.0 - ends
        pour(m, k, share, math.log(length) + m.fresh[k, 0], m.fresh[k, 1] ** 2, size, P)
    total = 0.0
    for k in range(MODES):
        total += m.p[k]
    for k in range(MODES):
        m.p[k] /= total


@kernel
def pour(m, k, mass, log_length, variance, size, P):
    """Add what is in work[4] and P to hypothesis k with a probability, and with a length of its own."""
    if not mass > 0.0:
        return
    mean, x, C = m.work[4], m.x[k], m.C[k]
    mean[LOG_LENGTH] = log_length
    for i in range(size):
        P[i, LOG_LENGTH] = P[LOG_LENGTH, i] = 0.0
    P[LOG_LENGTH, LOG_LENGTH] = variance
    total = m.p[k] + mass
    a, b = m.p[k] / total, mass / total
    for i in range(size):
        for j in range(size):
            C[i, j] = a * C[i, j] + b * P[i, j] + a * b * (mean[i] - x[i]) * (mean[j] - x[j])
    for i in range(size):
        x[i] += b * (mean[i] - x[i])
    m.p[k] = total


@kernel
def surprise(m, reading, variance):
    """Of a reading of the joint, in terms of alpha [rad], for who expected it most: deviations squared."""
    least = math.inf
    for k in range(MODES):
        off, C = reading - m.x[k, ALPHA] - m.x[k, LAG], m.C[k]
        spread = C[ALPHA, ALPHA] + 2.0 * C[ALPHA, LAG] + C[LAG, LAG] + variance
        least = min(least, off * off / spread)
    return least


@kernel
def compare(m, reading, variance, size):
    """Let all take a reading of the joint, in terms of alpha [rad]. Surprise of the one most believed."""
    best, felt = FREE, 0.0
    for k in range(MODES):
        if m.p[k] > m.p[best]:
            best = k
    for k in range(MODES):
        off = reading - m.x[k, ALPHA] - m.x[k, LAG]
        m.likelihood[k], one = take(m.x[k], m.C[k], ALPHA, LAG, off, variance, size, m.work)
        if k == best:
            felt = one
    return felt


@kernel
def locate(s, m, place, since):
    """Let all take a position of P that the camera saw some time ago [s], in the inertial frame [m], (3,)."""
    for k in range(MODES):
        m.likelihood[k] = 0.0
        for i in range(3):
            off = place[i] + since * m.velocity[i] - m.x[k, PLACE + i]
            value, _ = take(m.x[k], m.C[k], PLACE + i, -1, off, s.position_noise**2, SIZE, m.work)
            m.likelihood[k] += value


@kernel
def calm(m, length):
    """Replace hypotheses that have run away by the free one with a new contact; False if that has, too.

    A push that none knows of, as of a branch against the shell, drives them to lengths that are none.
    """
    free = m.x[FREE]
    if not (abs(free[SPEED]) < WILD * length and abs(free[ALPHA]) < 2.0 * math.pi and _certain(m.C[FREE])):
        return False
    for k in range(FREE + 1, MODES):
        x = m.x[k]
        share = math.exp(x[LOG_LENGTH]) / length
        kept = SHORTEST < share < 1.1 and abs(x[SPEED]) < WILD * share * length
        if kept and abs(x[ALPHA] - free[ALPHA]) < 1.0 and _certain(m.C[k]):
            continue
        for i in range(SIZE):
            x[i] = free[i]
            for j in range(SIZE):
                m.C[k, i, j] = m.C[FREE, i, j]
        for i in range(SIZE):
            m.C[k, i, LOG_LENGTH] = m.C[k, LOG_LENGTH, i] = 0.0
        x[LOG_LENGTH] = math.log(length) + m.fresh[k, 0]
        m.C[k, LOG_LENGTH, LOG_LENGTH] = m.fresh[k, 1] ** 2
        m.p[k] = 1e-12
    return True


@kernel
def _certain(C):
    """Whether variances are such, also of what the joint reads: the cut at its stops is no normal one."""
    for i in range(PLACE):
        if not C[i, i] > 0.0:
            return False
    return C[ALPHA, ALPHA] + 2.0 * C[ALPHA, LAG] + C[LAG, LAG] > 0.0


@kernel
def stirred(rate):
    """How much the motion of a tether counts that turns at a rate [rad/s]."""
    return min(1.0, (rate / STIRRED) ** 2)


@kernel
def weigh(m, rate):
    """Believe the hypotheses as they have predicted, while the tether turned at a rate [rad/s].

    One that hangs still tells nothing of its length. That nothing stirs it would count for a long one, if
    the pushes that are reckoned with were there all the time; so it does not count.
    """
    best, total = -math.inf, 0.0
    trust = stirred(rate)
    for k in range(MODES):
        best = max(best, m.likelihood[k])
    for k in range(MODES):
        m.p[k] *= math.exp(trust * max(m.likelihood[k] - best, -SWAY))
        total += m.p[k]
    for k in range(MODES):
        m.p[k] = max(m.p[k] / total, 1e-12)
