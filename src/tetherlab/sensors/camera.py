"""Where a landmark appears in the picture of the drone's camera: a pinhole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tetherlab.contracts import check
from tetherlab.sensors.readings import PixelReading
from tetherlab.sensors.sensor import Sensor, Timing
from tetherlab.sensors.truth import Truth

DOWN = ((0.0, -1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, -1.0))  # the top of the picture is ahead


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class CameraSpec(Timing):
    """A small colour camera; assumed. Its frame: x to the right of the picture, y down, z into the scene."""

    rate_hz: float = 30.0
    delay: float = 0.04  # [s]
    landmark: tuple[float, float, float] = (0.0, 0.0, 0.0)  # in the world [m]
    focal_length: float = 600.0  # [pixels]
    width: int = 1280  # of the picture [pixels]
    height: int = 720
    noise: float = 0.5  # standard deviation of a pixel in each direction [pixels]
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)  # from the tether's attachment, body frame [m]
    rotation: tuple[tuple[float, ...], ...] = DOWN  # R_BC: axes of the camera as columns, body frame

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("focal_length", "width", "height"):
            check.positive(name, getattr(self, name))
        check.non_negative("noise", self.noise)
        check.vector("landmark", self.landmark)
        check.vector("position", self.position)
        check.array("rotation", self.rotation, (3, 3))


class Camera(Sensor[CameraSpec, Truth]):
    """A landmark outside the picture or behind the camera is not reported."""

    axes = ("column", "row")
    unit = "pixels"

    def __init__(self, spec: CameraSpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        self._landmark = np.array(spec.landmark, float)
        self._position = np.array(spec.position, float)
        self._rotation = np.array(spec.rotation, float)

    def values(self, truth: Truth) -> list[float]:
        """Column and row [pixels]; infinite behind the camera."""
        spec = self.spec
        p_BL = truth.rotation.T @ (self._landmark - truth.attachment) - self._position
        x, y, depth = (self._rotation.T @ p_BL).tolist()
        noise = self.generator.standard_normal(2).tolist()
        if depth <= 0.0:
            return [-np.inf, -np.inf]
        return [
            0.5 * spec.width + spec.focal_length * x / depth + spec.noise * noise[0],
            0.5 * spec.height + spec.focal_length * y / depth + spec.noise * noise[1],
        ]

    def message(self, truth: Truth, values: list[float], saturated: tuple[str, ...]) -> PixelReading | None:
        """A pixel, if there is one."""
        column, row = values
        if not (0.0 <= column < self.spec.width and 0.0 <= row < self.spec.height):
            return None
        return PixelReading(truth.time, np.array(values), self._landmark)
