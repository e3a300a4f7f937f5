"""How a wall is swept in rows: footprint of the camera, number and heights of rows, speed along them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError

Vector = NDArray[np.float64]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class SweepSpec:
    """What the pictures of a wall shall be like."""

    distance: float = 1.5  # from camera to wall [m]
    overlap: float = 0.3  # of one row and the next, share of the picture's height
    overlap_lateral: float = 0.7  # of one picture and the next, share of its width
    speed_max: float = 0.35  # along the rows [m/s]

    def __post_init__(self) -> None:
        check.positive("distance", self.distance)
        check.positive("speed_max", self.speed_max)
        for name in ("overlap", "overlap_lateral"):
            if not 0.0 <= getattr(self, name) < 1.0:
                raise InputError(f"{name} must be at least 0 and below 1, got {getattr(self, name)!r}")


@dataclass(frozen=True)
class Sweep:
    """Rows of one wall."""

    footprint: tuple[float, float]  # of a picture on a flat wall: width, height [m]
    heights: Vector  # of the rows above the floor [m], (n,)
    spacing: float  # from row to row [m]
    speed: float  # [m/s]


def plan_sweep(
    spec: SweepSpec, *, height: float, tan_half_width: float, tan_half_height: float, frame_rate: float
) -> Sweep:
    """Rows over a wall of some height [m], for a camera with this field of view and frames per second.

    L = 2 d tan(FOV/2),  N = ceil(H / (L (1 - s))),  D = H / N,  z_i = i D - D/2,  V = L f (1 - s_lateral).
    """
    check.positive("height", height)
    width, tall = (2.0 * spec.distance * tangent for tangent in (tan_half_width, tan_half_height))
    # A last row for a sliver that is only rounding would be one too many.
    count = max(1, math.ceil(height / (tall * (1.0 - spec.overlap)) - 1e-9))
    spacing = height / count
    speed = min(spec.speed_max, width * frame_rate * (1.0 - spec.overlap_lateral))
    heights = (np.arange(count, dtype=float) + 0.5) * spacing
    return Sweep((width, tall), heights, spacing, speed)
