"""The free lengths at which gains are computed; between them they are interpolated over the logarithm."""

import math

LENGTHS = (0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)  # [m]
LOGS = tuple(math.log(length) for length in LENGTHS)


def length_node(length: float) -> tuple[int, float]:
    """The node below a free length [m], and how far to the next, 0 to 1; beyond the ends, the ends."""
    x = math.log(min(max(length, LENGTHS[0]), LENGTHS[-1]))
    i = 0
    while i < len(LOGS) - 2 and x > LOGS[i + 1]:
        i += 1
    return i, (x - LOGS[i]) / (LOGS[i + 1] - LOGS[i])
