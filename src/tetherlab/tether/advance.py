"""Advance a tether by the user's dt in as many internal steps as it takes.

The user's dt is a wish: a step that does not converge is discarded and halved, down to 1/64; a tether that goes
taut is stepped finely enough to resolve the peak of its tension.
"""

import math

from numba import njit

from tetherlab.tether.model import COUNT, FAILED, LENGTH, open_model, open_state, open_work
from tetherlab.tether.reel import remesh_base
from tetherlab.tether.step import accept, newton, prepare

HALVINGS_MAX = 6
TENSION_STEP = 50.0  # largest change of tension wanted within one step [N]


@njit(cache=True, error_model="numpy")
def _snap_step(model, state):
    """Longest step that still resolves how fast the tension changes now [s]."""
    count = state.number[COUNT]
    x, v = state.x, state.v
    fastest = 0.0
    for j in range(count):
        d0, d1, d2 = x[j + 1, 0] - x[j, 0], x[j + 1, 1] - x[j, 1], x[j + 1, 2] - x[j, 2]
        span2 = d0 * d0 + d1 * d1 + d2 * d2 + 1e-12
        rate = (d0 * (v[j + 1, 0] - v[j, 0]) + d1 * (v[j + 1, 1] - v[j, 1]) + d2 * (v[j + 1, 2] - v[j, 2])) / span2
        fastest = max(fastest, abs(rate))
    transit = model.element_length * math.sqrt(model.linear_density / model.axial_stiffness)
    return max(TENSION_STEP / (model.axial_stiffness * fastest + 1e-9), 0.4 * transit, model.step_max / 32.0)


@njit(cache=True, error_model="numpy", nogil=True)
def advance(memory, wind, command):
    """Advance as commanded; state.number[FAILED] is set if it cannot go on.

    command: dt, reel speed, then position and velocity of base and end where these are prescribed, (14,).
    """
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    dt, reel_speed = command[0], command[1]
    for end in range(2):
        i = end * state.number[COUNT]
        for k in range(3):
            state.path[end, 0, k] = state.x[i, k]
            state.path[end, 1, k] = state.v[i, k]
            state.path[end, 2, k] = command[2 + 6 * end + k]
            state.path[end, 3, k] = command[5 + 6 * end + k]
    state.impulse[:] = 0.0
    done = 0.0
    coarse = max(1, math.ceil(dt / model.step_max - 1e-9))
    longest = dt / coarse
    halvings = 0
    iterations = 0
    while done < dt * (1.0 - 1e-9):
        snap = _snap_step(model, state)
        level = halvings
        while level < HALVINGS_MAX and longest / 2**level > snap:
            level += 1
        h = min(longest / 2**level, dt - done)
        s = min(1.0, (done + h) / dt)
        prepare(model, state, work, wind, h, reel_speed)
        converged, used = newton(model, state, work, h, dt, s)
        iterations += used
        if not converged:
            for i in range(state.number[COUNT] + 1):
                for k in range(3):
                    state.a[i, k] = 0.0
            halvings = level + 1
            if halvings > HALVINGS_MAX:
                state.number[FAILED] = 1
                return iterations
            continue
        accept(model, state, work, h, dt, s)
        done += h
        state.total[LENGTH] += h * reel_speed
        if reel_speed != 0.0:
            remesh_base(model, state, reel_speed)
        if halvings > 0:
            halvings -= 1
    return iterations
