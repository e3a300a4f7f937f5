"""The laws of the controllers that come with the package: compiled, so that a run need not ask Python.

The settings of a law are a record; what it remembers is handed to it.
"""

import math

import numpy as np

from tetherlab.math.kernel import kernel
from tetherlab.vehicles.winch import LENGTH, TENSION

FLIGHT = np.dtype(
    [
        ("mass", "f8"),  # that it believes the drone to have [kg]
        ("gravity", "f8"),  # [m/s^2]
        ("bandwidth", "f8"),  # [rad/s]
        ("acceleration_max", "f8"),  # [m/s^2]
        ("filter_share", "f8"),  # of the tether's pull now in what is fed forward; 0: that stays as it is
        ("dt", "f8"),  # between two calls [s]
    ],
    align=True,
)

DRIVE = np.dtype(
    [
        ("holonomic", "i8"),
        ("gain", "f8"),  # speed per error [1/s]
        ("integral_gain", "f8"),  # [1/s^2]
        ("turn_gain", "f8"),  # [1/s]
        ("speed_max", "f8"),  # [m/s]
        ("turn_max", "f8"),  # [rad/s]
        ("stop_within", "f8"),  # of a point at rest [m]
        ("keeps_yaw", "i8"),  # a heading of its own if holonomic, not that of the reference
        ("yaw", "f8"),  # [rad]
        ("dt", "f8"),  # between two calls [s]
    ],
    align=True,
)

REEL = np.dtype(
    [
        ("by_trajectory", "i8"),  # whether the slack of the target stands for `factor`, where it has one
        ("factor", "f8"),  # length over distance
        ("margin", "f8"),  # [m]
        ("keeps_tension", "i8"),  # not a length
        ("tension", "f8"),  # [N]
    ],
    align=True,
)


@kernel
def flight_law(law, p, v, tether_force, p_ref, v_ref, a_ref, integral, pull, force):
    """The force that the rotors shall exert [N]; integral [m s] and pull [N] are what it remembers."""
    w, most = law.bandwidth, law.acceleration_max
    # (s + w)^3 = s^3 + 3 w s^2 + 3 w^2 s + w^3
    square = 0.0
    for i in range(3):
        pull[i] += (tether_force[i] - pull[i]) * law.filter_share
        force[i] = (
            a_ref[i] + 3.0 * w * (v_ref[i] - v[i]) + 3.0 * w * w * (p_ref[i] - p[i]) + w**3 * integral[i]
        )
        square += force[i] * force[i]
    size = math.sqrt(square)
    if size > most:
        for i in range(3):
            force[i] *= most / size
    else:
        # The integral waits while the command is limited.
        for i in range(3):
            integral[i] += law.dt * (p_ref[i] - p[i])
    for i in range(3):
        force[i] = law.mass * force[i] - pull[i]
    force[2] += law.mass * law.gravity


@kernel
def drive_law(law, p, R, p_ref, v_ref, yaw_ref, integral):
    """Velocity forward and left [m/s] and turn [rad/s]; integral [m s], (2,), is what it remembers."""
    ex, ey = p_ref[0] - p[0], p_ref[1] - p[1]
    if v_ref[0] == 0.0 and v_ref[1] == 0.0 and math.hypot(ex, ey) < law.stop_within:
        return 0.0, 0.0, 0.0
    vx = v_ref[0] + law.gain * ex + law.integral_gain * integral[0]
    vy = v_ref[1] + law.gain * ey + law.integral_gain * integral[1]
    speed, most, turn_max = math.hypot(vx, vy), law.speed_max, law.turn_max
    if speed > most:
        vx, vy = vx * most / speed, vy * most / speed
    else:
        # The integral waits while the command is limited.
        integral[0] += law.dt * ex
        integral[1] += law.dt * ey
    heading = math.atan2(R[1, 0], R[0, 0])
    if law.holonomic == 1:
        yaw = law.yaw if law.keeps_yaw == 1 else yaw_ref
        turn = law.turn_gain * _turned(yaw - heading)
        c, s = math.cos(heading), math.sin(heading)
        return c * vx + s * vy, c * vy - s * vx, min(max(turn, -turn_max), turn_max)
    error = _turned(math.atan2(vy, vx) - heading)
    back = abs(error) > 0.5 * math.pi  # it may as well go backwards
    if back:
        error = _turned(error + math.pi)
    forward = math.hypot(vx, vy) * max(math.cos(error), 0.0) ** 3
    return -forward if back else forward, 0.0, min(max(law.turn_gain * error, -turn_max), turn_max)


@kernel
def _turned(angle):
    """The same angle between -pi and pi."""
    return angle - 2.0 * math.pi * math.floor(angle / (2.0 * math.pi) + 0.5)


@kernel
def reel_law(law, winch, drone, winch_velocity, drone_velocity, slack):
    """Mode of the winch, the length [m] or tension [N] to keep, and the speed to expect meanwhile [m/s].

    drone_velocity: as it should be, not as it is: the winch would answer to its trembling, and make the
    tether tremble. slack: length over distance that the target asks for, or NaN.
    """
    square, product = 1e-12, 0.0
    for i in range(3):
        square += (drone[i] - winch[i]) ** 2
        product += (drone[i] - winch[i]) * (drone_velocity[i] - winch_velocity[i])
    apart = math.sqrt(square)
    parting = product / apart
    if law.keeps_tension == 1:
        return TENSION, law.tension, parting
    factor = slack if law.by_trajectory == 1 and slack == slack else law.factor
    return LENGTH, factor * apart + law.margin, factor * parting
