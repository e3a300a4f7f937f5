"""What a winch on board must pull with to bring its robot over a corner.

Below the corner the hull leans against the face. The tether leaves the middle of the hull, and when that is
up at the corner, it pulls no steeper than it goes on beyond the corner. Either the hull slides up the face,
against friction, or it rolls up, and friction must lift its centre of mass, which is below the middle.
The face is taken to be vertical, the worst one.
"""

import math

from tetherlab.planning.problem import Point
from tetherlab.vehicles.climber import DEEP, FRICTION


def pull_over(corner: Point, beyond: Point) -> float:
    """Times the weight of the robot; `beyond`: the next point that the tether comes to after the corner."""
    rise, run = beyond[1] - corner[1], abs(beyond[0] - corner[0])
    if rise <= 0.0:
        return math.inf  # it would be pulled against the face, and not up
    length = math.hypot(rise, run)
    rolls = (1.0 + DEEP) * length / rise
    lift = (rise - FRICTION * run) / length
    return min(rolls, 1.0 / lift) if lift > 0.0 else rolls
