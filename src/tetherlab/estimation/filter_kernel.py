"""What the filter learns from a message about the tether.

An error-state Kalman filter. Readings are taken one number at a time, so that each can be refused alone.
"""

import math

import numpy as np

from tetherlab.estimation.filter_layout import (
    ALTITUDE_READ,
    ALTITUDES,
    BASE_ANGLES,
    BASE_AZIMUTH,
    BEGAN,
    BIASED,
    CONSIDERED,
    DB,
    DBIAS,
    DF,
    DP,
    DR,
    DRONE_ANGLES,
    DRONE_AZIMUTH,
    DV,
    DW,
    ERROR_SIZE,
    FAULTY,
    FORCE,
    FORCE_BIAS,
    HEARD,
    IMU,
    IMU_HEARD,
    LATELY,
    LENGTH_READ,
    LENGTHS,
    LINK,
    LOG_B,
    M_BASE,
    M_BASE_VELOCITY,
    M_KIND,
    M_REPEATED,
    M_ROTATION,
    M_SATURATED,
    M_TENSION,
    M_TIME,
    M_VALUE,
    RATE,
    RATE_BIAS,
    READING_BIAS,
    SCORE,
    SENSED,
    SINCE,
    SPEAKS,
    TENSION_READ,
    TENSIONS,
    TIME,
    P,
    R,
    V,
)
from tetherlab.estimation.filter_motion import IMU_SILENT, predict, rotation_of, set_rotation
from tetherlab.estimation.filter_watch import (
    LEAP_FLAT,
    LEAP_FROM,
    SETTLED,
    STUCK,
    watch_leaps,
    watch_repeats,
)
from tetherlab.math.kernel import njit
from tetherlab.sensors.hanging import BASE, END, LENGTH, LOG_TENSION, read_hanging

DRAWN = 0.3  # deviation of the play of a link that is drawn along, as a share of it
SHY = 0.15  # horizontal part of a tangent below which a link's azimuth is not followed
UPRIGHT, UPRIGHT_SAMPLES = 0.2, 30.0  # horizontal part below which biases have no direction; and for how long
DETOUR = 2.5  # of a tether whose points are astray by a: so much times a²/L, π²/4 of half a wave [1]
STEEP = 1e-6  # horizontal part of a tangent below which its azimuth has no meaning
TILTED = 0.5  # vertical part of a drone's z axis below which its rotors do not hold it up
AT_BASE = 1e-3  # distance of the attachment from the base below which the tether has no direction [m]
SHORT = 0.3  # tether at take-off and landing, whose tension leaps and tells nothing of its place [m]
SWUNG = 0.5  # acceleration of the drone, over gravity, that its tether follows as a whole; more is a jerk
COUNTED = 0.1  # time that one sample counts for at most in the score of its sensor [s]


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
        innovation[0] = bare[0] = message[M_VALUE] - (x[P + 2] - settings.ground)
        rows[0, DP + 2] = 1.0
        variance[0] = settings.reading_variance[ALTITUDE_READ]
    else:
        frame, weight = _load_frame(x, rotation, message, settings)
        read, by_state = np.empty(8), np.empty((8, 4))
        end = np.empty(3)
        for i in range(3):
            end[i] = x[P + i] + arm[i] - message[M_BASE + i]
        if end @ end < AT_BASE**2:
            _set_aside(x, kind)
            return  # a tether without length has no direction
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
            _set_aside(x, kind)
            return  # slack: no angle follows the tether, and its length is more than the distance
        if kind == LENGTHS:
            first = LENGTH_READ
            # What the winch has paid out was measured before it stretched. The tension is not learned from
            # it: millimetres that have other reasons would pass for newtons.
            share = 1.0 / (1.0 + settings.softness * tension)
            bare[0] = message[M_VALUE] - share * read[LENGTH]
            innovation[0] = bare[0] - x[READING_BIAS + LENGTH_READ]
            _chain(rows[0], by_state[LENGTH], share, frame, b)
            rows[0, DBIAS + LENGTH_READ] = 1.0
            variance[0] = settings.reading_variance[LENGTH_READ]
            # Waves lengthen its way; and who is not sure where to the side it ends is not sure of it either.
            aside = 0.5 * _aside(cov, end) / read[LENGTH]
            detour[0] = (DETOUR * settings.astray**2 / read[LENGTH]) ** 2 + aside**2
        elif kind == TENSIONS:
            first = TENSION_READ
            tension = max(message[M_VALUE], 0.05)
            innovation[0] = bare[0] = math.log(tension / weight) - read[LOG_TENSION]
            _chain(rows[0], by_state[LOG_TENSION], 1.0, frame, b)
            variance[0] = settings.reading_variance[TENSION_READ] / tension**2
            if read[LENGTH] < SHORT:  # a jerk would pass for a place
                place = rows[0, DP : DP + 3].copy()
                variance[0] += place @ np.ascontiguousarray(cov[DP : DP + 3, DP : DP + 3]) @ place
                rows[0, DP : DP + 3] = 0.0
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
            sensed = message[M_VALUE : M_VALUE + 3].copy()
            _compare(sensed, tangent, axes, innovation)
            for k in range(2):
                axis = axes[k]
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
            steady = read[LENGTH] > LEAP_FROM and flat > LEAP_FLAT and x[TIME] - x[BEGAN] > SETTLED
            steady &= x[TIME] - x[IMU_HEARD] <= IMU_SILENT  # or the drone may have turned
            side = SENSED + 3 * (kind - BASE_ANGLES)
            own = gimbal_axes(x[side : side + 3])
            noise = settings.reading_variance[first : first + 2].copy()
            noise[0] *= x[side] ** 2 + x[side + 1] ** 2
            watch_leaps(x, sensed, sensed - tangent, axes, own, noise, first, steady, leapt)
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
    change = np.zeros(ERROR_SIZE)
    for k in range(count):
        if (saturated >> (first + k)) & 1 == 1:  # at the end of its range: as good as silent
            x[SINCE + first + k] = math.nan
            continue
        # A link may rest while the tether crosses its whole play, √3 lag to either side, and the filter errs.
        moved = STUCK * math.sqrt(variance[k])
        if count == 2:
            moved += 3.0 * math.sqrt(3.0) * lag
        same = (repeated >> (first + k)) & 1 == 1
        watch_repeats(x, bare[k], moved, first + k, same)
        # What stays for a while is not new with each sample.
        lasting = detour[k] * (settings.swing_samples - 1.0)
        if count == 2:
            lasting = stuck[k] ** 2 * (settings.lag_samples - 1.0)
            lasting += wave * (settings.swing_samples - 1.0)
            lasting += drift[k] * (UPRIGHT_SAMPLES - 1.0)
        total = variance[k] + unlike[k] + detour[k]
        if same:  # a quiet sensor, or a stuck one: it must not hold the filter where it stays itself
            total += STUCK**2 * variance[k]
            lasting += STUCK**2 * variance[k] * (settings.swing_samples - 1.0)
        _take(x, cov, change, rows[k], innovation[k], total, lasting, first + k, leapt[k], settings)
    _inject(x, change)


