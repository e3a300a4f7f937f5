"""Keyframes: a few places of the flight, each with what was seen from around there.

The odometry is sure of a second's flight, so images of one second share a frame; what registration corrects
is how these frames lie to one another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import small_gicp
from numpy.typing import NDArray

from tetherlab.contracts.autonomy import DepthImage
from tetherlab.contracts.track import Track
from tetherlab.mapping.cloud import voxel_means
from tetherlab.mapping.depth_points import depth_points

Array = NDArray[np.float64]
FEW = 50  # points that tell nothing


class Keyframe(NamedTuple):
    """What was seen from around a place, in the drone's level frame H there."""

    index: int  # of the track
    points: Array  # means of fine voxels [m], (n, 3)
    counts: NDArray[np.int64]  # of readings, (n,)
    eye: Array  # where they were seen from, mean [m], (3,)
    cloud: small_gicp.PointCloud  # coarser, with covariances
    tree: small_gicp.KdTree


def collect(
    images: Iterable[DepthImage],
    track: Track,
    *,
    spacing: float,
    turn: float,
    fine: float,
    coarse: float,
    range_max: float,
    camera: tuple[float, float, float],
) -> list[Keyframe]:
    """Keyframes of a flight, a new one after each `spacing` [m] or `turn` [rad].

    fine, coarse: sizes of voxels of what is kept for the map and for registration [m].
    """
    found: list[Keyframe] = []
    group: list[tuple[Array, Array, float]] = []  # points in H, place, yaw

    def close() -> None:
        if group:
            frame = _join(group, track, spans[0], fine, coarse)
            if frame is not None:
                found.append(frame)
            group.clear()

    spans = [0.0]  # time of the keyframe that is open
    for image in images:
        if not track.time[0] <= image.time <= track.time[-1]:
            continue
        places, yaws = track.at(np.array([image.time]))
        place, yaw = places[0], float(yaws[0])
        if group:
            begun, heading = group[0][1], group[0][2]
            if math.dist(begun, place) >= spacing or abs(yaw - heading) >= turn:
                close()
        if not group:
            spans[0] = image.time
        group.append((depth_points(image, camera=camera, range_max=range_max), place, yaw))
    close()
    return found


def _join(
    group: list[tuple[Array, Array, float]], track: Track, begun: float, fine: float, coarse: float
) -> Keyframe | None:
    """One keyframe of all images of a group, in the frame of the track's sample nearest to the first."""
    index = int(np.abs(track.time - begun).argmin())
    home, heading = track.position[index], float(track.yaw[index])
    parts, eyes = [], []
    for points, place, yaw in group:
        c, s = math.cos(heading), math.sin(heading)
        eye = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ (place - home)
        c, s = math.cos(yaw - heading), math.sin(yaw - heading)
        parts.append(points @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) + eye)
        eyes.append(eye)
    points, counts = voxel_means(np.concatenate(parts), fine)
    if len(points) < FEW:
        return None
    cloud, tree = small_gicp.preprocess_points(points, downsampling_resolution=coarse, num_neighbors=12)
    return Keyframe(index, points, counts, np.mean(eyes, axis=0), cloud, tree)
