"""The arithmetic of the tether-inertial filter: motion by the IMU, corrections by what the tether says.

An error-state Kalman filter. `x` holds what is believed, `cov` the covariance of its error: position [m],
velocity [m/s], rotation (a small turn in the drone's own frame [rad]), biases of accelerometer [m/s^2] and
gyroscope [rad/s], the logarithm of b (see sensors/hanging.py), and biases of five readings of the tether.
Readings are taken one number at a time, so that each can be refused alone.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tetherlab.sensors.hanging import BASE, END, LENGTH, LOG_TENSION, read_hanging

# Places in x: what is believed, the IMU's last sample and its time, and the books on each reading.
P, V, R, FORCE_BIAS, RATE_BIAS, LOG_B, READING_BIAS = 0, 3, 6, 15, 18, 21, 22
FORCE, RATE, TIME = 27, 30, 33
SCORE, HEARD, FAULTY = 34, 41, 48  # time of contradiction [s], when it spoke last [s], 1 if not believed
LINK = 55  # where friction lets the links of the angle sensors be [rad], (4,); NaN: unknown
LATELY = 59  # what the tangents at base and drone are off by of late, (2, 3); NaN: unknown
SENSED = 65  # those tangents as they were sensed last, (2, 3)
BEFORE = 71  # what an angle was off by before it leapt, (4,); NaN: it has not
SINCE = 75  # what a reading was off by when it began to repeat itself, (7,); NaN: it does not
IMU_HEARD, BEGAN = 82, 83  # when the IMU spoke last, and when all this began [s]
STATE_SIZE = 84

# Places in the error.
DP, DV, DR, DF, DW, DB, DBIAS = 0, 3, 6, 9, 12, 15, 16
ERROR_SIZE = 21

# Readings in the order of their books; the first five have a bias.
BASE_AZIMUTH, BASE_ELEVATION, DRONE_AZIMUTH, DRONE_ELEVATION, LENGTH_READ, TENSION_READ, ALTITUDE_READ = (
    range(7)
)
READINGS = (
    "base_azimuth", "base_elevation", "drone_azimuth", "drone_elevation", "length", "tension", "altitude",
)  # fmt: skip
BIASED = 5
# The biases of the base's two angles are accounted for and never corrected (Schmidt). Place and heading turned
# with them about the base look the same: a filter that corrects them believes, after a while, to know what
# nothing tells.
CONSIDERED = DBIAS + BASE_AZIMUTH

# Kinds of messages, and where a message has its numbers.
IMU, BASE_ANGLES, DRONE_ANGLES, LENGTHS, TENSIONS, ALTITUDES = range(6)
M_TIME, M_KIND, M_VALUE, M_ROTATION, M_BASE, M_BASE_VELOCITY, M_SATURATED = 0, 1, 2, 8, 17, 20, 23
SPEAKS = (0, 0, 2, 4, 5, 6)  # first reading of each kind, and of the next
M_TENSION = 24  # that was sensed last, NaN: never [N]
M_REPEATED = 25  # bits as of M_SATURATED: readings that say the same again to the last digit
MESSAGE_SIZE = 26

DRAWN = 0.3  # deviation of the play of a link that is drawn along, as a share of it
SHY = 0.15  # horizontal part of a tangent below which a link's azimuth is not followed
UPRIGHT, UPRIGHT_SAMPLES = 0.2, 30.0  # horizontal part below which biases have no direction; and for how long
STEEP = 1e-6  # horizontal part of a tangent below which its azimuth has no meaning
DETOUR = 2.5  # of a tether whose points are astray by a: so much times a²/L, π²/4 of half a wave [1]
COUNTED = 0.1  # time that one sample counts for at most in the score of its sensor [s]
LEAP, LEAP_TIME = 5.0, 0.1  # deviations that an angle may leap by from one sample to the next, within [s]
LEAP_ANGLE = 0.015  # that the tether may leap by itself [rad]
LEAP_SHARE = 0.2  # of a new sample in what a reading is off by of late
LEAP_FLAT = 0.1  # horizontal part of a tangent below which a bias makes it leap [1]
LEAP_FROM = 1.2  # length below which the angles of a tether leap indeed [m]
STUCK = 5.0  # deviations that the tether may move while a reading says the same again
SETTLED = 2.0  # time after the start from which the tether, and not the filter, is what moves [s]
IMU_SILENT = 0.1  # time after which the IMU's last sample means nothing [s]
UNFELT_FORCE, UNFELT_TURN = 1.0, 0.1  # densities of motion that no IMU feels [(m/s^2)^2 s], [(rad/s)^2 s]


class FilterSettings(NamedTuple):
    """What the kernels need to know beforehand; variances, or densities of them per second."""

    gravity: float  # [m/s^2]
    weight: float  # of the tether [N/m]
    softness: float  # of the tether: stretch per tension [1/N]
    ground: float  # height of the ground [m]
    friction: float  # of an angle sensor [N]
    lag_samples: float  # for which friction holds an angle sensor
    swing: float  # deviation of an angle by waves of the tether [rad]
    astray: float  # deviation of its points from rest, which turns the angles of a short one [m]
    swing_samples: float  # for which a wave lasts
    lag_max: float  # deviation by friction beyond which its angles say nothing [rad]
    attachment: NDArray[np.float64]  # of the tether, in the drone's frame [m], (3,)
    force_density: float  # of the accelerometer's noise [(m/s^2)^2 s]
    rate_density: float  # of the gyroscope's noise [(rad/s)^2 s]
    force_walk: float  # of its bias [(m/s^2)^2/s]
    rate_walk: float  # of its bias [(rad/s)^2/s]
    log_b_walk: float  # [1/s]
    reading_variance: NDArray[np.float64]  # of each reading [rad^2], [m^2], [N^2], (7,)
    bias_covariance: NDArray[np.float64]  # of biases of angles [rad^2] and length [m^2], (5, 5)
    bias_time: float  # in which it forgets [s]
    gate: float  # squared deviations beyond which a reading is refused
    fault_after: float  # time of contradiction after which it is not believed any more [s]
    load: NDArray[np.float64]  # on the moving tether beside its weight: see filter_motion.py, (4,)


@njit(cache=True)
def predict(x, cov, time, settings):
    """Move on to a time [s] by the IMU's last sample."""
    dt = time - x[TIME]
    if dt <= 0.0:
        return
    x[TIME] = time
    rotation, force, rate = x[R : R + 9].copy().reshape(3, 3), np.empty(3), np.empty(3)
    felt = time - x[IMU_HEARD] <= IMU_SILENT
    for i in range(3):  # unfelt: it flies on as it did
        force[i] = x[FORCE + i] - x[FORCE_BIAS + i] if felt else settings.gravity * rotation[2, i]
        rate[i] = dt * (x[RATE + i] - x[RATE_BIAS + i]) if felt else 0.0
    by_turn = np.empty((3, 3))  # of the velocity, -R [f]x dt
    for i in range(3):
        r = rotation[i]
        by_turn[i, 0] = -dt * (r[1] * force[2] - r[2] * force[1])
        by_turn[i, 1] = -dt * (r[2] * force[0] - r[0] * force[2])
        by_turn[i, 2] = -dt * (r[0] * force[1] - r[1] * force[0])
        a = r[0] * force[0] + r[1] * force[1] + r[2] * force[2] - (settings.gravity if i == 2 else 0.0)
        x[P + i] += dt * (x[V + i] + 0.5 * dt * a)
        x[V + i] += dt * a
    turn = rotation_of(rate)
    set_rotation(x, rotation, turn)
    memory = math.exp(-dt / settings.bias_time)
    _carry(cov, dt, rotation, by_turn, turn, memory)
    for k in range(BIASED):
        x[READING_BIAS + k] *= memory
        for j in range(BIASED):
            cov[DBIAS + k, DBIAS + j] += settings.bias_covariance[k, j] * (1.0 - memory * memory)
    for i in range(3):
        cov[DV + i, DV + i] += (settings.force_density if felt else UNFELT_FORCE) * dt
        cov[DR + i, DR + i] += (settings.rate_density if felt else UNFELT_TURN) * dt
        cov[DF + i, DF + i] += settings.force_walk * dt
        cov[DW + i, DW + i] += settings.rate_walk * dt
    cov[DB, DB] += settings.log_b_walk * dt


