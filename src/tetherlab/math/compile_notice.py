"""Says once when the engine is compiled, which takes a while and looks like a program that hangs."""

import time
from typing import Any

from numba.core import event

from tetherlab.math.cache import say

NOTICE_AFTER = 1.0  # s of compiling; what is read from the cache, or small, is not worth a word


class CompileCount(event.Listener):
    """Counts functions of this package that were not in the cache, and the time of compiling them."""

    def __init__(self) -> None:
        self.functions = 0  # that Python calls, with all that they call
        self.seconds = 0.0  # CPU time
        self.said = False
        self._depth, self._began = 0, 0.0

    def on_start(self, event: Any) -> None:
        """A function is compiled, maybe as part of another one."""
        if not _own(event):
            return
        if self._depth == 0:
            self.functions += 1
            self._began = time.thread_time()
        self._depth += 1
        self._notice()

    def on_end(self, event: Any) -> None:
        """It is done."""
        if not _own(event) or self._depth == 0:
            return
        self._notice()
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.thread_time() - self._began

    def _notice(self) -> None:
        if not self.said and self.seconds + time.thread_time() - self._began > NOTICE_AFTER:
            self.said = True
            say("compiling the engine, about a minute, once (`tetherlab warm-up` does it beforehand)")


def _own(event: Any) -> bool:
    return event.data["dispatcher"].py_func.__module__.startswith("tetherlab.")


COUNT = CompileCount()

event.register("numba:compile", COUNT)
