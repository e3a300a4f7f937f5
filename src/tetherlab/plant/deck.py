"""What rides on the rover: deck and exit of the tether, on a platform that may turn, and how they load it."""

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import solve_3x3
from tetherlab.tether import model as M
from tetherlab.vehicles.platform import load_actuators, move_deck, sense_level

ROVER = 0


@kernel
def on_rover(platform, r):
    """Where a point of the deck is in the rover's frame, (3,); r: where it is while both are parallel."""
    if platform.present == 0:
        return r[0], r[1], r[2]
    o, R = platform.joint_B, platform.R_BP
    a0, a1, a2 = r[0] - o[0], r[1] - o[1], r[2] - o[2]
    return (
        o[0] + R[0, 0] * a0 + R[0, 1] * a1 + R[0, 2] * a2,
        o[1] + R[1, 0] * a0 + R[1, 1] * a1 + R[1, 2] * a2,
        o[2] + R[2, 0] * a0 + R[2, 1] * a1 + R[2, 2] * a2,
    )


@kernel
def motion_on_deck(plant, point):
    """Position and velocity of a point of the deck in the world, (6,)."""
    body, platform = plant.body[ROVER], plant.platform[0]
    r = on_rover(platform, point)
    R, p, v = body.R_WB, body.p_W, body.v_W
    a0 = R[0, 0] * r[0] + R[0, 1] * r[1] + R[0, 2] * r[2]
    a1 = R[1, 0] * r[0] + R[1, 1] * r[1] + R[1, 2] * r[2]
    a2 = R[2, 0] * r[0] + R[2, 1] * r[1] + R[2, 2] * r[2]
    w0, w1, w2 = rates_W(body)
    v0, v1, v2 = v[0] + w1 * a2 - w2 * a1, v[1] + w2 * a0 - w0 * a2, v[2] + w0 * a1 - w1 * a0
    if platform.present == 1:
        # And as the deck turns on the rover.
        w, o = platform.rate_B, platform.joint_B
        b0, b1, b2 = r[0] - o[0], r[1] - o[1], r[2] - o[2]
        u0, u1, u2 = w[1] * b2 - w[2] * b1, w[2] * b0 - w[0] * b2, w[0] * b1 - w[1] * b0
        v0 += R[0, 0] * u0 + R[0, 1] * u1 + R[0, 2] * u2
        v1 += R[1, 0] * u0 + R[1, 1] * u1 + R[1, 2] * u2
        v2 += R[2, 0] * u0 + R[2, 1] * u1 + R[2, 2] * u2
    return p[0] + a0, p[1] + a1, p[2] + a2, v0, v1, v2


@kernel
def rates_W(body):
    """Angular velocity in the world frame [rad/s]."""
    R, L = body.R_WB, body.L_W
    a0, a1, a2 = solve_3x3(
        body.inertia_B,
        R[0, 0] * L[0] + R[1, 0] * L[1] + R[2, 0] * L[2],
        R[0, 1] * L[0] + R[1, 1] * L[1] + R[2, 1] * L[2],
        R[0, 2] * L[0] + R[1, 2] * L[1] + R[2, 2] * L[2],
    )
    return (
        R[0, 0] * a0 + R[0, 1] * a1 + R[0, 2] * a2,
        R[1, 0] * a0 + R[1, 1] * a1 + R[1, 2] * a2,
        R[2, 0] * a0 + R[2, 1] * a1 + R[2, 2] * a2,
    )


@kernel
def level_deck(plant, h):
    """The platform, under what tether and drone did to it in the last step."""
    platform = plant.platform[0]
    if platform.present == 0:
        return
    R, t, g = plant.body[ROVER].R_WB, platform.torque_W, plant.memory.constants[10]
    load_actuators(
        platform, R, g,
        R[0, 0] * t[0] + R[1, 0] * t[1] + R[2, 0] * t[2],
        R[0, 1] * t[0] + R[1, 1] * t[1] + R[2, 1] * t[2],
        R[0, 2] * t[0] + R[1, 2] * t[1] + R[2, 2] * t[2],
    )  # fmt: skip
    _, _, _, v0, v1, v2 = motion_on_deck(plant, platform.sensor_B)
    sense_level(platform, R, v0, v1, v2, g, h)
    move_deck(platform, h)


@kernel
def place_deck(plant):
    """Put what rides on the rover where the rover is now."""
    body, platform = plant.body[ROVER], plant.platform[0]
    for i in range(plant.chassis.shape[0]):
        _place_at(plant.pose[plant.chassis[i]], body)
    for i in range(plant.deck.shape[0]):
        pose = plant.pose[plant.deck[i]]
        _place_at(pose, body)
        if platform.present == 1:
            pose[9], pose[10], pose[11] = _deck_origin(plant)
            R, Q = body.R_WB, platform.R_BP
            for k in range(3):
                for m in range(3):
                    pose[3 * k + m] = R[k, 0] * Q[0, m] + R[k, 1] * Q[1, m] + R[k, 2] * Q[2, m]


@kernel
def _place_at(pose, body):
    """The pose of a body."""
    for k in range(3):
        pose[9 + k] = body.p_W[k]
        for m in range(3):
            pose[3 * k + m] = body.R_WB[k, m]


