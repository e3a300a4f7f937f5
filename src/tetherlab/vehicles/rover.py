"""A ground robot on wheels: each wheel is a sphere that touches, steers and turns.

The motor of a wheel follows a speed with a limited torque. The wheel lays the anchor of its contact ahead as
fast as it turns, in the direction in which it is steered; friction does the rest. So the robot drives,
slides, tips, follows terrain and can be lifted, with no other model.
"""

import math

import numpy as np

from tetherlab.math.kernel import kernel

WHEELS_MAX = 6

ROVER = np.dtype(
    [
        ("body", np.int64),  # of a plant, that it drives
        ("wheel_count", np.int64),  # the first spheres of the body are its wheels
        ("wheel_B", np.float64, (WHEELS_MAX, 3)),  # [m]
        ("wheel_radius", np.float64),  # [m]
        ("wheel_inertia", np.float64),  # about its axle, motor and gear included [kg m^2]
        ("wheel_speed_max", np.float64),  # [rad/s]
        ("wheel_torque_max", np.float64),  # [N m]
        ("rolling_resistance", np.float64),  # of the load on the wheel
        ("steers", np.int64),  # 1: each wheel steers, 0: none (differential drive)
        ("steering_angle_max", np.float64),  # to each side [rad]
        ("steering_rate_max", np.float64),  # [rad/s]
        ("half_track", np.float64),  # of a differential drive [m]
        # state
        ("wheel_speed", np.float64, (WHEELS_MAX,)),  # [rad/s]
        ("steering", np.float64, (WHEELS_MAX,)),  # [rad]
        ("drive_power", np.float64),  # of all motors in the last step [W]
        ("reaction_W", np.float64, (3,)),  # on the body, of wheels that spin faster or slower [N m]
    ]
)


@kernel
def drive(rover, body, contacts, vx, vy, turn, h):
    """Steer and turn the wheels for a step h so that the robot moves with (vx, vy) and `turn`, body frame.

    vx, vy [m/s], turn [rad/s]. The contacts' anchors then move on as the wheels roll.
    """
    R = body.R_WB
    rover.drive_power = 0.0
    for i in range(3):
        rover.reaction_W[i] = 0.0
    for k in range(rover.wheel_count):
        x, y = rover.wheel_B[k, 0], rover.wheel_B[k, 1]
        if rover.steers == 1:
            wanted = _steer(rover, k, vx - turn * y, vy + turn * x, h)
        else:
            side = 1.0 if y > 0.0 else -1.0
            wanted = (vx - side * turn * rover.half_track) / rover.wheel_radius
        wanted = min(max(wanted, -rover.wheel_speed_max), rover.wheel_speed_max)
        c, s = math.cos(rover.steering[k]), math.sin(rover.steering[k])
        d0, d1, d2 = (
            R[0, 0] * c + R[0, 1] * s,
            R[1, 0] * c + R[1, 1] * s,
            R[2, 0] * c + R[2, 1] * s,
        )
        contact = contacts[k]
        pull, load = 0.0, 0.0
        if contact.active == 1:
            # Along the ground.
            n = contact.normal_W
            up = d0 * n[0] + d1 * n[1] + d2 * n[2]
            d0, d1, d2 = d0 - up * n[0], d1 - up * n[1], d2 - up * n[2]
            size = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2) + 1e-12
            d0, d1, d2 = d0 / size, d1 / size, d2 / size
            f = contact.force_W
            pull, load = f[0] * d0 + f[1] * d1 + f[2] * d2, contact.normal_force
        before = rover.wheel_speed[k]
        speed = _turn_wheel(rover, body, k, wanted, pull, load, h)
        spin_up = rover.wheel_inertia * (speed - before) / h
        for i in range(3):
            # About the axle, which points to the left of the wheel.
            rover.reaction_W[i] -= spin_up * (c * R[i, 1] - s * R[i, 0])
        roll = speed * rover.wheel_radius
        contact.roll_W[0], contact.roll_W[1], contact.roll_W[2] = roll * d0, roll * d1, roll * d2


@kernel
def _steer(rover, k, vx, vy, h):
    """Steer wheel k towards a velocity, forwards or backwards; its wanted speed [rad/s]."""
    speed = math.sqrt(vx * vx + vy * vy)
    if speed < 1e-6:
        return 0.0
    # Forwards or backwards, each as far as the stops let it turn: what gets along better, or is nearer.
    most = rover.steering_angle_max
    ahead = math.atan2(vy, vx)
    back = ahead - math.copysign(math.pi, ahead)
    angle, other = min(max(ahead, -most), most), min(max(back, -most), most)
    share, share_back, sign = math.cos(angle - ahead), math.cos(other - back), 1.0
    nearer = abs(other - rover.steering[k]) < abs(angle - rover.steering[k])
    if share_back > share + 1e-6 or (share_back > share - 1e-6 and nearer):
        angle, share, sign = other, share_back, -1.0
    error = angle - rover.steering[k]
    step = rover.steering_rate_max * h
    rover.steering[k] += min(max(error, -step), step)
    # It waits until it points the right way.
    return sign * share * speed * math.cos(error) / rover.wheel_radius if abs(error) < 0.3 else 0.0


@kernel
def _turn_wheel(rover, body, k, wanted, pull, load, h):
    """New speed of wheel k: its motor goes for the wanted one with what torque it has [rad/s]."""
    speed, r = rover.wheel_speed[k], rover.wheel_radius
    # A wheel that turns faster than the robot drives winds up the ground's friction spring within the step.
    inertia = rover.wheel_inertia + (body.stiffness * h * h * r * r if load > 0.0 else 0.0)
    drag = 0.0
    if load > 0.0 and abs(speed) > 1e-3:
        drag = math.copysign(rover.rolling_resistance * load * r, speed)
    torque = inertia * (wanted - speed) / h + pull * r + drag
    torque = min(max(torque, -rover.wheel_torque_max), rover.wheel_torque_max)
    rover.drive_power += torque * speed
    rover.wheel_speed[k] = speed + h * (torque - pull * r - drag) / inertia
    return rover.wheel_speed[k]
