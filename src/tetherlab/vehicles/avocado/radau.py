"""One step of the Radau IIA method for the robot's stiff motion.

It is implicit and damps what is faster than its step completely: the tether's damper has a time constant of
70 microseconds, a step takes milliseconds. The stage equations are solved by Newton's method with exact
derivatives, which the symbolic derivation supplies; since rates of places are rates, a system has 5 rows.
They are written with the mass matrix on the left, so that it may be singular where damping is not.
"""

import math

from tetherlab.math.kernel import inlined
from tetherlab.vehicles.avocado.linear import eliminate, substitute
from tetherlab.vehicles.avocado.motion import REEL_SPEED, SIZE, fill_balance
from tetherlab.vehicles.avocado.radau_table import BASIS, ERROR, INVERSE, NODES, PAIR, REAL, STAGES, TO_BASIS

ITERATIONS_MAX = 10
ROUNDING = 0.05  # of the allowed error: corrections below that do not shrink are those of rounding


@inlined
def factorise(work, h):
    """Matrices of Newton's method for a step h; False: singular."""
    for i in range(5):
        for j in range(5):
            M, V, P = work.mass[i, j], h * work.by_rate[i, j], h * h * work.by_place[i, j]
            work.real[i, j] = REAL * M - V - P / REAL
            work.pair[i, j] = PAIR * M - V - P / PAIR
    return eliminate(work.real, work.order[0]) and eliminate(work.pair, work.order[1])


@inlined
def _solve_real(work, h, x):
    """x (10,): right-hand side of (REAL - h J), its lower half times M, in; solution out."""
    side = work.real_side
    for i in range(5):
        side[i] = x[5 + i]
        for j in range(5):
            side[i] += h / REAL * work.by_place[i, j] * x[j]
    substitute(work.real, work.order[0], side)
    for i in range(5):
        x[5 + i] = side[i]
        x[i] = (x[i] + h * side[i]) / REAL


@inlined
def _solve_pair(work, h, x, z):
    """x, z (10,): real and imaginary part of the right-hand side of (PAIR - h J) in, of the solution out."""
    side = work.pair_side
    for i in range(5):
        side[i] = complex(x[5 + i], z[5 + i])
        for j in range(5):
            side[i] += h / PAIR * work.by_place[i, j] * complex(x[j], z[j])
    substitute(work.pair, work.order[1], side)
    for i in range(5):
        x[5 + i], z[5 + i] = side[i].real, side[i].imag
        place = (complex(x[i], z[i]) + h * side[i]) / PAIR
        x[i], z[i] = place.real, place.imag


@inlined
def _predict(work, h):
    """First guess of the stages: constant acceleration."""
    for s in range(STAGES):
        t = NODES[s] * h
        for i in range(5):
            work.Z[s, i] = t * work.start[i] + 0.5 * t * t * work.rate[i]
            work.Z[s, 5 + i] = t * work.rate[i]


@inlined
def _fill_residuals(model, chart, y, mode, tether_length, command, h, work):
    """What is missing in the stage equations of a step h, into work.D."""
    Z, D, slope = work.Z, work.D, work.slope
    for s in range(STAGES):
        for i in range(SIZE):
            work.y[i] = y[i] + Z[s, i]
            slope[i] = INVERSE[s, 0] * Z[0, i] + INVERSE[s, 1] * Z[1, i] + INVERSE[s, 2] * Z[2, i]
        length = tether_length + NODES[s] * h * command[REEL_SPEED]
        fill_balance(model, chart, work.base, work.y, mode, length, command, work, D[s])
        for i in range(5):
            D[s, i] = h * D[s, i] - slope[i]
            D[s, 5 + i] = h * work.r[i]
            for j in range(5):
                D[s, 5 + i] -= work.M[i, j] * slope[5 + j]


@inlined
def solve_stages(model, chart, y, mode, tether_length, command, h, tolerance, work):
    """Newton's method for the stages of a step h; the number of iterations, 0 if it does not converge.

    tether_length: at the start of the step. tolerance: of the last correction, in terms of work.scale.
    """
    Z, D = work.Z, work.D
    _predict(work, h)
    last = 0.0
    for iteration in range(1, ITERATIONS_MAX + 1):
        _fill_residuals(model, chart, y, mode, tether_length, command, h, work)
        for i in range(SIZE):
            r0, r1, r2 = D[0, i], D[1, i], D[2, i]
            for s in range(STAGES):
                D[s, i] = TO_BASIS[s, 0] * r0 + TO_BASIS[s, 1] * r1 + TO_BASIS[s, 2] * r2
        _solve_real(work, h, D[0])
        _solve_pair(work, h, D[1], D[2])
        size = 0.0
        for i in range(SIZE):
            for s in range(STAGES):
                change = BASIS[s, 0] * D[0, i] + BASIS[s, 1] * D[1, i] + BASIS[s, 2] * D[2, i]
                Z[s, i] += change
                size += (change / work.scale[i]) ** 2
        size = math.sqrt(size / (STAGES * SIZE))
        if not size < 1e12:
            return 0
        if iteration > 1:
            rate = size / last
            if rate < 1.0 and size * rate < tolerance * (1.0 - rate):
                return iteration
            if rate >= 1.0:
                return iteration if size <= ROUNDING else 0
        if size <= 1e-3 * tolerance:
            return iteration
        last = size
    return ITERATIONS_MAX if last <= ROUNDING else 0


@inlined
def estimate_error(work, h):
    """Size of the error of a solved step, in terms of work.scale; 1 is what is allowed."""
    x, sums = work.error, work.slope
    for i in range(SIZE):
        sums[i] = REAL * (ERROR[0] * work.Z[0, i] + ERROR[1] * work.Z[1, i] + ERROR[2] * work.Z[2, i])
    for i in range(5):
        x[i] = h * work.start[i] + sums[i]
        x[5 + i] = h * work.start[5 + i]
        for j in range(5):
            x[5 + i] += work.mass[i, j] * sums[5 + j]
    _solve_real(work, h, x)
    return _size(work, x)


@inlined
def estimate_again(model, chart, y, mode, tether_length, command, work, h):
    """The same after `estimate_error`, with the slope at the start corrected by that estimate.

    Where the motion starts out of balance with what is much faster than the step, the first estimate sees a
    jump that the method makes rightly, and however short the step, it would be refused.
    """
    x, sums = work.error, work.slope
    for i in range(SIZE):
        work.y[i] = y[i] + x[i]
    fill_balance(model, chart, work.base, work.y, mode, tether_length, command, work, x)
    for i in range(5):
        x[i] = h * x[i] + sums[i]
        x[5 + i] = h * work.r[i]
        for j in range(5):
            x[5 + i] += work.mass[i, j] * sums[5 + j]
    _solve_real(work, h, x)
    return _size(work, x)


@inlined
def _size(work, x):
    size = 0.0
    for i in range(SIZE):
        size += (x[i] / work.scale[i]) ** 2
    return math.sqrt(size / SIZE)


@inlined
def keep_rate(work, h):
    """v' at the end of a solved step into work.rate, for the step that follows."""
    for i in range(5):
        work.rate[i] = 0.0
        for s in range(STAGES):
            work.rate[i] += INVERSE[STAGES - 1, s] * work.Z[s, 5 + i] / h
