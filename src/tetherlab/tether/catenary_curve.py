"""What every tether at rest can answer: points, tangents, forces on its ends and how they follow the ends."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.tether.catenary_kernel import EPSILON, trace
from tetherlab.tether.catenary_status import CatenaryStatus

Array = NDArray[np.float64]

STANDARD_GRAVITY = 9.80665  # [m/s²]


class EndForces(NamedTuple):
    """The forces that the tether exerts on what holds its ends, world frame; together they are its weight."""

    on_base: Array  # [N], (3,)
    on_end: Array  # [N], (3,)


class EndForceDerivatives(NamedTuple):
    """How both forces follow the position of the end and the length.

    Moving both ends together changes nothing, so the derivatives by the base are minus those by the end.
    """

    on_base_by_end: Array  # [N/m], (3, 3), row: force component, column: coordinate of the end
    on_end_by_end: Array  # [N/m], (3, 3)
    on_base_by_length: Array  # [N/m], (3,)
    on_end_by_length: Array  # [N/m], (3,)


class RestCurve(ABC):
    """A tether at rest in a vertical plane; arc length s runs from 0 at the base to `length` at the end."""

    base: Array  # [m], (3,)
    end: Array  # [m], (3,)
    length: float  # paid out, unstretched [m]
    heading: Array  # horizontal unit vector from base to end, (2,); arbitrary when they are above each other
    sigma_base: (
        float  # vertical force at the base over weight per length [m]; the vertex is at s = -sigma_base
    )

    @abstractmethod
    def _trace(self, arcs: Array) -> Array:
        """Run, rise [m], and horizontal and vertical part of a vector along the tangent, (4, n)."""

    def position(self, s: Any) -> Array:
        """Point at arc length s from the base [m]: (3,) for a number, (n, 3) for an array (n,)."""
        arcs = self._arcs(s)
        run, rise, _, _ = self._trace(arcs)
        points = self.base + np.column_stack((run * self.heading[0], run * self.heading[1], rise))
        points[arcs == self.length] = self.end
        return points[0] if np.ndim(s) == 0 else points

    def tangent(self, s: Any) -> Array:
        """Unit tangent along base -> end at arc length s: (3,) or (n, 3). At a fold it is level."""
        _, _, horizontal, vertical = self._trace(self._arcs(s))
        size = np.hypot(horizontal, vertical)
        folded = size == 0.0
        size[folded] = 1.0
        horizontal = np.where(folded, 1.0, horizontal) / size
        tangents = np.column_stack(
            (horizontal * self.heading[0], horizontal * self.heading[1], vertical / size)
        )
        return tangents[0] if np.ndim(s) == 0 else tangents

    def sample(self, n: int) -> Array:
        """`n` points equally spaced in arc length, from the base to the end, (n, 3) [m]."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 2:
            raise InputError(f"n must be a whole number >= 2 (both ends are samples), got {n!r}")
        return self.position(np.linspace(0.0, self.length, int(n)))

    @property
    def lowest_arc_length(self) -> float:
        """Arc length from the base to the lowest point [m]."""
        # Adding zero turns -0.0 into 0.0.
        return min(max(-self.sigma_base, 0.0), self.length) + 0.0

    @property
    def lowest_point(self) -> Array:
        """The lowest point of the tether, (3,) [m]: its vertex, or an end if the vertex lies outside."""
        return self.position(self.lowest_arc_length)

    def _arcs(self, s: Any) -> Array:
        arcs = check.array("s", np.atleast_1d(s), (None,))
        # The rounding of a sum of steps may end a hair beyond the length.
        within = np.clip(arcs, 0.0, self.length)
        wrong = arcs[np.abs(arcs - within) > 8.0 * EPSILON * self.length]
        if wrong.size:
            raise InputError(f"s must be between 0 and the length {self.length:g} m, got {wrong[0]:.9g}")
        return within


