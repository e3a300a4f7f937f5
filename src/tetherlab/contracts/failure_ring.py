"""What led to a failure: states, and all that a kernel was called with since."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

PERIOD = 0.5  # between two states that are kept [s]
KEPT = 2  # states: the older one is at least `PERIOD` old
CALLS_MAX = 4096  # from one state to the next
Array = NDArray[Any]


class FlatState:
    """Arrays that are copied in one go, one after the other into one buffer."""

    def __init__(self, parts: Mapping[str, Array]) -> None:
        self._views = [np.asarray(part).reshape(-1).view(np.uint8) for part in parts.values()]
        self._layout = {name: (part.shape, part.dtype) for name, part in parts.items()}
        self.size = sum(map(len, self._views))  # [bytes]

    def copy(self, buffer: Array) -> Array:
        """What they hold now, in this buffer if it has their size, else in a new one."""
        if len(buffer) != self.size:
            buffer = np.empty(self.size, np.uint8)
        np.concatenate(self._views, out=buffer)
        return buffer

    def unpacked(self, buffer: Array) -> dict[str, Array]:
        """The arrays of a copy."""
        arrays, first = {}, 0
        for name, (shape, kind) in self._layout.items():
            size = math.prod(shape) * kind.itemsize
            arrays[name] = buffer[first : first + size].copy().view(kind).reshape(shape)
            first += size
        return arrays


class _Kept:
    """A state and the calls since."""

    def __init__(self) -> None:
        self.time = 0.0
        self.buffer = np.empty(0, np.uint8)
        # numbers, the bytes of all inputs, and of how many calls in a row these are
        self.calls: list[tuple[Sequence[float], bytes, int]] = []
        self.count = 0  # of calls
        self.laws: list[tuple[int, Any, list[Array]]] = []  # before which call they were so


class FailureRing:
    """The last states and calls of a kernel; memory and cost are bounded."""

    def __init__(self, parts: Mapping[str, Array], inputs: Sequence[Array] = ()) -> None:
        """parts: the arrays of the state. inputs: arrays of floats that a call reads besides them.

        Both are changed in place.
        """
        self._flat = FlatState(parts)
        self._inputs: Any = list(inputs)
        self.clear()

    def clear(self) -> None:
        """Forget all: the state is changed by something else than the kernel."""
        self._kept: list[_Kept] = []
        self._next = -math.inf  # when to keep a state [s]

    def before(self, time: float, numbers: Sequence[float] = (), laws: Any = None) -> None:
        """Note a call that comes now; numbers: that it is called with. laws: a NamedTuple of arrays."""
        self.begin(time, laws)
        self.note(numbers, b"".join(self._inputs))

    def begin(self, time: float, laws: Any = None) -> None:
        """Calls come now, which are noted afterwards."""
        if time >= self._next or self._kept[-1].count >= CALLS_MAX:
            self._keep(time)
        kept = self._kept[-1]
        if laws is not None and (not kept.laws or kept.laws[-1][1] is not laws):
            kept.laws.append((kept.count, laws, [array.copy() for array in laws]))

    def note(self, numbers: Sequence[float], inputs: bytes, count: int = 1) -> None:
        """Note calls since `begin`; inputs: bytes of the arrays of floats that they read, call by call."""
        kept = self._kept[-1]
        kept.calls.append((numbers, inputs, count))
        kept.count += count

    def _keep(self, time: float) -> None:
        kept = self._kept.pop(0) if len(self._kept) == KEPT else _Kept()
        kept.buffer = self._flat.copy(kept.buffer)
        kept.time, kept.calls, kept.count, kept.laws = time, [], 0, []
        self._kept.append(kept)
        self._next = time + PERIOD

    def since(self, time: float) -> float:
        """Forget what is not needed to replay the last 0.5 s before a time; when the oldest state is [s]."""
        while len(self._kept) > 1 and self._kept[1].time <= time - PERIOD:
            del self._kept[0]
        return self._kept[0].time

    def arrays(self) -> dict[str, Array]:
        """The oldest state and all calls since, as a file holds them."""
        state = self._flat.unpacked(self._kept[0].buffer)
        arrays = {f"state_{name}": array for name, array in state.items()}
        arrays["calls"] = np.array(
            [
                (*numbers, *row)
                for kept in self._kept
                for numbers, inputs, count in kept.calls
                for row in np.frombuffer(inputs).reshape(count, -1)
            ]
        )
        first, at = 0, list[int]()
        for kept in self._kept:
            for k, laws, copies in kept.laws:
                arrays |= {
                    f"laws{len(at)}_{name}": array for name, array in zip(laws._fields, copies, strict=True)
                }
                at.append(first + k)
            first += kept.count
        arrays["laws_at"] = np.array(at, np.int64)
        return arrays
