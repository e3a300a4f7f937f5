"""A joint of a scene, as the user describes it, checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.plant.joint_build import FREE_AXES, KINDS

Vector = NDArray[np.float64]
RIGHT_ANGLE = 1e-6  # by which two axes may miss it [rad]
AXES = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # of a joint that names none


@dataclass(frozen=True)
class Joint:
    """A joint of a scene; arrays of two are for its first and second axis."""

    name: str
    kind: str  # one of KINDS
    parent: Any  # a site of a body, or a point of the world [m], (3,)
    child: Any  # a site of a body
    axes: Vector  # at angles of zero, world frame, (2, 3)
    angle: Vector  # at the start [rad]
    stiffness: Vector  # [N m/rad]
    rest: Vector  # [rad]
    damping: Vector  # [N m s/rad]
    torque_max: Vector  # [N m]
    lower: Vector  # end stops [rad]
    upper: Vector
    held: bool
    release_time: float  # [s]


def make_joint(
    name: str,
    kind: Any,
    parent: Any,
    child: Any,
    axes: Any,
    limits: Any,
    torque_max: Any,
    held: Any,
    release_time: Any,
    **numbers: Any,
) -> Joint:
    """A joint of these numbers; numbers: angle, stiffness, rest and damping."""
    if kind not in KINDS:
        raise InputError(f"kind must be one of {check.listed(KINDS)}, got {check.shown(kind)}")
    count = FREE_AXES[kind]
    signed = {"angle": check.number, "rest": check.number}
    values = {
        key: axis_numbers(f"{key} of joint {name!r}", value, count, signed.get(key, check.non_negative))
        for key, value in numbers.items()
    }
    lower, upper = _limits(name, limits, count, values["angle"])
    if torque_max is None:
        strongest = np.full(2, np.inf)
    else:
        strongest = axis_numbers(f"torque_max of joint {name!r}", torque_max, count, check.non_negative)
    if not isinstance(held, bool):
        raise InputError(f"held must be True or False, got {check.shown(held)}")
    if held and count == 0:
        raise InputError(f"joint {name!r}: a {kind} joint has no axis to hold")
    if release_time is not None and not held:
        raise InputError(f"joint {name!r}: release_time is for a joint that is held; give held=True")
    return Joint(
        name=name,
        kind=kind,
        parent=parent,
        child=child,
        axes=_axes(name, kind, axes, count),
        lower=lower,
        upper=upper,
        torque_max=strongest,
        held=held,
        release_time=np.inf if release_time is None else check.non_negative("release_time", release_time),
        **values,
    )


def axis_numbers(name: str, value: Any, count: int, checked: Callable[[str, Any], float]) -> Vector:
    """One number for each free axis, or one for all; zero for the others, (2,)."""
    result = np.zeros(2)
    if count == 0 and np.any(np.asarray(value) != 0.0):
        raise InputError(f"{name}: only a hinge or universal joint has axes, got {check.shown(value)}")
    several = isinstance(value, (list, tuple, np.ndarray))
    if several and len(value) != count:
        raise InputError(f"{name} must be a number or have shape ({count},), got {check.shown(value)}")
    for axis in range(count):
        result[axis] = checked(name, value[axis] if several else value)
    return result


def _axes(name: str, kind: str, axes: Any, count: int) -> Vector:
    """Two unit vectors at right angles."""
    if count == 0:
        if axes is not None:
            raise InputError(f"joint {name!r}: a {kind} joint has no axes")
        return AXES
    if axes is None:
        raise InputError(f"joint {name!r}: a {kind} joint needs axes, {count} vectors in the world frame")
    given = check.array(f"axes of joint {name!r}", np.atleast_2d(axes) if count == 1 else axes, (count, 3))
    sizes = np.linalg.norm(given, axis=1)
    if sizes.min() < 1e-9:
        raise InputError(f"joint {name!r}: an axis must have a direction, got {check.shown(axes)}")
    given = given / sizes[:, None]
    if count == 1:
        aside = AXES[int(abs(given[0, 0]) > 0.7)]
        given = np.array([given[0], np.cross(given[0], aside)])
    elif abs(given[0] @ given[1]) > RIGHT_ANGLE:
        angle = np.degrees(np.arccos(given[0] @ given[1]))
        raise InputError(f"joint {name!r}: its two axes must be at right angles, got {angle:.4g} deg")
    given[1] -= given[0] * (given[0] @ given[1])
    given[1] /= np.linalg.norm(given[1])
    return np.ascontiguousarray(given)


def _limits(name: str, limits: Any, count: int, angle: Vector) -> tuple[Vector, Vector]:
    """Least and largest angles, each (2,)."""
    lower, upper = np.full(2, -np.inf), np.full(2, np.inf)
    if limits is None:
        return lower, upper
    if count == 0:
        raise InputError(f"joint {name!r}: only a hinge or universal joint has limits")
    given = np.atleast_2d(limits) if count == 1 else limits
    given = check.array(f"limits of joint {name!r}", given, (count, 2))
    lower[:count], upper[:count] = given.T
    if (lower >= upper).any():
        raise InputError(f"joint {name!r}: limits must be (least, largest), got {check.shown(limits)}")
    if (angle < lower).any() or (angle > upper).any():
        raise InputError(f"joint {name!r} would start beyond its limits, at {angle[:count].tolist()} rad")
    return lower, upper
