"""A flight seen from its end: each place by what was heard before and after it (Rauch, Tung, Striebel)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.track import Track

Array = NDArray[np.float64]


class Step(NamedTuple):
    """One update of a filter."""

    time: float  # [s]
    transition: Array  # F, by which errors came from the step before, (m, m)
    predicted: Array  # x, y, z, yaw and more before anything was heard, (m,)
    covariance_predicted: Array  # (m, m)
    mean: Array  # after it, (m,)
    covariance: Array  # (m, m)


def smooth(steps: Sequence[Step]) -> Track:
    """The track of all steps."""
    if not steps:
        raise InputError("a track needs at least one update of the filter")
    count = len(steps)
    size = len(steps[0].mean)
    mean, covariance = np.empty((count, size)), np.empty((count, size, size))
    gain = np.empty((count - 1, size, size))
    mean[-1], covariance[-1] = steps[-1].mean, steps[-1].covariance
    for k in range(count - 2, -1, -1):
        here, after = steps[k], steps[k + 1]
        # G = P Fᵀ P₋⁻¹ of the step after
        G = np.linalg.solve(after.covariance_predicted, after.transition @ here.covariance).T
        gain[k] = G
        mean[k] = here.mean + G @ (mean[k + 1] - after.predicted)
        spread = covariance[k + 1] - after.covariance_predicted
        covariance[k] = here.covariance + G @ spread @ G.T
    time = np.array([step.time for step in steps])
    return Track(time, mean[:, :3].copy(), mean[:, 3].copy(), covariance, gain)
