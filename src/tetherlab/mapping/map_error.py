"""How far a map is from the true surface, where it lies and after it was moved to fit best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.errors import InputError

Array = NDArray[np.float64]
STEP = 1e-3  # of differences that tell the normal of the surface [m]
ROUNDS = 8
ENOUGH = 20_000  # points that a rigid motion is fitted to


class MapError(NamedTuple):
    """Distances of a map's points to the surface [m]."""

    distances: Array  # > 0 in front of it, (n,); NaN where the truth ends
    rms: float
    mean: float
    largest: float  # that one point in a hundred exceeds
    rms_of_shape: float  # after the rigid motion that fits best


def map_error(cloud: Cloud, distance: Callable[[Array], Any]) -> MapError:
    """distance: to the true surface [m], (n,) of points (n, 3), as `World.distance`."""
    distances = np.asarray(distance(cloud.points), float)
    known = distances[np.isfinite(distances)]
    if len(known) == 0:
        raise InputError("no point of the map is where the surface is known")
    largest = float(np.percentile(np.abs(known), 99.0))
    points = cloud.points[:: max(1, len(cloud.points) // ENOUGH)]
    return MapError(
        distances,
        root_mean_square(known),
        float(known.mean()),
        largest,
        root_mean_square(_fitted(points, distance)),
    )


def _fitted(points: Array, distance: Callable[[Array], Any]) -> Array:
    """Distances after the best rigid motion, by Gauss and Newton; those that are known [m]."""
    middle = points.mean(axis=0)
    for _ in range(ROUNDS):
        d = np.asarray(distance(points), float)
        ahead = [np.asarray(distance(points + STEP * axis), float) for axis in np.eye(3)]
        normals = np.stack([(a - d) / STEP for a in ahead], axis=1)
        good = np.isfinite(d) & np.isfinite(normals).all(axis=1)
        J = np.hstack([np.cross(points - middle, normals), normals])[good]
        # Far points may belong to what is not there: they pull less.
        weights = 1.0 / np.maximum(np.abs(d[good]), 2.0 * np.median(np.abs(d[good])) + 1e-6)
        information = (J * weights[:, None]).T @ J
        motion = -np.linalg.solve(information + 1e-9 * np.eye(6), J.T @ (weights * d[good]))
        points = Rotation.from_rotvec(motion[:3]).apply(points - middle) + middle + motion[3:]
    d = np.asarray(distance(points), float)
    return d[np.isfinite(d)]


def root_mean_square(values: Array) -> float:
    """Of all values."""
    return float(np.sqrt(np.mean(values**2)))
