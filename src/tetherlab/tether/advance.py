"""Advance a tether by the user's dt in as many internal steps as it takes.

The user's dt is a wish: a step that does not converge is discarded and halved, down to 10 us; a tether that
goes taut is stepped finely enough to resolve the peak of its tension; near an obstacle nothing travels far.
"""

import math

from tetherlab.math.kernel import kernel, njit
from tetherlab.math.rotation import rotate_in_place
from tetherlab.tether.accept import accept, evaluate_end, settle_debt
from tetherlab.tether.contact_books import contact_books
from tetherlab.tether.mass import share_masses
from tetherlab.tether.mesh import remesh
from tetherlab.tether.model import (
    BASE,
    COUNT,
    DISSIPATED,
    DURATION,
    EVENTS,
    FAILED,
    KIND_BASE,
    PRESCRIBED,
    STRETCH_PEAK,
    TENSION_PEAK,
    open_model,
    open_state,
    open_work,
)
from tetherlab.tether.newton import newton
from tetherlab.tether.prepare import prepare
from tetherlab.tether.proximity import obstacle_speed, survey
from tetherlab.tether.reel import flow_rates, remesh_base
from tetherlab.tether.rough_step import (
    book_rough_step,
    energy_owed,
    motion_from_nowhere,
    stop_at_obstacles,
)

HALVINGS_MAX = 6  # of the user's step, to resolve what happens
STEP_SMALLEST = 1e-5  # down to which, or as often as that, a step is halved that does not converge [s]
DAMPED_FROM = 3  # failures in a row: from here on steps are numerically damped, until as many succeed
DAMPING = 0.5  # of the step: what rings faster than the step dies out in a few
TENSION_STEP = 50.0  # largest change of tension wanted within one step [N]
WOUND_MAX = 0.5  # of the element at the winch that one step may reel in
GAIN_MAX = 1e-5  # contact that gains more energy than this was stepped too coarsely [J]
STOPS_MAX = 4  # in one call: how often nodes at obstacles are stopped where nothing else converges
GAIN_LARGE = 1e-2  # and than this in even shorter steps, which are taken with what contact then owes [J]
GAIN_ABSURD = 1.0  # and than this, or motion from nowhere, in the shortest, which is no solution [J]
LOSS_MAX = 1e6  # what contact takes or gives in one step cannot be more [J]
TRAVEL_MAX = 0.005  # farthest that a point may go within one step where something is near [m]


@kernel
def snap_step(memory, dt, flow_0, flow_1):
    """Longest step that still resolves how fast the tension changes now, or when a hand moves on [s].

    Nor is an element wound up to a stump within a step: it is merged only after it, and a stump is stiff.
    """
    model, state = open_model(memory), open_state(memory)
    count = state.number[COUNT]
    x, v = state.x, state.v
    fastest = 0.0
    for j in range(count):
        d0, d1, d2 = x[j + 1, 0] - x[j, 0], x[j + 1, 1] - x[j, 1], x[j + 1, 2] - x[j, 2]
        w0, w1, w2 = v[j + 1, 0] - v[j, 0], v[j + 1, 1] - v[j, 1], v[j + 1, 2] - v[j, 2]
        rate = (d0 * w0 + d1 * w1 + d2 * w2) / (d0 * d0 + d1 * d1 + d2 * d2 + 1e-12)
        if j < 2:  # what the winch pays out does not stretch
            rate -= (flow_0 if j == 0 else flow_1) / state.rest[j]
        fastest = max(fastest, abs(rate))
    for end in range(2):
        if state.number[KIND_BASE + end] != PRESCRIBED:
            continue
        # The hand may jerk: it will move as told, whatever its velocity was. A jump of velocity sends a wave
        # of tension up the tether, sqrt(EA rho) times as large.
        i, k = (0, 1) if end == BASE else (count, count - 1)
        path = state.path[end]
        square, mean, last = 1e-12, 0.0, 0.0
        for c in range(3):
            d = x[i, c] - x[k, c]
            square += d * d
            mean += d * ((path[2, c] - path[0, c]) / dt - v[k, c])
            last += d * (path[3, c] - v[k, c])
        jump = max(abs(mean), abs(last)) / math.sqrt(square)
        if jump * math.sqrt(model.axial_stiffness * model.linear_density) > TENSION_STEP:
            fastest = max(fastest, jump / math.sqrt(square))
    transit = model.element_length * math.sqrt(model.linear_density / model.axial_stiffness)
    longest = TENSION_STEP / (model.axial_stiffness * fastest + 1e-9)
    longest = max(longest, 0.4 * transit, model.step_max / 32.0)
    if flow_0 < 0.0:
        longest = min(longest, WOUND_MAX * state.rest[0] / -flow_0)
    return longest


@kernel
def place_obstacles(field, start, elapsed):
    """Poses of the moving objects `elapsed` seconds after the start of the call."""
    for i in range(start.shape[0]):
        if field.objects[i, 1] == 0:
            continue
        twist, pose = field.twist[i], field.pose[i]
        for k in range(9):
            pose[k] = start[i, k]
        for k in range(3):
            pose[9 + k] = start[i, 9 + k] + elapsed * twist[k]
        rotate_in_place(pose[:9].reshape(3, 3), elapsed * twist[3], elapsed * twist[4], elapsed * twist[5])


