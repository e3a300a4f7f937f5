"""What can happen to a sensor during a run."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError

KINDS = {
    "stuck": "repeats its last reading",
    "offset": "reads too much by `value`",
    "drop_out": "says nothing",
    "saturated": "is at the upper end of its range, and says so",
}
ALL = "both"


@check.known_arguments
@dataclass(frozen=True)
class Fault:
    """From `start` until before `end`."""

    kind: str  # one of KINDS
    start: float  # [s]
    end: float = math.inf  # [s]
    value: float = 0.0  # of an offset, in the unit of the reading
    axis: str = ALL  # which number of the sensor: "azimuth", "elevation" of an angle sensor; "both": all

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(
                f"kind of a fault: {self.kind!r} is unknown.{check.did_you_mean(self.kind, KINDS)}"
            )
        check.number("start", self.start)
        check.number("value", self.value)
        if not self.end > self.start:
            raise InputError(f"end of a fault must be after its start {self.start:g} s, got {self.end!r}")
        if self.kind == "drop_out" and self.axis != ALL:
            raise InputError("a fault of kind 'drop_out' takes all of a message: leave axis out")
        if self.value != 0.0 and self.kind != "offset":
            raise InputError(f"value belongs to a fault of kind 'offset', got it with {self.kind!r}")
        if self.value == 0.0 and self.kind == "offset":
            raise InputError(
                "a fault of kind 'offset' needs a value other than 0: by how much it reads too much"
            )

    def sentence(self, sensor: str, unit: str) -> str:
        """What happens to a sensor whose readings have a unit."""
        whose = sensor if self.axis == ALL else f"the {self.axis} of {sensor}"
        until = "from now on" if math.isinf(self.end) else f"for {self.end - self.start:g} s"
        does = f"reads {self.value:g} {unit} too much" if self.kind == "offset" else KINDS[self.kind]
        return f"{until} {whose} {does}"

    def active(self, time: float) -> bool:
        """Whether it lasts at this time [s]."""
        return self.start <= time < self.end
