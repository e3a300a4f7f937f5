"""Parts of a scene with sites: points at which tethers are tied, sensors mounted and robots set down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

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
    given: Any = None  # its name, or coordinates in the frame of its owner [m]; None: r_B


@dataclass(frozen=True)
class Body:
    """A rigid body of a scene."""

    kind: ClassVar[str] = "body"  # in messages
    name: str
    body: RigidBody
    position: Vector  # of the centre of mass at the start [m], (3,)
    velocity: Vector  # [m/s], (3,)
    shapes: tuple[Shape, ...] = ()  # that others touch, in its frame; each has a name
    sites: Mapping[str, Vector] = field(default_factory=dict)  # in its frame [m], (3,), besides origin

    def site(self, where: str | ArrayLike = ORIGIN) -> Site:
        """A point of the body: "origin", its centre of mass, a named one, or coordinates in its frame [m]."""
        if not isinstance(where, str):
            place = check.vector(f"site of {self.name!r}", where)
            return Site(self.name, place - self.center_of_mass, tuple(place.tolist()))
        known = {ORIGIN: np.zeros(3), **self.sites}
        if where not in known:
            raise InputError(
                f"{self.kind} {self.name!r} has no site {where!r}.{check.did_you_mean(where, known)} "
                "Coordinates make one anywhere: site((x, y, z))"
            )
        return Site(self.name, known[where] - self.center_of_mass, where)

    @property
    def center_of_mass(self) -> Vector:
        """In the body's frame [m], (3,)."""
        return np.zeros(3)

    def at(self, site: Site) -> Vector:
        """Where a site is at the start [m], (3,)."""
        turned: Vector = matrix_from_quaternion(self.body.rotation_wxyz) @ site.r_B
        return self.position + turned
