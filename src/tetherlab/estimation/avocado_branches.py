"""Branches that are known: when the tether sweeps over one, it may be caught there.

Seen from the anchor, a branch from a to b and the tether along n meet where n lies in the plane of a and b:
where n . (a x b) changes its sign. They touch if r n = a + t (b - a) with t within the branch and r less than
the tether, and then r of the tether are held.
"""

import math

from tetherlab.estimation.avocado_layout import FREE, LOG_LENGTH, MODES
from tetherlab.estimation.avocado_modes import pool, pour
from tetherlab.math.kernel import kernel

CATCHES = 0.5  # probability that a branch on the map holds a tether that sweeps over it
NEAR = 0.02  # to the anchor, or to P, where a contact changes nothing that could be felt [m]


@kernel
def sweep(s, m, n0, n1, n2, length, size):
    """Take notice of branches that a free tether along n, (n0, n1, n2), so long [m], has just swept over."""
    for i in range(m.branches.shape[0]):
        branch = m.branches[i]
        a0, a1, a2 = branch[0], branch[1], branch[2]
        d0, d1, d2 = branch[3] - a0, branch[4] - a1, branch[5] - a2
        x0, x1, x2 = a1 * d2 - a2 * d1, a2 * d0 - a0 * d2, a0 * d1 - a1 * d0  # a x d = a x b
        before, side = m.sides[i], n0 * x0 + n1 * x1 + n2 * x2
        m.sides[i] = side
        if before * side >= 0.0:
            continue
        y = (n1 * d2 - n2 * d1) * x0 + (n2 * d0 - n0 * d2) * x1 + (n0 * d1 - n1 * d0) * x2
        if y == 0.0:
            continue
        held = (x0 * x0 + x1 * x1 + x2 * x2) / y
        t = ((a1 * n2 - a2 * n1) * x0 + (a2 * n0 - a0 * n2) * x1 + (a0 * n1 - a1 * n0) * x2) / y
        if 0.0 <= t <= 1.0 and NEAR < held < length - NEAR:
            _catch(s, m, length - held, size)


@kernel
def _catch(s, m, free, size):
    """Half of what was believed of a free tether is now one of this free length [m]."""
    best, log_length = FREE + 1, math.log(free)
    for k in range(FREE + 1, MODES):
        if abs(m.x[k, LOG_LENGTH] - log_length) < abs(m.x[best, LOG_LENGTH] - log_length):
            best = k
    pool(m, False, size, m.work, m.work2)
    mass = CATCHES * m.p[FREE]
    m.p[FREE] -= mass
    pour(m, best, mass, log_length, (s.map_deviation / free) ** 2, size, m.work2)
