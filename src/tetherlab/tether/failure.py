"""What led to a step that did not converge: kept in memory, written to a file, and computed again from it.

A tether keeps two states, `PERIOD` of simulated time apart, and the arguments of all steps since the older
one. What never changes is not copied, and the arguments are written by `step` straight into their ring.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.failure_file import require, write_failure
from tetherlab.contracts.failure_ring import KEPT, PERIOD, FlatState
from tetherlab.math.rigid_body import POINTS_MAX
from tetherlab.tether import model as M
from tetherlab.tether.advance import advance
from tetherlab.tether.limits import COUNT_MAX
from tetherlab.world.failure_surroundings import (
    place_objects,
    wind_arrays,
    wind_of,
    world_files,
    world_of,
)
from tetherlab.world.field import Field
from tetherlab.world.wind_field import WindField
from tetherlab.world.world import World

if TYPE_CHECKING:
    from tetherlab.tether.tether import Tether

STEPS_MAX = 4096  # from one state to the next
NO_STEP = 0.0  # dt of a row that was not stepped, since its arguments were refused
ROOM_MAX = 4 * COUNT_MAX  # nodes
SCRATCH = ("blocks",)  # the largest array of a memory, which holds nothing that outlives a step
Array = NDArray[Any]
Fields = deque[tuple[Array, Field]]  # the world from a step on, which is known by its row of commands
Loads = deque[tuple[Array, int, Any, Any]]  # of a step: end, force, torque or None


class _Kept:
    """A state and what was commanded since."""

    def __init__(self) -> None:
        self.time = 0.0
        self.buffer = np.empty(0, np.uint8)
        self.flat: FlatState
        self.rows: list[Array] = []  # commands, used and yet unused ones
        self.count = 0  # of rows until the next state
        self.field: Field  # the world then
        self.fields: Fields = deque()
        self.loads: Loads = deque()


class StepRing:
    """The last steps of a tether."""

    def __init__(self) -> None:
        self._kept: list[_Kept] = []  # the oldest first
        self._memory: M.Memory | None = None
        self._flat: FlatState
        # What belongs to the newest state. A tether that a batch steps writes here without end, so they are
        # bounded.
        self.fields: Fields = deque(maxlen=0)
        self.loads: Loads = deque(maxlen=0)

    def turn(self, tether: Tether, dt: Any) -> Array:
        """Keep the state, and return where the next step is written; those after it are in `_rows`."""
        if tether._memory is not self._memory:
            self._memory = tether._memory
            self._flat = FlatState(memory_parts(tether._memory))
        kept = self._kept.pop(0) if len(self._kept) == KEPT else _Kept()
        kept.buffer, kept.flat = self._flat.copy(kept.buffer), self._flat
        kept.time, kept.field = tether.time, tether.world.field
        kept.count = steps_in_period(dt)
        if len(kept.rows) < kept.count:
            kept.rows = list(np.zeros((kept.count, M.COMMAND_SIZE)))
        kept.fields = self.fields = deque(maxlen=kept.count)
        kept.loads = self.loads = deque(maxlen=2 * kept.count)
        self._kept.append(kept)
        rows = iter(kept.rows[: kept.count])
        row = next(rows)
        tether._rows = rows
        return row

    def write(self, tether: Tether) -> str:
        """Write the failure that the step just taken ended in; what to tell the user about it."""
        rows: list[Array] = []
        for kept in self._kept:
            for row in kept.rows[: kept.count]:
                if row[0] != NO_STEP:
                    rows.append(row)
                if row is tether._command:
                    break
        first = self._kept[0]
        arrays = {f"memory_{name}": array for name, array in first.flat.unpacked(first.buffer).items()}
        arrays |= self._arrays_of(rows, first.field)
        head = {"name": tether.name, "since": first.time, "time": tether.time}
        return write_tether_failure(head, arrays, tether.world, tether._wind)

    def _arrays_of(self, rows: list[Array], first: Field) -> dict[str, Array]:
        """The steps as a file holds them; NaN: no load. first: the world before them."""
        numbers = {id(row): k for k, row in enumerate(rows)}
        loads = np.full((len(rows), 2, 2, 3), np.nan)
        for row, end, force, torque in (load for kept in self._kept for load in kept.loads):
            if id(row) in numbers:
                loads[numbers[id(row)], end, 0] = force
                loads[numbers[id(row)], end, 1] = np.nan if torque is None else torque
        met = [pair for kept in self._kept for pair in kept.fields]
        moved = {0: first} | {numbers[id(row)]: field for row, field in met if id(row) in numbers}
        return steps_as_arrays(np.array(rows), loads, moved, {})


def steps_as_arrays(
    commands: Array, loads: Array, moved: Mapping[int, Field], grown: Mapping[int, int]
) -> dict[str, Array]:
    """Steps as a file holds them.

    commands: (steps, COMMAND_SIZE). loads: of both ends, force and torque, NaN: none, (steps, 2, 2, 3).
    moved: the world from a step on, and that before the first. grown: how many nodes there was room for from
    a step on, where that was not the doing of the tether itself.
    """
    return {
        "commands": commands,
        "loads": loads,
        "moved_at": np.array(list(moved), np.int64),
        "moving": np.array([field.objects[:, 1] for field in moved.values()], np.int64),
        "pose": np.array([field.pose for field in moved.values()]),
        "twist": np.array([field.twist for field in moved.values()]),
        "grown_at": np.array(list(grown), np.int64),
        "grown_to": np.array(list(grown.values()), np.int64),
    }


def write_tether_failure(
    head: Mapping[str, Any], arrays: Mapping[str, Array], world: World, wind: WindField
) -> str:
    """Write the failure of a tether from the arrays of its memory and its steps; what to tell the user."""
    arrays = {**arrays, **wind_arrays(wind)}
    return write_failure({"kind": "tether", **head}, arrays, None, world_files(world))


def steps_in_period(dt: Any) -> int:
    """Steps until the next state is kept; what is wrong with dt is said elsewhere."""
    try:
        return min(max(math.ceil(PERIOD / float(dt)), 1), STEPS_MAX)
    except (TypeError, ValueError, ArithmeticError):
        return 1


class TetherFailure:
    """A failure of a tether that is computed again, step by step."""

    def __init__(
        self, head: Mapping[str, Any], arrays: Mapping[str, Array], extra: Mapping[str, bytes], source: str
    ) -> None:
        from tetherlab.tether.tether import Tether

        world = world_of(extra)
        objects = len(world.names)
        self._commands, self._loads = arrays["commands"], arrays["loads"]
        steps, moved = len(self._commands), len(arrays["moved_at"])
        require(source, "commands", self._commands, (steps, M.COMMAND_SIZE), np.float64)
        require(source, "loads", self._loads, (steps, 2, 2, 3), np.float64)
        for name, shape, kind in (
            ("moved_at", (), np.int64), ("moving", (objects,), np.int64), ("pose", (objects, 12), np.float64),
            ("twist", (objects, 6), np.float64),
        ):  # fmt: skip
            require(source, name, arrays[name], (moved, *shape), kind)
        self._moves = {
            int(k): (moving, pose, twist)
            for k, moving, pose, twist in zip(
                *(arrays[name] for name in ("moved_at", "moving", "pose", "twist")), strict=True
            )
        }
        grown_at, grown_to = arrays["grown_at"], arrays["grown_to"]
        for name, numbers in (("grown_at", grown_at), ("grown_to", grown_to)):
            require(source, name, numbers, (len(grown_at),), np.int64)
        self._grown = dict(zip(grown_at.tolist(), grown_to.tolist(), strict=True))
        if max(self._grown.values(), default=0) > ROOM_MAX:
            raise InputError(f"{source}: damaged: the tether has room for {grown_to.max()} nodes")
        memory = memory_of(arrays, objects, source)
        self.tether = twin = object.__new__(Tether)
        twin.name, twin.world = str(head["name"]), world
        twin._model = M.TetherModel(*memory.constants.tolist())
        twin._wind = wind_of(arrays, source)
        twin._command = np.zeros(M.COMMAND_SIZE)
        twin._forget_steps()
        twin._open(memory)
        self.iterations = 0  # of Newton, in the step that fails

    def replay(self) -> bool:
        """Take the steps again; whether the last one, and none before it, fails."""
        twin, state = self.tether, self.tether._state
        for k, (command, loads) in enumerate(zip(self._commands, self._loads, strict=True)):
            if k in self._moves:
                place_objects(twin.world, *self._moves[k])
            if self._grown.get(k, 0) > len(state.rest):
                twin._grow(self._grown[k])
                state = twin._state
            kinds = state.number[M.KIND_BASE : M.KIND_END + 1].tolist()
            twin._command[:] = command
            for end, kind in enumerate(kinds):
                if kind != M.PRESCRIBED:
                    force, torque = (None if np.isnan(load).any() else load for load in loads[end])
                    twin._push(end, kind, force, torque)
            if command[1] != 0.0:
                twin._prepare_reeling(float(command[0]), float(command[1]), int(state.number[M.COUNT]))
                state = twin._state
            before = M.copy_memory(twin._memory) if k == len(self._commands) - 1 else None
            twin._run()
            if state.number[M.FAILED]:
                if before is not None:
                    field = twin.world.field
                    own = field._replace(pose=field.pose.copy())
                    self.iterations = int(advance(before, own, field.pose, twin._wind, command))
                return k == len(self._commands) - 1
        return False


def memory_parts(memory: M.Memory) -> dict[str, Array]:
    """What lasts in a memory, by name."""
    return {name: getattr(memory, name) for name in M.Memory._fields if name not in SCRATCH}


def memory_of(arrays: Mapping[str, Array], objects: int, source: str) -> M.Memory:
    """The memory of a tether in a file, checked: a kernel trusts what it says about its own size.

    objects: of the world.
    """
    scalars = arrays.get("memory_scalars")
    room = scalars.shape[1] if scalars is not None and scalars.ndim == 2 else 0
    constants = arrays.get("memory_constants", np.zeros(0))
    if not 3 <= room <= ROOM_MAX or constants.shape != (len(M.TetherModel._fields),):
        raise InputError(f"{source}: damaged: the tether has room for {room} nodes")
    memory = M.make_memory(M.TetherModel(*constants.tolist()), room, objects)
    for name, live in memory_parts(memory).items():
        stored = arrays.get(f"memory_{name}")
        require(source, f"memory_{name}", stored, live.shape, live.dtype)
        live[...] = stored
    check_memory(memory, objects, source)
    return memory


def check_memory(memory: M.Memory, objects: int, source: str) -> None:
    """Whether all that counts or points within a memory stays within it."""
    count, *kinds = memory.number[[M.COUNT, M.KIND_BASE, M.KIND_END]].tolist()
    known = all(kind in (M.PRESCRIBED, M.FREE, M.RIGID) for kind in kinds)
    met = [part["object"] for part in (memory.contact, memory.wrap, memory.body_contact)]
    within = all(((who >= -1) & (who < max(objects, 1))).all() for who in met)
    points = memory.body["point_count"]
    rooms = memory.scalars.shape[1]
    if not (2 <= count < rooms and known and within and ((points >= 0) & (points <= POINTS_MAX)).all()):
        raise InputError(f"{source}: damaged: the state of the tether contradicts itself")
