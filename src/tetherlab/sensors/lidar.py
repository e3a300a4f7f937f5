"""A lidar: ranges in rows and columns, all at once or column by column while it spins."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import rotate_in_place
from tetherlab.sensors.ray_grid import TILE
from tetherlab.sensors.ray_sensor import Picture, RaySensor, RaySpec
from tetherlab.sensors.readings import ScanReading
from tetherlab.sensors.sensor import check_range

Vector = NDArray[np.float64]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class LidarSpec(RaySpec):
    """A small one with sixteen rows; assumed. One that does not spin sees all its columns at once."""

    rate_hz: float = 10.0  # turns per second
    delay: float = 0.02  # [s]
    rows: int = 16
    columns: int = 512
    azimuth_range: tuple[float, float] = (-math.pi, math.pi)  # counter-clockwise, from the x axis [rad]
    elevation_range: tuple[float, float] = (-0.26, 0.26)  # of the lowest and highest row [rad]
    spinning: bool = True
    range: tuple[float, float] = (0.3, 50.0)  # [m]
    noise: float = 0.015  # [m]
    resolution: float = 0.002  # [m]
    position: tuple[float, float, float] = (0.0, 0.0, 0.1)  # [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("rows", "columns"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"{name} must be a whole number >= 1, got {value!r}")
        check_range("azimuth_range", self.azimuth_range)
        check_range("elevation_range", self.elevation_range)
        if self.azimuth_range[1] - self.azimuth_range[0] > 2.0 * math.pi + 1e-9:
            raise InputError(f"azimuth_range must be a turn at most, got {self.azimuth_range!r} rad")


class Lidar(RaySensor[LidarSpec]):
    """While it spins, the drone moves; a sweep ends when it is sent.

    Over one sweep the motion is taken as steady. Columns of one tile of rays are taken from one place.
    """

    def __init__(self, spec: LidarSpec, name: str, seed: int) -> None:
        low, high = spec.azimuth_range
        azimuth = low + (high - low) * (np.arange(spec.columns) + 0.5) / spec.columns
        elevation = np.linspace(spec.elevation_range[1], spec.elevation_range[0], spec.rows)[:, None]
        flat = np.cos(elevation)
        up = np.broadcast_to(np.sin(elevation), (spec.rows, spec.columns))
        super().__init__(
            spec, name, seed, np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), up], axis=-1)
        )
        self._ages = self._tile_ages()

    def _tile_ages(self) -> Vector:
        """How long before the end of a sweep each column of tiles is taken [s]."""
        spec = self.spec
        if not spec.spinning:
            return np.zeros(1)
        share = (spec.azimuth_range[1] - spec.azimuth_range[0]) / (2.0 * math.pi)
        middles = np.minimum(TILE * (np.arange(-(-spec.columns // TILE)) + 0.5), spec.columns - 0.5)
        return share / spec.rate_hz * (1.0 - middles / spec.columns)

    def poses(self, truth: Any) -> Vector:
        """One for each column of tiles, or one."""
        found = np.empty((len(self._ages), 12))
        turn = truth.rotation @ truth.angular_velocity
        for row, age in zip(found, self._ages, strict=True):
            rotation = np.array(truth.rotation, order="C")
            rotate_in_place(rotation, *(-age * turn))
            row[:] = self._pose(truth.attachment - age * truth.velocity, rotation)
        return found

    def reading(self, truth: Any, ranges: Picture) -> ScanReading:
        """With the time of each column."""
        ages = np.repeat(self._ages, TILE)[: self.spec.columns] if self.spec.spinning else np.zeros(1)
        times = truth.time - np.broadcast_to(ages, (self.spec.columns,))
        return ScanReading(truth.time, ranges, times, self.grid.directions)
