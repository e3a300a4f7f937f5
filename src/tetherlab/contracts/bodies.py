"""Bodies that a tether end may carry, as a user writes them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError


@check.known_arguments
@dataclass(frozen=True)
class PointMass:
    """A body without rotation, tied to the tether at its centre."""

    mass: float  # [kg]
    radius: float = 0.0  # of the sphere that touches obstacles; 0: only the tether's own radius [m]

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", check.positive("PointMass.mass", self.mass))
        object.__setattr__(self, "radius", check.non_negative("PointMass.radius", self.radius))


FEET_MAX = 8


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class RigidBody:
    """A body with six degrees of freedom, tied to the tether at `attachment` in its own frame."""

    mass: float  # [kg]
    inertia: ArrayLike  # about the centre of mass, three principal moments or 3x3 [kg m^2]
    attachment: ArrayLike = (0.0, 0.0, 0.0)  # from the centre of mass, body frame [m]
    rotation_wxyz: ArrayLike = (1.0, 0.0, 0.0, 0.0)  # attitude at the start, body to world
    angular_velocity: ArrayLike = (0.0, 0.0, 0.0)  # at the start, world frame [rad/s]
    radius: float = 0.0  # of a sphere about the centre of mass that touches obstacles; 0: none [m]
    feet: ArrayLike = ()  # more spheres that touch, from the centre of mass, body frame: x, y, z, radius [m]
    friction: float | None = None  # against obstacles that name none; None: the tether's

    @property
    def spheres(self) -> NDArray[np.float64]:
        """All spheres that touch: x, y, z, radius, body frame [m], (n, 4)."""
        feet = np.asarray(self.feet)
        return np.vstack([(0.0, 0.0, 0.0, self.radius), feet]) if self.radius > 0.0 else feet

    def __post_init__(self) -> None:
        def put(name: str, value: object) -> None:
            object.__setattr__(self, name, value)

        put("mass", check.positive("RigidBody.mass", self.mass))
        put("radius", check.non_negative("RigidBody.radius", self.radius))
        feet = np.asarray(self.feet, dtype=float) if len(np.shape(self.feet)) < 2 else self.feet
        feet = np.zeros((0, 4)) if np.size(feet) == 0 else check.array("RigidBody.feet", feet, (None, 4))
        if np.any(feet[:, 3] <= 0.0):
            raise InputError(f"RigidBody.feet must have radii > 0, got {feet[:, 3].min():g}")
        if len(feet) + (self.radius > 0.0) > FEET_MAX:
            raise InputError(f"RigidBody.feet: at most {FEET_MAX} spheres touch, got {len(feet)}")
        put("feet", feet)
        if self.friction is not None:
            put("friction", check.non_negative("RigidBody.friction", self.friction))
        put("attachment", check.vector("RigidBody.attachment", self.attachment))
        put("angular_velocity", check.vector("RigidBody.angular_velocity", self.angular_velocity))
        shape = (3,) if np.ndim(self.inertia) == 1 else (3, 3)
        inertia = check.array("RigidBody.inertia", self.inertia, shape)
        inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
        moments = np.linalg.eigvalsh(inertia)
        if not np.allclose(inertia, inertia.T) or moments[0] <= 0.0:
            raise InputError("RigidBody.inertia must be symmetric with positive principal moments")
        if moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
            raise InputError(
                f"RigidBody.inertia has the moments {moments[0]:g}, {moments[1]:g}, {moments[2]:g} kg m^2; "
                "no body can have one larger than the sum of the other two"
            )
        put("inertia", np.ascontiguousarray(inertia))
        q = check.array("RigidBody.rotation_wxyz", self.rotation_wxyz, (4,))
        if abs(np.linalg.norm(q) - 1.0) > 1e-6:
            raise InputError(f"RigidBody.rotation_wxyz must have norm 1, got {np.linalg.norm(q):g}")
        put("rotation_wxyz", q / np.linalg.norm(q))