@kernel
def _deck_origin(plant):
    """Where the deck has the origin of its shapes, the rover's centre while both are parallel, (3,)."""
    body, platform = plant.body[ROVER], plant.platform[0]
    if platform.present == 0:
        return body.p_W[0], body.p_W[1], body.p_W[2]
    o, Q, R = platform.joint_B, platform.R_BP, body.R_WB
    r0 = o[0] - Q[0, 0] * o[0] - Q[0, 1] * o[1] - Q[0, 2] * o[2]
    r1 = o[1] - Q[1, 0] * o[0] - Q[1, 1] * o[1] - Q[1, 2] * o[2]
    r2 = o[2] - Q[2, 0] * o[0] - Q[2, 1] * o[1] - Q[2, 2] * o[2]
    return (
        body.p_W[0] + R[0, 0] * r0 + R[0, 1] * r1 + R[0, 2] * r2,
        body.p_W[1] + R[1, 0] * r0 + R[1, 1] * r1 + R[1, 2] * r2,
        body.p_W[2] + R[2, 0] * r0 + R[2, 1] * r1 + R[2, 2] * r2,
    )


@kernel
def twist_deck(plant, h):
    """And let it move as rover and platform moved in this step."""
    body, platform = plant.body[ROVER], plant.platform[0]
    p, R, w = body.p_W, body.R_WB, platform.rate_B
    w0, w1, w2 = rates_W(body)
    for i in range(plant.chassis.shape[0]):
        who = plant.chassis[i]
        _twist(plant.field.twist[who], plant.pose[who], h, p[0], p[1], p[2], w0, w1, w2)
    if platform.present == 1:
        w0 += R[0, 0] * w[0] + R[0, 1] * w[1] + R[0, 2] * w[2]
        w1 += R[1, 0] * w[0] + R[1, 1] * w[1] + R[1, 2] * w[2]
        w2 += R[2, 0] * w[0] + R[2, 1] * w[1] + R[2, 2] * w[2]
    o0, o1, o2 = _deck_origin(plant)
    for i in range(plant.deck.shape[0]):
        who = plant.deck[i]
        _twist(plant.field.twist[who], plant.pose[who], h, o0, o1, o2, w0, w1, w2)


@kernel
def _twist(twist, pose, h, x, y, z, w0, w1, w2):
    """Of an object whose origin comes to (x, y, z) within the step."""
    twist[0], twist[1], twist[2] = (x - pose[9]) / h, (y - pose[10]) / h, (z - pose[11]) / h
    twist[3], twist[4], twist[5] = w0, w1, w2


@kernel
def load_rover(plant, exit_point):
    """Force and torque on the rover: the tether at the exit, and whatever stands or lies on its deck."""
    load, f, p = plant.load, plant.pull[ROVER], plant.body[ROVER].p_W
    r0, r1, r2 = exit_point[0] - p[0], exit_point[1] - p[1], exit_point[2] - p[2]
    for k in range(3):
        load[k] = f[k]
    load[3] = r1 * f[2] - r2 * f[1]
    load[4] = r2 * f[0] - r0 * f[2]
    load[5] = r0 * f[1] - r1 * f[0]
    platform = plant.platform[0]
    if platform.present == 1:
        _load_platform(plant, exit_point, f)
    duration = max(plant.memory.small[M.DURATION], 1e-12)
    for i in range(plant.chassis.shape[0]):
        _add_reaction(load, plant.memory.reaction[plant.chassis[i]], duration)
    o0, o1, o2 = _deck_origin(plant)
    for i in range(plant.deck.shape[0]):
        # About the object's origin, which is the rover's centre unless the deck has turned.
        reaction = plant.memory.reaction[plant.deck[i]]
        _add_reaction(load, reaction, duration)
        if platform.present == 1:
            _add_moment(load[3:6], o0 - p[0], o1 - p[1], o2 - p[2], reaction, duration)


@kernel
def _add_reaction(load, reaction, duration):
    """Mean of an impulse and angular impulse over the step."""
    for k in range(6):
        load[k] += reaction[k] / duration


@kernel
def _add_moment(torque, r0, r1, r2, impulse, duration):
    """Of the mean of an impulse at an arm."""
    torque[0] += (r1 * impulse[2] - r2 * impulse[1]) / duration
    torque[1] += (r2 * impulse[0] - r0 * impulse[2]) / duration
    torque[2] += (r0 * impulse[1] - r1 * impulse[0]) / duration


@kernel
def _load_platform(plant, exit_point, pull):
    """Torque about the universal joint: the tether at the exit, and whatever stands or lies on the deck."""
    platform, t = plant.platform[0], plant.platform[0].torque_W
    o0, o1, o2, _, _, _ = motion_on_deck(plant, platform.joint_B)
    t[0], t[1], t[2] = 0.0, 0.0, 0.0
    _add_moment(t, exit_point[0] - o0, exit_point[1] - o1, exit_point[2] - o2, pull, 1.0)
    duration = max(plant.memory.small[M.DURATION], 1e-12)
    x, y, z = _deck_origin(plant)
    for i in range(plant.deck.shape[0]):
        reaction = plant.memory.reaction[plant.deck[i]]
        for k in range(3):
            t[k] += reaction[3 + k] / duration
        _add_moment(t, x - o0, y - o1, z - o2, reaction, duration)
