"""Times of a log that leap far ahead: a damaged digit, or a clock that was set while it ran."""

import math

LEAP = 3600.0  # further ahead than this a single line is not believed [s]
AGREEING = 3  # so many lines in a row are, the last of them and all that follow


class ClockGuard:
    """Watches one column of times, line by line."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last = -math.inf  # the latest time that was believed [s]
        self._usual = LEAP  # how far the next may be ahead [s]
        self._doubted: list[float] = []  # times in a row that leapt [s]

    def problem(self, time: float) -> str:
        """What is wrong with the next time [s]; empty if nothing is, or if there is none (NaN)."""
        ahead = time - self._last
        if math.isnan(time):
            return ""
        if ahead <= self._usual or math.isinf(self._last):
            self._last = max(self._last, time)
            self._doubted.clear()
            return ""
        if self._doubted and not 0.0 <= time - self._doubted[-1] <= max(LEAP, ahead):
            self._doubted.clear()
        self._doubted.append(time)
        if len(self._doubted) < AGREEING:
            return (
                f"{self._name} leaps ahead by {ahead:.4g} s, from {self._last:.9g} to {time:.9g}; it is "
                f"believed when {AGREEING} lines in a row agree"
            )
        self._usual = max(LEAP, 2.0 * (time - self._doubted[-2]))  # a log may have rows hours apart
        self._last = time
        self._doubted.clear()
        return ""
