"""A depth camera: how far everything is that it sees, along its axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.autonomy import DepthImage, pixel_rays
from tetherlab.contracts.errors import InputError
from tetherlab.sensors.levelling import levelled
from tetherlab.sensors.ray_sensor import Picture, RaySensor, RaySpec

Vector = NDArray[np.float64]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class DepthCameraSpec(RaySpec):
    """Intel RealSense L515 (paper 003, section 3.2.5), at less than its resolution, which is 640 x 480.

    Range (9 m), field of view (70 by 55 degrees) and noise (2.5 mm at 1 m, 15.5 mm at 9 m) are as its data
    sheet has them; rate, delay and losses are assumed.
    """

    rate_hz: float = 5.0
    delay: float = 0.05  # [s]
    rows: int = 96
    columns: int = 128
    width_angle: float = math.radians(70.0)  # of the picture [rad]
    height_angle: float = math.radians(55.0)
    noise: float = 0.000875  # [m]
    noise_per_metre: float = 0.001625
    resolution: float = 0.00025  # [m]
    position: tuple[float, float, float] = (0.1, 0.0, 0.1)  # [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("rows", "columns"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 2:
                raise InputError(f"{name} must be a whole number >= 2, got {value!r}")
        for name in ("width_angle", "height_angle"):
            if not 0.0 < check.number(name, getattr(self, name)) < math.pi:
                raise InputError(f"{name} must be between 0 and π, got {getattr(self, name):g} rad")


class DepthCamera(RaySensor[DepthCameraSpec]):
    """Frame C: x along its axis, y to the left, z up."""

    def __init__(
        self, spec: DepthCameraSpec, name: str, seed: int, attitude: Callable[[Any], Vector]
    ) -> None:
        self.tan_half_width = math.tan(0.5 * spec.width_angle)
        self.tan_half_height = math.tan(0.5 * spec.height_angle)
        rays = pixel_rays(spec.rows, spec.columns, self.tan_half_width, self.tan_half_height)
        directions = rays / np.linalg.norm(rays, axis=2, keepdims=True)
        super().__init__(spec, name, seed, directions)
        self._attitude = attitude
        self._along = directions[:, :, 0].astype(np.float32)

    def poses(self, truth: Any) -> Vector:
        """One: all is seen at once."""
        return self._pose(truth.attachment, truth.rotation)[None]

    def reading(self, truth: Any, ranges: Picture) -> DepthImage:
        """With the attitude that the autopilot believes in."""
        return DepthImage(
            time=truth.time,
            depth=ranges * self._along,
            tan_half_width=self.tan_half_width,
            tan_half_height=self.tan_half_height,
            rotation=levelled(self._attitude(truth)) @ self._rotation,
        )