@njit(cache=True)
def _set_aside(x, kind):
    """Note that sensors responded, and learn nothing from their readings."""
    for k in range(SPEAKS[kind], SPEAKS[kind + 1]):
        x[HEARD + k] = x[TIME]
        x[SINCE + k] = math.nan
    if kind in (BASE_ANGLES, DRONE_ANGLES):
        x[LATELY + 3 * (kind - BASE_ANGLES)] = math.nan


@njit(cache=True)
def _aside(cov, end):
    """Variance of the position across the direction of `end` (3,) [m^2]."""
    along = end / math.sqrt(end @ end)
    spread = np.ascontiguousarray(cov[:3, :3])
    return spread[0, 0] + spread[1, 1] + spread[2, 2] - along @ spread @ along


@njit(cache=True)
def _compare(sensed, expected, axes, off):
    """What a tangent is off by along the two axes in which its angles move it, into `off` (2,).

    By angles, so that one that is wrong does not pass for the other; but of a steep tether by vectors.
    """
    flat, flat_sensed = math.hypot(expected[0], expected[1]), math.hypot(sensed[0], sensed[1])
    if min(flat, flat_sensed) > UPRIGHT:
        turn = math.atan2(sensed[1], sensed[0]) - math.atan2(expected[1], expected[0])
        turn -= 2.0 * math.pi * math.floor(turn / (2.0 * math.pi) + 0.5)
        off[0] = flat * turn
        off[1] = math.atan2(sensed[2], flat_sensed) - math.atan2(expected[2], flat)
    else:
        for k in range(2):
            off[k] = axes[k] @ sensed


@njit(cache=True)
def _hold(x, tangent, flat, k, first, lag):
    """(by how much friction holds a link back [rad], the deviation of that): a play of ± friction/tension.

    A link that is drawn along trails by the whole play; one that rests is somewhere within.
    """
    place = LINK + first + k
    play = math.sqrt(3.0) * lag / (max(flat, SHY) if k == 0 else 1.0)
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
    size = max(math.sqrt(size), AT_BASE)
    felt = rotation @ (x[FORCE : FORCE + 3] - x[FORCE_BIAS : FORCE_BIAS + 3])
    felt[2] -= settings.gravity
    jerk = math.sqrt(felt @ felt) / (SWUNG * settings.gravity)
    for i in range(3):
        load[i] = -0.5 * mass * felt[i] / max(jerk, 1.0)  # the middle moves half as much as the drone
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
        if int(message[M_KIND]) == DRONE_ANGLES and x[TIME] - x[IMU_HEARD] > IMU_SILENT:
            _follow_autopilot(x, cov, message, settings)
            _feel_by_tilt(x, message, settings)
        correct(x, cov, message, settings)


@njit(cache=True)
def _follow_autopilot(x, cov, message, settings):
    """Without an IMU the attitude is that of the autopilot."""
    rotation = message[M_ROTATION : M_ROTATION + 9].copy().reshape(3, 3)
    x[R : R + 9] = message[M_ROTATION : M_ROTATION + 9]
    cov[DR : DR + 3, :] = 0.0
    cov[:, DR : DR + 3] = 0.0
    cov[DR : DR + 3, DR : DR + 3] = rotation.T @ np.diag(settings.attitude_variance) @ rotation


@njit(cache=True)
def _feel_by_tilt(x, message, settings):
    """What an accelerometer would say of a drone that neither climbs nor sinks faster and faster.

    Rotors push along its z axis, the tether pulls; how much they push is what holds it up. Where mass or
    tension are unknown it flies on as it did.
    """
    tension = message[M_TENSION] + settings.weight * (x[P + 2] - message[M_BASE + 2])
    wrong = x[FAULTY + DRONE_AZIMUTH] + x[FAULTY + DRONE_AZIMUTH + 1] + x[FAULTY + TENSION_READ] > 0.5
    wrong |= int(message[M_SATURATED]) != 0
    pull = -tension / settings.drone_mass * message[M_VALUE : M_VALUE + 3]
    up = x[R + 6 : R + 9]
    force = settings.gravity * up
    if not wrong and up[2] > TILTED and not math.isnan(pull[0]):
        force = pull
        force[2] += (settings.gravity - up @ pull) / up[2]
    for i in range(3):
        x[FORCE + i] = force[i] + x[FORCE_BIAS + i]
