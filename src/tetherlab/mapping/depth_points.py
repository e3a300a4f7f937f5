"""Points from depth images."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import DepthImage

Array = NDArray[np.float64]


@lru_cache(maxsize=8)
def _rays(rows: int, columns: int, tan_half_width: float, tan_half_height: float) -> Array:
    """Directions of all pixels in the camera's frame, x = 1, (rows, columns, 3)."""
    u = 1.0 - (2.0 * np.arange(columns) + 1.0) / columns
    v = 1.0 - (2.0 * np.arange(rows) + 1.0) / rows
    rays = np.ones((rows, columns, 3))
    rays[..., 1] = u * tan_half_width
    rays[..., 2] = v[:, None] * tan_half_height
    rays.setflags(write=False)
    return rays


def depth_points(
    image: DepthImage,
    *,
    camera: tuple[float, float, float] = (0.0, 0.0, 0.0),
    range_max: float = np.inf,
    jump: float = 0.1,
) -> Array:
    """Points in the drone's level frame H [m], (n, 3).

    camera: where it is on the drone, in its own axes [m]. range_max: of the depth [m]. jump: pixels beside a
    step of the depth larger than this [m], which may be the mean of what is before and behind, are left out.
    """
    depth = image.depth
    good = np.isfinite(depth) & (depth < range_max)
    filled = np.where(good, depth, np.float32(np.nan))  # a pixel beside one without a reading is no step
    for axis in (0, 1):
        steps = np.abs(np.diff(filled, axis=axis)) > jump
        first = [slice(None), slice(None)]
        second = list(first)
        first[axis], second[axis] = slice(None, -1), slice(1, None)
        good[tuple(first)] &= ~steps
        good[tuple(second)] &= ~steps
    rays = _rays(*depth.shape, image.tan_half_width, image.tan_half_height)[good]
    points_C = rays * depth[good].astype(float)[:, None] + np.array(camera)
    return points_C @ image.rotation.T
