"""Feet of a body on what rides on another body: both feel one force at one point, in the same solve.

The law is that of feet on obstacles (world/contact.py), whose end of the solve stays as it is. Here the body
that carries the obstacle gets the opposite force, -J_c^T f, its own share of the stiffness, J_c^T K J_c, and
the blocks between both. As in pair_contact.py, the arms of the two bodies meet where they are at the start of
the step, which keeps momentum, and a carrier that is touched takes a backward Euler step as well.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import arm_at_end, body_rates
from tetherlab.plant.rider import hide_riders, show_riders
from tetherlab.plant.tied_body import couple_ties, push_body
from tetherlab.world.ask import distance_to
from tetherlab.world.body_contact import TRAVEL_SHARE, body_point, touching_point
from tetherlab.world.field import velocity_at


@kernel
def survey_riders(graph, field, b, h, travel_max):
    """Mark the feet of body b that may touch a rider within a step h; the longest step they allow [s]."""
    longest = 1e9
    if graph.ride.shape[0] == 0:
        return longest
    show_riders(graph, field, b)
    body = graph.body[b]
    R, w = body.R_WB, body_rates(body)
    for e in range(graph.ride.shape[0]):
        who = graph.ride[e].object
        if graph.meets[b, graph.ride[e].body] == 0:
            continue
        for k in range(body.point_count):
            r = body.point_B[k]
            # The velocity w x r of the foot, in the frame of its body.
            t0, t1, t2 = w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]
            x = body.p_W[0] + R[0, 0] * r[0] + R[0, 1] * r[1] + R[0, 2] * r[2]
            y = body.p_W[1] + R[1, 0] * r[0] + R[1, 1] * r[1] + R[1, 2] * r[2]
            z = body.p_W[2] + R[2, 0] * r[0] + R[2, 1] * r[1] + R[2, 2] * r[2]
            v0, v1, v2 = velocity_at(field, who, x, y, z)
            v0 = body.v_W[0] + R[0, 0] * t0 + R[0, 1] * t1 + R[0, 2] * t2 - v0
            v1 = body.v_W[1] + R[1, 0] * t0 + R[1, 1] * t1 + R[1, 2] * t2 - v1
            v2 = body.v_W[2] + R[2, 0] * t0 + R[2, 1] * t1 + R[2, 2] * t2 - v2
            speed = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
            travel = max(travel_max, TRAVEL_SHARE * body.point_radius[k])
            gap = distance_to(field, who, x, y, z) - body.point_radius[k]
            if gap < 2.0 * h * speed + travel:
                graph.body_contact[b, k].near = 1
                longest = min(longest, (max(gap, 0.0) + travel) / (speed + 1e-9))
    hide_riders(graph, field)
    return longest


@kernel
def _carrier(graph, contact):
    """The body that carries what a foot touches, -1: none."""
    return graph.rider[contact.object] if contact.active == 1 and contact.near == 1 else -1


@kernel
def rests_on_rider(graph, b):
    """Whether a foot of body b touches what rides on another."""
    if graph.ride.shape[0] > 0:
        for k in range(graph.body[b].point_count):
            if _carrier(graph, graph.body_contact[b, k]) >= 0:
                return True
    return False


@kernel
def ease_carriers(graph, n):
    """Bodies whose riders are touched take a backward Euler step."""
    if graph.ride.shape[0] == 0:
        return
    island, program = graph.program.island[n], graph.program
    for j in range(island.first_body, island.last_body):
        b = program.body[j]
        for k in range(graph.body[b].point_count):
            c = _carrier(graph, graph.body_contact[b, k])
            if c >= 0:
                graph.body[c].implicit = 1.0


@kernel
def _arms(graph, b, k, c):
    """Where foot k of body b touches what body c carries: lever arms of both, (6,)."""
    p, q = graph.body[b].p_W, graph.body[c].p_W
    _, _, _, _, _, _, x, y, z = touching_point(graph.body[b], graph.body_contact[b, k], k)
    return x, y, z, x + p[0] - q[0], y + p[1] - q[1], z + p[2] - q[2]


@kernel
def add_rider_contacts(graph, n, h):
    """Put the contacts of feet on riders into the rows of the carriers and the blocks between bodies."""
    if graph.ride.shape[0] == 0:
        return
    island, program = graph.program.island[n], graph.program
    w, half = -0.5 * h, 0.5 * h * h
    for j in range(island.first_body, island.last_body):
        b = program.body[j]
        for k in range(graph.body[b].point_count):
            contact = graph.body_contact[b, k]
            c = _carrier(graph, contact)
            if c < 0 or contact.normal_force <= 0.0:
                continue
            x, y, z, s, t, u = _arms(graph, b, k, c)
            r, q, body, f, K = (x, y, z), (s, t, u), graph.body[c], contact.force_W, contact.stiffness
            r_end, q_end = arm_at_end(graph.body[b], r), arm_at_end(body, q)
            push_body(body.rhs, q, w * f[0], w * f[1], w * f[2])
            K = (
                half * K[0], half * K[1], half * K[2],
                half * K[3], half * K[4], half * K[5],
                half * K[6], half * K[7], half * K[8],
            )  # fmt: skip
            couple_ties(body.block, K, q, q_end)
            K = (-K[0], -K[1], -K[2], -K[3], -K[4], -K[5], -K[6], -K[7], -K[8])
            couple_ties(program.coupling[program.slot[b, c]], K, r, q_end)
            couple_ties(program.coupling[program.slot[c, b]], K, q, r_end)


@kernel
def push_carriers(graph, n, field, h):
    """What feet push the carriers with at the solution joins their loads and is no work from outside."""
    if graph.ride.shape[0] == 0:
        return
    island, program, books = graph.program.island[n], graph.program, graph.books[0]
    for j in range(island.first_body, island.last_body):
        b = program.body[j]
        show_riders(graph, field, b)
        inner, more = rider_books(graph, field, b, h)
        hide_riders(graph, field)
        books.work += more - inner
        books.dissipated += more
        for k in range(graph.body[b].point_count):
            c = _carrier(graph, graph.body_contact[b, k])
            if c >= 0:
                _, _, _, x, y, z = _arms(graph, b, k, c)
                f = graph.body_contact[b, k].force_W
                push_body(graph.load[c], (x, y, z), -f[0], -f[1], -f[2])


@kernel
def rider_books(graph, field, b, h):
    """Work of carriers on the feet of body b within the step, and by how much that of the field is less [J].

    The field knows how fast its objects move, but not at which arm their bodies feel the force.
    """
    inner, more = 0.0, 0.0
    if graph.ride.shape[0] == 0:
        return inner, more
    body = graph.body[b]
    for k in range(body.point_count):
        contact = graph.body_contact[b, k]
        c = _carrier(graph, contact)
        if c >= 0:
            _, _, _, s, t, u = _arms(graph, b, k, c)
            w, f = graph.body[c].u, contact.force_W
            done = f[0] * (w[0] + w[4] * u - w[5] * t)
            done += f[1] * (w[1] + w[5] * s - w[3] * u)
            done += f[2] * (w[2] + w[3] * t - w[4] * s)
            x, y, z, _, _, _ = body_point(body, contact, k)
            v0, v1, v2 = velocity_at(field, contact.object, x, y, z)
            inner += h * done
            more += h * (done - f[0] * v0 - f[1] * v1 - f[2] * v2)
    return inner, more
