"""Limits how often people on a page may save: each save makes a folder, and may draw a report."""

import threading
import time

PAUSE = 3.0  # between the end of a save and the start of the next [s]


class SaveLimit:
    """Lets one save begin at a time, and the next only some time after it has ended."""

    def __init__(self, pause: float = PAUSE) -> None:
        """pause: between two saves [s]."""
        self._pause, self._lock = pause, threading.Lock()
        self._under_way, self._ended = False, float("-inf")

    def begin(self) -> str:
        """Why no save may begin now, in a sentence; empty if one does, which must call `end`."""
        with self._lock:
            if self._under_way:
                return "the last save is still being written: wait until it is done"
            left = self._ended + self._pause - time.monotonic()
            if left > 0.0:
                return f"the last save has just been written: wait {left:.1f} s"
            self._under_way = True
            return ""

    def end(self) -> None:
        """The save that began has ended, well or not."""
        with self._lock:
            self._under_way, self._ended = False, time.monotonic()
