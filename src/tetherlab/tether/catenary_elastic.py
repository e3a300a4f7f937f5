"""The elastic catenary: a tether that hangs at rest and stretches in proportion to its tension.

Its unstretched length may be shorter than the distance between its ends. The two unknown forces follow from
one number, the root of a monotone function, so there is one answer for every input and no guess can miss
it. The derivation is in docs/theory/catenary.md.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tetherlab.contracts import check
from tetherlab.math.kernel import njit
from tetherlab.tether.catenary_curve import (
    STANDARD_GRAVITY,
    Array,
    EndForceDerivatives,
    EndForces,
    RestCurve,
    frozen,
    horizontal_direction,
    spread_derivatives,
    weight_per_length,
)
from tetherlab.tether.catenary_kernel import (
    EPSILON,
    VERTICAL_BAND,
    half_turn,
    langevin,
    response,
    sinh_excess,
    squared_slack,
    trace,
    turn,
)


@dataclass(frozen=True, eq=False)
class ElasticCatenary(RestCurve):
    """A hanging tether that stretches; make one with `between`. Arc length is counted unstretched."""

    base: Array  # [m], (3,)
    end: Array  # [m], (3,)
    length: float  # unstretched [m]
    weight: float  # per unstretched length [N/m]
    axial_stiffness: float  # EA [N]
    parameter: float  # a = horizontal tension over weight per length [m]
    sigma_base: float = field(repr=False)
    heading: Array = field(repr=False)
    half_turn: float = field(repr=False)  # b of docs/theory/catenary.md; infinite for two vertical legs

    @classmethod
    def between(
        cls,
        base: Any,
        end: Any,
        length: float,
        linear_density: float,
        axial_stiffness: float,
        gravity: float = STANDARD_GRAVITY,
    ) -> "ElasticCatenary":
        """The tether of this unstretched length [m], mass [kg/m] and stiffness EA [N] between two points."""
        base, end = check.vector("base", base), check.vector("end", end)
        length = check.positive("length", length)
        weight = weight_per_length(linear_density, gravity)
        axial_stiffness = check.positive("axial_stiffness", axial_stiffness)
        dx, dy, dz = (float(difference) for difference in end - base)
        span, rise, compliance = math.hypot(dx, dy), dz, weight / axial_stiffness
        b = solve_elastic(
            span / length,
            rise / length,
            squared_slack(dx, dy, dz, length) / length**2,
            compliance * length,
        )
        parameter = span / (2.0 * b + compliance * length)
        middle = rise / (2.0 * math.tanh(b) + compliance * length)
        return cls(
            frozen(base),
            frozen(end),
            length,
            weight,
            axial_stiffness,
            parameter,
            middle - 0.5 * length,
            horizontal_direction(dx, dy),
            b,
        )

    @property
    def compliance(self) -> float:
        """Weight per length over axial stiffness [1/m]: strain that one metre of hanging tether adds."""
        return self.weight / self.axial_stiffness

    @property
    def stretched_length(self) -> float:
        """Length of the tether as it hangs [m]."""
        a, middle = self.parameter, self.sigma_base + 0.5 * self.length
        total = math.hypot(a, self.sigma_base) + math.hypot(a, self.sigma_base + self.length)
        # Tension over weight, integrated along the tether.
        integral = 0.5 * self.length * (2.0 * middle * (middle / total) + 0.5 * total)
        if a > 0.0:
            integral += 0.5 * a * a * turn(a, self.sigma_base, self.length)
        return self.length + self.compliance * integral

    def tension(self, s: Any) -> Any:
        """Tension at unstretched arc length s [N]: a number or (n,)."""
        tensions = self.weight * np.hypot(self.parameter, self.sigma_base + self._arcs(s))
        return float(tensions[0]) if np.ndim(s) == 0 else tensions

    def strain(self, s: Any) -> Any:
        """Stretch per unstretched length at s: a number or (n,)."""
        return self.tension(s) / self.axial_stiffness

    @property
    def horizontal_tension(self) -> float:
        """Horizontal part of the tension, the same everywhere [N]."""
        return self.weight * self.parameter

    def end_forces(self) -> EndForces:
        """Forces that the tether exerts on what holds its ends."""
        horizontal = self.horizontal_tension * self.heading
        return EndForces(
            on_base=np.array((*horizontal, self.weight * self.sigma_base)),
            on_end=-np.array((*horizontal, self.weight * (self.sigma_base + self.length))),
        )

    def end_force_derivatives(self) -> EndForceDerivatives:
        """How the forces on both ends follow the end's position and the unstretched length, analytic."""
        dx, dy, rise = (float(difference) for difference in self.end - self.base)
        span = math.hypot(dx, dy)
        planar = response(span, rise, self.length, self.compliance, self.half_turn)
        lateral = 1.0 / (2.0 * self.half_turn + self.compliance * self.length)
        return spread_derivatives(self.heading, self.weight, planar, lateral)

    def _trace(self, arcs: Array) -> Array:
        return trace(self.parameter, self.sigma_base, self.compliance, arcs)


