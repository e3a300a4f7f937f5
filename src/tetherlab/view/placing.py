"""Where the frames of parts are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.plant.branch import Branch
from tetherlab.view.frame import Pose
from tetherlab.view.parts import Part

Vector = NDArray[np.float64]


def origin_of(part: Part, position: Vector, wxyz: Vector) -> Pose:
    """Pose of a part's frame, from the position that is told of it [m], (3,)."""
    if not part.recorded_at.any():
        return Pose(position, wxyz)
    return Pose(position - matrix_from_quaternion(wxyz) @ part.recorded_at, wxyz)


def bent_branch(branch: Branch, bent: Vector) -> Pose:
    """A branch that is bent sideways and up [rad], (2,); its origin is its root."""
    (s, *side), (c, *lift) = (
        (np.cos(0.5 * angle), *(np.sin(0.5 * angle) * axis))
        for angle, axis in zip(bent, branch.axes, strict=True)
    )
    turned = s * np.array(lift) + c * np.array(side) + np.cross(side, lift)
    return Pose(branch.root, np.array((s * c - np.dot(side, lift), *turned)))
