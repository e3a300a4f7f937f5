"""The rock of a mine: its floor, its ceiling and the faces of its pillars as height maps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.world.mine_face import SIDES, Face
from tetherlab.world.rough import APART, bump, pit, rough_surface
from tetherlab.world.shapes import Relief

if TYPE_CHECKING:
    from tetherlab.world.mine import Mine
    from tetherlab.world.mine_plan import Outline

Vector = NDArray[np.float64]
FLOOR, CEILING, FACES = 0, 1, 3  # whose random numbers; 2 belongs to the plan
SIGMAS = 5.0  # what stands out more is cut off
ROOT = 1.0  # of pillars in floor and ceiling, at least, and thickness of these [m]
FLOOR_STEPS = 4  # of a search that gains a factor of the slope with each
LEVELLED = 4.0  # width of the place round the origin that is levelled for a rover to start on [m]
COARSER = 2  # floor and ceiling are sampled so many times coarser than faces


def floor_spacing(mine: Mine) -> float:
    """Of the samples of floor and ceiling [m]."""
    return COARSER * mine.spacing


def stands_out(mine: Mine) -> float:
    """The farthest that rock reaches out of an undisturbed face, in whole samples [m]."""
    most = SIGMAS * mine.roughness + (mine.bump_height if mine.bumps else 0.0)
    return mine.spacing * math.ceil(most / mine.spacing)


def sample_count(mine: Mine) -> float:
    """About how many samples have to be computed for all surfaces."""
    out, root = stands_out(mine), ROOT + abs(math.tan(mine.slope)) * math.hypot(*mine.pillar)

    def sheet(across: float, along: float, spacing: float, length: float) -> float:
        more = APART * length
        return (across + more) / spacing * ((along + more) / spacing)

    (east, north), coarse = _extent(mine)[1], floor_spacing(mine)
    faces = sum(
        sheet(width + 2.0 * out, mine.height + 2.0 * root, mine.spacing, mine.roughness_length)
        for width in mine.pillar
    )
    return (
        2.0 * mine.rows * mine.columns * faces * (1.0 + 0.1 * (mine.bumps + len(mine.spalls)))
        + sheet(east, north, coarse, mine.floor_length)
        + sheet(east, north, coarse, mine.roughness_length)
    )


def face(mine: Mine, outline: Outline, side: str) -> Face:
    """One side of a pillar; its rock goes on beyond the edges, where the other sides cut it."""
    number = list(SIDES).index(side)
    random = np.random.default_rng([mine.seed, FACES, outline.row, outline.column, number])
    normal, up = np.array([*SIDES[side], 0.0]), np.array([0.0, 0.0, 1.0])
    along = np.cross(up, normal)
    width = outline.width(side)
    depth = float(np.abs(normal[:2]) @ (outline.upper - outline.lower))
    out = stands_out(mine)
    rise = abs(math.tan(mine.slope)) * float(np.linalg.norm(outline.upper - outline.lower))
    root = mine.spacing * math.ceil((ROOT + rise) / mine.spacing)
    middle = np.array([*outline.center, outline.center[0] * math.tan(mine.slope)])
    corner = middle + 0.5 * depth * normal - 0.5 * width * along
    counts = (
        round((width + 2.0 * out) / mine.spacing) + 1,
        math.ceil((mine.height + 2.0 * root) / mine.spacing) + 1,
    )
    u = (mine.spacing * np.arange(counts[0]) - out)[:, None]
    v = (mine.spacing * np.arange(counts[1]) - root)[None]
    heights = rough_surface(
        random, counts, mine.spacing,
        rms=mine.roughness, length=mine.roughness_length, finest=mine.finest,
    )  # fmt: skip
    hills = np.zeros(counts)
    for _ in range(mine.bumps):
        place, height = (
            random.uniform(0.0, 1.0, 2) * (width, mine.height),
            mine.bump_height * random.uniform(0.5, 1.0),
        )
        hills = np.maximum(hills, height * bump(np.hypot(u - place[0], v - place[1]), mine.bump_width))
    heights = np.clip(heights + hills, -out, out)
    spalls = tuple(s for s in mine.spalls if (s.pillar, s.side) == (outline.name, side))
    for spall in spalls:
        heights -= spall.depth * pit(np.hypot(u - spall.along, v - spall.up), spall.width)
    relief = Relief(
        heights=heights.astype(np.float32),
        origin=corner - out * along - root * up,
        spacing=mine.spacing,
        thickness=depth + out,
        rotation=quaternion_from_matrix(np.stack([along, up, normal], axis=1)),
        friction=mine.friction,
    )
    return Face(
        pillar=outline.name, side=side, corner=corner, along=along, up=up, normal=normal,
        width=width, height=mine.height, relief=relief, margin=np.array([out, root]), spalls=spalls,
    )  # fmt: skip


def floor(mine: Mine) -> Relief:
    """Below all pillars and entries, sloping up along x."""
    return _sheet(mine, FLOOR, "floor")


def ceiling(mine: Mine) -> Relief:
    """The same above, as rough as the faces."""
    return _sheet(mine, CEILING, "ceiling")


def _sheet(mine: Mine, which: int, name: str) -> Relief:
    spacing = floor_spacing(mine)
    start, size = _extent(mine)
    counts = (math.ceil(size[0] / math.cos(mine.slope) / spacing) + 1, math.ceil(size[1] / spacing) + 1)
    random = np.random.default_rng([mine.seed, which])
    below = which == FLOOR
    heights = rough_surface(
        random, counts, spacing,
        rms=mine.floor_roughness if below else mine.roughness,
        length=mine.floor_length if below else mine.roughness_length,
        finest=mine.floor_finest if below else max(mine.finest, 4.0 * spacing),
    )  # fmt: skip
    if below:
        u, v = (start[axis] + spacing * np.arange(counts[axis]) for axis in (0, 1))
        heights *= 1.0 - bump(np.hypot(u[:, None], v[None]), LEVELLED)
    most = SIGMAS * (mine.floor_roughness if below else mine.roughness)
    east = np.array([math.cos(mine.slope), 0.0, math.sin(mine.slope)])
    north = np.array([0.0, 1.0, 0.0]) if below else np.array([0.0, -1.0, 0.0])
    up = np.array([0.0, 0.0, 0.0 if below else mine.height])
    origin = np.array(
        [start[0], start[1] + (0.0 if below else spacing * (counts[1] - 1)), start[0] * math.tan(mine.slope)]
    )
    return Relief(
        heights=np.clip(heights, -most, most).astype(np.float32),
        origin=origin + up,
        spacing=spacing,
        thickness=ROOT + most,
        rotation=quaternion_from_matrix(np.stack([east, north, np.cross(east, north)], axis=1)),
        name=name,
        friction=mine.friction,
    )


def _extent(mine: Mine) -> tuple[Vector, Vector]:
    """South-west corner and size of the floor: all pillars and an entry round them [m], (2,) each."""
    pitch = np.array(mine.pillar) + mine.entry
    return np.full(2, -0.5 * mine.entry), pitch * (mine.columns, mine.rows) + mine.entry


def floor_height(mine: Mine, x: Vector, y: Vector) -> Vector:
    """Of the floor straight above or below places of the world [m]."""
    relief = mine.floor
    tangent = math.tan(mine.slope)
    start = np.asarray(relief.origin)
    mean = x * tangent
    # The heights are measured across the slope, so the place in the slab depends on the height itself.
    h = np.zeros(np.broadcast_shapes(x.shape, y.shape))
    for _ in range(FLOOR_STEPS):
        h = relief.surface((x - start[0]) / math.cos(mine.slope) + h * tangent, y - start[1])
    return mean + h / math.cos(mine.slope)
