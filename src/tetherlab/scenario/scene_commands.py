"""What happens in a scene by the clock, and how long it runs, as a file writes it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from annotated_types import Ge, Le
from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.scenario.mission import STEP_SHORTEST, too_many_steps
from tetherlab.scenario.problems import refuse, shown
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Number, Rate, Seed, Unit, Vector
from tetherlab.scenario.section import Section
from tetherlab.tether.limits import STEP_LONGEST

SAID = (
    "position", "velocity", "take_off", "land", "hold", "length", "speed", "tension", "force", "torque",
    "release",
)  # fmt: skip
BESIDE = ("yaw", "within")  # another one


def _torque(value: Any) -> Any:
    """Of a joint with one axis a number, else a list."""
    items = value if isinstance(value, (list, tuple)) else [value]
    try:
        for item in items:
            check.number("it", item)
    except InputError:
        raise ValueError(f"must be a number or a list of numbers, got {shown(value)}") from None
    return tuple(value) if isinstance(value, (list, tuple)) else value


Torque = Annotated[
    Any,
    BeforeValidator(lambda value: None if value is None else _torque(value)),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "array", "items": {"type": "number"}}]}),
]


class Command(Section):
    """What a part is told at a time, as `sim.command` tells it."""

    time: Annotated[Number, NOT_NEGATIVE, Unit("s")]
    name: str = Field(description="a robot, tether, hand, body or joint")
    position: Annotated[Vector | None, Unit("m")] = Field(
        default=None, description="a robot or hand goes there"
    )
    within: Annotated[Annotated[Number, POSITIVE] | None, Unit("s")] = Field(
        default=None, description="how long a hand takes to its position"
    )
    velocity: Annotated[Vector | None, Unit("m_per_s")] = Field(default=None, description="a robot keeps it")
    yaw: Annotated[Number | None, Unit("deg")] = Field(default=None, description="of a robot")
    take_off: Literal[True] | None = None
    land: Literal[True] | None = None
    hold: Literal[True] | None = None
    length: Annotated[Annotated[Number, NOT_NEGATIVE] | None, Unit("m")] = Field(
        default=None, description="that a winch pays out"
    )
    speed: Annotated[Number | None, Unit("m_per_s")] = Field(default=None, description="of a reel")
    tension: Annotated[Annotated[Number, NOT_NEGATIVE] | None, Unit("N")] = Field(
        default=None, description="that a winch keeps"
    )
    force: Annotated[Vector | None, Unit("N")] = Field(default=None, description="on a body, world frame")
    torque: Annotated[Torque, Unit("N_m")] = Field(default=None, description="on a body, or of a joint")
    release: Literal["start", "end"] | None = Field(default=None, description="end of a tether")

    @property
    def said(self) -> dict[str, Any]:
        """What is commanded, by the arguments of `Scene.add_command`."""
        given = {name: getattr(self, name) for name in (*SAID, *BESIDE)}
        return {name: value for name, value in given.items() if value is not None}

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.said:
            keys = [str(type(self).model_fields[name].alias) for name in (*SAID, "yaw")]
            raise ValueError(f"says nothing: give one of {', '.join(keys)}")
        return self


class SceneRun(Section):
    """How long, how finely, and with which random numbers."""

    duration_max: Annotated[Number, POSITIVE, Unit("s")] = 60.0
    step: Annotated[Annotated[Number, Ge(STEP_SHORTEST), Le(STEP_LONGEST)] | None, Unit("s")] = Field(
        default=None, description="from one command to the next; 0.005 with robots or winches, else 0.01"
    )
    record: Rate = Field(default=50.0, description="rows of the log per second")
    seed: Seed = 0

    @model_validator(mode="after")
    def _ends(self) -> Self:
        endless = too_many_steps(self.duration_max, self.step or 0.01)
        if endless:
            refuse([(("step_s",), endless)])
        return self
