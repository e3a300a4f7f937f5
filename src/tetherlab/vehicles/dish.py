"""The depression in the middle of a deck: a flat floor, and round it a wall that is part of a sphere.

The floor gives a drone its attitude, the wall its place: a ring of feet that comes down beside the middle
slides down the wall, which is steeper than friction can hold.
"""

import math

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def dish_sphere(depression: Vector) -> tuple[float, float]:
    """Height of the centre of the wall's sphere above the floor, and its radius [m].

    depression: radius of the floor, radius of the rim, depth [m], (3,).
    """
    floor, rim, depth = depression
    height = (rim**2 - floor**2 + depth**2) / (2.0 * depth)
    return float(height), math.hypot(floor, height)


def stand_height(feet: Vector, depression: Vector | None) -> float:
    """Of a drone's centre above the deck when it stands in the middle [m]; feet: x, y, z, radius (n, 4)."""
    heights = [radius - z for _, _, z, radius in feet]
    if depression is None:
        return float(max(heights))
    _, rim, depth = depression
    centre, large = dish_sphere(depression)
    best = -math.inf
    for x, y, z, radius in feet:
        out = math.hypot(x, y)
        if out >= rim:
            above = radius
        else:  # on the floor, or on the wall if that is higher there
            inner = large - radius
            wall = centre - math.sqrt(inner**2 - out**2) if out < inner else depth + radius
            above = max(wall, radius) - depth
        best = max(best, above - z)
    return best
