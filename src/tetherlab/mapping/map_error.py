"""How far a map is from the true surface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.mapping.cloud import Cloud

Array = NDArray[np.float64]


class MapError(NamedTuple):
    """Distances of a map's points to the surface [m]."""

    distances: Array  # > 0 in front of it, (n,); NaN where the truth ends
    rms: float
    mean: float  # what a shift of the whole map would mend
    largest: float  # that one point in a hundred exceeds


def map_error(cloud: Cloud, distance: Callable[[Array], Any]) -> MapError:
    """distance: to the true surface [m], (n,) of points (n, 3), as `World.distance`."""
    distances = np.asarray(distance(cloud.points), float)
    known = distances[np.isfinite(distances)]
    if len(known) == 0:
        raise InputError("no point of the map is where the surface is known")
    rms = float(np.sqrt(np.mean(known**2)))
    return MapError(distances, rms, float(known.mean()), float(np.percentile(np.abs(known), 99.0)))
