"""Where the frames of parts are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.kernel import plain
from tetherlab.math.record import make_records
from tetherlab.math.rotation import matrix_from_quaternion, quaternion_from_matrix
from tetherlab.plant.branch import BRANCH, Branch, fill_pose
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
    row = make_records(1, BRANCH).view(np.recarray)[0]
    branch.fill(row, 0)
    R = np.empty(9)
    plain(fill_pose)(row, bent, R)
    return Pose(branch.root, quaternion_from_matrix(R.reshape(3, 3)))