@njit(cache=True)
def _carry(cov, dt, rotation, by_turn, turn, memory):
    """F C Fᵀ: rows by F, then columns by the same; only nine rows of F are not those of a diagonal matrix."""
    new = np.empty(9)
    for side in range(2):
        for j in range(ERROR_SIZE):
            c = cov[:, j] if side == 0 else cov[j, :]
            for i in range(3):
                new[i] = c[DP + i] + dt * c[DV + i]
                total = c[DV + i]
                turned = -dt * c[DW + i]
                for k in range(3):
                    total += by_turn[i, k] * c[DR + k] - dt * rotation[i, k] * c[DF + k]
                    turned += turn[k, i] * c[DR + k]
                new[3 + i], new[6 + i] = total, turned
            for i in range(9):
                c[i] = new[i]
            for k in range(BIASED):
                c[DBIAS + k] *= memory


@njit(cache=True)
def rotation_of(turn):
    """The rotation by a vector [rad], (3, 3)."""
    angle = math.sqrt(turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2)
    if angle < 1e-4:
        s, c = 1.0 - angle * angle / 6.0, 0.5 - angle * angle / 24.0
    else:
        s, c = math.sin(angle) / angle, (1.0 - math.cos(angle)) / (angle * angle)
    result = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            result[i, j] = c * turn[i] * turn[j]
        result[i, i] += 1.0 - c * angle * angle
    result[0, 1] -= s * turn[2]
    result[1, 0] += s * turn[2]
    result[0, 2] += s * turn[1]
    result[2, 0] -= s * turn[1]
    result[1, 2] -= s * turn[0]
    result[2, 1] += s * turn[0]
    return result


