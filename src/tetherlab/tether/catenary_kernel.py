"""The hanging curve in its own vertical plane, as compiled leaves.

A tether at rest carries the same horizontal force everywhere and a vertical force that grows by the weight
passed. Divided by the weight per length, these forces are lengths: `a`, and `sigma(s) = sigma_base + s`,
which is also the arc length from the vertex. The two numbers (a, sigma_base) are the whole curve; every
formula here is a sum of terms of one sign, so that taut, slack, steep and vertical tethers keep their
digits. The derivation is in docs/theory/catenary.md.
"""

import math

import numpy as np

from tetherlab.math.kernel import njit
from tetherlab.tether.catenary_status import NOT_FINITE, OK, TAUT, TOO_SHORT

EPSILON = 2.220446049250313e-16
# A length that equals the distance up to the rounding of a square root is taut, not too short.
TAUT_BAND = 16.0 * EPSILON
# Spans below this fraction of the length are vertical; their squares would leave the floating-point range.
VERTICAL_BAND = 1e-100
LARGEST = 1e100  # [m]


@njit(cache=True)
def two_square(x):
    """x*x as an unevaluated sum of two numbers, exact (Dekker's splitting)."""
    product = x * x
    shifted = 134217729.0 * x  # 2^27 + 1
    high = shifted - (shifted - x)
    low = x - high
    return product, ((high * high - product) + 2.0 * high * low) + low * low


@njit(cache=True)
def squared_slack(dx, dy, dz, length):
    """length² − dx² − dy² − dz² [m²] without cancellation: near taut it is all we know of the sag."""
    total, rest = two_square(length)
    for component in (dx, dy, dz):
        square, error = two_square(component)
        difference = total - square
        # Two-sum: what the rounded difference has lost.
        back = difference - total
        rest += (total - (difference - back)) - (square + back) - error
        total = difference
    return total + rest


@njit(cache=True)
def sinh_excess(b):
    """sinh(b) − b for b >= 0, to full relative precision."""
    if b >= 1.0:
        return math.sinh(b) - b
    square = b * b
    series = 1.0
    for n in range(9, 0, -1):
        series = 1.0 + series * square / ((2.0 * n + 2.0) * (2.0 * n + 3.0))
    return b * square / 6.0 * series


@njit(cache=True)
def langevin(b):
    """coth(b) − 1/b for b > 0, the slope of log(sinh(b)/b), to full relative precision."""
    if b >= 1.0:
        return 1.0 + 2.0 / math.expm1(2.0 * b) - 1.0 / b
    # (b cosh(b) − sinh(b))/b is a series of positive terms.
    square = b * b
    series = 1.0
    for n in range(9, 0, -1):
        series = 1.0 + series * square / (2.0 * n * (2.0 * n + 3.0))
    return b / 3.0 * series / (1.0 + sinh_excess(b) / b)


@njit(cache=True)
def log_sinhc(b):
    """log(sinh(b)/b) for b > 0, to full relative precision."""
    if b < 1.0:
        return math.log1p(sinh_excess(b) / b)
    return b - math.log(2.0 * b) + math.log1p(-math.exp(-2.0 * b))


@njit(cache=True)
def solve_log_sinhc(target):
    """The b > 0 with log(sinh(b)/b) = target > 0."""
    if target < 3.0:
        b = math.sqrt(6.0 * target) * (1.0 + target * (0.1 - 0.0038 * target))  # within 1e-4
    else:
        log_target = math.log(2.0 * target)
        b = target + log_target * (1.0 + 1.0 / target)  # within 4e-3
    # The function is convex and increasing: Newton cannot fail, and each step squares the error.
    for _ in range(3):
        b -= (log_sinhc(b) - target) / langevin(b)
    return b


@njit(cache=True)
def half_turn(span, slack):
    """b = span/2a of the catenary over a span > 0 [m], with slack = length² − distance² > 0 [m²]."""
    # (sinh(b)/b)² = (length² − rise²)/span² = 1 + slack/span²; divided twice, a tiny span does not underflow.
    return solve_log_sinhc(0.5 * math.log1p(slack / span / span))