@kernel
def forget(memory):
    """A step is discarded: contacts that began in it did not happen, and its guess was poor."""
    state = open_state(memory)
    count = state.number[COUNT]
    for i in range(count + 1):
        for k in range(3):
            state.a[i, k] = 0.0
        if state.contact[i].touching == 0:
            state.contact[i].active = 0
        if i < count:
            state.wrap[i].way = 0
            if state.wrap[i].began == 0:
                state.wrap[i].active = 0
    for end in range(2):
        for k in range(state.body_contact.shape[1]):
            if state.body_contact[end, k].touching == 0:
                state.body_contact[end, k].active = 0


@kernel
def advance_kernel(memory, field, start, wind, command):
    """See `advance`."""
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    dt, reel_speed = command[0], command[1]
    state.number[FAILED] = 0
    state.total[DURATION] = dt
    state.total[TENSION_PEAK] = state.total[STRETCH_PEAK] = 0.0
    for i in range(state.reaction.shape[0]):
        for k in range(6):
            state.reaction[i, k] = 0.0
    obstacles = obstacle_speed(field)
    crowded = field.objects.shape[0] > 0
    place_obstacles(field, start, 0.0)
    for end in range(2):
        i = end * state.number[COUNT]
        for k in range(3):
            state.path[end, 0, k] = state.x[i, k]
            state.path[end, 1, k] = state.v[i, k]
            state.path[end, 2, k] = command[2 + 6 * end + k]
            state.path[end, 3, k] = command[5 + 6 * end + k]
            state.impulse[end, k] = 0.0
    done = 0.0
    longest = dt / max(1, math.ceil(dt / model.step_max - 1e-9))
    halvings, failures, stops = 0, 0, 0
    deepest = HALVINGS_MAX
    while longest / 2**deepest > STEP_SMALLEST:
        deepest += 1
    iterations = 0
    while done < dt * (1.0 - 1e-9):
        flow_0, flow_1 = flow_rates(memory, reel_speed)
        wanted = snap_step(memory, dt, flow_0, flow_1)
        near = False
        if crowded or state.number[EVENTS] > 0:  # an element that was joined from a fold is slack for a while
            near, allowed = survey(memory, field, longest, TRAVEL_MAX, obstacles, 0.0, 0.0, 0.0)
            wanted = min(wanted, allowed)
        level = halvings
        while level < HALVINGS_MAX and longest / 2**level > wanted:
            level += 1
        h = min(longest / 2**level, dt - done)
        s = min(1.0, (done + h) / dt)
        if obstacles > 0.0:
            place_obstacles(field, start, done + h)
        share_masses(memory)
        prepare(memory, wind, h, reel_speed)
        work.damping[0] = DAMPING * h if failures >= DAMPED_FROM else 0.0
        converged, used = newton(memory, field, h, dt, s, near, level >= deepest)
        iterations += used
        gained = 0.0
        if converged:
            evaluate_end(memory, field, h, near)
            if near:
                _, _, lost = contact_books(memory, field, h)
                gained = -lost
                absurd = (
                    level >= deepest
                    and stops < STOPS_MAX
                    and max(gained, motion_from_nowhere(memory)) > GAIN_ABSURD
                )
                converged = abs(lost) < LOSS_MAX and not absurd  # else, or if it is no number: no solution
        if not converged:
            forget(memory)
            halvings = level + 1
            failures += 1
            if halvings > deepest:
                stops += 1
                if not near or stops > STOPS_MAX:
                    state.number[FAILED] = 1
                    return iterations
                stop_at_obstacles(memory, field)
                halvings = HALVINGS_MAX
            continue
        if gained > (GAIN_MAX if level < HALVINGS_MAX else GAIN_LARGE) and level < deepest:
            forget(memory)
            halvings = level + 1
            continue
        rough = level >= deepest
        owed = energy_owed(memory) if rough else 0.0
        dissipated = state.total[DISSIPATED]
        accept(memory, field, h, dt, s, near, flow_0, obstacles)
        settle_debt(memory, field, h, near, False)
        if rough:
            book_rough_step(memory, owed, dissipated)
        done += h
        if near:
            remesh(memory, field, state.rest.shape[0])
        if reel_speed != 0.0:
            remesh_base(memory, reel_speed)
        halvings = max(0, halvings - 1)
        failures = max(0, failures - 1)
    return iterations


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def advance(memory, field, start, wind, command):
    """Advance as commanded; state.number[FAILED] is set if it cannot go on. Returns the Newton iterations.

    field: the obstacles, with poses that belong to this tether and are overwritten.
    start: where the obstacles are now, (object_count, 12).
    command: dt, reel speed, then position and velocity of base and end where these are prescribed, (14,).
    """
    return advance_kernel(memory, field, start, wind, command)
