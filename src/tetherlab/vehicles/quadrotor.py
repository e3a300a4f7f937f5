"""A multirotor: rotors with lag and limits, the autopilot that turns it, and the drag of the air.

Its autopilot takes a force that the rotors shall exert on the body, in the world frame, and a heading. It
tilts the body so that the thrust points along the force, and shares thrust and moments among the rotors.
Where these cannot do all of it, heading gives way first, then thrust; attitude is kept.
"""

import math

import numpy as np

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import body_rates

ROTORS_MAX = 8

QUADROTOR = np.dtype(
    [
        ("body", np.int64),  # of a plant, that it flies
        ("rotor_count", np.int64),
        ("rotor_B", np.float64, (ROTORS_MAX, 3)),  # from the centre of mass [m]
        ("rotor_radius", np.float64),  # of their discs [m]
        ("direction", np.float64, (ROTORS_MAX,)),  # +1: its drag turns the body about +z
        ("thrust_coefficient", np.float64),  # thrust = coefficient speed^2 [N s^2]
        ("torque_coefficient", np.float64),  # [N m s^2]
        ("speed_min", np.float64),  # [rad/s]
        ("speed_max", np.float64),
        ("time_constant", np.float64),  # of the rotor speed [s]
        ("drag_linear_B", np.float64, (3,)),  # force = -drag (velocity through the air) [N s/m]
        ("drag_quadratic", np.float64),  # force = -drag |w| w, air density included [N s^2/m^2]
        ("allocation", np.float64, (4, ROTORS_MAX)),  # thrusts of the rotors -> thrust, moments about x, y, z
        ("sharing", np.float64, (ROTORS_MAX, 4)),  # the reverse
        # autopilot
        ("attitude_gain", np.float64),  # [rad/s^2 per rad]
        ("rate_gain", np.float64),  # [1/s]
        ("yaw_gain", np.float64),
        ("yaw_rate_gain", np.float64),
        ("tilt_max", np.float64),  # [rad]
        # state
        ("armed", np.int64),  # 0: the rotors stand still
        ("speed", np.float64, (ROTORS_MAX,)),  # of the rotors [rad/s]
        # what was done in the last step
        ("thrust", np.float64),  # sum of the rotors [N]
        ("saturated", np.int64),  # 1: a rotor was at its limit
    ]
)


@kernel
def fly(drone, body, wind, force, yaw, h):
    """Set force and torque of the body for a step h: autopilot, rotors, drag.

    wind: velocity of the air (3,) [m/s]. force: wanted of the rotors (3,), world frame [N]. yaw [rad].
    """
    R = body.R_WB
    w0, w1, w2 = body_rates(body)
    thrust, m0, m1, m2 = _autopilot(drone, body, force, yaw, w0, w1, w2)
    _turn_rotors(drone, thrust, m0, m1, m2, h)
    total, m0, m1, m2 = 0.0, 0.0, 0.0, 0.0
    for i in range(drone.rotor_count):
        square = drone.speed[i] * drone.speed[i]
        lift = drone.thrust_coefficient * square
        total += lift
        m0 += drone.rotor_B[i, 1] * lift
        m1 -= drone.rotor_B[i, 0] * lift
        m2 += drone.direction[i] * drone.torque_coefficient * square
    drone.thrust = total
    a0, a1, a2 = body.v_W[0] - wind[0], body.v_W[1] - wind[1], body.v_W[2] - wind[2]
    speed = math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
    b0 = R[0, 0] * a0 + R[1, 0] * a1 + R[2, 0] * a2
    b1 = R[0, 1] * a0 + R[1, 1] * a1 + R[2, 1] * a2
    b2 = R[0, 2] * a0 + R[1, 2] * a1 + R[2, 2] * a2
    f0 = -(drone.drag_linear_B[0] + drone.drag_quadratic * speed) * b0
    f1 = -(drone.drag_linear_B[1] + drone.drag_quadratic * speed) * b1
    f2 = total - (drone.drag_linear_B[2] + drone.drag_quadratic * speed) * b2
    for i in range(3):
        body.force_W[i] = R[i, 0] * f0 + R[i, 1] * f1 + R[i, 2] * f2
        body.torque_W[i] = R[i, 0] * m0 + R[i, 1] * m1 + R[i, 2] * m2


