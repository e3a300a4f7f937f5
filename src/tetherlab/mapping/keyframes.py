"""Keyframes: a few places of the flight, each with what was seen from around there.

The odometry is sure of a second's flight, so images of one second share a frame; what registration corrects
is how these frames lie to one another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import DepthImage
from tetherlab.contracts.extras import require
from tetherlab.contracts.track import Track
from tetherlab.mapping.cloud import voxel_means
from tetherlab.mapping.depth_points import depth_points

if TYPE_CHECKING:
    import small_gicp

Array = NDArray[np.float64]
FEW = 50  # points that tell nothing
NEIGHBOURS = 12  # that the shape of the surface at a point is fitted to


class View(NamedTuple):
    """An image with the place that odometry tells."""

    image: DepthImage
    place: Array  # [m], (3,)
    yaw: float  # [rad]


class Keyframe(NamedTuple):
    """What was seen from around a place, in the drone's level frame H there."""

    sample: int  # of the track
    points: Array  # means of fine voxels [m], (n, 3)
    counts: NDArray[np.int64]  # of readings, (n,)
    eye: Array  # where they were seen from, mean [m], (3,)
    cloud: small_gicp.PointCloud  # coarser, with covariances
    tree: small_gicp.KdTree


def group_views(
    images: Iterable[DepthImage], track: Track, spacing: float, turn: float
) -> Iterator[list[View]]:
    """Images of the flight in groups, a new one after each `spacing` [m] or `turn` [rad]."""
    group: list[View] = []
    for image in images:
        if not track.time[0] <= image.time <= track.time[-1]:
            continue
        places, yaws = track.at(np.array([image.time]))
        view = View(image, places[0], float(yaws[0]))
        if group:
            far = math.dist(group[0].place, view.place) >= spacing
            if far or abs(view.yaw - group[0].yaw) >= turn:
                yield group
                group = []
        group.append(view)
    if group:
        yield group


def make_keyframe(
    group: list[View],
    track: Track,
    *,
    camera: tuple[float, float, float],
    range_max: float,
    fine: float,
    coarse: float,
) -> Keyframe | None:
    """All images of a group in the frame of the track's sample nearest to the first; None: they show nothing.

    camera, range_max: as of `depth_points`. fine, coarse: sizes of voxels for the map, for registration [m].
    """
    sample = int(np.abs(track.time - group[0].image.time).argmin())
    home, heading = track.position[sample], float(track.yaw[sample])
    points, eyes = [], []
    for view in group:
        seen = depth_points(view.image, camera=camera, range_max=range_max)
        eye = _turn(-heading) @ (view.place - home)
        points.append(seen @ _turn(view.yaw - heading).T + eye)
        eyes.append(eye)
    means, counts = voxel_means(np.concatenate(points), fine)
    if len(means) < FEW:
        return None
    require("mapping")
    import small_gicp

    cloud, tree = small_gicp.preprocess_points(
        means, downsampling_resolution=coarse, num_neighbors=NEIGHBOURS
    )
    return Keyframe(sample, means, counts, np.mean(eyes, axis=0), cloud, tree)


def _turn(angle: float) -> Array:
    """Rz, (3, 3)."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
