"""One update of AVOCADO's estimator: readings in, state out."""

import math

from tetherlab.estimation.avocado_attitude import put_turn, rate_at, see, spread, turn_on
from tetherlab.estimation.avocado_branches import sweep
from tetherlab.estimation.avocado_hinge import start_hinge
from tetherlab.estimation.avocado_layout import (
    ALPHA,
    BEGAN,
    CAMERA,
    CONTRADICTED,
    DOWN,
    FREE,
    FUSED,
    GYRO_COUNT,
    HEADING_TIME,
    HEARD,
    JOINT,
    JOINT_COUNT,
    KIND,
    MISFIT,
    MODES,
    MOMENT,
    NEWEST,
    PATH,
    PLACE,
    POSITION,
    RATE,
    REEL,
    REFUSED,
    REPEATS,
    SIZE,
    SLACK_SINCE,
    SPEED,
    STARTED,
    STATE,
    SWUNG,
    THRUST,
    THRUST_ROWS,
    TIME,
    TRACED,
    VALUE,
)
from tetherlab.estimation.avocado_listen import SLACK_TIME, listen
from tetherlab.estimation.avocado_modes import (
    begin,
    calm,
    compare,
    exchange,
    hold_free,
    locate,
    surprise,
    weigh,
)
from tetherlab.estimation.avocado_summary import summarise
from tetherlab.estimation.avocado_swing import move
from tetherlab.math.kernel import kernel, njit

LATE = 0.1  # after which a picture is no longer waited for [s]
REFUSED_MAX = 0.3  # of pictures that contradict the gyroscope, then it begins anew with the camera [s]
UNFELT = 0.03  # without the gyroscope, then pictures tell the rates [s]
WAITS = 0.05  # for which a reading of the joint waits for the gyroscope [s]
QUIET = 0.03  # without the joint, then the tether is moved on without it [s]
UNTRACED = 0.3  # without a position, then P is not followed any more [s]
LOST = 100.0  # surprise of a reading that is refused; if half of it is the rule, all begin anew
FIT_TIME = 0.3  # over which the surprise of the joint's readings is averaged [s]


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def update(s, m, rows, count, time, thrust):
    """Take `count` readings, (n, ROW), at a time [s] until when a thrust [N] was held."""
    c = m.clock
    for i in range(THRUST_ROWS - 1):
        m.thrust[i, 0], m.thrust[i, 1] = m.thrust[i + 1, 0], m.thrust[i + 1, 1]
    m.thrust[THRUST_ROWS - 1, 0], m.thrust[THRUST_ROWS - 1, 1] = c[NEWEST], thrust
    c[NEWEST] = time
    for k in range(count):
        listen(s, m, rows[k])
    for k in range(count):
        if rows[k, KIND] == CAMERA:
            _see(s, m, rows[k, TIME], rows[k, VALUE:])
    if c[STARTED] == 0.0 or c[GYRO_COUNT] == 0.0:
        return
    newest = m.gyro[int(c[GYRO_COUNT]) - 1, 0]
    if c[FUSED] < time - LATE:
        _advance(s, m, time - LATE)
    _swing(s, m, time, newest)
    for k in range(count):
        if rows[k, KIND] == POSITION and c[BEGAN] > 0.0:
            _trace(s, m, rows[k, TIME], rows[k, VALUE:])
    if c[TRACED] > 0.0 and time - c[HEARD + POSITION] > UNTRACED:
        c[TRACED] = 0.0
    if c[BEGAN] > 0.0:
        summarise(s, m, time)


@kernel
def _advance(s, m, time):
    """Move the orientation on by the gyroscope."""
    turn_on(m, m.R, m.clock[FUSED], time)
    spread(s, m, time - m.clock[FUSED])
    m.clock[FUSED] = time


@kernel
def _see(s, m, time, seen):
    """Take a picture, if it is not too late; one that contradicts is refused, but not for long."""
    c = m.clock
    if c[STARTED] == 0.0 or c[GYRO_COUNT] == 0.0:
        _start(s, m, time, seen)
        return
    elapsed = time - c[FUSED]
    if elapsed <= 0.0:
        return
    if time - m.gyro[int(c[GYRO_COUNT]) - 1, 0] > UNFELT:
        put_turn(m, time, seen, elapsed)
    _advance(s, m, time)
    if see(s, m, seen) <= s.gate * s.gate * 3.0:
        c[REFUSED] = 0.0
        return
    c[REFUSED] += min(elapsed, 0.05)
    c[CONTRADICTED] = time
    if c[REFUSED] > REFUSED_MAX:
        _start(s, m, time, seen)
        c[REFUSED] = 0.0


@kernel
def _start(s, m, time, seen):
    for i in range(3):
        for j in range(3):
            m.R[i, j] = seen[3 * i + j]
    for i in range(6):
        for j in range(6):
            m.cov[i, j] = 0.0
    for i in range(3):
        m.cov[i, i] = (s.heading_noise if i == 1 else s.tilt_noise) ** 2
        m.cov[3 + i, 3 + i] = s.gyro_bias**2
        m.bias[i] = 0.0
    m.clock[FUSED], m.clock[STARTED] = time, 1.0


