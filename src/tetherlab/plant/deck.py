"""The deck of a rover and the exit of its tether, on a platform that may turn, and how these are loaded."""

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import solve_3x3
from tetherlab.tether.model import memory_row, open_state
from tetherlab.vehicles.platform import load_actuators, move_deck, sense_level


@kernel
def on_body(platform, r):
    """Where a point of the deck is in the frame of its body, (3,); r: where it is while both are parallel."""
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
def find_stand(plant, i):
    """Where a drone stands on berth i now."""
    berth = plant.berth[i]
    body, r = plant.graph.body[berth.body], on_body(plant.platform[i], berth.stand_B)
    R, p = body.R_WB, body.p_W
    for k in range(3):
        berth.stand_W[k] = p[k] + R[k, 0] * r[0] + R[k, 1] * r[1] + R[k, 2] * r[2]


@kernel
def _velocity(body, platform, point):
    """Of a point of the deck in the world [m/s], (3,)."""
    r, o, w = on_body(platform, point), platform.joint_B, platform.rate_B
    R, v = body.R_WB, body.v_W
    # As the deck turns on the body, and with the body.
    b0, b1, b2 = r[0] - o[0], r[1] - o[1], r[2] - o[2]
    u0, u1, u2 = w[1] * b2 - w[2] * b1, w[2] * b0 - w[0] * b2, w[0] * b1 - w[1] * b0
    a0 = R[0, 0] * r[0] + R[0, 1] * r[1] + R[0, 2] * r[2]
    a1 = R[1, 0] * r[0] + R[1, 1] * r[1] + R[1, 2] * r[2]
    a2 = R[2, 0] * r[0] + R[2, 1] * r[1] + R[2, 2] * r[2]
    w0, w1, w2 = rates_W(body)
    return (
        v[0] + w1 * a2 - w2 * a1 + R[0, 0] * u0 + R[0, 1] * u1 + R[0, 2] * u2,
        v[1] + w2 * a0 - w0 * a2 + R[1, 0] * u0 + R[1, 1] * u1 + R[1, 2] * u2,
        v[2] + w0 * a1 - w1 * a0 + R[2, 0] * u0 + R[2, 1] * u1 + R[2, 2] * u2,
    )


@kernel
def level_deck(plant, i, h):
    """The platform of berth i moves, under what loaded it in the last step; exit and deck with it."""
    berth, platform, graph = plant.berth[i], plant.platform[i], plant.graph
    if platform.present == 0:
        return
    body = graph.body[berth.body]
    R, t, g = body.R_WB, platform.torque_W, graph.gravity
    load_actuators(
        platform, R, g,
        R[0, 0] * t[0] + R[1, 0] * t[1] + R[2, 0] * t[2],
        R[0, 1] * t[0] + R[1, 1] * t[1] + R[2, 1] * t[2],
        R[0, 2] * t[0] + R[1, 2] * t[1] + R[2, 2] * t[2],
    )  # fmt: skip
    v0, v1, v2 = _velocity(body, platform, platform.sensor_B)
    sense_level(platform, R, v0, v1, v2, g, h)
    move_deck(platform, h)
    r, tie = on_body(platform, berth.exit_B), graph.tie[berth.tether, 0]
    for k in range(3):
        tie.slide_B[k] = (r[k] - tie.r_B[k]) / h
    if berth.ride >= 0:
        _turn_ride(graph.ride[berth.ride], platform)


@kernel
def _turn_ride(ride, platform):
    """The deck lies on the body as the platform has it at the end of the step."""
    o, Q, w, r = platform.joint_B, platform.R_BP, platform.rate_B, ride.r_B
    for k in range(3):
        r[k] = o[k] - Q[k, 0] * o[0] - Q[k, 1] * o[1] - Q[k, 2] * o[2]
        ride.twist_B[3 + k] = w[k]
        for m in range(3):
            ride.R_BO[k, m] = Q[k, m]
    b0, b1, b2 = r[0] - o[0], r[1] - o[1], r[2] - o[2]
    ride.twist_B[0] = w[1] * b2 - w[2] * b1
    ride.twist_B[1] = w[2] * b0 - w[0] * b2
    ride.twist_B[2] = w[0] * b1 - w[1] * b0


@kernel
def feel_load(plant, i, h):
    """Torque about the joint of a platform: its tether at the exit, and what stands or lies on the deck."""
    berth, platform, graph = plant.berth[i], plant.platform[i], plant.graph
    if platform.present == 0:
        return
    body, t, o = graph.body[berth.body], platform.torque_W, platform.joint_B
    R, p = body.R_WB, body.p_W
    j0 = p[0] + R[0, 0] * o[0] + R[0, 1] * o[1] + R[0, 2] * o[2]
    j1 = p[1] + R[1, 0] * o[0] + R[1, 1] * o[1] + R[1, 2] * o[2]
    j2 = p[2] + R[2, 0] * o[0] + R[2, 1] * o[1] + R[2, 2] * o[2]
    t[0], t[1], t[2] = 0.0, 0.0, 0.0
    state = open_state(memory_row(graph.memories, berth.tether))
    x = state.x[0]
    _add_moment(t, x[0] - j0, x[1] - j1, x[2] - j2, state.impulse[0], h)
    if berth.deck < 0:
        return
    at = plant.field.pose[berth.deck]
    _add_reaction(t, at[9] - j0, at[10] - j1, at[11] - j2, graph.reaction[berth.deck], h)
    for k in range(plant.line.shape[0]):
        reaction = open_state(memory_row(graph.memories, k)).reaction[berth.deck]
        _add_reaction(t, at[9] - j0, at[10] - j1, at[11] - j2, reaction, h)


@kernel
def _add_reaction(torque, r0, r1, r2, reaction, duration):
    """Mean of an impulse and angular impulse at an arm."""
    for k in range(3):
        torque[k] += reaction[3 + k] / duration
    _add_moment(torque, r0, r1, r2, reaction, duration)


@kernel
def _add_moment(torque, r0, r1, r2, impulse, duration):
    """Of the mean of an impulse at an arm."""
    torque[0] += (r1 * impulse[2] - r2 * impulse[1]) / duration
    torque[1] += (r2 * impulse[0] - r0 * impulse[2]) / duration
    torque[2] += (r0 * impulse[1] - r1 * impulse[0]) / duration
