"""A mine from above: where its pillars stand, and the way of a rover round them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.world.mine_face import SIDES, Face

if TYPE_CHECKING:
    from tetherlab.world.mine import Mine

Vector = NDArray[np.float64]
PILLARS = 2  # whose random numbers


class Outline(NamedTuple):
    """A pillar from above, before its faces are made rough."""

    name: str
    row: int
    column: int
    lower: Vector  # south-west corner [m], (2,)
    upper: Vector  # north-east corner [m], (2,)

    def width(self, side: str) -> float:
        """Of one of its faces [m]."""
        return float((self.upper - self.lower)[0 if SIDES[side][0] == 0.0 else 1])

    @property
    def center(self) -> Vector:
        """[m], (2,)."""
        return 0.5 * (self.lower + self.upper)

    def corners(self, distance: float) -> list[Vector]:
        """Outside its corners, anticlockwise from the south-west [m]."""
        (x0, y0), (x1, y1) = self.lower - distance, self.upper + distance
        return [np.array(corner) for corner in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))]


class Waypoint(NamedTuple):
    """A place on the way of the rover."""

    position: Vector  # on the mean floor [m], (3,)
    yaw: float  # along the way that led here [rad]
    face: Face | None  # beside which to stop


def outlines(mine: Mine) -> tuple[Outline, ...]:
    """All pillars, row by row from the south, each from the west."""
    pitch = np.array(mine.pillar) + mine.entry
    result: list[Outline] = []
    for row in range(mine.rows):
        for column in range(mine.columns):
            random = np.random.default_rng([mine.seed, PILLARS, row, column])
            moved = mine.irregularity * random.uniform(-1.0, 1.0, (2, 2))
            corner = np.array([column, row]) * pitch + 0.5 * mine.entry
            # Whole numbers of samples, so that the faces of a pillar meet at its corners.
            lower = mine.spacing * np.round((corner + moved[0]) / mine.spacing)
            upper = mine.spacing * np.round((corner + np.array(mine.pillar) + moved[1]) / mine.spacing)
            result.append(Outline(f"pillar_{len(result) + 1}", row, column, lower, upper))
    return tuple(result)


def way_round(mine: Mine, stand_off: float, stops_per_face: int) -> tuple[Waypoint, ...]:
    """From pillar to pillar, to and fro through the rows; round each from the corner next to the last one."""
    way: list[Waypoint] = []
    here = np.zeros(2)
    order = sorted(mine.outlines, key=lambda o: (o.row, o.column if o.row % 2 == 0 else -o.column))
    # The side that lies behind each corner, anticlockwise from the south-west.
    sides = ("south", "east", "north", "west")
    for outline in order:
        corners = outline.corners(stand_off)
        first = int(np.argmin([np.linalg.norm(corner - here) for corner in corners]))
        here = _drive(mine, way, here, corners[first], None, 1)
        for k in range(first, first + 4):
            face = mine.face(outline.name, sides[k % 4])
            here = _drive(mine, way, here, corners[(k + 1) % 4], face, stops_per_face)
    return tuple(way)


def _drive(
    mine: Mine, way: list[Waypoint], start: Vector, end: Vector, face: Face | None, stops: int
) -> Vector:
    """Add the straight line from start to end, with stops beside the face on it, and where it ends."""
    dx, dy = end - start
    if math.hypot(dx, dy) < 1e-9:
        return end
    yaw = math.atan2(dy, dx)
    if face is not None:
        for k in range(stops):
            middle = face.corner[:2] + (k + 0.5) / stops * face.width * face.along[:2]
            place = start + (middle - start) @ np.array([dx, dy]) / (dx * dx + dy * dy) * np.array([dx, dy])
            way.append(Waypoint(on_floor(mine, place), yaw, face))
    way.append(Waypoint(on_floor(mine, end), yaw, None))
    return end


def on_floor(mine: Mine, place: Vector) -> Vector:
    """The place (2,) on the mean floor [m], (3,)."""
    return np.array([place[0], place[1], place[0] * math.tan(mine.slope)])
