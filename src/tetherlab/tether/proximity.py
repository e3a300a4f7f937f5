"""Which nodes and elements may touch something in this step, and how far they may travel.

Distance changes no faster than a point moves. Each node therefore keeps a clearance that is only lowered by
what it travels, and the field is asked again when that is used up: a tether in free space costs nothing here.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.tether.model import COUNT, KIND_BASE, PRESCRIBED, RIGID, open_model, open_state
from tetherlab.world.ask import distance
from tetherlab.world.body_contact import survey_body
from tetherlab.world.field import EMPTY_DISTANCE
from tetherlab.world.segment import can_bend, closest_on_segment

STALE = 2e-4  # an element that may have moved so far is measured again [m]


@kernel
def element_gap(field, ax, ay, az, bx, by, bz, enough):
    """Distance of the segment a-b to the obstacles that may bend it [m]; above `enough`, some smaller one."""
    gap = EMPTY_DISTANCE
    for who in range(field.objects.shape[0]):
        if can_bend(field, who):
            d, _ = closest_on_segment(field, who, ax, ay, az, bx, by, bz, min(gap, enough))
            gap = min(gap, d)
    return gap


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
def survey(memory, field, h, travel_max, obstacles, d0, d1, d2):
    """Mark what is near enough to touch within a step h; returns (anything near, longest step allowed [s]).

    travel_max: how far a point may go within one step where something is near [m].
    obstacles: speed of the fastest obstacle [m/s]. d: velocity of whom sees all speeds so [m/s], (3,).
    """
    model, state = open_model(memory), open_state(memory)
    count = state.number[COUNT]
    x, v, contact, wrap = state.x, state.v, state.contact, state.wrap
    any_near = False
    longest, last = 1e9, 0.0
    radius = model.radius
    margin = radius + 0.8 * model.element_length
    drift = math.sqrt(d0 * d0 + d1 * d1 + d2 * d2)
    for i in range(count + 1):
        speed = math.sqrt((v[i, 0] - d0) ** 2 + (v[i, 1] - d1) ** 2 + (v[i, 2] - d2) ** 2) + obstacles
        reach = 2.0 * h * speed + travel_max
        before, last = last, speed  # of the two nodes of an element
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
            wrap[j].measured, wrap[j].room = 0, 0.0
            fast = max(speed, before)
            longest = min(longest, 2.0 * travel_max / (fast + 1e-9))
            continue
        span = math.sqrt((x[i, 0] - x[j, 0]) ** 2 + (x[i, 1] - x[j, 1]) ** 2 + (x[i, 2] - x[j, 2]) ** 2)
        bound = 0.5 * (contact[i].clearance + contact[j].clearance - span)
        if bound - radius < reach:
            if wrap[j].measured == 0 or wrap[j].moved > STALE:
                wrap[j].gap = element_gap(
                    field, x[j, 0], x[j, 1], x[j, 2], x[i, 0], x[i, 1], x[i, 2], radius + reach
                )
                wrap[j].measured, wrap[j].moved = 1, 0.0
            gap = wrap[j].gap - wrap[j].moved - radius
            wrap[j].room = gap - h * (obstacles + drift)
            if gap < reach:
                wrap[j].near = 1
                any_near = True
                fast = max(speed, before)
                longest = min(longest, (max(gap, 0.0) + travel_max) / (fast + 1e-9))
    for end in range(2):
        if state.number[KIND_BASE + end] == RIGID:
            near, allowed = survey_body(
                field, state.body[end], state.body_contact[end], h, travel_max, obstacles
            )
            any_near = any_near or near
            longest = min(longest, allowed)
    return any_near, longest
