"""What led to a step of a batch in which a tether did not converge: kept for all, written for one.

A batch keeps two states of all its tethers, `PERIOD` of simulated time apart, and the arguments of all steps
since the older one, which `step` writes straight into their ring. A tether of the batch that was changed by
something else than a step of the batch (stepped alone, released, attached) has a history that begins there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.failure_ring import KEPT, FlatState
from tetherlab.tether import model as M
from tetherlab.tether.failure import (
    memory_parts,
    steps_as_arrays,
    steps_in_period,
    write_tether_failure,
)
from tetherlab.tether.tether import ENDS, Tether
from tetherlab.world.field import Field

if TYPE_CHECKING:
    from tetherlab.tether.batch import TetherBatch

COMMANDS_MAX = 1 << 26  # size of the commands since a state, unless the state itself is larger [bytes]
Array = NDArray[Any]
State = tuple[FlatState, Array]  # layout and content


class _Kept:
    """A state of all tethers, and what was commanded since."""

    def __init__(self) -> None:
        self.buffer = np.empty(0, np.uint8)
        self.flat: FlatState
        self.commands = np.empty((0, 0, M.COMMAND_SIZE))  # of step and tether
        self.steps_max = 0  # until the next state
        self.count = 0  # of steps taken
        self.begin()

    def begin(self) -> None:
        """Forget the steps."""
        self.count = 0
        self.loads: list[tuple[int, int, Array]] = []  # step, end, forces on it [N], (n, 3)
        self.fields: dict[int, Field] = {}  # the world from a step on
        self.rooms: dict[int, int] = {}  # nodes that there is room for, from a step on
        self.restarts: dict[int, tuple[int, State]] = {}  # of a tether: before which step, and its state


class BatchRing:
    """The last steps of a batch."""

    def __init__(self) -> None:
        self.changed: set[int] = set()  # tethers that something else than a step of the batch has changed
        self._kept: list[_Kept] = []  # the oldest first
        self._field: Field  # of the last step
        self._room: int

    def next_commands(self, batch: TetherBatch, dt: float) -> Array:
        """Where the commands of the step that comes are written, (n, COMMAND_SIZE)."""
        turned = not self._kept or self._kept[-1].count == self._kept[-1].steps_max
        if turned:
            self._turn(batch._memories, dt)
        kept = self._kept[-1]
        for i in self.changed:
            tether = batch.tethers[i]
            if not turned:
                flat = FlatState(memory_parts(tether._memory))
                kept.restarts[i] = (kept.count, (flat, flat.copy(np.empty(0, np.uint8))))
            Tether._forget_steps(tether)
        self.changed.clear()
        return kept.commands[kept.count]

    def note(self, memories: M.Memory, field: Field, given: Mapping[str, Array]) -> None:
        """The step is taken with these memories and this world; given: its arguments, fresh arrays (n, 3)."""
        kept = self._kept[-1]
        step, room = kept.count, memories.scalars.shape[-1]
        if not step or field is not self._field:
            kept.fields[step] = self._field = field
        if not step or room != self._room:
            kept.rooms[step] = self._room = room
        for end, name in enumerate(ENDS):
            if f"{name}_force" in given:
                kept.loads.append((step, end, given[f"{name}_force"]))
        kept.count += 1

    def _turn(self, memories: M.Memory, dt: float) -> None:
        """Keep the states."""
        kept = self._kept.pop(0) if len(self._kept) == KEPT else _Kept()
        kept.begin()
        kept.flat = FlatState(memory_parts(memories))
        kept.buffer = kept.flat.copy(kept.buffer)
        tethers = len(memories.number)
        size = tethers * M.COMMAND_SIZE * 8  # of the commands of a step [bytes]
        kept.steps_max = max(1, min(steps_in_period(dt), max(COMMANDS_MAX, kept.flat.size) // size))
        if len(kept.commands) < kept.steps_max:
            kept.commands = np.empty((kept.steps_max, tethers, M.COMMAND_SIZE))
        self._kept.append(kept)

    def write(self, batch: TetherBatch, index: int) -> str:
        """Write what led to the failure of a tether in the step just taken; what to tell the user of it."""
        kept = self._kept[0]
        state = {name: array[index] for name, array in kept.flat.unpacked(kept.buffer).items()}
        start, firsts = 0, np.cumsum([0, *(kept.count for kept in self._kept)]).tolist()
        for first, kept in zip(firsts, self._kept, strict=False):
            if index in kept.restarts:
                step, (flat, buffer) = kept.restarts[index]
                start, state = first + step, flat.unpacked(buffer)
        commands = np.concatenate([kept.commands[: kept.count, index] for kept in self._kept])[start:]
        loads = np.full((len(commands), 2, 2, 3), np.nan)
        moved: dict[int, Field] = {}
        grown: dict[int, int] = {}
        for first, kept in zip(firsts, self._kept, strict=False):
            for step, end, forces in kept.loads:
                if first + step >= start:
                    loads[first + step - start, end, 0] = forces[index]
            moved |= {max(first + step - start, 0): field for step, field in kept.fields.items()}
            grown |= {max(first + step - start, 0): room for step, room in kept.rooms.items()}
        tether = batch.tethers[index]
        head = {
            "name": f"{tether.name}, tethers[{index}] of a batch",
            "since": float(state["small"][M.TIME]),
            "time": tether.time,
        }
        arrays = {f"memory_{name}": array for name, array in state.items()}
        arrays |= steps_as_arrays(commands, loads, moved, grown)
        return write_tether_failure(head, arrays, batch.world, batch._wind)
