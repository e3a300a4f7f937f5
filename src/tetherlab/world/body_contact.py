"""Where a rigid body touches the world: spheres fixed to it (feet, wheels), each a contact of its own.

The force acts where the sphere touches, at its centre less radius times normal. There it moves with the
velocity of the body's point, so a ball rolls, and a rover tips about the ground and not about its hubs.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import stiffen_body
from tetherlab.world.ask import distance
from tetherlab.world.contact import keep_contact, touch

TRAVEL_SHARE = 0.2  # of a sphere's radius: how far it may go in a step where something is near


@kernel
def _point(body, k):
    """Of sphere k: where it is, the mean velocity of the step at the iterate, its mean lever arm, (9,)."""
    p, R, Rn, u, r = body.p_W, body.R_WB, body.R_next, body.u, body.point_B[k]
    x0 = R[0, 0] * r[0] + R[0, 1] * r[1] + R[0, 2] * r[2]
    x1 = R[1, 0] * r[0] + R[1, 1] * r[1] + R[1, 2] * r[2]
    x2 = R[2, 0] * r[0] + R[2, 1] * r[1] + R[2, 2] * r[2]
    a0 = 0.5 * (x0 + Rn[0, 0] * r[0] + Rn[0, 1] * r[1] + Rn[0, 2] * r[2])
    a1 = 0.5 * (x1 + Rn[1, 0] * r[0] + Rn[1, 1] * r[1] + Rn[1, 2] * r[2])
    a2 = 0.5 * (x2 + Rn[2, 0] * r[0] + Rn[2, 1] * r[1] + Rn[2, 2] * r[2])
    return (
        p[0] + x0, p[1] + x1, p[2] + x2,
        u[0] + u[4] * a2 - u[5] * a1, u[1] + u[5] * a0 - u[3] * a2, u[2] + u[3] * a1 - u[4] * a0,
        a0, a1, a2,
    )  # fmt: skip


@kernel
def touching_point(body, contact, k):
    """The same of the point where sphere k touches: its centre less radius times normal."""
    x, y, z, _, _, _, a0, a1, a2 = _point(body, k)
    n, u, radius = contact.normal_W, body.u, body.point_radius[k]
    d0, d1, d2 = radius * n[0], radius * n[1], radius * n[2]
    a0, a1, a2 = a0 - d0, a1 - d1, a2 - d2
    return (
        x - d0, y - d1, z - d2,
        u[0] + u[4] * a2 - u[5] * a1, u[1] + u[5] * a0 - u[3] * a2, u[2] + u[3] * a1 - u[4] * a0,
        a0, a1, a2,
    )  # fmt: skip


@kernel
def _turn(field, body, contact, radius):
    """How fast the touching point runs ahead of the sphere's centre as the body turns on the obstacle."""
    turn, n = contact.turn_W, contact.normal_W
    turn[0] = turn[1] = turn[2] = 0.0
    if contact.active == 1:  # the normal is that of the last iterate
        w0, w1, w2 = body.u[3], body.u[4], body.u[5]
        if field.objects[contact.object, 1] != 0:
            twist = field.twist[contact.object]
            w0, w1, w2 = w0 - twist[3], w1 - twist[4], w2 - twist[5]
        turn[0] = radius * (w1 * n[2] - w2 * n[1])
        turn[1] = radius * (w2 * n[0] - w0 * n[2])
        turn[2] = radius * (w0 * n[1] - w1 * n[0])


@kernel
def survey_body(field, body, contacts, h, travel_max, obstacles):
    """Whether the body may touch within a step h, and the longest step that it allows [s].

    obstacles: speed of the fastest obstacle [m/s].
    """
    near, longest = False, 1e9
    v, w, p, R = body.v_W, body.u, body.p_W, body.R_WB
    moving = math.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2) + obstacles
    turning = math.sqrt(w[3] ** 2 + w[4] ** 2 + w[5] ** 2)
    for k in range(body.point_count):
        r = body.point_B[k]
        speed = moving + turning * math.sqrt(r[0] ** 2 + r[1] ** 2 + r[2] ** 2)
        travel = max(travel_max, TRAVEL_SHARE * body.point_radius[k])
        reach = 2.0 * h * speed + travel
        gap = distance(
            field,
            p[0] + R[0, 0] * r[0] + R[0, 1] * r[1] + R[0, 2] * r[2],
            p[1] + R[1, 0] * r[0] + R[1, 1] * r[1] + R[1, 2] * r[2],
            p[2] + R[2, 0] * r[0] + R[2, 1] * r[1] + R[2, 2] * r[2],
        )
        gap -= body.point_radius[k]
        contacts[k].near = 0
        if gap < reach or contacts[k].active == 1:
            contacts[k].near = 1
            near = True
            longest = min(longest, (max(gap, 0.0) + travel) / (speed + 1e-9))
    return near, longest