@njit(cache=True)
def solve_catenary(dx, dy, dz, length):
    """(status, a, sigma_base) of the inextensible catenary from the origin to (dx, dy, dz), all [m].

    With D = span, h = rise, L = length and b = D/2a:  sinh(b)/b = sqrt(L² − h²)/D has one positive root when
    L exceeds the distance, and sigma at mid-length is (h/2) coth(b). A vertical tether has a = 0.
    """
    # Also false for NaN. Far outside, squares would leave the floating-point range.
    if not (0.0 < length < LARGEST and abs(dx) + abs(dy) + abs(dz) < LARGEST):
        return NOT_FINITE, math.nan, math.nan
    span = math.hypot(dx, dy)
    slack = squared_slack(dx, dy, dz, length)
    band = TAUT_BAND * length * length
    if slack < -band:
        return TOO_SHORT, math.nan, math.nan
    straight = slack <= band
    if span <= VERTICAL_BAND * length or (straight and span <= TAUT_BAND * length):
        # Two legs; when there is no slack, a line that hangs from its upper end with a weightless lower end.
        return OK, 0.0, -min(max(0.5 * (length - dz), 0.0), length)
    if straight:
        # Of sigma_base only the side on which the vertex lies is left.
        return TAUT, math.inf, (0.0 if dz >= 0.0 else -length)
    b = half_turn(span, slack)
    # sigma_base = (h/2) coth(b) − L/2, written so that steep slack tethers keep the small difference L − h.
    return OK, 0.5 * span / b, dz / math.expm1(2.0 * b) - 0.5 * (length - dz)


@njit(cache=True)
def turn(a, sigma, arc):
    """asinh((sigma + arc)/a) − asinh(sigma/a): the horizontal run over `arc`, divided by a > 0."""
    end = sigma + arc
    tension_start = math.hypot(a, sigma)
    tension_end = math.hypot(a, end)
    total = tension_start + tension_end
    # tanh(turn/2) = arc/(T0 + T1)
    if arc < 0.5 * total:
        return 2.0 * math.atanh(arc / total)
    # Slack: T0 + T1 − arc is tiny; (T − sigma) = a²/(T + sigma) keeps it.
    rest_end = a * (a / (tension_end + end)) if end > 0.0 else tension_end - end
    rest_start = tension_start + sigma if sigma > 0.0 else a * (a / (tension_start - sigma))
    return math.log((total + arc) / (rest_end + rest_start))


@njit(cache=True)
def advance(a, sigma, compliance, arc):
    """(run, rise) [m] from the point with the given sigma over `arc` [m], unstretched.

    `compliance` is weight per length over axial stiffness [1/m], zero for a tether that does not stretch.
    """
    end = sigma + arc
    total = math.hypot(a, sigma) + math.hypot(a, end)
    run = a * (compliance * arc + turn(a, sigma, arc)) if a > 0.0 else 0.0
    # T1 − T0 = (sigma1² − sigma0²)/(T0 + T1)
    rise = arc * (end + sigma) * (0.5 * compliance + 1.0 / total) if total > 0.0 else 0.0
    return run, rise


@njit(cache=True, nogil=True)
def trace(a, sigma_base, compliance, arcs):
    """Run, rise, and horizontal and vertical force over weight per length at each arc length, (4, n) [m]."""
    result = np.empty((4, arcs.size))
    for i in range(arcs.size):
        run, rise = advance(a, sigma_base, compliance, arcs[i])
        result[0, i] = run
        result[1, i] = rise
        result[2, i] = a
        result[3, i] = sigma_base + arcs[i]
    return result


@njit(cache=True)
def response(span, rise, length, compliance, b):
    """How the forces follow the ends: (da/dspan, da/drise, dtau/drise, da/dlength, dtau/dlength).

    tau is sigma at mid-length, and dtau/dspan equals da/drise. With D, h, L, t = tanh(b), c = compliance L:
    a = D/(2b + c), tau = h/(2t + c), and L² = (D A)² + (h B)² with A = 2 sinh(b)/(2b + c), B = 2t/(2t + c).
    These are differentiated by hand; each result is a sum of terms of one sign. b is infinite for two legs.
    """
    c = compliance * length
    if b == math.inf:
        return 0.0, 0.0, 1.0 / (2.0 + c), 0.0, -rise * compliance / (2.0 + c) ** 2
    t = math.tanh(b)
    run_ratio = 1.0 / (2.0 * b + c)
    rise_ratio = 1.0 / (2.0 * t + c)
    sinh_b = math.sinh(b)
    A = 2.0 * sinh_b * run_ratio
    B = 2.0 * t * rise_ratio
    run_part, rise_part = (span * A) ** 2, (rise * B) ** 2
    # d(L²)/db and −d(L²)/dc
    by_b = 2.0 * run_part * (langevin(b) + c * run_ratio / b) + rise_part * B * c / sinh_b**2
    by_c = 2.0 * run_part * run_ratio + rise_part * B / t
    b_by_length = (2.0 * length + compliance * by_c) / by_b
    flattening = 2.0 * (rise_ratio / math.cosh(b)) ** 2
    return (
        run_ratio + 4.0 * (span * A * run_ratio) ** 2 / by_b,
        4.0 * (span * run_ratio**2) * (rise * B * B) / by_b,
        rise_ratio + 2.0 * rise_part * flattening / by_b,
        -span * run_ratio**2 * (2.0 * b_by_length + compliance),
        -rise * (flattening * b_by_length + compliance * rise_ratio**2),
    )