@njit(cache=True)
def set_rotation(x, rotation, turn):
    """Write the rotation followed by a turn in the drone's frame, made orthogonal again to first order."""
    product = rotation @ turn
    # R (3 - RᵀR)/2 takes away what rounding adds.
    square = product.T @ product
    for i in range(3):
        for j in range(3):
            total = 1.5 * product[i, j]
            for k in range(3):
                total -= 0.5 * product[i, k] * square[k, j]
            x[R + 3 * i + j] = total


@njit(cache=True)
def correct(x, cov, message, settings):
    """Take a message about the tether, at the time that x has come to."""
    kind = int(message[M_KIND])
    saturated, repeated = int(message[M_SATURATED]), int(message[M_REPEATED])
    rotation = x[R : R + 9].copy().reshape(3, 3)
    arm = rotation @ settings.attachment
    rows = np.zeros((2, ERROR_SIZE))
    innovation, bare, variance = np.zeros(2), np.zeros(2), np.zeros(2)  # bare: biases not accounted for
    unlike, stuck, drift, detour = np.zeros(2), np.zeros(2), np.zeros(2), np.zeros(2)
    first, count, lag, wave = 0, 1, 0.0, 0.0
    leapt = np.zeros(2, np.bool_)
    if kind == ALTITUDES:
        first = ALTITUDE_READ
        innovation[0] = message[M_VALUE] - (x[P + 2] - settings.ground)
        rows[0, DP + 2] = 1.0
        variance[0] = settings.reading_variance[ALTITUDE_READ]
    else:
        frame, weight = _load_frame(x, rotation, message, settings)
        read, by_state = np.empty(8), np.empty((8, 4))
        end = np.empty(3)
        for i in range(3):
            end[i] = x[P + i] + arm[i] - message[M_BASE + i]
        local = frame.T @ end
        b = math.exp(min(max(x[LOG_B], -12.0), 3.0))
        read_hanging(local[0], local[1], local[2], b, read, by_state)
        felt = x[FAULTY + TENSION_READ] < 0.5 and not math.isnan(message[M_TENSION])
        tension = max(message[M_TENSION], 1e-3) if felt else weight * math.exp(read[LOG_TENSION])
        # Deviation by which friction holds an angle sensor back [rad]: anything within ± friction/tension.
        lag = settings.friction / tension / math.sqrt(3.0)
        # A straight tether hardly tells its tension: if that is not felt, it is slack only if that is sure.
        slack = lag * (1.0 if felt else math.exp(-2.0 * math.sqrt(cov[DB, DB]))) > settings.lag_max
        wave = settings.swing**2 + (settings.astray / read[LENGTH]) ** 2
        if slack and kind != TENSIONS:
            for k in range(SPEAKS[kind], SPEAKS[kind + 1]):
                x[HEARD + k] = x[TIME]
            return  # slack: no angle follows the tether, and its length is more than the distance
        if kind == LENGTHS:
            first = LENGTH_READ
            # What the winch has paid out was measured before it stretched. The tension is not learned from it:
            # millimetres that have other reasons would pass for newtons.
            share = 1.0 / (1.0 + settings.softness * tension)
            innovation[0] = message[M_VALUE] - share * read[LENGTH] - x[READING_BIAS + LENGTH_READ]
            _chain(rows[0], by_state[LENGTH], share, frame, b)
            rows[0, DBIAS + LENGTH_READ] = 1.0
            variance[0] = settings.reading_variance[LENGTH_READ]
            detour[0] = (DETOUR * settings.astray**2 / read[LENGTH]) ** 2
        elif kind == TENSIONS:
            first = TENSION_READ
            tension = max(message[M_VALUE], 0.05)
            innovation[0] = math.log(tension / weight) - read[LOG_TENSION]
            _chain(rows[0], by_state[LOG_TENSION], 1.0, frame, b)
            variance[0] = settings.reading_variance[TENSION_READ] / tension**2
        else:
            count = 2
            at_base = kind == BASE_ANGLES
            first = BASE_AZIMUTH if at_base else DRONE_AZIMUTH
            carrier = message[M_ROTATION : M_ROTATION + 9].copy().reshape(3, 3) if at_base else rotation
            row = BASE if at_base else END
            turned = carrier.T @ frame  # from the tether's frame to the sensor's
            tangent = turned @ read[row : row + 3].copy()
            axes = gimbal_axes(tangent)
            flat = math.hypot(tangent[0], tangent[1])
            for k in range(2):
                axis = axes[k]
                for j in range(3):
                    innovation[k] += axis[j] * message[M_VALUE + j]
                along = turned.T @ axis
                for j in range(3):
                    _chain(rows[k], by_state[row + j], along[j], frame, b)
                if not at_base:
                    # a turn of the drone moves its sensor: axis . (t x turn) = (axis x t) . turn
                    rows[k, DR] += axis[1] * tangent[2] - axis[2] * tangent[1]
                    rows[k, DR + 1] += axis[2] * tangent[0] - axis[0] * tangent[2]
                    rows[k, DR + 2] += axis[0] * tangent[1] - axis[1] * tangent[0]
                # what an angle moves its axis by: the azimuth of a steep tether moves little
                reach = flat if k == 0 else 1.0
                bare[k] = innovation[k]
                if flat > UPRIGHT:
                    innovation[k] -= reach * x[READING_BIAS + first + k]
                    rows[k, DBIAS + first + k] = reach
                else:  # which way a bias points there is as good as unknown
                    drift[k] = settings.bias_covariance[first + k, first + k]
                held, left = _hold(x, tangent, flat, k, first, lag)
                innovation[k] -= reach * held
                stuck[k] = reach * left
                variance[k] = reach**2 * settings.reading_variance[first + k]
                unlike[k] = stuck[k] ** 2 + wave + drift[k]
            sensed = message[M_VALUE : M_VALUE + 3].copy()
            steady = read[LENGTH] > LEAP_FROM and flat > LEAP_FLAT and x[TIME] - x[BEGAN] > SETTLED
            _watch_leaps(x, sensed, tangent, axes, variance, first, steady, leapt)
    if kind != ALTITUDES:
        for k in range(count):  # the arm turns with the drone: dend = -R [arm_B]x turn
            a = settings.attachment
            r = np.zeros(3)
            for j in range(3):
                for i in range(3):
                    r[j] += rows[k, DP + i] * rotation[i, j]
            rows[k, DR] += -(r[1] * a[2] - r[2] * a[1])
            rows[k, DR + 1] += -(r[2] * a[0] - r[0] * a[2])
            rows[k, DR + 2] += -(r[0] * a[1] - r[1] * a[0])
    if count == 1:
        bare[0] = innovation[0]
    change = np.zeros(ERROR_SIZE)
    for k in range(count):
        if (saturated >> (first + k)) & 1 == 1:  # at the end of its range: as good as silent
            x[SINCE + first + k] = math.nan
            continue
        # A link may rest while the tether crosses its whole play, √3 lag to either side, and the filter errs.
        moved = STUCK * math.sqrt(variance[k]) + 3.0 * math.sqrt(3.0) * lag
        _watch_repeats(x, bare[k], moved, first + k, (repeated >> (first + k)) & 1 == 1)
        # What stays for a while is not new with each sample.
        lasting = detour[k] * (settings.swing_samples - 1.0)
        if count == 2:
            lasting = stuck[k] ** 2 * (settings.lag_samples - 1.0)
            lasting += wave * (settings.swing_samples - 1.0)
            lasting += drift[k] * (UPRIGHT_SAMPLES - 1.0)
        total = variance[k] + unlike[k] + detour[k]
        _take(x, cov, change, rows[k], innovation[k], total, lasting, first + k, leapt[k], settings)
    _inject(x, change)


