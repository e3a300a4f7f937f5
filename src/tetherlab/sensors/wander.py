"""Errors that change slowly."""

import math

from tetherlab.math.kernel import njit


@njit(cache=True)
def wander(value, normals, elapsed, deviation, time):
    """Move a first-order Gauss-Markov error on, in place: of this deviation, forgotten within `time` [s].

    Exact for any elapsed time [s], of which an infinite one draws it anew, as at the start of a run.
    """
    kept = math.exp(-elapsed / time)
    for i in range(value.size):
        value[i] = kept * value[i] + deviation * math.sqrt(1.0 - kept * kept) * normals[i]
