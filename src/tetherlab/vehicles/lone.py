"""A rigid body by itself: the same block and the same contacts as at the end of a tether, solved alone."""

import numpy as np

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import (
    advance_body,
    correct_body,
    eliminate_body,
    load_body,
    move_attachment,
    predict_body,
)
from tetherlab.world.body_contact import (
    add_body_contacts,
    keep_body_contacts,
    survey_body,
    touch_body,
    turn_by_contacts,
)

ITERATIONS_MAX = 20
TOLERANCE = 1e-7  # of a Newton correction [m]
HALVINGS_MAX = 8
TRAVEL_MAX = 0.005  # farthest that a small sphere may go within one step where something is near [m]

# Fields that a record of scratch must have to advance a body.
ELIMINATION = [("inverse", np.float64, (1, 9)), ("solved", np.float64, (1, 3))]


@kernel
def advance_lone(body, contacts, field, dt, gravity, fx, fy, fz, obstacles, scratch):
    """Advance a body by dt under its loads and the force f at its attachment; False if it cannot go on.

    obstacles: speed of the fastest obstacle [m/s]. scratch: a record with the fields of ELIMINATION.
    """
    done, halvings = 0.0, 0
    while done < dt * (1.0 - 1e-9):
        near, allowed = survey_body(field, body, contacts, dt, TRAVEL_MAX, obstacles)
        level = halvings
        while level < HALVINGS_MAX and dt / 2**level > allowed:
            level += 1
        h = min(dt / 2**level, dt - done)
        if not _solve(body, contacts, field, h, gravity, fx, fy, fz, near, scratch):
            for k in range(body.point_count):
                if contacts[k].touching == 0:
                    contacts[k].active = 0
            halvings = level + 1
            if halvings > HALVINGS_MAX:
                return False
            continue
        if near:
            touch_body(field, body, contacts, h)
        turn_by_contacts(body, contacts, h)
        advance_body(body, h, fx, fy, fz)
        keep_body_contacts(field, body, contacts, h)
        done += h
        halvings = max(halvings - 1, 0)
    return True


@kernel
def _solve(body, contacts, field, h, gravity, fx, fy, fz, near, scratch):
    """Newton's method for one step; the iterate is left in the body."""
    body.implicit = 0.0
    for k in range(body.point_count):
        if contacts[k].active == 1:
            body.implicit = 1.0
    predict_body(body, h, gravity)
    move_attachment(body, h)
    for _ in range(ITERATIONS_MAX):
        if near and touch_body(field, body, contacts, h):
            body.implicit = 1.0
        load_body(body, h, gravity, fx, fy, fz)
        if near:
            add_body_contacts(body, contacts, h)
        eliminate_body(body, scratch.inverse, scratch.solved, 0)
        delta = h * correct_body(body, 0.0, 0.0, 0.0)
        move_attachment(body, h)
        if not delta < 1e3:
            return False
        if delta < TOLERANCE:
            return True
    return False