@njit(cache=True)
def _guess(span, rise, compliance):
    """b of the inextensible catenary of the length to which a shallow tether would stretch."""
    distance = math.hypot(span, rise)
    # At tension t (over weight) shallow sag adds span² distance/(24 t²), and stretch gives compliance t:
    # compliance t³ + (1 − distance) t² = span² distance/24, started above its only positive root.
    drive = span * span * distance / 24.0
    if distance >= 1.0:
        t = (drive / compliance) ** (1.0 / 3.0) + (distance - 1.0) / compliance
    else:
        t = min((drive / compliance) ** (1.0 / 3.0), math.sqrt(drive / (1.0 - distance)))
    for _ in range(8):
        t -= (t * t * (compliance * t + 1.0 - distance) - drive) / (
            t * (3.0 * compliance * t + 2.0 * (1.0 - distance))
        )
    excess = drive / (t * t)
    return half_turn(span, excess * (2.0 * distance + excess))


@njit(cache=True)
def _imbalance(span, rise, slack, compliance, b):
    """A function of b that rises through zero at the answer, its slope, and whether it is zero yet.

    The balance is run + lift = 1 with run = (span A)² and lift = (rise B)² (see `response`), both rising
    with b. The logarithm of the one that rises faster makes the function nearly straight.
    """
    c = 0.5 * compliance
    t, sinh_b = math.tanh(b), math.sinh(b)
    A, B = sinh_b / (b + c), t / (t + c)
    run, lift = (span * A) ** 2, (rise * B) ** 2
    run_slope = 2.0 * run * (langevin(b) + c / (b * (b + c)))
    lift_slope = 2.0 * lift * B * c / (sinh_b * sinh_b)
    # run + lift − 1 from small parts: span² (A² − 1) − rise² (1 − B²) − slack.
    curve = span * span * (A + 1.0) / (b + c)
    lost = rise * rise * c / (t + c) * (B + 1.0)
    excess = curve * (sinh_excess(b) - c) - lost - slack
    rounding = 8.0 * EPSILON * (curve * (sinh_excess(b) + c) + lost + abs(slack))
    found = abs(excess) <= rounding
    rest = slack + span * span + lost  # 1 − lift
    if rest > 0.0 and run_slope > lift_slope:
        ratio = excess / rest
        value = math.log1p(ratio) if abs(ratio) < 0.5 else math.log(run / rest)
        return value, run_slope / run + lift_slope / rest, found
    value = math.log1p(excess) if abs(excess) < 0.5 else math.log(run + lift)
    return value, (run_slope + lift_slope) / (run + lift), found


@njit(cache=True, nogil=True)
def solve_elastic(span, rise, slack, compliance):
    """b of the elastic catenary; lengths in units of the unstretched length.

    `slack` is 1 − span² − rise², `compliance` the total weight over the axial stiffness.
    """
    if span <= VERTICAL_BAND:
        # Two legs, unless the tether is stretched from top to bottom.
        strain = abs(rise) - 1.0
        return math.atanh(0.5 * compliance / strain) if strain > 0.5 * compliance else math.inf
    b = _guess(span, rise, compliance)
    low, high = 0.0, math.inf
    for _ in range(200):
        value, slope, found = _imbalance(span, rise, slack, compliance, b)
        if found:
            return b
        if value < 0.0:
            low = b
        else:
            high = b
        # Newton, in log(b) where the function is a power of b. On the plateau of a steep tether it would
        # leap far beyond the answer, so it may at most double; the bracket catches what is left.
        step = -value / slope
        trial = min(b * math.exp(min(step / b, 1.0)) if b < 1.0 else b + step, 2.0 * b + 1.0)
        if abs(trial - b) <= 2.0 * EPSILON * b:
            return trial
        if not low < trial < high:
            trial = math.sqrt(low * high) if low > 0.0 else 0.1 * b
        b = trial
    raise AssertionError(
        "the elastic catenary did not converge: this is a bug in tetherlab, please report it"
    )