@kernel
def _autopilot(drone, body, force, yaw, w0, w1, w2):
    """Thrust [N] and moments about the body's axes [N m] that bring the thrust onto the wanted force."""
    R = body.R_WB
    f0, f1, f2 = force[0], force[1], max(force[2], 1e-3)
    level = math.sqrt(f0 * f0 + f1 * f1)
    most = f2 * math.tan(drone.tilt_max)
    if level > most:
        f0, f1 = f0 * most / level, f1 * most / level
    size = math.sqrt(f0 * f0 + f1 * f1 + f2 * f2)
    z0, z1, z2 = f0 / size, f1 / size, f2 / size
    # Error of the tilt: the rotation that takes the body's z axis to the wanted one, in the body frame.
    b0 = R[0, 0] * z0 + R[1, 0] * z1 + R[2, 0] * z2
    b1 = R[0, 1] * z0 + R[1, 1] * z1 + R[2, 1] * z2
    b2 = R[0, 2] * z0 + R[1, 2] * z1 + R[2, 2] * z2
    sine = math.sqrt(b0 * b0 + b1 * b1)
    angle = math.atan2(sine, b2)
    ratio = angle / sine if sine > 1e-9 else 1.0
    e0, e1 = -b1 * ratio, b0 * ratio
    heading = math.atan2(R[1, 0], R[0, 0])
    e2 = yaw - heading
    e2 -= 2.0 * math.pi * math.floor(e2 / (2.0 * math.pi) + 0.5)
    a0 = drone.attitude_gain * e0 - drone.rate_gain * w0
    a1 = drone.attitude_gain * e1 - drone.rate_gain * w1
    a2 = drone.yaw_gain * e2 - drone.yaw_rate_gain * w2
    inertia = body.inertia_B
    c0 = inertia[0, 0] * w0 + inertia[0, 1] * w1 + inertia[0, 2] * w2
    c1 = inertia[1, 0] * w0 + inertia[1, 1] * w1 + inertia[1, 2] * w2
    c2 = inertia[2, 0] * w0 + inertia[2, 1] * w1 + inertia[2, 2] * w2
    m0 = inertia[0, 0] * a0 + inertia[0, 1] * a1 + inertia[0, 2] * a2 + w1 * c2 - w2 * c1
    m1 = inertia[1, 0] * a0 + inertia[1, 1] * a1 + inertia[1, 2] * a2 + w2 * c0 - w0 * c2
    m2 = inertia[2, 0] * a0 + inertia[2, 1] * a1 + inertia[2, 2] * a2 + w0 * c1 - w1 * c0
    # Only what points along the body's own axis can be had at once.
    return size * max(b2, 0.0), m0, m1, m2


@kernel
def _turn_rotors(drone, thrust, m0, m1, m2, h):
    """Let the rotor speeds follow what thrust and moments ask of them."""
    n = drone.rotor_count
    most = drone.thrust_coefficient * drone.speed_max**2
    least = drone.thrust_coefficient * drone.speed_min**2
    S = drone.sharing
    drone.saturated = 0
    share_yaw = 1.0
    for i in range(n):
        # How much of the yaw moment fits while the rotor carries its share of thrust and tilt.
        base = S[i, 0] * thrust + S[i, 1] * m0 + S[i, 2] * m1
        more = S[i, 3] * m2
        room = most - base if more > 0.0 else base - least
        if abs(more) > max(room, 0.0):
            share_yaw = min(share_yaw, max(room, 0.0) / abs(more))
            drone.saturated = 1
    highest, lowest = -1e300, 1e300
    for i in range(n):
        lift = S[i, 1] * m0 + S[i, 2] * m1 + S[i, 3] * share_yaw * m2
        highest, lowest = max(highest, lift), min(lowest, lift)
    # Thrust gives way so that the tilt can be kept.
    common = S[0, 0] * thrust
    if common + highest > most:
        common, drone.saturated = most - highest, 1
    if common + lowest < least:
        common, drone.saturated = least - lowest, 1
    pace = 1.0 - math.exp(-h / drone.time_constant)
    for i in range(n):
        lift = common + S[i, 1] * m0 + S[i, 2] * m1 + S[i, 3] * share_yaw * m2
        lift = min(max(lift, least), most)
        wanted = math.sqrt(lift / drone.thrust_coefficient) if drone.armed == 1 else 0.0
        drone.speed[i] += pace * (wanted - drone.speed[i])


def fill_allocation(drone: np.void) -> None:
    """Write what the rotors can do, and how thrust and moments are shared among them."""
    n = int(drone["rotor_count"])
    p, ratio = drone["rotor_B"][:n], drone["torque_coefficient"] / drone["thrust_coefficient"]
    rows = np.array([np.ones(n), p[:, 1], -p[:, 0], drone["direction"][:n] * ratio])
    drone["allocation"][:, :n] = rows
    drone["sharing"][:n] = np.linalg.pinv(rows)
