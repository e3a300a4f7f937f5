"""A branch that bends and springs back: a stiff rod that turns at its root against a spring and a damper.

It turns sideways by a about an upright axis, and up by b about an axis that turns along, as a universal joint
does. With I its moment of inertia about the root, k, c spring and damper, and Q what touches it does,

    I cos(b)^2 a'' - 2 I sin(b) cos(b) a' b' = Q_a - k a - c a'
    I b''          +   I sin(b) cos(b) a'^2  = Q_b - k b - c b'

Its own weight is in the shape that it has at rest. Until its release it is held where it was bent to.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.world import shapes

Vector = NDArray[np.float64]
BENT_MAX = math.radians(80.0)  # beyond, a universal joint is not a branch any more


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Branch:
    """A branch that bends. SI; bent: sideways (to the left seen from its root) and up [rad]."""

    name: str
    root: Any  # where it grows from [m], (3,)
    tip: Any  # at rest [m], (3,)
    radius: float  # [m]
    stiffness: float  # against turning at the root [N m/rad]
    damping: float  # [N m s/rad]
    inertia: float  # about the root; of a uniform rod, mass length^2 / 3 [kg m^2]
    friction: float | None = None  # None: as tether and shell have it
    bent: Any = field(default=(0.0, 0.0))  # at the start [rad], (2,)
    release_time: float = 0.0  # held bent until then [s]

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        if not isinstance(self.name, str) or not self.name:
            raise InputError(f"Branch.name must be a word, got {self.name!r}")
        for name in ("root", "tip"):
            put(name, check.vector(f"Branch.{name}", getattr(self, name)))
        for name in ("radius", "stiffness", "inertia"):
            put(name, check.positive(f"Branch.{name}", getattr(self, name)))
        put("damping", check.non_negative("Branch.damping", self.damping))
        if self.release_time != math.inf:
            put("release_time", check.non_negative("Branch.release_time", self.release_time))
        put("bent", check.array("Branch.bent", self.bent, (2,)))
        if np.abs(self.bent).max() > BENT_MAX:
            raise InputError(
                f"Branch.bent must be within {math.degrees(BENT_MAX):g} deg, "
                f"got {np.degrees(self.bent).round(1).tolist()} deg"
            )
        if np.linalg.norm(self.tip - self.root) < 2.0 * self.radius:
            raise InputError("Branch.tip must be more than two radii away from root: a rod, not a ball")

    @property
    def reach(self) -> float:
        """From root to tip [m]."""
        return float(np.linalg.norm(self.tip - self.root))

    @property
    def shape(self) -> shapes.Capsule:
        """Round its root, which is the origin of the object."""
        return shapes.Capsule(
            start=np.zeros(3),
            end=self.tip - self.root,
            radius=self.radius,
            name=self.name,
            friction=self.friction,
        )

    @property
    def axes(self) -> tuple[Vector, Vector]:
        """About which it turns sideways and up: the first as upright as can be."""
        along = (self.tip - self.root) / self.reach
        upright = np.array([0.0, 0.0, 1.0]) if abs(along[2]) < 0.99 else np.array([1.0, 0.0, 0.0])
        side = upright - along * (upright @ along)
        side /= np.linalg.norm(side)
        return side, np.cross(along, side)

    def rotation(self, bent: Any) -> Vector:
        """From the branch as it grew to how it is, bent sideways and up [rad], (3, 3)."""
        side, lift = self.axes
        return _turn(side, bent[0]) @ _turn(lift, bent[1])


def _turn(axis: Vector, angle: float) -> Vector:
    """A turn about a unit axis, (3, 3)."""
    K = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    turned: Vector = np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K
    return turned