@njit(cache=True)
def _hold(x, tangent, flat, k, first, lag):
    """(by how much friction holds a link back [rad], the deviation of that): a play of ± friction/tension.

    A link that is drawn along trails by the whole play; one that rests is somewhere within.
    """
    place = LINK + first + k
    play = math.sqrt(3.0) * lag / (flat if k == 0 else 1.0)
    if flat < SHY or play > 0.5:  # too steep or too slack to follow
        x[place] = math.nan
        return 0.0, lag / max(flat, SHY) if k == 0 else lag
    angle = math.atan2(tangent[1], tangent[0]) if k == 0 else math.atan2(tangent[2], flat)
    if math.isnan(x[place]):
        x[place] = angle
    behind = x[place] - angle
    behind -= 2.0 * math.pi * math.floor(behind / (2.0 * math.pi) + 0.5)
    drawn = abs(behind) >= play
    if drawn:
        behind = math.copysign(play, behind)
        x[place] = angle + behind
    return behind, (DRAWN if drawn else 1.0 / math.sqrt(3.0)) * play


@njit(cache=True)
def _chain(row, by_state, factor, frame, b):
    """Add factor times the derivative by the end and by log b."""
    for i in range(3):
        for j in range(3):
            row[DP + i] += factor * frame[i, j] * by_state[j]
    row[DB] += factor * by_state[3] * b


