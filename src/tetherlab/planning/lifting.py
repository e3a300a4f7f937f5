"""What a winch on board must pull with to bring its robot over corners: of its tether, and of walls below it.

Below the corner the hull leans against the face. The tether leaves the middle of the hull, and when that is
up at the corner, it pulls no steeper than it goes on beyond the corner. Either the hull slides up the face,
against friction, or it rolls up, and friction must lift its centre of mass, which is below the middle.
The face is taken to be vertical, the worst one.
"""

import math
from collections.abc import Iterable, Sequence

from tetherlab.planning.problem import Point
from tetherlab.vehicles.climber import DEEP, FRICTION

NEAR = 1e-6  # of equal places [m]


def pull_over(corner: Point, beyond: Point) -> float:
    """Times the weight of the robot; `beyond`: the next point that the tether comes to after the corner."""
    rise, run = beyond[1] - corner[1], abs(beyond[0] - corner[0])
    if rise <= 0.0:
        return math.inf  # it would be pulled against the face, and not up
    length = math.hypot(rise, run)
    rolls = (1.0 + DEEP) * length / rise
    lift = (rise - FRICTION * run) / length
    return min(rolls, 1.0 / lift) if lift > 0.0 else rolls


def pull_past(corners: Iterable[Point], line: Sequence[Point], ground: float) -> float:
    """Times the weight that it takes to come past all corners below a tether, from a robot to its hinge.

    The robot hangs below its tether, and is pulled over what stands there. ground: what it stands on [m].
    """
    (x, _), (end, _) = line[0], line[-1]
    most = 1.0
    for corner in corners:
        inside = min(x, end) + NEAR < corner[0] < max(x, end) - NEAR
        if not inside or corner[1] <= ground + NEAR:
            continue
        i = next(i for i, point in enumerate(line) if (point[0] - corner[0]) * (end - x) > 0.0)
        (x_0, z_0), (x_1, z_1) = line[i - 1], line[i]
        above = z_0 + (z_1 - z_0) * (corner[0] - x_0) / (x_1 - x_0) - corner[1]
        if above > NEAR:
            most = max(most, pull_over(corner, line[i]))
    return most
