"""The self-levelling platform of a rover: accelerometer, a PID loop for each axis, two linear actuators.

The accelerometer takes all that it feels for gravity (Eq. 4 of paper 003), so it errs while the rover
accelerates. At each tick the loops say how fast the deck is to roll and pitch, and the linkage how fast the
strokes are to grow for that. Screws hold the strokes while they are not driven.
"""

import math

import numpy as np

from tetherlab.math.kernel import kernel
from tetherlab.vehicles.linkage import actuator_length, angles_of, turn_deck

WORD = 2**32

PLATFORM = np.dtype(
    [
        ("present", np.int64),  # 0: the deck is fixed to the rover, and nothing below has a meaning
        ("joint_B", np.float64, (3,)),  # universal joint, from the rover's centre of mass [m]
        ("top_P", np.float64, (2, 3)),  # where the actuators hold the deck, from the joint [m]
        ("foot_B", np.float64, (2, 3)),  # where they stand on the rover, from the joint [m]
        ("length_min", np.float64),  # of an actuator with no stroke [m]
        ("stroke_max", np.float64),  # [m]
        ("speed_max", np.float64),  # without load [m/s]
        ("speed_loaded", np.float64),  # against force_max, as a share of speed_max
        ("force_max", np.float64),  # that an actuator can move against [N]
        ("time_constant", np.float64),  # of its speed after a command [s]
        ("mass", np.float64),  # of what turns, without a load [kg]
        ("center_P", np.float64, (3,)),  # its centre of mass, from the joint [m]
        ("sensor_B", np.float64, (3,)),  # accelerometer while deck and rover are parallel, as the joint [m]
        ("period", np.float64),  # from one tick of the loops to the next [s]
        ("filter_time", np.float64),  # of the low-pass behind the accelerometer [s]
        ("noise", np.float64),  # standard deviation of a sample of it [m/s^2]
        ("bias_P", np.float64, (3,)),  # [m/s^2]
        ("gain", np.float64),  # of the loops [1/s]
        ("integral_gain", np.float64),  # [1/s^2]
        ("rate_gain", np.float64),
        ("dead_band", np.float64),  # angle below which an axis rests [rad]
        # state
        ("powered", np.int64),  # 0: it holds what it has
        ("roll", np.float64),  # of the deck on the rover [rad]
        ("pitch", np.float64),  # [rad]
        ("R_BP", np.float64, (3, 3)),
        ("rate_B", np.float64, (3,)),  # of the deck on the rover, mean of the last step [rad/s]
        ("stroke", np.float64, (2,)),  # [m]
        ("speed", np.float64, (2,)),  # of the strokes [m/s]
        ("wanted", np.float64, (2,)),  # by the loops [m/s]
        ("force", np.float64, (2,)),  # with which the actuators push [N]
        ("torque_W", np.float64, (3,)),  # of its load about the joint, mean of the last step [N m]
        ("wait", np.float64),  # until the next tick [s]
        ("v_W", np.float64, (3,)),  # of the accelerometer at the last tick [m/s]
        ("felt_P", np.float64, (3,)),  # specific force behind the low-pass [m/s^2]
        ("started", np.int64),  # the last two are set
        ("seen", np.float64, (2,)),  # roll and pitch of the deck in the world, as measured [rad]
        ("integral", np.float64, (2,)),  # [rad s]
        ("random", np.int64),  # which of its random numbers comes next
        ("limited", np.int64),  # 1: a stroke, speed or force was at its limit in the last step
    ]
)


@kernel
def attitude_from_acceleration(x, y, z, gravity):
    """(roll, pitch) [rad] of a body at rest that feels this specific force; Eq. 4."""
    return math.atan2(y, z), math.asin(min(max(-x / gravity, -1.0), 1.0))


@kernel
def sense_level(platform, R_WB, v0, v1, v2, gravity, h):
    """The loops, if it is time for their tick within a step h; v: of the accelerometer now, world frame."""
    platform.wait -= h
    if platform.wait > 1e-9:
        return
    platform.wait += platform.period
    v = platform.v_W
    if platform.started == 0:
        v[0], v[1], v[2] = v0, v1, v2
    # Mean acceleration since the last tick, less that of free fall.
    f0, f1 = (v0 - v[0]) / platform.period, (v1 - v[1]) / platform.period
    f2 = (v2 - v[2]) / platform.period + gravity
    v[0], v[1], v[2] = v0, v1, v2
    b0 = R_WB[0, 0] * f0 + R_WB[1, 0] * f1 + R_WB[2, 0] * f2
    b1 = R_WB[0, 1] * f0 + R_WB[1, 1] * f1 + R_WB[2, 1] * f2
    b2 = R_WB[0, 2] * f0 + R_WB[1, 2] * f1 + R_WB[2, 2] * f2
    R, felt = platform.R_BP, platform.felt_P
    share = 1.0 - math.exp(-platform.period / max(platform.filter_time, 1e-9))
    if platform.started == 0:
        share, platform.started = 1.0, 1
    for k in range(3):
        read = R[0, k] * b0 + R[1, k] * b1 + R[2, k] * b2
        read += platform.bias_P[k] + platform.noise * _normal(platform)
        felt[k] += share * (read - felt[k])
    before = platform.seen[0], platform.seen[1]
    platform.seen[0], platform.seen[1] = attitude_from_acceleration(felt[0], felt[1], felt[2], gravity)
    _control(platform, before)


