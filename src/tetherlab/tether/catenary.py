"""The catenary: a tether of given length that hangs at rest between two points, in closed form.

It does not stretch, has no bending stiffness, and meets nothing on its way. For a tether that stretches see
`ElasticCatenary`, for one that partly lies on the ground `GroundedCatenary`.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.tether.catenary_angles import end_from_elevations, solve_from_slopes
from tetherlab.tether.catenary_batch import CatenaryBatch, solve_many
from tetherlab.tether.catenary_curve import (
    STANDARD_GRAVITY,
    Array,
    EndForceDerivatives,
    InextensibleCurve,
    frozen,
    horizontal_direction,
    spread_derivatives,
    weight_per_length,
)
from tetherlab.tether.catenary_kernel import VERTICAL_BAND, response, solve_catenary
from tetherlab.tether.catenary_status import CatenaryStatus

# What noise may do to a measured slope before we call the measurement wrong.
ANGLE_TOLERANCE = math.radians(2.5)


@dataclass(frozen=True, eq=False)
class Catenary(InextensibleCurve):
    """A tether hanging at rest; make one with `between`, `from_angles` or `from_tangents`.

    When the length equals the distance the curve is a straight line, `status` is TAUT and its tension is
    infinite. A vertical tether is an ordinary case: it hangs in two legs, or, without slack, from its upper
    end.
    """

    base: Array  # [m], (3,)
    end: Array  # [m], (3,)
    length: float  # [m]
    status: CatenaryStatus
    parameter: float  # a = horizontal tension over weight per length [m]
    sigma_base: float = field(repr=False)
    heading: Array = field(repr=False)

    @classmethod
    def between(cls, base: Any, end: Any, length: float) -> "Catenary":
        """The tether of this length [m] between two points, (3,) each [m]."""
        base, end = check.vector("base", base), check.vector("end", end)
        length = check.positive("length", length)
        dx, dy, dz = (float(difference) for difference in end - base)
        code, parameter, sigma_base = solve_catenary(dx, dy, dz, length)
        status = CatenaryStatus.from_code(code)
        if status is CatenaryStatus.TOO_SHORT:
            distance = math.hypot(dx, dy, dz)
            raise InputError(
                f"length must be at least the distance between base and end: length is {length:.9g} m, the "
                f"distance is {distance:.9g} m; pay out {distance - length:.3g} m more or move the ends "
                "together (a tether that stretches is ElasticCatenary)"
            )
        if status is CatenaryStatus.NOT_FINITE:
            raise InputError(f"base, end and length must be below 1e100 m, got {base} and {end}")
        heading = horizontal_direction(dx, dy)
        return cls(frozen(base), frozen(end), length, status, parameter, sigma_base, heading)

    @classmethod
    def from_angles(
        cls,
        length: float,
        azimuth: float,
        elevation_base: float,
        elevation_end: float,
        *,
        base: Any = (0.0, 0.0, 0.0),
        angle_tolerance: float = ANGLE_TOLERANCE,
    ) -> "Catenary":
        """The tether of this length [m] with these slopes at its ends [rad].

        Elevation is the slope along base -> end, positive up; beyond ±90° the tether leans against its
        azimuth. Azimuth is counted from +x, counter-clockwise. A hanging tether only turns upwards and does
        not cross the vertical; a pair that misses this by at most `angle_tolerance` counts as noise and is
        moved: slopes in the wrong order are exchanged, a slope past the vertical becomes vertical. Others
        are refused.
        """
        length, azimuth, low, high, tolerance = _checked_angles(
            length, azimuth, elevation_base, elevation_end, angle_tolerance
        )
        slopes = (math.cos(low), math.sin(low), math.cos(high), math.sin(high), math.sin(high - low))
        heading = np.array((math.cos(azimuth), math.sin(azimuth)))
        given = f"elevation_base={low:.6g} rad, elevation_end={high:.6g} rad"
        return cls._from_slopes(length, heading, slopes, base, tolerance, given)

    @classmethod
    def from_tangents(
        cls,
        length: float,
        tangent_base: Any,
        tangent_end: Any,
        *,
        base: Any = (0.0, 0.0, 0.0),
        angle_tolerance: float = ANGLE_TOLERANCE,
    ) -> "Catenary":
        """The tether of this length [m] with these directions along base -> end at its ends, (3,) each.

        Both directions must lie in one vertical plane within `angle_tolerance` [rad]; the plane is that of
        their mean. Otherwise as `from_angles`.
        """
        length = check.positive("length", length)
        tolerance = check.non_negative("angle_tolerance", angle_tolerance)
        tangents = np.array((_unit("tangent_base", tangent_base), _unit("tangent_end", tangent_end)))
        heading = horizontal_direction(*tangents[:, :2].sum(axis=0))
        across = tangents[:, :2] @ np.array((-heading[1], heading[0]))
        if np.abs(across).max() > math.sin(min(tolerance, 0.5 * math.pi)) + 1e-12:
            raise InputError(
                "tangent_base and tangent_end must lie in one vertical plane within angle_tolerance="
                f"{tolerance:.3g} rad, but they leave it by {math.asin(np.abs(across).max()):.3g} rad"
            )
        planar = np.column_stack((tangents[:, :2] @ heading, tangents[:, 2]))
        planar /= np.hypot(planar[:, :1], planar[:, 1:])
        (cos_base, sin_base), (cos_end, sin_end) = planar.tolist()
        slopes = (cos_base, sin_base, cos_end, sin_end, cos_base * sin_end - sin_base * cos_end)
        given = f"tangent_base={tangents[0]}, tangent_end={tangents[1]}"
        return cls._from_slopes(length, heading, slopes, base, tolerance, given)

    @classmethod
    def _from_slopes(
        cls, length: float, heading: Array, slopes: tuple, base: Any, tolerance: float, given: str
    ) -> "Catenary":
        start = check.vector("base", base)
        code, side, parameter, sigma_base, run, rise = solve_from_slopes(length, *slopes, tolerance)
        status = CatenaryStatus.from_code(code)
        if status not in (CatenaryStatus.OK, CatenaryStatus.TAUT):
            raise InputError(f"{status.value} ({given}, angle_tolerance={tolerance:.3g} rad)")
        heading = frozen(side * heading)
        end = frozen(start + np.array((*(run * heading), rise)))
        return cls(frozen(start), end, length, status, parameter, sigma_base, heading)

    @staticmethod
    def end_from_angles(
        length: float,
        azimuth: float,
        elevation_base: float,
        elevation_end: float,
        *,
        angle_tolerance: float = ANGLE_TOLERANCE,
    ) -> tuple[Array, Array]:
        """The end of `from_angles` seen from the base, (3,) [m], and its Jacobian, (3, 4).

        Columns of the Jacobian: length, azimuth, elevation_base, elevation_end. It is exact and stable when
        the tether is taut; where a slope past the vertical was moved, the end does not follow the
        elevations.
        """
        checked = _checked_angles(length, azimuth, elevation_base, elevation_end, angle_tolerance)
        code, end, jacobian = end_from_elevations(*checked)
        status = CatenaryStatus.from_code(code)
        if status not in (CatenaryStatus.OK, CatenaryStatus.TAUT):
            raise InputError(
                f"{status.value} (elevation_base={checked[2]:.6g} rad, elevation_end={checked[3]:.6g} rad, "
                f"angle_tolerance={checked[4]:.3g} rad)"
            )
        return end, jacobian

    @staticmethod
    def batch(bases: Any, ends: Any, lengths: Any) -> CatenaryBatch:
        """Many tethers at once; a row without an answer gets a status, not an error. See `CatenaryBatch`."""
        return solve_many(bases, ends, lengths)

    def end_force_derivatives(
        self, linear_density: float, gravity: float = STANDARD_GRAVITY
    ) -> EndForceDerivatives:
        """How the forces on both ends follow the end's position and the length, analytic."""
        weight = weight_per_length(linear_density, gravity)
        self._refuse_taut()
        dx, dy, rise = (float(difference) for difference in self.end - self.base)
        span = math.hypot(dx, dy)
        if self.parameter == 0.0 or span <= VERTICAL_BAND * self.length:
            b, lateral = math.inf, 0.0  # two legs, whose ends slide sideways freely
        else:
            b, lateral = 0.5 * span / self.parameter, self.parameter / span
        planar = response(span, rise, self.length, 0.0, b)
        return spread_derivatives(self.heading, weight, planar, lateral)


def _unit(name: str, value: Any) -> Array:
    direction = check.vector(name, value)
    size = np.linalg.norm(direction)
    if size == 0.0:
        raise InputError(f"{name} must point somewhere, got {direction}")
    return direction / size


def _checked_angles(
    length: Any, azimuth: Any, elevation_base: Any, elevation_end: Any, angle_tolerance: Any
) -> tuple[float, float, float, float, float]:
    elevations = []
    for name, value in (("elevation_base", elevation_base), ("elevation_end", elevation_end)):
        elevation = check.number(name, value)
        if abs(elevation) > math.pi:
            raise InputError(f"{name} must be between -pi and pi (radians), got {elevation:g}")
        elevations.append(elevation)
    return (
        check.positive("length", length),
        check.number("azimuth", azimuth),
        elevations[0],
        elevations[1],
        check.non_negative("angle_tolerance", angle_tolerance),
    )
