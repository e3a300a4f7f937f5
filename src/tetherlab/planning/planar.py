"""A vertical plane with obstacles: what is free, what sees what, and how wide the room is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.planning import planar_kernel
from tetherlab.planning.polygon import ON, area, clipped, convex_parts, grown, is_simple

Array = NDArray[np.float64]
Bounds = tuple[float, float, float, float]


class Sides(NamedTuple):
    """All obstacles and the border as the kernels take them."""

    vertices: Array  # solid at the left of each side; the last four are the border's [m], (n, 2)
    after: NDArray[np.int64]  # the next vertex of the same obstacle, (n,)
    before: NDArray[np.int64]  # (n,)
    offsets: NDArray[np.int64]  # where each obstacle begins, then the border, then the end


@check.known_arguments
@dataclass(frozen=True, eq=False)
class PlanarWorld:
    """Polygons in the plane y = 0 of the world, x to the right and z up.

    They may touch and overlap each other and the border: what touches is one obstacle, without a way between.
    """

    bounds: Bounds  # x_min, z_min, x_max, z_max [m]
    obstacles: Sequence[ArrayLike] = ()  # vertices of each, kept counter-clockwise [m], (n, 2)

    def __post_init__(self) -> None:
        x_min, z_min, x_max, z_max = (float(value) for value in check.array("bounds", self.bounds, (4,)))
        if not (x_max - x_min > ON and z_max - z_min > ON):
            raise InputError(f"bounds must be (x_min, z_min, x_max, z_max), got {self.bounds!r}")
        object.__setattr__(self, "bounds", (x_min, z_min, x_max, z_max))
        polygons = tuple(_polygon(f"obstacles[{i}]", p, self.bounds) for i, p in enumerate(self.obstacles))
        object.__setattr__(self, "obstacles", polygons)

    @cached_property
    def polygons(self) -> tuple[Array, ...]:
        """The obstacles, each counter-clockwise."""
        return tuple(np.asarray(polygon) for polygon in self.obstacles)

    @cached_property
    def sides(self) -> Sides:
        """For the kernels."""
        x_min, z_min, x_max, z_max = self.bounds
        border = np.array([[x_min, z_min], [x_min, z_max], [x_max, z_max], [x_max, z_min]])
        loops = [*self.polygons, border]
        offsets = np.cumsum([0, *map(len, loops)])
        after, before = np.arange(1, offsets[-1] + 1), np.arange(-1, offsets[-1] - 1)
        after[offsets[1:] - 1], before[offsets[:-1]] = offsets[:-1], offsets[1:] - 1
        return Sides(np.concatenate(loops), after, before, offsets)

    def free(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether each point (n, 2) is in the open room or on its edge, (n,)."""
        return planar_kernel.free_points(*self.sides, check.array("points", points, (None, 2)))

    def visible(self, a: ArrayLike, b: ArrayLike) -> bool:
        """Whether the straight piece from a to b is free; it may lie on sides and corners."""
        ends = np.stack((check.array("a", a, (2,)), check.array("b", b, (2,))))
        return bool(self.free(ends).all()) and bool(planar_kernel.sees(*self.sides, *ends[0], *ends[1]))

    def clearance(self, points: ArrayLike) -> Array:
        """Distance of each point (n, 2) to the nearest obstacle or border, 0 if it is not free [m], (n,)."""
        points = check.array("points", points, (None, 2))
        return np.where(self.free(points), planar_kernel.distances(*self.sides[:2], points), 0.0)

    def inflated(self, margin: float) -> PlanarWorld:
        """The room of a robot's centre: obstacles grow by a square of half side `margin`, the bounds shrink.

        That is Minkowski's sum with a square, which holds the disc: what is free here is free for a round
        robot. An obstacle that is not convex grows as triangles that overlap.
        """
        margin = check.non_negative("margin", margin)
        x_min, z_min, x_max, z_max = self.bounds
        bounds = (x_min + margin, z_min + margin, x_max - margin, z_max - margin)
        if not (bounds[2] - bounds[0] > ON and bounds[3] - bounds[1] > ON):
            raise InputError(f"margin {margin:g} leaves no room within the bounds {self.bounds}")
        parts = [part for polygon in self.polygons for part in convex_parts(polygon)]
        pieces = [_without_repeats(clipped(grown(part, margin), bounds)) for part in parts]
        return PlanarWorld(bounds, [p for p in pieces if len(p) > 2 and abs(area(p)) > ON * ON])


def box(x_min: float, z_min: float, x_max: float, z_max: float) -> Array:
    """The vertices of an upright rectangle [m], (4, 2)."""
    x_min, z_min, x_max, z_max = (check.number("box", v) for v in (x_min, z_min, x_max, z_max))
    if not (x_max > x_min and z_max > z_min):
        raise InputError(f"a box needs x_max > x_min and z_max > z_min, got {(x_min, z_min, x_max, z_max)}")
    return np.array([[x_min, z_min], [x_max, z_min], [x_max, z_max], [x_min, z_max]])


def _polygon(name: str, value: ArrayLike, bounds: Bounds) -> Array:
    """Checked and counter-clockwise."""
    polygon = check.array(name, value, (None, 2))
    if len(polygon) < 3:
        raise InputError(f"{name} must have at least three vertices, got {len(polygon)}")
    outside = (polygon < np.array(bounds[:2]) - ON) | (polygon > np.array(bounds[2:]) + ON)
    if outside.any():
        vertex = polygon[np.argmax(outside.any(axis=1))]
        raise InputError(
            f"{name} has the vertex ({vertex[0]:g}, {vertex[1]:g}) outside of the bounds {bounds}"
        )
    size = area(polygon)
    if abs(size) < ON * float(np.ptp(polygon, axis=0).max()):
        raise InputError(f"{name} has no area")
    if not is_simple(polygon):
        raise InputError(f"{name} meets itself: give the vertices once each, in the order round the obstacle")
    polygon = polygon if size > 0.0 else polygon[::-1].copy()
    polygon.flags.writeable = False
    return polygon


def _without_repeats(polygon: Array) -> Array:
    """The polygon without vertices that cutting has doubled."""
    if len(polygon) == 0:
        return polygon
    return polygon[np.hypot(*(polygon - np.roll(polygon, 1, axis=0)).T) > 10.0 * ON]