@njit(cache=True)
def gimbal_axes(tangent):
    """Unit vectors in which azimuth and elevation of a unit tangent move, (2, 3)."""
    axes = np.empty((2, 3))
    flat = math.hypot(tangent[0], tangent[1])
    c, s = (tangent[0] / flat, tangent[1] / flat) if flat > STEEP else (1.0, 0.0)
    axes[0, 0], axes[0, 1], axes[0, 2] = -s, c, 0.0
    axes[1, 0], axes[1, 1], axes[1, 2] = -tangent[2] * c, -tangent[2] * s, flat
    return axes


@njit(cache=True)
def _load_frame(x, rotation, message, settings):
    """(frame whose -z is the load on the tether, that load [N/m]).

    The weight, and of a tether that moves its inertia and drag as well, as if spread evenly.
    """
    frame = np.eye(3)
    mass, drag = settings.load[0], settings.load[1]  # [kg/m], [N s^2/m^3]; no mass: at rest
    if mass <= 0.0:
        return frame, settings.weight
    load, end = np.zeros(3), np.zeros(3)
    relative = np.zeros(3)
    size = 0.0
    for i in range(3):
        end[i] = x[P + i] - message[M_BASE + i]
        size += end[i] ** 2
    size = math.sqrt(size)
    for i in range(3):
        a = 0.0
        for j in range(3):
            a += rotation[i, j] * (x[FORCE + j] - x[FORCE_BIAS + j])
        if i == 2:
            a -= settings.gravity
        load[i] = -0.5 * mass * a  # the middle moves half as much as the drone
        relative[i] = 0.5 * (x[V + i] + message[M_BASE_VELOCITY + i]) - (
            settings.load[2 + i] if i < 2 else 0.0
        )
    load[2] -= settings.weight
    along = 0.0
    for i in range(3):
        along += relative[i] * end[i] / size
    speed = 0.0
    for i in range(3):
        relative[i] -= along * end[i] / size
        speed += relative[i] ** 2
    speed = math.sqrt(speed)
    total = 0.0
    for i in range(3):
        load[i] -= drag * speed * relative[i]
        total += load[i] ** 2
    total = math.sqrt(total)
    # z against the load; x and y turned with it by the shortest way
    zx, zy, zz = -load[0] / total, -load[1] / total, -load[2] / total
    k = 1.0 / (1.0 + zz)
    frame[0, 0], frame[0, 1], frame[0, 2] = 1.0 - k * zx * zx, -k * zx * zy, zx
    frame[1, 0], frame[1, 1], frame[1, 2] = -k * zx * zy, 1.0 - k * zy * zy, zy
    frame[2, 0], frame[2, 1], frame[2, 2] = -zx, -zy, zz
    return frame, total