@kernel
def _swing(s, m, time, newest):
    """Move the hypotheses on to each reading of the joint that the gyroscope has reached."""
    c = m.clock
    n, done = int(c[JOINT_COUNT]), 0
    for k in range(n):
        at = m.joint[k, 0]
        if at > newest and at > time - WAITS:
            break
        done += 1
        if at > c[SWUNG]:
            _step(s, m, at, m.joint[k, 1], c[REPEATS + JOINT] < s.repeats_max)
    for k in range(done, n):
        m.joint[k - done, 0], m.joint[k - done, 1] = m.joint[k, 0], m.joint[k, 1]
    c[JOINT_COUNT] = n - done
    if c[BEGAN] > 0.0 and c[SWUNG] < time - QUIET:
        _step(s, m, time - 0.5 * QUIET, 0.0, False)


@kernel
def _step(s, m, time, angle, heard):
    """One step of all hypotheses, with a reading of the joint [rad] or without."""
    c, now, before = m.clock, m.moment[1], m.moment[0]
    for i in range(3):
        for j in range(3):
            m.turn[i, j] = m.R[i, j]
    turn_on(m, m.turn, c[FUSED], time)
    rate_at(m, time, now[RATE:])
    for j in range(3):
        now[DOWN + j] = m.turn[1, j]
    now[THRUST] = m.thrust[0, 1]
    for i in range(THRUST_ROWS):
        if m.thrust[i, 0] <= time:
            now[THRUST] = m.thrust[i, 1]
    now[REEL] = m.wheel[1]
    level = math.atan2(now[DOWN], now[DOWN + 1])
    if c[BEGAN] == 0.0:
        if heard and m.wheel[5] > -math.inf:
            begin(s, m, level - angle, m.wheel[0])
            start_hinge(m.hinge, m.turn, angle)
            c[BEGAN], c[SWUNG], c[HEADING_TIME] = 1.0, time, time
            for j in range(MOMENT):
                before[j] = now[j]
        return
    elapsed, size = time - c[SWUNG], SIZE if c[TRACED] > 0.0 else PLACE
    turned = 0.0
    for k in range(MODES):
        was = m.x[k, ALPHA]
        move(s, m.x[k], m.C[k], before, now, m.turn, elapsed, c[TRACED] > 0.0, m.work, m.work2)
        turned += m.p[k] * abs(m.x[k, ALPHA] - was)
    hold_free(m, m.wheel[0], math.sqrt(m.wheel[2] + c[PATH] ** 2))
    slack = time - c[SLACK_SINCE] < SLACK_TIME
    if slack:  # the tether's length is not what P's speed has to do with
        for k in range(MODES):
            m.C[k, ALPHA, ALPHA] += elapsed
            m.C[k, SPEED, SPEED] += elapsed
    else:
        exchange(s, m, m.wheel[0], turned, elapsed, size)
        phi, R = level - m.x[FREE, ALPHA], m.turn
        cf, sf = math.cos(phi), math.sin(phi)
        n0, n1, n2 = R[0, 0] * sf + R[0, 1] * cf, R[1, 0] * sf + R[1, 1] * cf, R[2, 0] * sf + R[2, 1] * cf
        sweep(s, m, n0, n1, n2, m.wheel[0], size)
    if heard:
        reading = level - angle
        reading += 2.0 * math.pi * math.floor((m.x[FREE, ALPHA] - reading) / (2.0 * math.pi) + 0.5)
        tilt = max(m.cov[0, 0], m.cov[2, 2])
        variance = s.joint_noise**2 + tilt
        felt = LOST
        if surprise(m, reading, variance) < LOST or slack:
            felt = compare(m, reading, variance, size)
            if not slack:
                weigh(m, turned / elapsed)
        else:
            c[CONTRADICTED] = time
        if not slack:
            c[MISFIT] += min(1.0, elapsed / FIT_TIME) * (min(felt, LOST) - c[MISFIT])
    fits = calm(m, m.wheel[0]) and c[MISFIT] < 0.5 * LOST
    if not fits and heard:
        begin(s, m, level - angle, m.wheel[0])
        c[MISFIT], c[TRACED], c[CONTRADICTED] = 0.0, 0.0, time
    for j in range(MOMENT):
        before[j] = now[j]
    c[SWUNG] = time


@kernel
def _trace(s, m, time, place):
    """Take a position of P by the camera."""
    if m.clock[TRACED] == 0.0:
        for k in range(MODES):
            for i in range(PLACE, SIZE):
                for j in range(SIZE):
                    m.C[k, i, j] = m.C[k, j, i] = 0.0
                m.C[k, i, i] = s.position_noise**2
                m.x[k, i] = place[i - PLACE] + (m.clock[SWUNG] - time) * m.velocity[i - PLACE]
        m.clock[TRACED] = 1.0
        return
    locate(s, m, place, m.clock[SWUNG] - time)
    if m.clock[NEWEST] - m.clock[SLACK_SINCE] >= SLACK_TIME:
        weigh(m, abs(m.out[STATE + 8]))
