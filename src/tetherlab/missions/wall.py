"""What a depth image says of the wall ahead: how far, how it is turned, and where it ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_closing, binary_opening

from tetherlab.contracts import check
from tetherlab.contracts.autonomy import DepthImage

Vector = NDArray[np.float64]
THIN = 2  # every so many pixels are looked at, each way
NEAREST_SHARE = 0.02  # of the pixels are nearer than what is called the nearest: noise
FIT_ROUNDS = 4
PIXELS_MIN = 30  # below which nothing is said


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class WallSpec:
    """How a wall is told from what is not."""

    depth_beyond: float = 1.2  # behind the nearest points: that is no longer this wall [m]
    floor_margin: float = 0.35  # above the floor, below the ceiling: not looked at [m]
    band: float = 1.0  # above and below the camera's height: looked at [m]
    void_share: float = 0.5  # of a column's pixels: then there is no wall
    side_share: float = 0.2  # of the picture's width without wall on one side: the wall ends there


@dataclass(frozen=True)
class WallView:
    """The wall in a picture, in frame H."""

    time: float  # of the picture [s]
    distance: float  # to its nearest point [m]; NaN: there is no wall
    bearing: float  # of its normal from straight ahead, > 0: turn left to face it [rad]
    void_left: float  # share of the picture's width without wall, from its left side
    void_right: float

    @property
    def seen(self) -> bool:
        """Whether there is a wall."""
        return not math.isnan(self.distance)


def image_points(image: DepthImage, thin: int = 1) -> Vector:
    """What each pixel sees, from the camera, in frame H [m], (rows, columns, 3); NaN: nothing."""
    return (image.rays[::thin, ::thin] * image.depth[::thin, ::thin, None]) @ image.rotation.T


def view_wall(image: DepthImage, spec: WallSpec, *, height: float, headroom: float) -> WallView:
    """height: of the camera above the floor, headroom: below the ceiling [m]; NaN: not known."""
    points = image_points(image, THIN)
    low, high = _room(spec, height, headroom)
    # Neither floor nor ceiling, which may be nearer than the wall.
    between = (points[..., 2] > low) & (points[..., 2] < high)
    ahead = np.where(between, points[..., 0], math.nan)
    near = _quantile(ahead, NEAREST_SHARE)
    if math.isnan(near):
        return WallView(image.time, math.nan, 0.0, 1.0, 1.0)
    mask = _looked_at(image, near, max(low, -spec.band), min(high, spec.band))
    # What is not far behind the nearest points is the wall; then, what is not far behind that wall, which may
    # stand askew.
    solid = mask & (ahead < near + spec.depth_beyond)
    if solid.sum() < PIXELS_MIN:
        return WallView(image.time, math.nan, 0.0, 1.0, 1.0)
    offset, slope = _line(points[solid])
    behind = (ahead - offset - slope * points[..., 1]) / math.hypot(1.0, slope)
    solid = mask & _tidied(mask & (behind < spec.depth_beyond))
    wall = points[solid & np.isfinite(ahead)]
    if len(wall) < PIXELS_MIN:
        return WallView(image.time, math.nan, 0.0, 1.0, 1.0)
    distance = _quantile(np.linalg.norm(wall, axis=1), NEAREST_SHARE)
    _, slope = _line(wall)
    void = solid.sum(axis=0) < (1.0 - spec.void_share) * np.maximum(mask.sum(axis=0), 1)
    columns = len(void)
    left = columns if void.all() else int(np.argmin(void))
    right = columns if void.all() else int(np.argmin(void[::-1]))
    # x = a + b y: the wall comes nearer to the left where b < 0, and its normal lies to the left.
    return WallView(image.time, distance, -math.atan(slope), left / columns, right / columns)


def _room(spec: WallSpec, height: float, headroom: float) -> tuple[float, float]:
    """From where to where a wall is looked for, from the camera [m]."""
    low = -math.inf if math.isnan(height) else spec.floor_margin - height
    return low, math.inf if math.isnan(headroom) else headroom - spec.floor_margin


def _looked_at(image: DepthImage, near: float, low: float, high: float) -> NDArray[np.bool_]:
    """Pixels that would meet a wall so far away between two heights from the camera [m]."""
    rise = (image.rays[::THIN, ::THIN] @ image.rotation.T)[..., 2] * near
    mask = (rise > low) & (rise < high)
    return mask if mask.any() else np.ones_like(mask)


def _tidied(pixels: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Without holes of lost pixels, then without specks; what the border cuts is taken to go on."""
    padded = np.pad(pixels, 2, mode="edge")
    whole = binary_opening(binary_closing(padded, np.ones((3, 3))), np.ones((3, 3)))
    return np.asarray(whole[2:-2, 2:-2])


def _quantile(values: Vector, share: float) -> float:
    values = values[np.isfinite(values)]
    if values.size < PIXELS_MIN:
        return math.nan
    return float(np.partition(values.ravel(), int(share * values.size))[int(share * values.size)])


def _line(wall: Vector) -> tuple[float, float]:
    """a [m] and b of the line x = a + b y that most points of a plan follow."""
    x, y = wall[:, 0], wall[:, 1]
    weight = np.ones_like(x)
    offset, slope = float(np.median(x)), 0.0
    for _ in range(FIT_ROUNDS):
        total = weight.sum()
        mx, my = (weight * x).sum() / total, (weight * y).sum() / total
        spread = (weight * (y - my) ** 2).sum()
        if spread < 1e-9:
            return offset, 0.0
        slope = (weight * (x - mx) * (y - my)).sum() / spread
        offset = mx - slope * my
        off = np.abs(x - offset - slope * y)
        scale = 1.5 * float(np.median(off)) + 1e-6
        weight = 1.0 / (1.0 + (off / scale) ** 2)
    return float(offset), float(slope)