@kernel
def touch_body(field, body, contacts, h):
    """Contact forces of all spheres at the iterate; True if one touches."""
    any_touches = False
    for k in range(body.point_count):
        contact = contacts[k]
        if contact.near == 1:
            x, y, z, ux, uy, uz, _, _, _ = _point(body, k)
            _turn(field, body, contact, body.point_radius[k])
            if touch(
                field, contact, x, y, z, ux, uy, uz, h,
                body.point_radius[k], body.stiffness, body.friction, 1.0,
            ):  # fmt: skip
                any_touches = True
    return any_touches


@kernel
def feet_settled(body, contacts):
    """Whether all spheres that touch stick where they did before, so that Newton's method converges quadratically."""
    for k in range(body.point_count):
        contact = contacts[k]
        if contact.near == 1 and contact.active == 1:
            s = contact.slip_W
            if contact.touching == 0 or contact.normal_force <= 0.0:
                return False
            if s[0] != 0.0 or s[1] != 0.0 or s[2] != 0.0:
                return False
    return True


@kernel
def add_body_contacts(body, contacts, h):
    """Put them into the system of the body."""
    b, half = 0.5 * h, 0.5 * h * h
    for k in range(body.point_count):
        contact = contacts[k]
        if contact.near == 1 and contact.normal_force > 0.0:
            _, _, _, _, _, _, rx, ry, rz = touching_point(body, contact, k)
            f = contact.force_W
            for i in range(3):
                body.rhs[i] += b * f[i]
            body.rhs[3] += b * (ry * f[2] - rz * f[1])
            body.rhs[4] += b * (rz * f[0] - rx * f[2])
            body.rhs[5] += b * (rx * f[1] - ry * f[0])
            stiffen_body(body, contact.stiffness, half, rx, ry, rz)


@kernel
def turn_by_contacts(body, contacts, h):
    """Angular momentum that contacts give the body in the step, at the accepted iterate."""
    L, pull = body.L_W, body.pull_W
    for k in range(body.point_count):
        if contacts[k].active == 1:
            _, _, _, _, _, _, rx, ry, rz = touching_point(body, contacts[k], k)
            f = contacts[k].force_W
            t0, t1, t2 = ry * f[2] - rz * f[1], rz * f[0] - rx * f[2], rx * f[1] - ry * f[0]
            L[0], L[1], L[2] = L[0] + h * t0, L[1] + h * t1, L[2] + h * t2
            pull[3], pull[4], pull[5] = pull[3] + t0, pull[4] + t1, pull[5] + t2


@kernel
def contact_work(body, contacts, h):
    """What contacts do to the body in the step, at the iterate [J]."""
    done = 0.0
    for k in range(body.point_count):
        if contacts[k].active == 1:
            _, _, _, ux, uy, uz, _, _, _ = touching_point(body, contacts[k], k)
            f = contacts[k].force_W
            done += h * (f[0] * ux + f[1] * uy + f[2] * uz)
    return done


@kernel
def keep_body_contacts(field, body, contacts, h):
    """What touches at the end of the step is what touches from now on."""
    for k in range(body.point_count):
        if contacts[k].active == 1:
            keep_contact(field, contacts[k], h)


@kernel
def body_point(body, contact, k):
    """Where sphere k touches at the start of the step and its mean velocity, at the iterate, (6,)."""
    x, y, z, ux, uy, uz, _, _, _ = touching_point(body, contact, k)
    return x, y, z, ux, uy, uz
