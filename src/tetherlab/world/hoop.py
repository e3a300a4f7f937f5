"""A hoop: a ring of capsules, to fly through."""

import math
from itertools import pairwise
from typing import Any

import numpy as np

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.world.shapes import Capsule, Union

PIECES_MIN, PIECES_MAX = 6, 1000


@check.known_arguments
def hoop(
    *,
    center: Any,
    normal: Any,
    diameter: float = 0.4,
    radius: float = 0.01,
    pieces: int = 16,
    name: str = "hoop",
    friction: float | None = None,
) -> Union:
    """A ring about an axis, as one object.

    diameter: of the opening [m]; the paper's hoop has 0.4 m. radius: of the bar that it is bent of [m].
    """
    center, normal = check.vector("center", center), check.vector("normal", normal)
    opening, bar = check.positive("diameter", diameter), check.positive("radius", radius)
    if isinstance(pieces, bool) or not isinstance(pieces, int) or not PIECES_MIN <= pieces <= PIECES_MAX:
        raise InputError(
            f"pieces must be an integer from {PIECES_MIN} to {PIECES_MAX}, got {check.shown(pieces)}"
        )
    size = float(np.linalg.norm(normal))
    if size < 1e-12:
        raise InputError("normal must have a direction, got a zero vector")
    normal = normal / size
    first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    first /= np.linalg.norm(first)
    second = np.cross(normal, first)
    # The sides of a polygon lie nearest to its centre in their middles: there the opening is measured.
    ring = (0.5 * opening + bar) / math.cos(math.pi / pieces)
    angle = 2.0 * math.pi * np.arange(pieces + 1) / pieces
    corners = center + ring * (np.outer(np.cos(angle), first) + np.outer(np.sin(angle), second))
    return Union(
        shapes=[Capsule(start=a, end=b, radius=bar) for a, b in pairwise(corners)],
        name=name,
        friction=friction,
    )
