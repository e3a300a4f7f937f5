"""A hanging tether that partly lies on flat ground.

The ground is a level plane without friction: the resting shape is then unique, the one of least potential
energy, and the horizontal tension is the same in both hanging pieces and in the piece between them. With
friction any tension in a band around it would also be at rest, and which one depends on how the tether got
there.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import njit
from tetherlab.tether.catenary import Catenary
from tetherlab.tether.catenary_curve import Array, InextensibleCurve, horizontal_direction
from tetherlab.tether.catenary_kernel import EPSILON, sinh_excess, trace
from tetherlab.tether.catenary_status import CatenaryStatus


@dataclass(frozen=True, eq=False)
class GroundedCatenary(InextensibleCurve):
    """A tether of given length over level ground; make one with `between`.

    While it hangs free it is the `Catenary`, and `contact` is None. Otherwise two pieces hang and touch the
    ground level, and a straight piece lies between them. If there is more tether than that needs, the
    pieces hang straight down without horizontal tension and `loose_length` lies about on the ground; where
    it lies is not known, and points of the ground piece are then given evenly along the straight line
    between the two feet.
    """

    base: Array  # [m], (3,)
    end: Array  # [m], (3,)
    length: float  # [m]
    ground_height: float  # [m]
    status: CatenaryStatus
    parameter: float  # a = horizontal tension over weight per length [m]
    contact: tuple[float, float] | None  # arc lengths between which the tether lies on the ground [m]
    loose_length: float  # tether on the ground beyond the distance between the feet [m]
    sigma_base: float = field(repr=False)
    heading: Array = field(repr=False)

    @classmethod
    def between(cls, base: Any, end: Any, length: float, ground_height: float = 0.0) -> "GroundedCatenary":
        """The tether of this length [m] between two points at or above the ground, (3,) each [m]."""
        free = Catenary.between(base, end, length)
        ground = check.number("ground_height", ground_height)
        base_height, end_height = float(free.base[2]) - ground, float(free.end[2]) - ground
        for name, height in (("base", base_height), ("end", end_height)):
            if height < 0.0:
                raise InputError(
                    f"{name} must be at or above the ground: it is at {height + ground:g} m, "
                    f"ground_height is {ground:g} m"
                )
        parameter, sigma_base, contact, loose = free.parameter, free.sigma_base, None, 0.0
        if free.lowest_point[2] < ground:
            span = math.hypot(free.end[0] - free.base[0], free.end[1] - free.base[1])
            loose = max(free.length - span - base_height - end_height, 0.0)
            parameter = 0.0
            if loose == 0.0:
                parameter = solve_grounded(base_height, end_height, free.length - span)
            base_leg, end_leg = hanging_arc(parameter, base_height), hanging_arc(parameter, end_height)
            sigma_base = -base_leg
            # When the tether just touches, both feet meet up to rounding.
            contact = (base_leg, max(free.length - end_leg, base_leg))
        heading = horizontal_direction(*(free.end[:2] - free.base[:2]))
        return cls(
            free.base,
            free.end,
            free.length,
            ground,
            free.status,
            parameter,
            contact,
            loose,
            sigma_base,
            heading,
        )

    @property
    def lowest_arc_length(self) -> float:
        """Arc length to the lowest point, or to the middle of the piece on the ground [m]."""
        return 0.5 * sum(self.contact) if self.contact else super().lowest_arc_length

    def _trace(self, arcs: Array) -> Array:
        if self.contact is None:
            return super()._trace(arcs)
        first, last = self.contact
        a = self.parameter
        down, up, flat = arcs < first, arcs > last, (arcs >= first) & (arcs <= last)
        result = np.empty((4, arcs.size))
        result[:, down] = trace(a, self.sigma_base, 0.0, arcs[down])
        # The end piece is followed from the end backwards: no foot then collects the other's rounding.
        end_arc = self.length - last
        result[:, up] = trace(a, -end_arc, 0.0, self.length - arcs[up])
        span = math.hypot(*(self.end[:2] - self.base[:2]))
        base_foot = _foot_run(a, float(self.base[2]) - self.ground_height)
        end_foot = span - _foot_run(a, float(self.end[2]) - self.ground_height)
        result[0, up] = span - result[0, up]
        result[1, up] += self.end[2] - self.base[2]
        result[3, up] *= -1.0
        share = (arcs[flat] - first) / (last - first) if last > first else np.zeros(int(flat.sum()))
        result[0, flat] = base_foot + share * max(end_foot - base_foot, 0.0)
        result[1, flat] = self.ground_height - self.base[2]
        result[2, flat] = a
        result[3, flat] = 0.0
        return result


@njit(cache=True)
def hanging_arc(a, height):
    """Arc length from the ground, touched level, up to a height [m]."""
    return math.sqrt(height * (height + 2.0 * a))


@njit(cache=True)
def _leg_turn(a, height):
    """v with height = a (cosh(v) − 1), run = a v and arc = a sinh(v), for a > 0."""
    return 2.0 * math.asinh(math.sqrt(0.5 * height / a))


def _foot_run(a: float, height: float) -> float:
    return a * float(_leg_turn(a, height)) if a > 0.0 else 0.0


@njit(cache=True)
def _leg_excess(a, height):
    """(arc − run of a hanging piece [m], its slope by a, which only steers the search), for a > 0."""
    v = _leg_turn(a, height)
    slope = -(v**3) / 12.0 if v < 1e-2 else 2.0 * math.tanh(0.5 * v) - v
    return a * sinh_excess(v), slope


@njit(cache=True, nogil=True)
def solve_grounded(base_height, end_height, excess):
    """a of the tether whose two hanging pieces take `excess` = length − span more than their runs [m].

    The excess falls from base_height + end_height at a = 0 to zero at a = infinity, like 1/sqrt(a) for
    large a: 1/excess² is then linear in a, and Newton on it needs few steps. A bracket guards the rest.
    """
    total = base_height + end_height
    shallow = math.sqrt(2.0) / 3.0 * (base_height**1.5 + end_height**1.5)
    low, high = 0.0, math.inf
    a = max((shallow / excess) ** 2 - (shallow / total) ** 2, 1e-3 * (total - excess))
    if a <= 0.0:
        return 0.0
    for _ in range(200):
        first, first_slope = _leg_excess(a, base_height)
        second, second_slope = _leg_excess(a, end_height)
        value, slope = first + second, first_slope + second_slope
        if value > excess:
            low = a
        else:
            high = a
        ratio = value / excess
        if abs(ratio - 1.0) <= 8.0 * EPSILON:
            return a
        # Newton on 1/value² − 1/excess².
        candidate = a - 0.5 * value * (ratio * ratio - 1.0) / slope
        if abs(candidate - a) <= 2.0 * EPSILON * a:
            return candidate
        if not low < candidate < high:
            candidate = 0.5 * (low + high) if high < math.inf else 2.0 * a
        a = candidate
    raise AssertionError(
        "the grounded catenary did not converge: this is a bug in tetherlab, please report it"
    )
