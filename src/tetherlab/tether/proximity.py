"""Which nodes and elements may touch something in this step, and how far they may travel.

Distance changes no faster than a point moves. Each node therefore keeps a clearance that is only lowered by
what it travels, and the field is asked again when that is used up: a tether in free space costs nothing here.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.tether.ask import distance
from tetherlab.tether.model import COUNT, KIND_BASE, PRESCRIBED, RIGID, open_model, open_state

GOLDEN = 0.6180339887498949
STALE = 2e-4  # an element that may have moved so far is measured again [m]


@kernel
def closest_on_segment(field, ax, ay, az, bx, by, bz, enough):
    """Smallest distance along a segment and where (0 at a, 1 at b); stops early above `enough`."""
    dx, dy, dz = bx - ax, by - ay, bz - az
    half = 0.5 * math.sqrt(dx * dx + dy * dy + dz * dz)
    middle = distance(field, ax + 0.5 * dx, ay + 0.5 * dy, az + 0.5 * dz)
    if middle - half > enough:
        return middle - half, 0.5
    best, where = middle, 0.5
    for k in range(7):
        if k != 3:
            t = k / 6.0
            d = distance(field, ax + t * dx, ay + t * dy, az + t * dz)
            if d < best:
                best, where = d, t
    low, high = max(where - 1.0 / 6.0, 0.0), min(where + 1.0 / 6.0, 1.0)
    s = high - GOLDEN * (high - low)
    t = low + GOLDEN * (high - low)
    d_s = distance(field, ax + s * dx, ay + s * dy, az + s * dz)
    d_t = distance(field, ax + t * dx, ay + t * dy, az + t * dz)
    for _ in range(10):
        if d_s < d_t:
            high, t, d_t = t, s, d_s
            s = high - GOLDEN * (high - low)
            d_s = distance(field, ax + s * dx, ay + s * dy, az + s * dz)
        else:
            low, s, d_s = s, t, d_t
            t = low + GOLDEN * (high - low)
            d_t = distance(field, ax + t * dx, ay + t * dy, az + t * dz)
    if d_s < best:
        best, where = d_s, s
    if d_t < best:
        best, where = d_t, t
    return best, where


@kernel
def obstacle_speed(field):
    """No point of any obstacle moves faster than this [m/s]."""
    fastest = 0.0
    for i in range(field.objects.shape[0]):
        if field.objects[i, 1] == 1:
            t, c = field.twist[i], field.bounds[i]
            reach = math.sqrt(c[0] ** 2 + c[1] ** 2 + c[2] ** 2) + c[3]
            turning = math.sqrt(t[3] ** 2 + t[4] ** 2 + t[5] ** 2)
            speed = math.sqrt(t[0] ** 2 + t[1] ** 2 + t[2] ** 2)
            if turning > 0.0:
                speed += turning * reach
            fastest = max(fastest, speed)
    return fastest


@kernel
def survey(memory, field, h, travel_max, obstacles):
    """Mark what is near enough to touch within a step h; returns (anything near, longest step allowed [s]).

    travel_max: how far a point may go within one step where something is near [m].
    obstacles: speed of the fastest obstacle [m/s].
    """
    model, state = open_model(memory), open_state(memory)
    count = state.number[COUNT]
    x, v, contact, wrap = state.x, state.v, state.contact, state.wrap
    any_near = False
    longest = 1e9
    radius = model.radius
    margin = radius + 0.8 * model.element_length
    for i in range(count + 1):
        speed = math.sqrt(v[i, 0] ** 2 + v[i, 1] ** 2 + v[i, 2] ** 2) + obstacles
        reach = 2.0 * h * speed + travel_max
        held = (i == 0 and state.number[KIND_BASE] == PRESCRIBED) or (
            i == count and state.number[KIND_BASE + 1] == PRESCRIBED
        )
        if held:  # by the user's hand, whatever is there
            contact[i].active, contact[i].touching, contact[i].stored = 0, 0, 0.0
        contact[i].near = contact[i].active
        if contact[i].active == 1:
            any_near = True
        own = radius
        if i == 0:
            own = max(own, state.end_radius[0])
        elif i == count:
            own = max(own, state.end_radius[1])
        if contact[i].clearance < margin + own + reach:
            contact[i].clearance = distance(field, x[i, 0], x[i, 1], x[i, 2])
        gap = contact[i].clearance - own
        if gap < reach and not held:
            contact[i].near = 1
            any_near = True
            longest = min(longest, (max(gap, 0.0) + travel_max) / (speed + 1e-9))
        if i == 0:
            continue
        j = i - 1
        wrap[j].near = wrap[j].active
        if wrap[j].loose == 1:
            any_near = True
        if wrap[j].active == 1:
            any_near = True
            wrap[j].measured = 0
            fast = max(speed, math.sqrt(v[j, 0] ** 2 + v[j, 1] ** 2 + v[j, 2] ** 2) + obstacles)
            longest = min(longest, 2.0 * travel_max / (fast + 1e-9))
            continue
        span = math.sqrt((x[i, 0] - x[j, 0]) ** 2 + (x[i, 1] - x[j, 1]) ** 2 + (x[i, 2] - x[j, 2]) ** 2)
        bound = 0.5 * (contact[i].clearance + contact[j].clearance - span)
        if bound - radius < reach:
            if wrap[j].measured == 0 or wrap[j].moved > STALE:
                wrap[j].gap, _ = closest_on_segment(
                    field, x[j, 0], x[j, 1], x[j, 2], x[i, 0], x[i, 1], x[i, 2], radius + reach
                )
                wrap[j].measured, wrap[j].moved = 1, 0.0
            gap = wrap[j].gap - wrap[j].moved - radius
            if gap < reach:
                wrap[j].near = 1
                any_near = True
                fast = max(speed, math.sqrt(v[j, 0] ** 2 + v[j, 1] ** 2 + v[j, 2] ** 2) + obstacles)
                longest = min(longest, (max(gap, 0.0) + travel_max) / (fast + 1e-9))
    for end in range(2):
        body = state.body[end]
        if state.number[KIND_BASE + end] == RIGID and body.radius > 0.0:
            p, w = body.p_W, body.v_W
            speed = math.sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2) + obstacles
            reach = 2.0 * h * speed + travel_max
            gap = distance(field, p[0], p[1], p[2]) - body.radius
            state.body_contact[end].near = 1
            if gap < reach or state.body_contact[end].active == 1:
                any_near = True
                longest = min(longest, (max(gap, 0.0) + travel_max) / (speed + 1e-9))
    return any_near, longest
