"""Points from depth images."""

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import DepthImage

Array = NDArray[np.float64]


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
    points_C = image.rays[good] * depth[good].astype(float)[:, None] + np.array(camera)
    return points_C @ image.rotation.T
