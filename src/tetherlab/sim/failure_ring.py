"""What led to the failure of a run: states of the plant, and all that its kernel was called with since."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.tether.failure import KEPT, PERIOD, FlatState, check_memory, memory_parts, require

FIXED = ("ground", "wind")  # parts of a plant that no step changes
DERIVED = ("live", "kept", "scratch")  # windows on others, and what outlives no step
CALLS_MAX = 4096  # from one state to the next
Array = NDArray[Any]


class _Kept:
    """A state and the calls since."""

    def __init__(self) -> None:
        self.time = 0.0
        self.buffer = np.empty(0, np.uint8)
        self.calls: list[tuple[Sequence[float], bytes]] = []  # numbers, and the bytes of all inputs
        self.laws: list[tuple[int, Any, list[Array]]] = []  # before which call they were so


class FailureRing:
    """The last states and calls of a plant; memory and cost are bounded."""

    def __init__(self, plant: Any, inputs: Sequence[Array] = ()) -> None:
        """inputs: arrays of floats, changed in place, that a call of the kernel reads besides the plant."""
        self._flat = FlatState(dict(plant_parts(plant)))
        self._inputs: Any = list(inputs)
        self.clear()

    def clear(self) -> None:
        """Forget all: the plant is changed by something else than its kernel."""
        self._kept: list[_Kept] = []
        self._next = -math.inf  # when to keep a state [s]

    def before(self, time: float, numbers: Sequence[float] = (), laws: Any = None) -> None:
        """Note a call that comes now; numbers: that it is called with. laws: a NamedTuple of arrays."""
        if time >= self._next or len(self._kept[-1].calls) >= CALLS_MAX:
            self._keep(time)
        kept = self._kept[-1]
        if laws is not None and (not kept.laws or kept.laws[-1][1] is not laws):
            kept.laws.append((len(kept.calls), laws, [array.copy() for array in laws]))
        kept.calls.append((numbers, b"".join(self._inputs)))

    def _keep(self, time: float) -> None:
        kept = self._kept.pop(0) if len(self._kept) == KEPT else _Kept()
        kept.buffer = self._flat.copy(kept.buffer)
        kept.time, kept.calls, kept.laws = time, [], []
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
        calls = [call for kept in self._kept for call in kept.calls]
        arrays["calls"] = np.array([(*numbers, *np.frombuffer(inputs)) for numbers, inputs in calls])
        first, at = 0, list[int]()
        for kept in self._kept:
            for k, laws, copies in kept.laws:
                arrays |= {
                    f"laws{len(at)}_{name}": array for name, array in zip(laws._fields, copies, strict=True)
                }
                at.append(first + k)
            first += len(kept.calls)
        arrays["laws_at"] = np.array(at, np.int64)
        return arrays


def plant_parts(plant: Any) -> Iterator[tuple[str, Array]]:
    """All arrays of a plant that a step may change and that outlive it, by name."""
    for name in plant._fields:
        part = getattr(plant, name)
        if name == "memory":
            yield from ((f"memory_{key}", array) for key, array in memory_parts(part).items())
        elif name == "field":
            yield from (("field_pose", part.pose), ("field_twist", part.twist))
        elif name not in (*FIXED, *DERIVED) and part is not plant.memory.body:
            yield name, part


def restore_plant(plant: Any, arrays: Mapping[str, Array], source: str) -> None:
    """Put a plant that was built anew into the state of a file, which must fit it."""
    objects = len(getattr(plant, "ground", plant.field).objects)
    for name, live in plant_parts(plant):
        stored = arrays.get(f"state_{name}")
        require(source, name, stored, live.shape, live.dtype)
        assert stored is not None
        if not name.startswith("memory_") and not _points_within(name, stored, live, objects):
            raise InputError(f"{source}: damaged: {name} does not belong to this scenario")
        live[...] = stored
    check_memory(plant.memory, len(plant.field.objects), source)


def _points_within(name: str, stored: Array, live: Array, objects: int) -> bool:
    """Whether kernels may count and point with what is stored: most of that does not change in a run."""
    kinds = stored.dtype.names
    if kinds is None:
        return name not in ("deck", "chassis") or np.array_equal(stored, live)
    if "touching" in kinds:
        return bool(((stored["object"] >= -1) & (stored["object"] < max(objects, 1))).all())
    fixed = [key for key in kinds if key.endswith("_count") or key == "object"]
    return all(np.array_equal(stored[key], live[key]) for key in fixed)
