"""Where a drone was during a flight, and how the errors of that hang together from one time to the next."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Track(NamedTuple):
    """A flight as odometry tells it afterwards, frame W of the base.

    Errors e = (x, y, z, yaw, and m − 4 more that odometry has reasons for) form a chain: e[k] is
    gain[k] e[k+1] and a rest, independent of all later ones, of covariance[k] − gain[k] covariance[k+1]
    gain[k]ᵀ. So whoever knows more of a few places, as by seeing them twice, can say what follows for all
    others, and nothing is counted twice.
    """

    time: NDArray[np.float64]  # [s], (n,), increasing
    position: NDArray[np.float64]  # p_WH [m], (n, 3)
    yaw: NDArray[np.float64]  # of frame H, unwrapped [rad], (n,)
    covariance: NDArray[np.float64]  # of x, y, z [m], yaw [rad] and more, (n, m, m)
    gain: NDArray[np.float64]  # (n − 1, m, m)
    jitter: tuple[float, float] = (0.0, 0.0)  # of each position [m] and yaw [rad] beside the chain, white

    def at(self, times: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Positions [m], (k, 3), and yaws [rad], (k,), at times within the flight [s], (k,)."""
        position = np.stack([np.interp(times, self.time, self.position[:, i]) for i in range(3)], axis=1)
        return position, np.interp(times, self.time, self.yaw)

    def thin(self, chosen: NDArray[np.intp]) -> "Track":
        """The same flight at some of its times only, by increasing indices (k,)."""
        gains = np.empty((max(len(chosen) - 1, 0), *self.covariance.shape[1:]))
        for i, (first, last) in enumerate(pairwise(chosen)):
            product = np.eye(self.covariance.shape[1])
            for gain in self.gain[first:last]:
                product = product @ gain
            gains[i] = product
        position, yaw = self.position[chosen], self.yaw[chosen]
        return Track(self.time[chosen], position, yaw, self.covariance[chosen], gains, self.jitter)
