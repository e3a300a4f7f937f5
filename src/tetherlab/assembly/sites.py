"""Parts of a scene with sites: points at which tethers are tied, sensors mounted and robots set down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.bodies import RigidBody
from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.world.shapes import Shape

Vector = NDArray[np.float64]
ORIGIN = "origin"  # the site that everything has


@dataclass(frozen=True)
class Site:
    """A point of a body or robot, or a hand: where a tether can be tied."""

    owner: str
    r_B: Vector  # from the centre of mass, body frame [m], (3,)


@dataclass(frozen=True)
class Body:
    """A rigid body of a scene."""

    name: str
    body: RigidBody
    position: Vector  # of the centre of mass at the start [m], (3,)
    velocity: Vector  # [m/s], (3,)
    shapes: tuple[Shape, ...] = ()  # that others touch, in its frame; each has a name

    def site(self, where: str | ArrayLike = ORIGIN) -> Site:
        """A point of the body: "origin", its centre of mass, or coordinates in its frame [m]."""
        return Site(self.name, _place(self.name, where))

    def at(self, site: Site) -> Vector:
        """Where a site is at the start [m], (3,)."""
        turned: Vector = matrix_from_quaternion(self.body.rotation_wxyz) @ site.r_B
        return self.position + turned


def _place(owner: str, where: Any) -> Vector:
    """Coordinates of a site."""
    if isinstance(where, str):
        if where != ORIGIN:
            raise InputError(
                f"body {owner!r} has no site {where!r}.{check.did_you_mean(where, [ORIGIN])} "
                "Coordinates make one anywhere: site((x, y, z))"
            )
        return np.zeros(3)
    return check.vector(f"site of {owner!r}", where)