class InextensibleCurve(RestCurve):
    """A tether that does not stretch: its shape is free of its weight, which scales the forces alone."""

    status: CatenaryStatus
    parameter: float  # a = horizontal force over weight per length [m]; infinite when taut

    def tension(self, s: Any, linear_density: float, gravity: float = STANDARD_GRAVITY) -> Any:
        """Tension at arc length s [N]: a number or (n,). Infinite when the tether is taut."""
        arcs = self._arcs(s)
        weight = weight_per_length(linear_density, gravity)
        taut = self.status is CatenaryStatus.TAUT
        tensions = np.full(arcs.size, np.inf) if taut else weight * np.hypot(*self._trace(arcs)[2:])
        return float(tensions[0]) if np.ndim(s) == 0 else tensions

    def horizontal_tension(self, linear_density: float, gravity: float = STANDARD_GRAVITY) -> float:
        """Horizontal part of the tension, the same everywhere [N]. Infinite when the tether is taut."""
        return weight_per_length(linear_density, gravity) * self.parameter

    def end_forces(self, linear_density: float, gravity: float = STANDARD_GRAVITY) -> EndForces:
        """Forces that the tether exerts on what holds its ends."""
        weight = weight_per_length(linear_density, gravity)
        self._refuse_taut()
        _, _, horizontal, vertical = weight * self._trace(np.array((0.0, self.length)))
        return EndForces(
            on_base=np.array((*(horizontal[0] * self.heading), vertical[0])),
            on_end=-np.array((*(horizontal[1] * self.heading), vertical[1])),
        )

    def _trace(self, arcs: Array) -> Array:
        if self.status is not CatenaryStatus.TAUT:
            return trace(self.parameter, self.sigma_base, 0.0, arcs)
        dx, dy, dz = self.end - self.base
        direction = np.array((np.hypot(dx, dy), dz)) / self.length
        return np.vstack((np.outer(direction, arcs), np.outer(direction, np.ones(arcs.size))))

    def _refuse_taut(self) -> None:
        if self.status is CatenaryStatus.TAUT:
            raise InputError(
                f"a taut tether of length {self.length:g} m has no finite end forces: pay out more than the "
                "distance between its ends, or use ElasticCatenary"
            )


def weight_per_length(linear_density: float, gravity: float) -> float:
    """Weight per length [N/m] of a checked linear density [kg/m] and gravity [m/s²]."""
    return check.positive("linear_density", linear_density) * check.positive("gravity", gravity)


def horizontal_direction(dx: float, dy: float) -> Array:
    """Unit vector of (dx, dy), (2,); +x when both are zero."""
    size = float(np.hypot(dx, dy))
    return frozen((dx / size, dy / size) if size > 0.0 else (1.0, 0.0))


def frozen(values: Any) -> Array:
    """A read-only copy, so that a curve cannot be changed behind its own back."""
    result = np.array(values, dtype=np.float64)
    result.setflags(write=False)
    return result


def spread_derivatives(
    heading: Array, weight: float, planar: tuple[float, float, float, float, float], lateral: float
) -> EndForceDerivatives:
    """The derivatives in space from those in the plane (as `response` returns them).

    `lateral` is a/span, the stiffness across the plane: pulled aside, the whole curve swings like a pendulum.
    """
    a_by_span, cross, middle_by_rise, a_by_length, middle_by_length = planar
    along = np.outer(heading, heading)
    pull = np.empty((3, 3))
    pull[:2, :2] = a_by_span * along + lateral * (np.eye(2) - along)
    pull[:2, 2] = pull[2, :2] = cross * heading
    pull[2, 2] = middle_by_rise
    # sigma at the two ends is the one at mid-length -+ length/2.
    horizontal = a_by_length * heading
    return EndForceDerivatives(
        on_base_by_end=weight * pull,
        on_end_by_end=-weight * pull,
        on_base_by_length=weight * np.array((*horizontal, middle_by_length - 0.5)),
        on_end_by_length=-weight * np.array((*horizontal, middle_by_length + 0.5)),
    )
