"""`tl.CanopyScenario`: a robot that hangs on its tether among branches, as its author writes it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, Self

from annotated_types import Ge, Le
from pydantic import Field, model_validator

from tetherlab.contracts.errors import InputError
from tetherlab.plant.branch import Branch
from tetherlab.scenario.avocado import Avocado, HangingRobot, assumed_of_robot
from tetherlab.scenario.canopy_plan import unreachable_references
from tetherlab.scenario.document import Document
from tetherlab.scenario.mission import STEP_SHORTEST, too_many_steps
from tetherlab.scenario.plug_in import OneOf, PlugIn
from tetherlab.scenario.problems import KeyPath, refuse
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Number, Rate, Seed, Unit, Vector
from tetherlab.scenario.section import Section
from tetherlab.scenario.written import WrittenScenario
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec


class BranchSection(Section):
    """A branch that bends: a stiff rod that turns at its root against a spring and a damper."""

    name: str
    root: Annotated[Vector, Unit("m")] = Field(description="where it grows from")
    tip: Annotated[Vector, Unit("m")] = Field(description="at rest")
    radius: Annotated[Number, POSITIVE, Unit("m")]
    stiffness: Annotated[Number, POSITIVE, Unit("N_m_per_rad")] = Field(
        description="against turning at its root"
    )
    damping: Annotated[Number, NOT_NEGATIVE, Unit("N_m_s_per_rad")]
    inertia: Annotated[Number, POSITIVE, Unit("kg_m2")] = Field(
        description="about its root; of a uniform rod, mass length^2 / 3"
    )
    friction: Annotated[Number, NOT_NEGATIVE] | None = Field(
        default=None, description="Coulomb coefficient; those of tether and shell unless given"
    )
    bent_sideways: Annotated[Number, Unit("deg")] = Field(
        default=0.0, description="at the start, to the left seen from its root"
    )
    bent_up: Annotated[Number, Unit("deg")] = Field(default=0.0, description="at the start")
    release: Annotated[Number, NOT_NEGATIVE, Unit("s")] = Field(
        default=0.0, description="held where it is bent to until then"
    )

    @property
    def branch(self) -> Branch:
        """For the plant."""
        return Branch(
            name=self.name,
            root=self.root,
            tip=self.tip,
            radius=self.radius,
            stiffness=self.stiffness,
            damping=self.damping,
            inertia=self.inertia,
            friction=self.friction,
            bent=(self.bent_sideways, self.bent_up),
            release_time=self.release,
        )

    @model_validator(mode="after")
    def _can_grow(self) -> Self:
        try:
            _ = self.branch
        except InputError as error:
            raise ValueError(str(error).removeprefix("Branch.")) from None
        return self


class Canopy(Section):
    """What the robot hangs in; rigid things are shapes of the world."""

    anchor: Annotated[Vector, Unit("m")] = Field(
        default=(0.0, 0.0, 0.0), description="where the tether is tied"
    )
    branches: tuple[BranchSection, ...] = Field(default=(), description="those that bend")


class Start(Section):
    """How the robot hangs at first, at rest; what is not given is as in the first of the references."""

    tether: Annotated[Annotated[Number, POSITIVE] | None, Unit("m")] = Field(
        default=None, description="paid out"
    )
    theta: Annotated[Annotated[Number, NOT_NEGATIVE] | None, Unit("deg")] = Field(
        default=None, description="of the free part of the tether from the vertical"
    )
    heading: Annotated[Number | None, Unit("deg")] = Field(
        default=None, description="to which it leans, clockwise from above, from +x"
    )
    via: Annotated[tuple[Vector, ...], Unit("m")] = Field(
        default=(), description="points over which the tether runs, from the robot to the anchor"
    )


class ReferenceRow(Section):
    """What the robot is to do at a time; straight lines join the rows, and a time given twice is a step."""

    time: Annotated[Number, NOT_NEGATIVE, Unit("s")]
    tether: Annotated[Number, POSITIVE, Unit("m")] = Field(description="paid out")
    theta: Annotated[Number, NOT_NEGATIVE, Unit("deg")] = Field(
        default=0.0, description="of the free part of the tether from the vertical"
    )
    heading: Annotated[Number, Unit("deg")] = Field(
        default=0.0, description="to which the tether leans, clockwise from above, from +x"
    )


class PaperControl(Section):
    """Three laws that know nothing of each other, as in the paper."""

    type: Literal["paper"] = "paper"


class ModelControl(Section):
    """Regulators that know the model, with gains by tether angle and free length."""

    type: Literal["model"]
    bandwidth: Annotated[Number, POSITIVE, Unit("rad_per_s")] = Field(
        default=3.0, description="at which steps of the references are followed"
    )


HangingController = Annotated[PaperControl | ModelControl | PlugIn, OneOf("tetherlab.canopy_controllers")]


class Failures(Section):
    """When a propeller stops for good."""

    left: Annotated[Annotated[Number, NOT_NEGATIVE] | None, Unit("s")] = None
    right: Annotated[Annotated[Number, NOT_NEGATIVE] | None, Unit("s")] = None


class CanopyRunSection(Section):
    """How long, how finely, and with which random numbers."""

    duration: Annotated[Annotated[Number, POSITIVE] | None, Unit("s")] = Field(
        default=None, description="until two seconds after the last of the references unless given"
    )
    step: Annotated[Number, Ge(STEP_SHORTEST), Le(0.01), Unit("s")] = 0.002
    element_length: Annotated[Number, POSITIVE, Unit("m")] = Field(
        default=0.2, description="of the simulated tether"
    )
    record: Rate = Field(default=50.0, description="rows of the log per second; divides 100")
    seed: Seed = 1

    @model_validator(mode="after")
    def _rows_come_with_ticks(self) -> Self:
        ticks = 100.0 / self.record
        if abs(ticks - round(ticks)) > 1e-9 or ticks < 1.0:
            refuse([(("record_hz",), f"must divide the controllers' 100 Hz, got {self.record:g}")])
        return self


class CanopyScenario(WrittenScenario):
    """World, canopy, robot, references and run, as `CanopyScenario.load("canopy_branch")` has them."""

    SETTLE: ClassVar[float] = 2.0  # after the last of the references [s]

    canopy: Canopy
    robot: Avocado = Avocado()  # type: ignore[valid-type]
    start: Start = Start()
    references: tuple[ReferenceRow, ...] = Field(min_length=1)
    controller: HangingController = PaperControl()
    sensing: Literal["true_state", "on_board", "on_board_outdoors"] = Field(
        default="true_state",
        description="what the controller is told: the truth, or what sensors and estimator make of it",
    )
    failures: Failures = Failures()
    run: CanopyRunSection = CanopyRunSection()
    assumed: dict[str, str] = Field(
        default={}, description="keys that no source gives a value for, and why they have theirs"
    )

    @classmethod
    def _look_first(cls, document: Document) -> None:
        data = document.data
        if isinstance(data, dict) and isinstance(data.get("assumed", {}), dict):
            data["assumed"] = {**assumed_of_robot(data.get("robot")), **data.get("assumed", {})}

    def _impossible(self) -> Iterable[tuple[KeyPath, str]]:
        yield from unreachable_references(self)
        endless = too_many_steps(self.duration, self.run.step)
        if endless:
            yield ("run", "step_s"), endless

    @property
    def spec(self) -> AvocadoRobotSpec:
        """The robot in the gravity of this world."""
        robot: HangingRobot = self.robot
        return robot.spec(self.world.gravity)

    @property
    def seed(self) -> int:
        """Of all random numbers of the run."""
        return self.run.seed

    @property
    def duration(self) -> float:
        """[s]."""
        return self.run.duration or self.references[-1].time + self.SETTLE
