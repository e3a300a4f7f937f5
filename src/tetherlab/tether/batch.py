"""Many tethers at once, on all cores: the same step as for one, in a parallel loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit, prange
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.tether import model as M
from tetherlab.tether.advance import advance
from tetherlab.tether.tether import Tether
from tetherlab.world.field import with_pose

Array = NDArray[np.float64]


@njit(cache=True, parallel=True)
def _advance_all(memories, field, pose, wind, commands):
    for i in prange(commands.shape[0]):
        memory = M.Memory(
            memories.constants[i],
            memories.number[i],
            memories.small[i],
            memories.scalars[i],
            memories.vectors[i],
            memories.blocks[i],
            memories.contact[i],
            memories.wrap[i],
            memories.body[i],
            memories.body_contact[i],
            memories.reaction[i],
        )
        own = with_pose(field, pose[i])
        advance(memory, own, field.pose, wind, commands[i])


class TetherBatch:
    """Tethers that are stepped together; they share one world and one wind, and may differ in all else.

    `batch[i]` is a `Tether` that shows the i-th one, for reading.
    """

    def __init__(self, tethers: Sequence[Tether]) -> None:
        """Take copies of the given tethers."""
        if not tethers:
            raise InputError("tethers must hold at least one Tether, got none")
        first = tethers[0]
        for i, tether in enumerate(tethers):
            if tether.world is not first.world:
                raise InputError(
                    f"tethers[{i}] lives in another world than tethers[0]; a batch has one world"
                )
        self.world = first.world
        self._wind = first._wind
        room = max(t._state.rest.shape[0] for t in tethers)
        self._stack([M.grow_memory(t._memory, room) for t in tethers], list(tethers))
        self._commands = np.zeros((len(tethers), 14))

    def _stack(self, memories: list[M.Memory], tethers: list[Tether]) -> None:
        arrays: list[Any] = [np.stack(parts) for parts in zip(*memories, strict=True)]
        self._memories = M.Memory(*arrays)
        self.tethers = []
        for i, tether in enumerate(tethers):
            rows: list[Any] = [array[i] for array in self._memories]
            view = tether.copy()
            view._open(M.Memory(*rows))
            self.tethers.append(view)

    def __len__(self) -> int:
        return len(self.tethers)

    def __getitem__(self, index: int) -> Tether:
        return self.tethers[index]

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
        speeds = np.broadcast_to(check.array("reel_speed", np.atleast_1d(reel_speed), (None,)), (n,))
        given: dict[str, Any] = {
            "base": base,
            "end": end,
            "base_velocity": base_velocity,
            "end_velocity": end_velocity,
            "base_force": base_force,
            "end_force": end_force,
        }
        rows = {name: self._rows(name, value) for name, value in given.items() if value is not None}
        if not self._aim_all(dt, rows, speeds):
            self._aim_each(dt, rows, speeds)
        field = self.world.field
        pose = np.repeat(field.pose[None], n, axis=0)
        _advance_all(self._memories, field, pose, self._wind, self._commands)
        failed = np.flatnonzero(self._memories.number[:, M.FAILED])
        if len(failed):
            raise SimulationError(f"tethers {failed.tolist()} of the batch did not converge")
        impulse = self._memories.small[:, 42:48].reshape(n, 2, 3) / dt
        return impulse[:, 0].copy(), impulse[:, 1].copy()

    def _aim_all(self, dt: float, rows: dict[str, Array], speeds: Array) -> bool:
        """Write all commands at once if nothing but prescribed ends moves; whether it could be done.

        One core waits for what is done tether by tether in Python.
        """
        held = (self._memories.number[:, M.KIND_BASE : M.KIND_END + 1] == M.PRESCRIBED).all()
        forced = "base_force" in rows or "end_force" in rows
        if not held or forced or speeds.any() or not all(np.isfinite(row).all() for row in rows.values()):
            return False
        x = self._memories.vectors[:, 0]
        count = self._memories.number[:, M.COUNT]
        self._commands[:, 0], self._commands[:, 1] = dt, 0.0
        for at, which, here in ((2, "base", x[:, 0]), (8, "end", x[np.arange(len(self)), count])):
            there = rows.get(which, here)
            velocity = rows.get(f"{which}_velocity")
            self._commands[:, at : at + 3] = there
            self._commands[:, at + 3 : at + 6] = (there - here) / dt if velocity is None else velocity
        return True

    def _aim_each(self, dt: float, rows: dict[str, Array], speeds: Array) -> None:
        """Write the commands one after the other, with the checks and the room that each may need."""
        for i in range(len(self)):
            tether = self.tethers[i]
            tether._write_command(
                dt, reel_speed=float(speeds[i]), **{name: value[i] for name, value in rows.items()}
            )
            if tether._state.rest.shape[0] != self._memories.scalars.shape[2]:
                room = tether._state.rest.shape[0]
                self._stack([M.grow_memory(t._memory, room) for t in self.tethers], self.tethers)
            self._commands[i] = self.tethers[i]._command

    def _rows(self, name: str, value: ArrayLike) -> Array:
        array = np.asarray(value, dtype=np.float64)
        if array.ndim == 1:
            array = np.broadcast_to(check.vector(name, array), (len(self), 3))
        if array.shape != (len(self), 3):
            raise InputError(f"{name} must have shape ({len(self)}, 3) or (3,), got {array.shape}")
        return array
