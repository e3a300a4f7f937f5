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


def calmed(track: Track, noise: float, yaw_noise: float, calm: float) -> Track:
    """The same track without most of VIO's white noise, of position [m] and yaw [rad].

    Within `calm` [s] the motion is taken for a parabola, which the samples there are fitted to.
    """
    interval = float(np.median(np.diff(track.time))) if len(track.time) > 1 else np.inf
    window = 2 * int(0.5 * calm / interval) + 1
    if window < 5 or len(track.time) < window:
        return track._replace(jitter=(noise, yaw_noise))
    from scipy.signal import savgol_coeffs, savgol_filter  # slow to import, and most runs do without

    left = float(np.sqrt(np.sum(savgol_coeffs(window, 2) ** 2)))
    position = savgol_filter(track.position, window, 2, axis=0)
    yaw = savgol_filter(track.yaw, window, 2)
    return track._replace(position=position, yaw=yaw, jitter=(left * noise, left * yaw_noise))
