"""A room-and-pillar mine: rough pillars in rows, an uneven floor, a ceiling, and the way past the pillars.

Columns of pillars follow each other along x, rows along y. The origin is the middle of the first crossing,
south-west of the first pillar. A mine is made from its seed alone: every surface has random numbers of its
own, so that more pillars, or spalls, leave all the others as they are, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.world import mine_rock
from tetherlab.world.mine_face import SIDES, Face, Spall
from tetherlab.world.mine_plan import Outline, Waypoint, outlines, way_round
from tetherlab.world.shapes import Intersection, Relief, Shape

LENGTHS = (
    "height", "entry", "roughness_length", "finest", "bump_width", "floor_length", "floor_finest", "spacing",
)  # fmt: skip
COUNT_MAX = 1000  # of rows, columns and bumps
SAMPLES_MAX = 50_000_000  # of all surfaces, with what is computed beyond their edges
SLOPE_MAX = math.radians(30.0)
SPALL_WIDTHS, SPALL_DEPTHS = (0.3, 1.0), (0.05, 0.3)  # of those that are drawn [m]


@check.known_arguments
@dataclass(frozen=True, kw_only=True, eq=False)
class Mine:
    """What a mine is like; lengths in metres, those of pillars and entries before the rock is made rough."""

    seed: int = 0
    rows: int = 1  # of pillars, along y
    columns: int = 1  # along x
    pillar: Sequence[float] = (15.0, 15.0)  # its size along x and y, (2,)
    irregularity: float = 0.5  # each side of a pillar is moved by up to this
    height: float = 8.0  # from floor to ceiling
    entry: float = 12.0  # width of the ways between pillars
    slope: float = 0.0  # of floor and ceiling, up along x [rad]
    roughness: float = 0.04  # of faces and ceiling, root mean square
    roughness_length: float = 1.0  # of its correlation
    finest: float = 0.3  # shortest wave of it
    bumps: int = 2  # on each face
    bump_height: float = 0.3
    bump_width: float = 3.0
    floor_roughness: float = 0.03  # root mean square
    floor_length: float = 3.0  # of its correlation
    floor_finest: float = 1.0  # shortest wave of it
    spacing: float = 0.05  # of the samples on faces
    friction: float | None = None  # of the rock [-]
    spalls: Sequence[Spall] = ()  # what has fallen off

    def __post_init__(self) -> None:
        for name in ("seed", "rows", "columns", "bumps"):
            _check_count(name, getattr(self, name), least=1 if name in ("rows", "columns") else 0)
        for name in ("rows", "columns", "bumps"):
            if getattr(self, name) > COUNT_MAX:
                raise InputError(
                    f"{name} must be at most {COUNT_MAX}, got {check.shown(getattr(self, name))}"
                )
        object.__setattr__(self, "pillar", tuple(check.array("pillar", self.pillar, (2,)).tolist()))
        for name in LENGTHS:
            object.__setattr__(self, name, check.positive(name, getattr(self, name)))
        for name in ("irregularity", "roughness", "bump_height", "floor_roughness"):
            object.__setattr__(self, name, check.non_negative(name, getattr(self, name)))
        object.__setattr__(self, "slope", check.number("slope", self.slope))
        self._check_sizes()
        if isinstance(self.spalls, (str, Spall)) or not isinstance(self.spalls, Sequence):
            raise InputError(f"spalls must be a list of tl.Spall, got {self.spalls!r}")
        object.__setattr__(self, "spalls", tuple(check.instance("spalls", s, Spall) for s in self.spalls))
        for spall in self.spalls:
            self._check_spall(spall)

    def _check_sizes(self) -> None:
        if min(self.pillar) < 2.0 + 2.0 * self.irregularity:
            raise InputError(f"pillar must leave 2 m or more along both axes, got {self.pillar}")
        if 2.0 * (self.irregularity + mine_rock.stands_out(self)) >= self.entry:
            raise InputError(f"entry must be wider than what stands out into it, got {self.entry:g}")
        if abs(self.slope) > SLOPE_MAX:
            raise InputError(f"slope must be between -30 and 30 deg, got {math.degrees(self.slope):g}")
        for name, spacing in (("finest", self.spacing), ("floor_finest", mine_rock.floor_spacing(self))):
            if getattr(self, name) < 3.999 * spacing:
                raise InputError(
                    f"{name} must be at least four samples, {4.0 * spacing:g} m, got {getattr(self, name):g}"
                )
        samples = mine_rock.sample_count(self)
        if samples > SAMPLES_MAX:
            raise InputError(
                f"spacing must be larger, or the mine smaller or less rough: it would have"
                f" {samples / 1e6:.3g} million samples, at most {SAMPLES_MAX / 1e6:g} million are computed"
            )

    def _check_spall(self, spall: Spall) -> None:
        outline = next((o for o in self.outlines if o.name == spall.pillar), None)
        if outline is None:
            known = check.did_you_mean(spall.pillar, [o.name for o in self.outlines])
            raise InputError(f"spalls: there is no pillar {spall.pillar!r}.{known}")
        width = outline.width(spall.side)
        if not 0.0 <= spall.along <= width or not 0.0 <= spall.up <= self.height:
            raise InputError(
                f"spalls: along and up must lie within the face of {width:g} x {self.height:g} m,"
                f" got {spall.along:g} and {spall.up:g}"
            )
        if spall.width < 4.999 * self.spacing:
            raise InputError(
                f"spalls: width must be at least five samples, {5.0 * self.spacing:g} m, got {spall.width:g}"
            )

    @cached_property
    def outlines(self) -> tuple[Outline, ...]:
        """The pillars from above, row by row."""
        return outlines(self)

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """Four for each pillar, in the order of the pillars: east, north, west, south."""
        return tuple(mine_rock.face(self, outline, side) for outline in self.outlines for side in SIDES)

    @cached_property
    def floor(self) -> Relief:
        """The rock below."""
        return mine_rock.floor(self)

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The objects of its world: floor, ceiling, pillar_1, pillar_2 and so on."""
        pillars = [
            Intersection(
                shapes=[face.relief for face in self.faces if face.pillar == outline.name],
                name=outline.name,
                friction=self.friction,
            )
            for outline in self.outlines
        ]
        return (self.floor, mine_rock.ceiling(self), *pillars)

    def face(self, pillar: str, side: str) -> Face:
        """One face by its names."""
        for face in self.faces:
            if (face.pillar, face.side) == (pillar, side):
                return face
        known = sorted({f"{face.pillar} {face.side}" for face in self.faces})
        raise InputError(
            f"the mine has no face '{pillar} {side}'.{check.did_you_mean(f'{pillar} {side}', known)}"
        )

    def floor_height(self, x: Any, y: Any) -> NDArray[np.float64]:
        """Of the uneven floor at places of the world [m], for x and y of any one shape [m]."""
        return mine_rock.floor_height(self, np.asarray(x, float), np.asarray(y, float))

    def route(self, stand_off: float, stops_per_face: int = 1) -> tuple[Waypoint, ...]:
        """A way for the rover past all faces, in straight lines, each at this distance from a face [m].

        It goes round every pillar anticlockwise and stops beside each face at even distances.
        """
        stand_off = check.positive("stand_off", stand_off)
        if (
            not mine_rock.stands_out(self)
            < stand_off
            < self.entry - self.irregularity - mine_rock.stands_out(self)
        ):
            raise InputError(
                f"stand_off must leave room within the entry of {self.entry:g} m, got {stand_off:g}"
            )
        _check_count("stops_per_face", stops_per_face, least=1)
        return way_round(self, stand_off, stops_per_face)

    def with_spalls(self, spalls: Sequence[Spall]) -> Mine:
        """The same mine after these, too, have fallen off."""
        return replace(self, spalls=(*self.spalls, *spalls))

    def draw_spalls(self, seed: int, per_face: int = 1) -> tuple[Spall, ...]:
        """Random spalls of 0.3 to 1 m and 0.05 to 0.3 m depth, on every face, apart from each other."""
        _check_count("seed", seed)
        _check_count("per_face", per_face)
        return tuple(
            spall
            for index, face in enumerate(self.faces)
            for spall in _drawn(face, np.random.default_rng([seed, index]), per_face)
        )


def _drawn(face: Face, random: np.random.Generator, count: int) -> list[Spall]:
    """Within the face and its neighbours' reach; one that finds no room is left out."""
    spalls: list[Spall] = []
    for _ in range(50 * count):
        width, depth = random.uniform(*SPALL_WIDTHS), random.uniform(*SPALL_DEPTHS)
        u, v = random.uniform(width, face.width - width), random.uniform(width, face.height - width)
        clear = all(math.hypot(u - s.along, v - s.up) > width + s.width for s in spalls)
        if len(spalls) < count and clear:
            spalls.append(Spall(pillar=face.pillar, side=face.side, along=u, up=v, width=width, depth=depth))
    return spalls


def _check_count(name: str, value: Any, least: int = 0) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} must be an integer >= {least}, got {check.shown(value)}")
