"""Many tethers at once, on all cores: the same step as for one, in a parallel loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.math.kernel import njit
from tetherlab.tether import model as M
from tetherlab.tether.advance import advance
from tetherlab.tether.batch_ring import BatchRing
from tetherlab.tether.tether import Tether
from tetherlab.world.field import with_pose

Array = NDArray[np.float64]
MEMBERSHIP = ("_batch", "_index")  # attributes of a member that its copies do not have


@njit(cache=True, parallel=True)
def _advance_all(memories, field, pose, wind, commands):
    for i in prange(commands.shape[0]):
        own = with_pose(field, pose[i])
        advance(M.memory_row(memories, i), own, field.pose, wind, commands[i])


class _Member(Tether):
    """A tether that lives in the memory of a batch: room for more nodes is made for all at once."""

    _batch: TetherBatch
    _index: int  # in the batch

    def _grow(self, room: int) -> None:
        self._batch._grow(room)

    def _run(self) -> None:
        self._batch._ring.changed.add(self._index)
        super()._run()

    def _forget_steps(self) -> None:
        self._batch._ring.changed.add(self._index)
        super()._forget_steps()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name not in MEMBERSHIP}

    def __reduce__(self) -> Any:
        return object.__new__, (Tether,), self.__getstate__()


class TetherBatch:
    """Tethers that are stepped together; they share one world and one wind, and may differ in all else.

    `batch[i]` is the i-th one, a `Tether` for all that can be done with one: read, released, stepped alone.
    """

    def __init__(self, tethers: Sequence[Tether]) -> None:
        """Take copies of the given tethers."""
        if not isinstance(tethers, Iterable):
            raise InputError(f"tethers must be a list of tl.Tether, got {tethers!r}")
        tethers = [check.instance(f"tethers[{i}]", tether, Tether) for i, tether in enumerate(tethers)]
        if not tethers:
            raise InputError("tethers must hold at least one Tether, got none")
        first = tethers[0]
        for i, tether in enumerate(tethers):
            # Of a world without obstacles, each tether has taken along what there is: gravity and air.
            if tether.world is not first.world and (tether.world.shapes or first.world.shapes):
                raise InputError(
                    f"tethers[{i}] lives in another world than tethers[0]; a batch has one world"
                )
            if not all(map(np.array_equal, tether._wind, first._wind)):
                raise InputError(f"tethers[{i}] has another wind than tethers[0]; a batch has one wind")
        self.world = first.world
        self._wind = first._wind
        self._ring = BatchRing()
        self.tethers: list[Tether] = []
        for i, tether in enumerate(tethers):
            member = object.__new__(_Member)
            member._batch, member._index = self, i
            member.__setstate__(tether.__getstate__())
            self.tethers.append(member)
        self._grow(max(t._state.rest.shape[0] for t in tethers))

    def _grow(self, room: int) -> None:
        """Give all tethers space for `room` nodes; those in users' hands stay what they are."""
        self._memories = M.stack_memories([tether._memory for tether in self.tethers], room)
        for i, tether in enumerate(self.tethers):
            rows: list[Any] = [array[i] for array in self._memories]
            tether._open(M.Memory(*rows))

    def copy(self) -> TetherBatch:
        """An independent batch in the same state, in the same world."""
        return TetherBatch(self.tethers)

    def __copy__(self) -> TetherBatch:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> TetherBatch:
        return self.copy()

    def __reduce__(self) -> Any:
        return TetherBatch, (self.tethers,)

    def __len__(self) -> int:
        return len(self.tethers)

    def __getitem__(self, index: int) -> Tether:
        return self.tethers[index]

    @check.known_arguments
    def step(
        self,
        dt: float,
        base: ArrayLike | None = None,
        end: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        end_velocity: ArrayLike | None = None,
        reel_speed: ArrayLike = 0.0,
        *,
        base_force: ArrayLike | None = None,
        end_force: ArrayLike | None = None,
    ) -> tuple[Array, Array]:
        """Advance all by dt; arguments as in `Tether.step`, each (n, 3) or one (3,) for all.

        Returns the mean forces on all bases and on all ends [N], (n, 3) each.
        """
        n = len(self)
        dt = check.positive("dt", dt)
        speeds = self._rows("reel_speed", reel_speed, ())
        given: dict[str, Any] = {
            "base": base,
            "end": end,
            "base_velocity": base_velocity,
            "end_velocity": end_velocity,
            "base_force": base_force,
            "end_force": end_force,
        }
        rows = {name: self._rows(name, value) for name, value in given.items() if value is not None}
        commands = self._ring.next_commands(self, dt)
        if not self._aim_all(commands, dt, rows, speeds):
            self._aim_each(commands, dt, rows, speeds)
        field = self.world.field
        self._ring.note(self._memories, field, rows)
        pose = np.repeat(field.pose[None], n, axis=0)
        _advance_all(self._memories, field, pose, self._wind, commands)
        failed = np.flatnonzero(self._memories.number[:, M.FAILED]).tolist()
        if failed:
            self._memories.number[:, M.FAILED] = 0
            raise SimulationError(self._failure(dt, failed))
        impulse = self._memories.ends[:, :, M.IMPULSE] / dt
        return impulse[:, 0].copy(), impulse[:, 1].copy()

    def _failure(self, dt: float, failed: list[int]) -> str:
        """What to say of tethers that did not converge; what led the first one there is written to a file."""
        first = failed[0]
        try:
            replayed = self._ring.write(self, first)
        except Exception as error:  # whatever it is, it must not hide what happened
            replayed = f"no file could be written to replay it: {error}"
        self._ring.changed.update(failed)
        return (
            f"{len(failed)} of {len(self)} tethers of the batch did not converge in the step of {dt:g} s, "
            f"however finely it was cut: tethers {failed}. They stay where it failed, the others have taken "
            f"it. This is a bug in tetherlab; please report it; of tethers[{first}], {replayed}."
        )

    def _aim_all(self, commands: Array, dt: float, rows: dict[str, Array], speeds: Array) -> bool:
        """Write all commands at once if nothing but prescribed ends moves; whether it could be done.

        One core waits for what is done tether by tether in Python.
        """
        held = (self._memories.number[:, M.KIND_BASE : M.KIND_END + 1] == M.PRESCRIBED).all()
        forced = "base_force" in rows or "end_force" in rows
        if not held or forced or speeds.any():
            return False
        x = self._memories.vectors[:, M.POSITIONS]
        count = self._memories.number[:, M.COUNT]
        commands[:, M.DT], commands[:, M.REEL_SPEED] = dt, 0.0
        for at, which, here in (
            (M.TO_BASE, "base", x[:, 0]),
            (M.TO_END, "end", x[np.arange(len(self)), count]),
        ):
            there = rows.get(which, here)
            velocity = rows.get(f"{which}_velocity")
            commands[:, at : at + 3] = there
            commands[:, at + 3 : at + 6] = (there - here) / dt if velocity is None else velocity
        return True

    def _aim_each(self, commands: Array, dt: float, rows: dict[str, Array], speeds: Array) -> None:
        """Write the commands one after the other, with the checks and the room that each may need."""
        for i, tether in enumerate(self.tethers):
            command = {name: value[i] for name, value in rows.items()}
            try:
                tether._write_command(dt, reel_speed=float(speeds[i]), **command)
            except InputError as error:
                raise InputError(f"tethers[{i}]: {error}") from None
            commands[i] = tether._command

    def _rows(self, name: str, value: ArrayLike, shape: tuple[int, ...] = (3,)) -> Array:
        """One for each tether, or one for all: (n, *shape)."""
        each = (len(self), *shape)
        try:
            given: Any = np.shape(value)
        except ValueError:  # rows of different lengths
            given = value
        if given == shape:
            one = check.array(name, value, shape) if shape else check.number(name, value)
            return np.broadcast_to(one, each)
        if given != each:
            other = shape or "be a number"
            raise InputError(f"{name} must have shape {each} or {other}, got {given or repr(value)}")
        return check.array(name, value, each)