@njit(cache=True)
def _take(x, cov, change, row, innovation, variance, lasting, reading, leapt, settings):
    """Take one number, unless it contradicts what is known; keep the books on its sensor."""
    gain = np.empty(ERROR_SIZE)
    spread = variance
    for i in range(ERROR_SIZE):
        total = 0.0
        for j in range(ERROR_SIZE):
            total += cov[i, j] * row[j]
        gain[i] = total
    for i in range(ERROR_SIZE):
        spread += row[i] * gain[i]
        innovation -= row[i] * change[i]
    since = min(max(x[TIME] - x[HEARD + reading], 0.0), COUNTED)
    x[HEARD + reading] = x[TIME]
    refused = leapt or innovation * innovation > settings.gate * spread
    spread += lasting
    score = x[SCORE + reading] + (since if refused else -since)
    x[SCORE + reading] = min(max(score, 0.0), settings.fault_after)
    if x[SCORE + reading] >= settings.fault_after:
        x[FAULTY + reading] = 1.0
    if refused or x[FAULTY + reading] > 0.5:
        return
    for i in range(ERROR_SIZE):
        share = gain[i] / spread
        considered = CONSIDERED <= i < CONSIDERED + 2
        change[i] += share * innovation if not considered else 0.0
        for j in range(ERROR_SIZE):
            if not (considered and CONSIDERED <= j < CONSIDERED + 2):
                cov[i, j] -= share * gain[j]


@njit(cache=True)
def _watch_repeats(x, off, moved, reading, repeated):
    """A reading that says the same again while the tether has moved is stuck: it is not believed any more.

    off: what it differs by from what should be read without any bias. Of a reading that stays, this moves as the
    tether does.
    """
    if not repeated or x[TIME] - x[BEGAN] < SETTLED:
        x[SINCE + reading] = math.nan
    elif math.isnan(x[SINCE + reading]):
        x[SINCE + reading] = off
    elif abs(off - x[SINCE + reading]) > moved:
        x[FAULTY + reading] = 1.0


@njit(cache=True)
def _watch_leaps(x, sensed, expected, axes, variance, first, steady, leapt):
    """Which angles of a tangent are off by what they have leapt, faster than a tether can: into `leapt` (2,).

    From one sample to the next vectors are compared: of a steep tether azimuth and elevation soon trade places. What
    leaps is both sensed anew and not expected; the filter may leap as well. It ends when the angle is off by no more
    than before: it has leapt back, or the others have come to agree with it.
    """
    side = 3 * (first // 2)
    lately, last = x[LATELY + side : LATELY + side + 3], x[SENSED + side : SENSED + side + 3]
    off = sensed - expected
    known = steady and not math.isnan(lately[0])
    recent = x[TIME] - x[HEARD + first] < LEAP_TIME
    was = axes @ lately
    unexpected, moved = axes @ off - was, axes @ (sensed - last)
    # Of a steep tether the sensor's axes are not those expected, and noise of one is seen along the other.
    mixed = min(1.0, math.sqrt(off @ off) / max(math.hypot(expected[0], expected[1]), STEEP)) ** 2
    most = LEAP_ANGLE + LEAP * np.sqrt(2.0 * (variance + mixed * variance[::-1]))
    leaps = False
    for k in range(2):
        place = BEFORE + first + k
        if not known:
            x[place] = math.nan
        elif recent and math.isnan(x[place]) and min(abs(unexpected[k]), abs(moved[k])) > most[k]:
            x[place] = was[k]
            leaps = True
    for i in range(3):
        last[i] = sensed[i]
        lately[i] = lately[i] + LEAP_SHARE * (off[i] - lately[i]) if known and not leaps else off[i]
    now = axes @ lately
    for k in range(2):
        place = BEFORE + first + k
        if abs(now[k] - x[place]) < 0.5 * most[k]:
            x[place] = math.nan
        leapt[k] = not math.isnan(x[place])


@njit(cache=True)
def _inject(x, change):
    for i in range(3):
        x[P + i] += change[DP + i]
        x[V + i] += change[DV + i]
        x[FORCE_BIAS + i] += change[DF + i]
        x[RATE_BIAS + i] += change[DW + i]
    rotation = x[R : R + 9].copy().reshape(3, 3)
    set_rotation(x, rotation, rotation_of(change[DR : DR + 3]))
    x[LOG_B] += change[DB]
    for k in range(BIASED):
        x[READING_BIAS + k] += change[DBIAS + k]


@njit(cache=True)
def take(x, cov, message, settings):
    """A message of any kind: move on to its time, then learn from it."""
    predict(x, cov, message[M_TIME], settings)
    if int(message[M_KIND]) == IMU:
        if math.isnan(message[M_VALUE]):
            return  # a stuck one: time goes on, nothing was felt
        x[IMU_HEARD] = message[M_TIME]
        for i in range(3):
            x[FORCE + i] = message[M_VALUE + i]
            x[RATE + i] = message[M_VALUE + 3 + i]
    else:
        correct(x, cov, message, settings)
