"""The shapes of a world, as frozen records. Everything is SI; a point inside a shape has a negative distance.

A shape at the top level of a `World` is one object: it may carry a name, a friction coefficient (None means
"take the tether's own") and later a pose. Inside a union or difference name and friction have no effect.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.world.relief_bounds import stored_relief, surface_heights

FARTHEST = 1e9  # coordinate, and size of a shape [m]
Vector = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Shape:
    """What all shapes share."""

    name: str = ""
    friction: float | None = None  # Coulomb coefficient [-]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InputError(f"name must be a string, got {self.name!r}")
        if self.friction is not None:
            self._set("friction", check.non_negative("friction", self.friction))

    def _set(self, name: str, value: Any) -> None:
        """Store a checked value; frozen arrays keep a frozen shape frozen."""
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(self, name, value)

    def _check_vector(self, name: str) -> None:
        self._set(name, check.vector(name, getattr(self, name)))
        self._check_size(name)

    def _check_positive(self, name: str) -> None:
        self._set(name, check.positive(name, getattr(self, name)))
        self._check_size(name)

    def _check_size(self, name: str) -> None:
        most = float(np.max(np.abs(getattr(self, name))))
        if most > FARTHEST:
            raise InputError(f"{name} must be at most {FARTHEST:g} m, got {most:g}")


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class Plane(Shape):
    """Solid half space on the side away from the normal."""

    point: Vector = (0.0, 0.0, 0.0)  # any point of the surface [m], (3,)
    normal: Vector = (0.0, 0.0, 1.0)  # towards free space, any length, (3,)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_vector("point")
        self._check_vector("normal")
        length = np.linalg.norm(self.normal)
        if length < 1e-12:
            raise InputError("normal must have a direction, got a zero vector")
        self._set("normal", np.asarray(self.normal) / length)


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class Sphere(Shape):
    """Ball."""

    center: Vector  # [m], (3,)
    radius: float  # [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_vector("center")
        self._check_positive("radius")


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class Box(Shape):
    """Box along the axes, from its lowest to its highest corner."""

    lower: Vector  # [m], (3,)
    upper: Vector  # [m], (3,)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_vector("lower")
        self._check_vector("upper")
        if not np.all(np.asarray(self.lower) < np.asarray(self.upper)):
            raise InputError(f"upper must be above lower on every axis, got {self.lower} and {self.upper}")


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class OrientedBox(Shape):
    """Box turned by a quaternion about its centre."""

    center: Vector  # [m], (3,)
    size: Vector  # full edge lengths in the box's own frame [m], (3,)
    rotation: Vector = (1.0, 0.0, 0.0, 0.0)  # quaternion wxyz, box to object frame, normalised here, (4,)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_vector("center")
        self._check_vector("size")
        if not np.all(np.asarray(self.size) > 0.0):
            raise InputError(f"size must be > 0 on every axis, got {self.size}")
        self._set("rotation", unit_quaternion("rotation", self.rotation))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Rod(Shape):
    """What cylinder and capsule share: an axis between two points, and a radius."""

    start: Vector  # [m], (3,)
    end: Vector  # [m], (3,)
    radius: float  # [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_vector("start")
        self._check_vector("end")
        self._check_positive("radius")
        if np.linalg.norm(np.asarray(self.end) - np.asarray(self.start)) < 1e-9:
            raise InputError(f"start and end must be different points, got {self.start} twice")


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class Cylinder(_Rod):
    """Cylinder from start to end with flat caps."""


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class Capsule(_Rod):
    """All points within the radius of the segment from start to end."""


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class Union(Shape):
    """All shapes together, as one object."""

    shapes: Sequence[Shape]  # at least one

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("shapes", require_shapes("shapes", self.shapes))
        if not self.shapes:
            raise InputError("shapes of a Union must hold at least one shape")


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class Difference(Shape):
    """What is left of a shape when another is taken away."""

    shape: Shape  # what there is
    minus: Shape  # what is cut out of it; deep cuts keep the distance in an opening that to its sides

    def __post_init__(self) -> None:
        super().__post_init__()
        require_shape("shape", self.shape)
        require_shape("minus", self.minus)


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class Intersection(Shape):
    """What all shapes have in common; round its outer edges the distance is a lower bound."""

    shapes: Sequence[Shape]  # at least one

    def __post_init__(self) -> None:
        super().__post_init__()
        self._set("shapes", require_shapes("shapes", self.shapes))
        if not self.shapes:
            raise InputError("shapes of an Intersection must hold at least one shape")


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class Relief(Shape):
    """Slab whose upper face is displaced by a height map: rough floors, ceilings and walls.

    In the slab's own frame, whose third axis is "up", the solid reaches from -thickness to h(u, v). Height
    (i, j) belongs to u = spacing i, v = spacing j. They are control points of a smooth surface, a quadratic
    B-spline, which follows planes exactly and misses other heights by spacing^2/8 times their curvature.
    """

    heights: NDArray[np.float32] = field(repr=False)  # [m], (nu, nv), each count >= 2, all above -thickness
    origin: Vector  # position of heights[0, 0], were it 0 [m], (3,)
    spacing: float  # [m]
    thickness: float  # of the slab below height 0 [m]
    rotation: Vector = (1.0, 0.0, 0.0, 0.0)  # quaternion wxyz, slab to object frame, normalised here, (4,)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_vector("origin")
        self._check_positive("spacing")
        self._check_positive("thickness")
        self._set("rotation", unit_quaternion("rotation", self.rotation))
        heights = np.ascontiguousarray(self.heights, dtype=np.float32)
        if heights.ndim != 2 or min(heights.shape) < 2:
            raise InputError(f"heights must have shape (nu, nv) with each count >= 2, got {heights.shape}")
        if not np.isfinite(heights.sum(dtype=np.float64)):
            raise InputError("heights must be finite numbers of metres")
        if heights.min() <= -self.thickness:
            raise InputError(
                f"thickness must be more than the deepest of heights, {-heights.min():g}, got"
                f" {self.thickness:g}"
            )
        object.__setattr__(self, "heights", heights)  # may be large, so it is neither copied nor frozen

    @property
    def size(self) -> NDArray[np.float64]:
        """Of the rectangle [m], (2,)."""
        return self.spacing * (np.array(self.heights.shape) - 1.0)

    def surface(self, u: Any, v: Any) -> NDArray[np.float64]:
        """Height of the surface in the slab's frame [m], for u and v of any one shape [m]."""
        return surface_heights(self.heights, self.spacing, u, v)

    @cached_property
    def stored(self) -> NDArray[np.float32]:
        """What compiled code reads of it."""
        return stored_relief(self.heights, self.spacing)

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest height; the surface lies between them [m]."""
        return float(self.heights.min()), float(self.heights.max())


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class VoxelGrid(Shape):
    """Signed distance sampled on a lattice: sample (i, j, k) lies at origin + spacing (i, j, k).

    Between the samples the distance is trilinear. If all samples on the border of the lattice are positive,
    the solid ends inside it; otherwise the solid is taken to go on beyond the border.
    """

    values: NDArray[np.float32] = field(repr=False)  # [m], (nx, ny, nz), each count >= 2
    origin: Vector  # position of values[0, 0, 0] [m], (3,)
    spacing: float  # [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_vector("origin")
        self._check_positive("spacing")
        values = np.ascontiguousarray(self.values, dtype=np.float32)
        if values.ndim != 3 or min(values.shape) < 2:
            raise InputError(f"values must have shape (nx, ny, nz) with each count >= 2, got {values.shape}")
        # The sum is finite only if every sample is: no mask the size of the map is needed.
        if not np.isfinite(values.sum(dtype=np.float64)):
            raise InputError("values must be finite distances in metres")
        object.__setattr__(self, "values", values)  # may be huge, so it is neither copied nor frozen

    @property
    def upper(self) -> NDArray[np.float64]:
        """Position of the last sample [m], (3,)."""
        return np.asarray(self.origin) + self.spacing * (np.array(self.values.shape) - 1.0)


def require_shape(name: str, value: Any) -> None:
    """Complain if the value is not a shape."""
    if not isinstance(value, Shape):
        raise InputError(f"{name} must be a shape such as tl.shapes.Box(...), got {value!r}")


def require_shapes(name: str, value: Any) -> tuple[Shape, ...]:
    """A list of shapes as a tuple; complain if it is something else."""
    if isinstance(value, Shape):
        raise InputError(
            f"{name} must be a list of shapes, got a single {type(value).__name__}: write [shape]"
        )
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(f"{name} must be a list of shapes, got {value!r}")
    shapes = tuple(value)
    for index, shape in enumerate(shapes):
        require_shape(f"{name}[{index}]", shape)
    return shapes


def unit_quaternion(name: str, value: Any) -> NDArray[np.float64]:
    """A quaternion wxyz of length 1, (4,)."""
    quaternion = check.array(name, value, (4,))
    length = float(np.linalg.norm(quaternion))
    if abs(length - 1.0) > 1e-2:
        raise InputError(f"{name} must be a unit quaternion wxyz, got {value!r} of length {length:g}")
    return quaternion / length
