"""How the two ends are held: on a prescribed path, free, or by a rigid body."""

from tetherlab.math.kernel import kernel
from tetherlab.math.rigid_body import move_attachment
from tetherlab.tether.model import COUNT, KIND_BASE, PRESCRIBED, RIGID, open_state, open_work


@kernel
def path_point(path, duration, s):
    """Position and velocity on the cubic of a prescribed end, s from 0 to 1 over `duration`."""
    a = (1.0 + 2.0 * s) * (1.0 - s) ** 2
    b = s * (1.0 - s) ** 2 * duration
    c = s * s * (3.0 - 2.0 * s)
    d = s * s * (s - 1.0) * duration
    e = 6.0 * s * (s - 1.0) / duration
    f = (1.0 - s) * (1.0 - 3.0 * s)
    g = s * (3.0 * s - 2.0)
    return (
        a * path[0, 0] + b * path[1, 0] + c * path[2, 0] + d * path[3, 0],
        a * path[0, 1] + b * path[1, 1] + c * path[2, 1] + d * path[3, 1],
        a * path[0, 2] + b * path[1, 2] + c * path[2, 2] + d * path[3, 2],
        e * path[0, 0] + f * path[1, 0] - e * path[2, 0] + g * path[3, 0],
        e * path[0, 1] + f * path[1, 1] - e * path[2, 1] + g * path[3, 1],
        e * path[0, 2] + f * path[1, 2] - e * path[2, 2] + g * path[3, 2],
    )


@kernel
def hold_ends(memory, h, duration, s):
    """Mean velocities of both end nodes at the iterate; s is where on its path a prescribed end arrives."""
    state, work = open_state(memory), open_work(memory)
    count = state.number[COUNT]
    for end in range(2):
        i = end * count
        kind = state.number[KIND_BASE + end]
        if kind == PRESCRIBED:
            p0, p1, p2, _, _, _ = path_point(state.path[end], duration, s)
            work.u[i, 0] = (p0 - state.x[i, 0]) / h
            work.u[i, 1] = (p1 - state.x[i, 1]) / h
            work.u[i, 2] = (p2 - state.x[i, 2]) / h
        elif kind == RIGID:
            work.u[i, 0], work.u[i, 1], work.u[i, 2] = move_attachment(state.body[end], h)
