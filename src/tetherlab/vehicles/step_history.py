"""The last steps of a vehicle without a tether, for the file of a failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from numpy.typing import NDArray

from tetherlab.contracts.failure_file import write_failure
from tetherlab.contracts.failure_ring import FailureRing
from tetherlab.world import World
from tetherlab.world.failure_surroundings import wind_arrays, world_files
from tetherlab.world.field import Field
from tetherlab.world.wind_field import WindField

Array = NDArray[Any]


class Placed(NamedTuple):
    """Where the objects of the world are, as in its field."""

    moving: Array  # (objects,)
    pose: Array  # (objects, 12)
    twist: Array  # (objects, 6)


class StepHistory:
    """States of a vehicle and its commands since.

    Its records are open to users: where one was changed between two steps, a new history begins.
    """

    def __init__(self, parts: Mapping[str, Array], command: Array, push: Array) -> None:
        """parts: arrays of the state; command, push: what a step reads; all are changed in place."""
        self._parts: Any = list(parts.values())
        self._ring = FailureRing(parts, (command, push))
        self._left = b""  # the state after the last step
        self._field: Field | None = None
        self._placed: Placed

    def before(self, time: float, h: float, count: int, field: Field) -> None:
        """Note a call that comes now, of `count` steps of h [s]."""
        if self._left != b"".join(self._parts):
            self._ring.clear()
        if field is not self._field:
            self._field, self._placed = field, Placed(field.objects[:, 1], field.pose, field.twist)
        self._ring.before(time, (count, h, time), self._placed)

    def after(self) -> None:
        """The call is over."""
        self._left = b"".join(self._parts)

    def write(self, kind: str, time: float, world: World, wind: WindField | None) -> str:
        """Write what led to the failure of the call just made, and forget it; what to tell the user of it."""
        try:
            head = {"kind": kind, "name": kind, "since": self._ring.since(time), "time": time}
            arrays = self._ring.arrays() | ({} if wind is None else wind_arrays(wind))
            return write_failure(head, arrays, None, world_files(world))
        except Exception as error:  # whatever it is, it must not hide what happened
            return f"no file could be written to replay it: {error}"
        finally:
            self._ring.clear()
