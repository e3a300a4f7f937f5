"""Whether the drone stands on something: it is told to come down, and comes no lower."""

from __future__ import annotations

from collections import deque

import numpy as np

WINDOW = 2.0  # over which the rate of the height is taken [s]
FOLLOWED = 1.0 / 3.0  # share of the wanted rate below which the drone does not come down any more


class TouchDown:
    """Compares the rate of the measured height with the wanted one, over the last two seconds.

    A straight line through n noisy heights of a time T has a rate with a deviation of sqrt(12 / n) / T times
    that of one of them: 5 mm/s for 2 cm at 20 Hz.
    """

    def __init__(self) -> None:
        self._seen: deque[tuple[float, float, float]] = deque()  # time, height, wanted vertical speed

    def look(self, time: float, height: float, climb: float) -> None:
        """Once per step [s], [m], [m/s]; who is told to climb, or to stay, starts anew."""
        if climb >= 0.0:
            self._seen.clear()
            return
        self._seen.append((time, height, climb))
        while time - self._seen[0][0] > WINDOW:
            self._seen.popleft()

    def happened(self, time: float) -> bool:
        """Within a whole window it came down by less than a third of what it was told."""
        if len(self._seen) < 3 or time - self._seen[0][0] < 0.95 * WINDOW:
            return False
        seen = np.array(self._seen)
        times = seen[:, 0] - seen[:, 0].mean()
        rate = float(times @ seen[:, 1] / (times @ times))
        return rate > FOLLOWED * float(seen[:, 2].mean())
