"""What depth camera and lidar have in common: a grid of rays, and what becomes of their echoes."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import njit
from tetherlab.sensors.ray_grid import cast_grid, make_grid
from tetherlab.sensors.sensor import Message, Sensor, Timing, check_range

Vector = NDArray[np.float64]
Picture = NDArray[np.float32]
WHITE = 0.95  # share of light that the target reflects by which makers state a range
EDGE = 0.1  # a jump between neighbours that counts as an edge, as a share of the range
FORWARD = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class RaySpec(Timing):
    """The echo of a ray is as strong as reflectivity cos(incidence)/range²; one that is too weak is lost."""

    range: tuple[float, float] = (0.25, 9.0)  # nearest, and farthest of a white wall straight ahead [m]
    noise: float = 0.0  # standard deviation of one ray straight at a wall, at no range [m]
    noise_per_metre: float = 0.0  # by which it grows with range [1]; at an incidence it is 1/cos as large
    reflectivity: float = 0.5  # share of light that the walls give back; rock; assumed
    incidence_max: float = math.radians(85.0)  # at which nothing comes back, however near; assumed [rad]
    edge_loss: float = 0.5  # share of rays lost that meet an edge, half on it and half beyond; assumed
    random_loss: float = 0.005  # share of all other rays lost; assumed
    resolution: float = 0.0  # whole steps in which it reads; 0: none [m]
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # from the tether's attachment, body frame [m]
    rotation: tuple[tuple[float, ...], ...] = FORWARD  # R_BC: axes of the sensor as columns, body frame

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("range", self.range)
        check.non_negative("range", self.range[0])
        for name in ("noise", "noise_per_metre", "resolution"):
            check.non_negative(name, getattr(self, name))
        for name in ("edge_loss", "random_loss", "reflectivity"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"{name} must be a share from 0 to 1, got {getattr(self, name)!r}")
        if not 0.0 < self.incidence_max < 0.5 * math.pi:
            raise InputError(
                f"incidence_max must be between 0 and a right angle, got {self.incidence_max!r} rad"
            )
        check.vector("position", self.position)
        check.array("rotation", self.rotation, (3, 3))


AnyRaySpec = TypeVar("AnyRaySpec", bound=RaySpec)


class RaySensor(Sensor[AnyRaySpec, Any]):
    """Its reading is a picture, of which faults take hold as a whole."""

    unit = "m"

    def __init__(self, spec: AnyRaySpec, name: str, seed: int, directions: Vector) -> None:
        super().__init__(spec, name, seed)
        self.grid = make_grid(directions)
        self._position, self._rotation = np.array(spec.position, float), np.array(spec.rotation, float)
        shape = directions.shape[:2]
        self._ranges, self._cosines = np.empty(shape), np.empty(shape)
        self._objects = np.empty(shape, np.int64)
        self._noise = self._chance = np.empty(shape, np.float32)
        self._picture: Picture | None = None
        self._numbers = np.array(
            [
                *spec.range,
                spec.noise,
                spec.noise_per_metre,
                spec.range[1] * math.sqrt(spec.reflectivity / WHITE),
                math.cos(spec.incidence_max),
                spec.edge_loss,
                spec.random_loss,
                spec.resolution,
            ]
        )

    @abstractmethod
    def poses(self, truth: Any) -> Vector:
        """Of the sensor, as `cast_grid` takes them, (n, 12)."""

    @abstractmethod
    def reading(self, truth: Any, ranges: Picture) -> Message:
        """As it is sent."""

    def values(self, truth: Any) -> list[float]:
        """By how much all ranges are too long [m]: not at all, unless a fault makes them so."""
        shape = self._ranges.shape
        # Drawn also for a picture that nobody will see: the next ones stay as they were.
        self._noise = self.generator.standard_normal(shape, dtype=np.float32)
        self._chance = self.generator.random(shape, dtype=np.float32)
        return [0.0]

    def message(self, truth: Any, values: list[float], saturated: tuple[str, ...]) -> Message:
        """The picture of now, or the last one if it is stuck."""
        stuck = any(fault.kind == "stuck" and fault.active(truth.time) for fault in self.faults)
        if self._picture is None or not stuck:
            self._picture = self._look(truth, values[0])
        return self.reading(truth, self._picture)

    def _look(self, truth: Any, offset: float) -> Picture:
        far = self.spec.range[1]
        cast_grid(
            truth.surroundings, self.grid, self.poses(truth), far, self._ranges, self._objects, self._cosines
        )
        picture = np.empty(self._ranges.shape, np.float32)
        _hear(
            self._ranges,
            self._objects,
            self._cosines,
            self._noise,
            self._chance,
            self._numbers,
            offset,
            picture,
        )
        return picture

    def _pose(self, place: Vector, rotation: Vector) -> Vector:
        """Of the sensor, from where the tether is tied to the drone [m], (3,), and R_WB; (12,)."""
        return np.concatenate([(rotation @ self._rotation).ravel(), place + rotation @ self._position])


@njit(cache=True, nogil=True)
def _hear(ranges, objects, cosines, noise, chance, numbers, offset, picture):
    """What is read of each ray [m], (rows, columns); NaN where no echo is heard."""
    low, high, noise_here, noise_growth, reach, cosine_min, edge_loss, random_loss, step = numbers
    rows, columns = ranges.shape
    for r in range(rows):
        for c in range(columns):
            picture[r, c] = np.nan
            t, cosine = ranges[r, c], cosines[r, c]
            if objects[r, c] < 0 or t < low or cosine < cosine_min or t * t > reach * reach * cosine:
                continue
            loss = random_loss
            if (
                abs(ranges[max(r - 1, 0), c] - t) > EDGE * t
                or abs(ranges[min(r + 1, rows - 1), c] - t) > EDGE * t
                or abs(ranges[r, max(c - 1, 0)] - t) > EDGE * t
                or abs(ranges[r, min(c + 1, columns - 1)] - t) > EDGE * t
            ):
                loss = max(loss, edge_loss)
            if chance[r, c] < loss:
                continue
            t += offset + noise[r, c] * (noise_here + noise_growth * t) / cosine
            if step > 0.0:
                t = round(t / step) * step
            if low <= t <= high:
                picture[r, c] = t
