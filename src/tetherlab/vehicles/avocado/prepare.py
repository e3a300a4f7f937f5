"""What Newton's method needs to know of the start of a step."""

from tetherlab.math.kernel import inlined
from tetherlab.vehicles.avocado.equations import fill_angle_sensitivities, fill_sensitivities
from tetherlab.vehicles.avocado.linear import eliminate, substitute
from tetherlab.vehicles.avocado.motion import ANGLES, PULLS, THRUST, TORQUE, accelerate, fill_balance

INSTANT = 1e-8  # [s]


@inlined
def prepare(model, chart, y, mode, tether_length, command, fresh, work):
    """Balance and derivatives at the start of a step; they serve steps of all lengths. TETHER: y[1:4] = 0.

    fresh: forces may have jumped; if not, v' at the end of the step before, in work.rate, is good enough.
    """
    P, b = work.by_place, work.base
    fill_balance(model, chart, b, y, mode, tether_length, command, work, work.start)
    thrust, torque = command[THRUST], command[TORQUE]
    if chart == ANGLES:
        if fresh:
            # M may be singular: the mean of v' over an instant is taken, in which damping acts.
            for i in range(5):
                work.rate[i] = work.r[i]
                for j in range(5):
                    work.real[i, j] = work.M[i, j]
            work.real[1, 1] += INSTANT * model.damping_heading
            work.real[3, 3] += INSTANT * model.damping_psi
            if eliminate(work.real, work.order[0]):
                substitute(work.real, work.order[0], work.rate)
        fill_angle_sensitivities(model, y[:5], y[5:], thrust, torque, work.rate, P, work.by_rate)
    else:
        accelerate(work.M, work.r, work.rate)
        fill_sensitivities(model, y[0], y[4], b, y[5:], thrust, torque, work.rate, P, work.by_rate)
        for i in range(5):
            # The vertical changes by b x a.
            p1, p2, p3 = P[i, 1], P[i, 2], P[i, 3]
            P[i, 1] = p2 * b[2] - p3 * b[1]
            P[i, 2] = p3 * b[0] - p1 * b[2]
            P[i, 3] = p1 * b[1] - p2 * b[0]
    for i in range(5):
        work.start[5 + i] = work.r[i]
        for j in range(5):
            work.mass[i, j] = work.M[i, j]
    if mode == PULLS:
        P[0, 0] -= model.tether_stiffness
        work.by_rate[0, 0] -= model.tether_damping
