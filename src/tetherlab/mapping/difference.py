"""Two maps of the same face, some time apart: where the wall has changed, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import small_gicp
from numpy.typing import NDArray
from scipy.ndimage import label, uniform_filter

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.mapping.cloud import Cloud
from tetherlab.mapping.face import Face, Lattice, height_map
from tetherlab.mapping.local_shift import take_away
from tetherlab.mapping.registration import register

Array = NDArray[np.float64]
REACHES = (0.5, 0.1)  # of neighbours when maps are laid on each other, far first [m]
TOUCHING = np.ones((3, 3), int)  # cells that share a corner belong together


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class ChangeSpec:
    """What counts as a change."""

    cell: float = 0.04  # of the lattice [m]
    window: float = 1.0  # half of that within which maps may be shifted to each other [m]
    depth_min: float = 0.03  # [m]
    doubt: float = 5.0  # standard deviations of noise below which nothing is believed
    area_min: float = 0.015  # [m^2]

    def __post_init__(self) -> None:
        for name in vars(self):
            check.positive(name, getattr(self, name))


class Change(NamedTuple):
    """A piece that is gone, or one that was not there."""

    position: Array  # of its middle, on the first map's surface [m], (3,)
    depth: float  # the most that is gone along the face's normal [m]; < 0: added
    width: float  # of a disc of the same area [m]
    area: float  # over the face [m^2]
    volume: float  # [m^3]; < 0: added


class Difference(NamedTuple):
    """How a second map of a face differs from the first."""

    face: Face
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
    face = Face.of(before)
    lattice = Lattice.over(face.inside(before.points)[:, :2], spec.cell)
    first = height_map(before, face, lattice)
    second = height_map(after.moved(transform), face, lattice)
    slope_u, slope_v = _slopes(first, spec.cell)
    shifted, deviation = take_away(second - first, slope_u, slope_v, round(spec.window / spec.cell))
    lost = -shifted
    changes = _find(lost, deviation, spec, face, lattice, first)
    return Difference(face, lattice, lost, deviation, transform, changes)


def lay_on(before: Cloud, after: Cloud, guess: Array) -> Array:
    """T_before_after, (4, 4), by all of the wall that has not changed."""
    clouds = [small_gicp.preprocess_points(c.points, downsampling_resolution=0.08) for c in (before, after)]
    transform = guess
    for reach in REACHES:
        found = register(clouds[0][0], clouds[0][1], clouds[1][0], transform, reach)
        if found is None:
            raise InputError("the two maps hardly overlap: are they of the same face, and about where they should be?")
        transform = found.transform
    return transform


def _slopes(heights: Array, cell: float) -> tuple[Array, Array]:
    """Of the relief along u and v, NaN at the rim and beside holes."""
    filled = np.where(np.isfinite(heights), heights, np.nan)
    smooth = _mean3(filled)
    by_u, by_v = np.gradient(smooth, cell)
    return by_u, by_v


def _mean3(values: Array) -> Array:
    """Mean over three by three cells, of those that are known; NaN where none is, or the cell itself is not."""
    known = np.isfinite(values)
    total = uniform_filter(np.where(known, values, 0.0), 3, mode="constant")
    share = uniform_filter(known.astype(float), 3, mode="constant")
    return np.where(known, total / np.maximum(share, 1e-9), np.nan)


def _find(
    lost: Array, deviation: Array, spec: ChangeSpec, face: Face, lattice: Lattice, heights: Array
) -> tuple[Change, ...]:
    smooth = _mean3(lost)
    noise = np.maximum(spec.doubt * deviation, spec.depth_min)
    found: list[Change] = []
    for side in (1.0, -1.0):
        with np.errstate(invalid="ignore"):
            sure, likely = side * smooth > noise, side * smooth > 0.5 * noise
        regions, count = label(likely, TOUCHING)
        for region in range(1, count + 1):
            cells = np.argwhere(regions == region)
            area = len(cells) * spec.cell**2
            if area < spec.area_min or sure[tuple(cells.T)].sum() * spec.cell**2 < 0.5 * spec.area_min:
                continue
            found.append(_describe(cells, lost, smooth, side, area, face, lattice, heights))
    return tuple(sorted(found, key=lambda change: -abs(change.volume)))


def _describe(
    cells: Array, lost: Array, smooth: Array, side: float, area: float, face: Face, lattice: Lattice, heights: Array
) -> Change:
    here = tuple(cells.T)
    amounts = lost[here]
    weights = np.abs(amounts) / np.abs(amounts).sum()
    middle = lattice.centre(*(weights @ cells))
    place = np.array([*middle, float(weights @ heights[here])])
    depth = side * float(np.max(side * smooth[here]))
    return Change(
        face.outside(place[None])[0],
        depth,
        2.0 * math.sqrt(area / math.pi),
        area,
        float(amounts.sum()) * lattice.cell**2,
    )
