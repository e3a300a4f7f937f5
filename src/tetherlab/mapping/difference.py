"""Two maps of the same face, some time apart: where the wall has changed, and by how much."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.cloud import Cloud
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.extras import require
from tetherlab.mapping.changes import Change, ChangeSpec, find_changes, mean_of_neighbours
from tetherlab.mapping.face import FacePlane, Lattice, height_map
from tetherlab.mapping.local_shift import take_away
from tetherlab.mapping.registration import register

Array = NDArray[np.float64]
COARSE = 0.08  # size of voxels by which maps are laid on each other [m]
LATERAL = 0.01  # by which maps may still be shifted to the side, standard deviation [m]
REACHES = (0.5, 0.1)  # of neighbours that belong together, far first [m]


class Difference(NamedTuple):
    """How a second map of a face differs from the first."""

    face: FacePlane
    lattice: Lattice
    lost: Array  # how much is gone [m], shape of the lattice; NaN where a map has nothing
    deviation: Array  # of that by noise [m]
    transform: Array  # that laid the second map on the first, (4, 4)
    changes: tuple[Change, ...]  # largest volume first


def compare_maps(
    before: Cloud, after: Cloud, spec: ChangeSpec | None = None, *, guess: Array | None = None
) -> Difference:
    """Lay the second map on the first and find what changed.

    guess: about how it lies, T_before_after, (4, 4); None: both are in one frame, up to some decimetres.
    """
    spec = spec or ChangeSpec()
    transform = lay_on(before, after, np.eye(4) if guess is None else guess)
    face = FacePlane.of(before)
    lattice = Lattice.over(face.inside(before.points)[:, :2], spec.cell)
    first = height_map(before, face, lattice)
    second = height_map(after.moved(transform), face, lattice)
    slopes = np.gradient(mean_of_neighbours(first), spec.cell)
    window = round(spec.window / spec.cell)
    raised, deviation = take_away(second - first, slopes[0], slopes[1], window)
    # Where the wall is steep, what is left of a shift to the side counts as height.
    deviation = np.hypot(deviation, LATERAL * np.hypot(slopes[0], slopes[1]))
    changes = find_changes(-raised, deviation, first, face, lattice, spec)
    return Difference(face, lattice, -raised, deviation, transform, changes)


def lay_on(before: Cloud, after: Cloud, guess: Array) -> Array:
    """T_before_after, (4, 4), by all of the wall that has not changed."""
    require("mapping")
    import small_gicp

    target, tree = small_gicp.preprocess_points(before.points, downsampling_resolution=COARSE)
    source, _ = small_gicp.preprocess_points(after.points, downsampling_resolution=COARSE)
    transform = guess
    for reach in REACHES:
        found = register(target, tree, source, transform, reach)
        if found is None:
            raise InputError(
                "the two maps hardly overlap: are they of the same face, and about where they should be?"
            )
        transform = found.transform
    return transform
