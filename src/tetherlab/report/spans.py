"""From when to when something held, as bars on an axis of time."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Span = tuple[float, float]  # start and duration [s]

SHORTEST = 1 / 400  # of the axis; what is shorter could not be seen


def spans(time: Array, held: Array, chosen: NDArray[np.bool_]) -> list[Span]:
    """Of rows that hold for so long each [s]; what lies closer together than can be seen becomes one."""
    if not chosen.any():
        return []
    shortest = SHORTEST * float(time[-1] - time[0])
    starts, ends = time[chosen], (time + held)[chosen]
    apart = starts[1:] - ends[:-1] > shortest
    starts, ends = starts[np.r_[True, apart]], ends[np.r_[apart, True]]
    return [
        (float(start), max(float(end - start), shortest)) for start, end in zip(starts, ends, strict=True)
    ]