@kernel
def _control(platform, before):
    """Wanted speeds of the strokes: a PID loop for roll and one for pitch, both towards zero."""
    if platform.powered == 0:
        platform.integral[0], platform.integral[1] = 0.0, 0.0
        platform.wanted[0], platform.wanted[1] = 0.0, 0.0
        return
    roll_rate = _loop(platform, 0, before[0])
    pitch_rate = _loop(platform, 1, before[1])
    wanted, most = platform.wanted, 0.0
    for i in range(2):
        _, by_roll, by_pitch = actuator_length(
            platform.top_P[i], platform.foot_B[i], platform.roll, platform.pitch
        )
        wanted[i] = by_roll * roll_rate + by_pitch * pitch_rate
        most = max(most, abs(wanted[i]))
    if most > platform.speed_max:  # both slower, so that the deck turns the same way
        for i in range(2):
            wanted[i] *= platform.speed_max / most


@kernel
def _loop(platform, axis, before):
    """Wanted rate of an axis [rad/s]."""
    error = -platform.seen[axis]
    if abs(error) < platform.dead_band:
        platform.integral[axis] = 0.0
        return 0.0
    # What is at its limit cannot follow: nothing is to be gathered for later.
    if platform.limited == 0 or error * platform.integral[axis] < 0.0:
        platform.integral[axis] += platform.period * error
    rate = (platform.seen[axis] - before) / platform.period
    return (
        platform.gain * error + platform.integral_gain * platform.integral[axis] - platform.rate_gain * rate
    )


@kernel
def move_deck(platform, h):
    """Strokes and deck after a step h; where the limits are met the actuators do less than they are told."""
    limited = False
    pace = h / (h + platform.time_constant)
    for i in range(2):
        aim = platform.wanted[i] if platform.powered == 1 else 0.0
        top = platform.speed_max * _share(platform, platform.force[i], aim)
        if abs(aim) > top * (1.0 - 1e-6):
            limited = True
            aim = math.copysign(top, aim)
        speed = platform.speed[i] + pace * (aim - platform.speed[i]) if platform.powered == 1 else 0.0
        least, most = -platform.stroke[i] / h, (platform.stroke_max - platform.stroke[i]) / h
        if speed < least or speed > most:
            limited = True
            speed = min(max(speed, least), most)
        platform.speed[i] = speed
        platform.stroke[i] += h * speed
    platform.limited = 1 if limited else 0
    roll, pitch = platform.roll, platform.pitch
    if platform.speed[0] != 0.0 or platform.speed[1] != 0.0:
        platform.roll, platform.pitch = angles_of(
            platform.top_P, platform.foot_B, platform.length_min + platform.stroke[0],
            platform.length_min + platform.stroke[1], roll, pitch,
        )  # fmt: skip
        turn_deck(platform.roll, platform.pitch, platform.R_BP)
    roll_rate, pitch_rate = (platform.roll - roll) / h, (platform.pitch - pitch) / h
    middle = 0.5 * (platform.pitch + pitch)
    platform.rate_B[0] = roll_rate * math.cos(middle)
    platform.rate_B[1] = pitch_rate
    platform.rate_B[2] = -roll_rate * math.sin(middle)


@kernel
def _share(platform, force, speed):
    """Of its speed without load that an actuator reaches while it pushes with a force [N]."""
    against = force if speed > 0.0 else -force
    if against >= platform.force_max:
        return 0.0
    return 1.0 - (1.0 - platform.speed_loaded) * max(against, 0.0) / platform.force_max


@kernel
def load_actuators(platform, R_WB, gravity, t0, t1, t2):
    """What the actuators push with against the deck's weight and a torque about the joint, rover frame."""
    R, c = platform.R_BP, platform.center_P
    m0 = R[0, 0] * c[0] + R[0, 1] * c[1] + R[0, 2] * c[2]
    m1 = R[1, 0] * c[0] + R[1, 1] * c[1] + R[1, 2] * c[2]
    m2 = R[2, 0] * c[0] + R[2, 1] * c[1] + R[2, 2] * c[2]
    w = -platform.mass * gravity
    w0, w1, w2 = w * R_WB[2, 0], w * R_WB[2, 1], w * R_WB[2, 2]
    t0, t1, t2 = t0 + m1 * w2 - m2 * w1, t1 + m2 * w0 - m0 * w2, t2 + m0 * w1 - m1 * w0
    # Virtual work: roll turns about x of the deck, pitch about y of the rover.
    by_roll = math.cos(platform.pitch) * t0 - math.sin(platform.pitch) * t2
    _, a, b = actuator_length(platform.top_P[0], platform.foot_B[0], platform.roll, platform.pitch)
    _, c_, d = actuator_length(platform.top_P[1], platform.foot_B[1], platform.roll, platform.pitch)
    scale = -1.0 / (a * d - b * c_)
    platform.force[0] = scale * (d * by_roll - c_ * t1)
    platform.force[1] = scale * (a * t1 - b * by_roll)


@kernel
def _normal(platform):
    """A normal number of its own sequence, by Box and Muller."""
    u, turn = _uniform(platform), _uniform(platform)
    return math.sqrt(-2.0 * math.log(u)) * math.cos(2.0 * math.pi * turn)


@kernel
def _uniform(platform):
    """Between 0 and 1: the next number, counted from a seed, with its 32 bits well mixed."""
    platform.random = (platform.random + 1) % WORD
    x = platform.random
    for _ in range(2):
        x = ((x >> 16) ^ x) * 73244475 % WORD
    return (((x >> 16) ^ x) + 0.5) / WORD
