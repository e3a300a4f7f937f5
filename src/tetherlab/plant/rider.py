"""Obstacles that ride on bodies: where they are, who sees them, and which bodies may meet them.

The frame of a riding object is that of its body, with the origin at the centre of mass, unless something
turns it there (`R_BO`, `r_B`, at the end of a call, and `twist_B`). Nobody prescribes how it moves: it is
where the body is at the start of a step, and at each iterate of Newton's method where the body is then.
Objects that ride lie far away in the field but while somebody asks who may touch them: a body never touches
what rides on itself, and whoever is far off has no cost.
"""

import math

from tetherlab.math.kernel import kernel, njit
from tetherlab.math.rigid_body import body_rates
from tetherlab.plant.pair_contact import LEAVE, REACH

FAR = 1e9  # where riders are that nobody sees: farther than any obstacle counts [m]


@kernel
def hide_riders(graph, field):
    """Put all riders out of the way."""
    for e in range(graph.ride.shape[0]):
        who = graph.ride[e].object
        field.pose[who, 9] = FAR
        for k in range(6):
            field.twist[who, k] = 0.0


@kernel
def show_riders(graph, field, b):
    """Put those riders in place that the feet of body b may touch."""
    for e in range(graph.ride.shape[0]):
        if graph.meets[b, graph.ride[e].body] == 1:
            show_ride(graph.ride[e], field)


@kernel
def show_ride(ride, field):
    """Put a rider in place."""
    pose, twist = field.pose[ride.object], field.twist[ride.object]
    for k in range(12):
        pose[k] = ride.pose_W[k]
    for k in range(6):
        twist[k] = ride.twist_W[k]


@kernel
def ride_along(graph):
    """Poses and twists of all riders as their bodies are now."""
    for e in range(graph.ride.shape[0]):
        ride = graph.ride[e]
        body = graph.body[ride.body]
        w, R = body_rates(body), body.R_WB
        for k in range(3):
            ride.pose_W[9 + k] = body.p_W[k]
            ride.twist_W[k] = body.v_W[k]
            ride.twist_W[3 + k] = R[k, 0] * w[0] + R[k, 1] * w[1] + R[k, 2] * w[2]
        _place_on(ride, R, R)


@kernel
def ride_on(graph, h):
    """The same at the end of the step, at the iterate; the twist is the mean one of the step."""
    for e in range(graph.ride.shape[0]):
        ride = graph.ride[e]
        body = graph.body[ride.body]
        for k in range(3):
            ride.pose_W[9 + k] = body.p_W[k] + h * body.u[k]
        for k in range(6):
            ride.twist_W[k] = body.u[k]
        _place_on(ride, body.R_WB, body.R_next)


@kernel
def _place_on(ride, R, R_next):
    """From pose and twist of the body to those of the object; R, R_next: at start and end of the step."""
    pose, twist, Q, r, t = ride.pose_W, ride.twist_W, ride.R_BO, ride.r_B, ride.twist_B
    for k in range(3):
        for m in range(3):
            pose[3 * k + m] = R_next[k, 0] * Q[0, m] + R_next[k, 1] * Q[1, m] + R_next[k, 2] * Q[2, m]
        pose[9 + k] += R_next[k, 0] * r[0] + R_next[k, 1] * r[1] + R_next[k, 2] * r[2]
    w0, w1, w2 = twist[3], twist[4], twist[5]
    a0 = a1 = a2 = 0.0
    for m in range(3):
        a0 += 0.5 * (R[0, m] + R_next[0, m]) * r[m]
        a1 += 0.5 * (R[1, m] + R_next[1, m]) * r[m]
        a2 += 0.5 * (R[2, m] + R_next[2, m]) * r[m]
    twist[0] += w1 * a2 - w2 * a1
    twist[1] += w2 * a0 - w0 * a2
    twist[2] += w0 * a1 - w1 * a0
    for k in range(3):
        for m in range(3):
            turned = 0.5 * (R[k, m] + R_next[k, m])
            twist[k] += turned * t[m]
            twist[3 + k] += turned * t[3 + m]


@kernel
def place_riders(graph, field):
    """Leave all riders in the field where their bodies are now."""
    ride_along(graph)
    for e in range(graph.ride.shape[0]):
        show_ride(graph.ride[e], field)


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def find_near_riders(body, ride, bounds, dt, meets):
    """Update whose feet may touch riders of whom within dt, meets (bodies, bodies); True if that has changed.

    What is -1 in `meets` never touches, and stays so: bodies that a joint holds together, say.
    bounds: balls round the objects of the field, (objects, 4).
    """
    changed = False
    for a in range(body.shape[0]):
        for c in range(body.shape[0]):
            if c == a or body[a].point_count == 0 or meets[a, c] < 0:
                continue
            now = 0
            for e in range(ride.shape[0]):
                if ride[e].body == c and now == 0:
                    gap, closing = _rider_gap(body[a], body[c], bounds[ride[e].object])
                    reach = (LEAVE if meets[a, c] == 1 else 1.0) * (REACH + 2.0 * dt * closing)
                    now = 1 if gap < reach else 0
            if now != meets[a, c]:
                meets[a, c] = now
                changed = True
    return changed


@kernel
def _rider_gap(a, c, ball):
    """Distance of the spheres of body a from a ball that rides on body c [m], and their closing speed."""
    R, Q, gap, arm = a.R_WB, c.R_WB, 1e300, 0.0
    for k in range(a.point_count):
        r, square = a.point_B[k], 0.0
        for i in range(3):
            d = a.p_W[i] + R[i, 0] * r[0] + R[i, 1] * r[1] + R[i, 2] * r[2]
            d -= c.p_W[i] + Q[i, 0] * ball[0] + Q[i, 1] * ball[1] + Q[i, 2] * ball[2]
            square += d * d
        gap = min(gap, math.sqrt(square) - ball[3] - a.point_radius[k])
        arm = max(arm, math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) + a.point_radius[k])
    far = math.sqrt(ball[0] * ball[0] + ball[1] * ball[1] + ball[2] * ball[2]) + ball[3]
    v, w = a.v_W, c.v_W
    closing = math.sqrt((v[0] - w[0]) ** 2 + (v[1] - w[1]) ** 2 + (v[2] - w[2]) ** 2)
    return gap, closing + arm * turning(a) + far * turning(c)


@kernel
def turning(body):
    """How fast the body turns [rad/s]."""
    w = body_rates(body)
    return math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
