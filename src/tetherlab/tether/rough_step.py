"""Steps that are taken although Newton's method has not found their solution.

The smallest step is taken as it is where contact comes and goes within a tolerance. Forces at its end then do
not belong to its motion, and what they seem to do is no energy. It is booked by what it leaves: what is
missing was lost, and what has appeared is taken from the motion again.
"""

import math

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import body_kinetic_energy
from tetherlab.tether.contact_books import obstacle_at
from tetherlab.tether.folding import fold_energy
from tetherlab.tether.mesh import chord, energy_between, spring_energy
from tetherlab.tether.model import (
    COUNT,
    DISSIPATED,
    FED,
    FREE,
    KIND_BASE,
    RIGID,
    WORK,
    WORK_WINCH,
    open_model,
    open_state,
    open_work,
)
from tetherlab.tether.wrap_fit import loosen_wrap
from tetherlab.world.field import velocity_at

FAR_ROUND = 0.5 * math.pi  # a wrap by more than this angle is not found again by its chord [rad]
LARGEST_SHARE = 0.5  # of the kinetic energy that one step may lose for what has appeared


@kernel
def total_energy(memory):
    """Of the tether and the bodies it carries [J]."""
    model, state = open_model(memory), open_state(memory)
    count = state.number[COUNT]
    total = energy_between(memory, 0, count - 1)
    for i in range(1, count):
        total += fold_energy(memory, i)
    for i in range(count + 1):
        if state.contact[i].active == 1:
            total += state.contact[i].stored
    for end in range(2):
        if state.end_mass[end] > 0.0:
            x, v = state.x[end * count], state.v[end * count]
            square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
            total += state.end_mass[end] * (0.5 * square + model.gravity * x[2])
        if state.number[KIND_BASE + end] == RIGID:
            body = state.body[end]
            total += body_kinetic_energy(body) + body.mass * model.gravity * body.p_W[2]
            for k in range(body.point_count):
                if state.body_contact[end, k].active == 1:
                    total += state.body_contact[end, k].stored
    return total


@kernel
def energy_owed(memory):
    """Energy less what the books say was given and taken: constant as long as these are right [J]."""
    total = open_state(memory).total
    given = total[WORK] + total[WORK_WINCH] + total[FED]
    return total_energy(memory) + total[DISSIPATED] - given


@kernel
def motion_from_nowhere(memory):
    """Kinetic energy that the iterate of a step gives to the nodes beyond what springs could give it [J].

    The error that the shortest step may leave is small as a distance, but large over its time.
    """
    model, state, work = open_model(memory), open_state(memory), open_work(memory)
    count, gained = state.number[COUNT], 0.0
    for i in range(count + 1):
        inner = state.rest[i - 1] if i > 0 else 0.0
        outer = state.rest[i] if i < count else 0.0
        for k in range(3):  # v at the end is 2 u - v, so that v+^2 - v^2 = 4 u (u - v)
            u = work.u[i, k]
            gained += model.linear_density * (inner + outer) * u * (u - state.v[i, k])
        gained -= fold_energy(memory, i)
        gained -= state.contact[i].stored if state.contact[i].active == 1 else 0.0
        gained -= spring_energy(memory, i) if i < count else 0.0
    return gained


@kernel
def book_rough_step(memory, owed, dissipated):
    """Put the books right after a rough step; owed, dissipated: `energy_owed` and DISSIPATED before it."""
    state = open_state(memory)
    state.total[DISSIPATED] -= energy_owed(memory) - owed
    gained = dissipated - state.total[DISSIPATED]
    if gained > 0.0:
        state.total[DISSIPATED] += _slow_down(memory, gained)


@kernel
def stop_at_obstacles(memory, field):
    """Let the nodes at obstacles stop there, and wraps begin anew, slack: the last that a step can try.

    Wraps that go far round stay, slack: their chords lie on the other side of the obstacle, or inside.
    """
    state = open_state(memory)
    count = state.number[COUNT]
    before = total_energy(memory)
    for i in range(count + 1):
        held = (i == 0 and state.number[KIND_BASE] != FREE) or (
            i == count and state.number[KIND_BASE + 1] != FREE
        )
        who = obstacle_at(memory, i)
        if held or who == -2:
            continue
        w0, w1, w2 = 0.0, 0.0, 0.0
        if who >= 0:
            w0, w1, w2 = velocity_at(field, who, state.x[i, 0], state.x[i, 1], state.x[i, 2])
        state.v[i, 0], state.v[i, 1], state.v[i, 2] = w0, w1, w2
    for j in range(count):
        wrap = state.wrap[j]
        if wrap.active == 1:
            if wrap.angle > FAR_ROUND and loosen_wrap(field, wrap, state.x, j, state.rest[j]):
                continue
            wrap.active, wrap.way, wrap.measured = 0, 0, 0
            # The chord may be longer than the element, whose way round counted as shorter (`ease`).
            _, _, _, span = chord(memory, j)
            wrap.loose = 1 if span <= state.rest[j] else 0
            state.offset[j], state.drift[j] = max(span - state.rest[j], 0.0), 0.0
    state.total[DISSIPATED] += before - total_energy(memory)


@kernel
def _slow_down(memory, gained):
    """Take so much energy, or as much as one step may, from the motion of the nodes; returns what it was."""
    state = open_state(memory)
    count = state.number[COUNT]
    first = 0 if state.number[KIND_BASE] == FREE else 1
    last = count if state.number[KIND_BASE + 1] == FREE else count - 1
    before = total_energy(memory)
    available = energy_of_motion(memory, first, last)
    if available <= 0.0:
        return 0.0
    factor = math.sqrt(1.0 - min(gained / available, LARGEST_SHARE))
    for i in range(first, last + 1):
        for k in range(3):
            state.v[i, k] *= factor
    return before - total_energy(memory)


@kernel
def energy_of_motion(memory, first, last):
    """Kinetic energy of nodes first..last, their own mass alone [J]."""
    model, state = open_model(memory), open_state(memory)
    total = 0.0
    for i in range(first, last + 1):
        mass = 0.0
        if i > 0:
            mass += 0.5 * model.linear_density * state.rest[i - 1]
        if i < state.number[COUNT]:
            mass += 0.5 * model.linear_density * state.rest[i]
        for k in range(3):
            total += 0.5 * mass * state.v[i, k] ** 2
    return total
