"""How far a tether can go, and what is said to those who want more."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.bodies import PointMass, RigidBody
from tetherlab.contracts.errors import InputError
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.world.world import World

LENGTH_MIN = 0.02  # what stays out when all is wound up [m]
STEP_LONGEST = 0.1  # internal [s]
COUNT_MAX = 20_000  # elements
BODY_DEPTH_MAX = 1e-4  # of a body in an obstacle at the start: more than its weight and rounding make [m]


def check_length(length: Any) -> float:
    """An unstretched length [m]."""
    length = check.positive("length", length)
    if length < LENGTH_MIN:
        raise InputError(f"length must be at least {LENGTH_MIN:g} m, got {length:g}")
    return length


def check_step(step_max: Any) -> float:
    """A longest internal step [s]."""
    step_max = check.positive("step_max", step_max)
    if step_max > STEP_LONGEST:
        raise InputError(
            f"step_max must be at most {STEP_LONGEST:g} s, got {step_max:g}: longer internal steps cannot "
            "follow a tether that swings; dt may be longer"
        )
    return step_max


def check_count(cause: str, count: int) -> None:
    """Whether so many elements, for which there is a cause, can be simulated."""
    if count > COUNT_MAX:
        raise InputError(
            f"{cause} would make {count} elements; at most {COUNT_MAX} are simulated: "
            "choose a longer element_length"
        )


def check_body(name: str, body: Any, end: NDArray[np.float64], world: World) -> None:
    """Whether this is a body, or None, and has room where the end of the tether is, (3,)."""
    if body is None:
        return
    if not isinstance(body, (PointMass, RigidBody)):
        raise InputError(f"{name} must be a PointMass or a RigidBody, got {body!r}")
    if isinstance(body, PointMass):
        spheres = np.array([(0.0, 0.0, 0.0, body.radius)] if body.radius > 0.0 else np.zeros((0, 4)))
        centres = end + spheres[:, :3]
    else:
        spheres = body.spheres
        centres = (
            end
            + (spheres[:, :3] - np.asarray(body.attachment)) @ matrix_from_quaternion(body.rotation_wxyz).T
        )
    for centre, radius in zip(centres, spheres[:, 3], strict=True):
        depth = radius - float(world.distance(centre))
        if depth > BODY_DEPTH_MAX:
            raise InputError(
                f"{name} with its centre at {centre.round(4).tolist()} would start {depth:.3g} m inside an "
                f"obstacle; the centre must be at least its radius, {radius:g} m, away from all of them"
            )
