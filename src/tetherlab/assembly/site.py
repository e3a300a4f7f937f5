"""Points of a scene at which tethers are tied, sensors mounted and robots set down."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ORIGIN = "origin"  # the site that everything has


@dataclass(frozen=True)
class Site:
    """A point of a body or robot, or a hand: where a tether can be tied."""

    owner: str
    r_B: NDArray[np.float64]  # from the centre of mass, body frame [m], (3,)
