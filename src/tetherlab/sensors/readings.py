"""What sensors say that no estimator listens to yet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class GnssReading:
    """Where a satellite receiver believes the drone to be."""

    time: float  # when it was sensed [s]
    position: Vector  # world frame [m], (3,)


@dataclass(frozen=True)
class RangeReading:
    """How far the drone is from the base, by radio."""

    time: float  # [s]
    range: float  # [m]
    saturated: tuple[str, ...] = ()


@dataclass(frozen=True)
class PixelReading:
    """Where a landmark is in the picture."""

    time: float  # [s]
    pixel: Vector  # from the upper left corner: to the right, down [pixels], (2,)
    landmark: Vector  # which one: its place in the world [m], (3,)


Reading = GnssReading | RangeReading | PixelReading
