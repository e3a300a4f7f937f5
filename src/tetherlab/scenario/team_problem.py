"""What a team is asked to do, as its author writes it: `tetherlab plan PROBLEM.yaml`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, Self

from annotated_types import Ge, Le, Lt
from pydantic import Field, model_validator

from tetherlab.contracts.errors import InputError
from tetherlab.planning.automata.finite import FiniteAutomaton
from tetherlab.planning.planar import PlanarWorld
from tetherlab.planning.problem import Agent, Costs, Problem, Winch
from tetherlab.planning.team_models import paper_arm, paper_uav, paper_ugv
from tetherlab.scenario.document import Document
from tetherlab.scenario.problems import KeyPath
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Count, Number, Unit
from tetherlab.scenario.section import Section
from tetherlab.scenario.written import WrittenDocument

Place = tuple[Number, Number]
Box = tuple[Number, Number, Number, Number]
Metres = Annotated[Number, POSITIVE, Unit("m")]


class ObstacleSection(Section):
    """A box, or any polygon, of the vertical plane."""

    name: str = ""
    box: Annotated[Box | None, Unit("m")] = Field(default=None, description="x_min, z_min, x_max, z_max")
    polygon: Annotated[tuple[Place, ...] | None, Unit("m")] = Field(
        default=None, description="corners in their order"
    )

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if (self.box is None) == (self.polygon is None):
            raise ValueError("give either box_m or polygon_m")
        return self

    @property
    def corners(self) -> list[Place]:
        """In their order [m]."""
        if self.polygon is not None:
            return list(self.polygon)
        assert self.box is not None
        x_min, z_min, x_max, z_max = self.box
        return [(x_min, z_min), (x_max, z_min), (x_max, z_max), (x_min, z_max)]


class PlaneSection(Section):
    """The vertical plane that all happens in, x to the right and z up."""

    bounds: Annotated[Box, Unit("m")] = Field(description="x_min, z_min, x_max, z_max")
    obstacles: tuple[ObstacleSection, ...] = ()
    perches: Annotated[tuple[Place, ...], Unit("m")] = Field(
        default=(), description="where a flying robot can hold on; of its centre"
    )
    friction: Annotated[Number, NOT_NEGATIVE] = Field(default=0.2, description="of a tether at corners")


class DriveSection(Section):
    """On wheels or tracks."""

    slope_max: Annotated[Number, NOT_NEGATIVE, Lt(90.0), Unit("deg")] = 20.0


class WinchSection(Section):
    """With a tether on it, by which the robot can pull itself up."""

    length: Metres
    force_max: Annotated[Annotated[Number, POSITIVE] | None, Unit("N")] = Field(
        default=None, description="any if not given"
    )


class PerchSection(Section):
    """Hold on to a perch."""

    force_max: Annotated[Annotated[Number, POSITIVE] | None, Unit("N")] = Field(
        default=None, description="that it holds; any if not given"
    )


class ReachSection(Section):
    """Pick something up and place it."""

    radius: Metres = Field(description="from where it stands")


class Able(Section):
    """Can do it; there is nothing more to say."""


class CanSection(Section):
    """What a robot can do."""

    drive: DriveSection | None = None
    winch: WinchSection | None = None
    latch: Able | None = Field(default=None, description="hook its tether to a robot that stands beside it")
    carry: Able | None = Field(default=None, description="it has a container")
    fly: Able | None = None
    land: Able | None = None
    perch: PerchSection | None = None
    reach: ReachSection | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_bare_words(cls, given: object) -> object:
        """`fly:` with nothing behind it says that it can."""
        if isinstance(given, dict):
            return {name: {} if value is None else value for name, value in given.items()}
        return given


class AgentSection(Section):
    """A robot."""

    start: Annotated[Place, Unit("m")] = Field(description="of its centre")
    radius: Metres = 0.1
    mass: Annotated[Number, POSITIVE, Unit("kg")] = 5.0
    can: CanSection

    def agent(self, name: str) -> Agent:
        """For the planner."""
        can = self.can
        return Agent(
            name=name,
            start=self.start,
            radius=self.radius,
            mass=self.mass,
            drive_slope=None if can.drive is None else can.drive.slope_max,
            winch=None
            if can.winch is None
            else Winch(length=can.winch.length, force_max=can.winch.force_max or math.inf),
            latch=can.latch is not None,
            carry=can.carry is not None,
            fly=can.fly is not None,
            land=can.land is not None,
            perch_force=None if can.perch is None else can.perch.force_max or math.inf,
            reach=None if can.reach is None else can.reach.radius,
        )


class AtSection(Section):
    """A place."""

    at: Annotated[Place, Unit("m")]


class ObjectSection(Section):
    """Something that an arm shall put into a robot's container."""

    at: Annotated[Place, Unit("m")]
    into: str


class CostSection(Section):
    """In metres of driving."""

    action: Annotated[Number, NOT_NEGATIVE] = Field(default=1.0, description="of a ground robot or an arm")
    flight: Annotated[Number, NOT_NEGATIVE] | None = Field(
        default=None, description="of each action of a flying robot; more than any drive if not given"
    )
    flight_per_metre: Annotated[Number, POSITIVE] = 3.0
    kind: Literal["metric", "paper"] = Field(
        default="metric", description="metres, or those of paper 004, which depend on the size of the cells"
    )


class SearchSection(Section):
    """How it is searched for."""

    cells: Annotated[Count, Ge(2), Le(1000)] = Field(
        default=40, description="along the longer side of the plane"
    )
    time_limit: Annotated[Number, POSITIVE, Unit("s")] = 60.0
    model: Literal["assembled", "paper"] = Field(
        default="assembled",
        description="automata by what each robot can do, or those of paper 004 for a UAV, a UGV and an arm",
    )


class TeamProblem(WrittenDocument):
    """A whole document. Load one by its name: `TeamProblem.load("over_the_wall")`."""

    packaged_as: ClassVar[str] = "plans"

    plane: PlaneSection
    agents: dict[str, AgentSection] = Field(min_length=1)
    goal: dict[str, AtSection] = Field(default={}, description="where agents shall be")
    cargo: ObjectSection | None = Field(default=None, alias="object")
    costs: CostSection = CostSection()
    search: SearchSection = SearchSection()

    assumed: dict[str, str] = Field(
        default={}, description="keys that no source gives a value for, and why they have theirs"
    )

    @classmethod
    def _look_first(cls, document: Document) -> None:
        if isinstance(document.data, dict) and "steps" in document.data:
            title = document.places[()].title
            raise InputError(f"{title}: a plan, since it has 'steps': `tetherlab run {title}` carries it out")

    def _impossible(self) -> Iterable[tuple[KeyPath, str]]:
        try:
            problem = self.problem
        except InputError as error:
            yield (), str(error)
            return
        try:
            world = PlanarWorld(problem.bounds, list(problem.obstacles))
        except InputError as error:
            yield ("plane", "obstacles"), str(error)
            return
        for agent in problem.agents:
            if agent.reach is None and not world.inflated(agent.radius).free([agent.start])[0]:
                x, z = agent.start
                taken = (
                    f"its disc of {agent.radius:g} m at ({x:g}, {z:g}) is in an obstacle, or beyond bounds_m"
                )
                yield ("agents", agent.name, "start_m"), taken
        flying = [agent.radius for agent in problem.agents if agent.perch_force is not None]
        for k, (x, z) in enumerate(problem.perches):
            if flying and not world.inflated(min(flying)).free([(x, z)])[0]:
                taken = (
                    f"there is no room at ({x:g}, {z:g}) for a disc of {min(flying):g} m that perches there"
                )
                yield ("plane", "perches_m", k), taken

    @property
    def problem(self) -> Problem:
        """For the planner."""
        return Problem(
            bounds=self.plane.bounds,
            obstacles=[obstacle.corners for obstacle in self.plane.obstacles],
            perches=self.plane.perches,
            agents=[section.agent(name) for name, section in self.agents.items()],
            goal={name: section.at for name, section in self.goal.items()},
            object_at=None if self.cargo is None else self.cargo.at,
            object_into="" if self.cargo is None else self.cargo.into,
            costs=Costs(
                action=self.costs.action,
                flight=self.costs.flight,
                flight_per_metre=self.costs.flight_per_metre,
                kind=self.costs.kind,
            ),
            friction=self.plane.friction,
        )

    @property
    def automata(self) -> list[FiniteAutomaton] | None:
        """Of the paper, if they are asked for."""
        if self.search.model == "assembled":
            return None
        arm = any(section.can.reach is not None for section in self.agents.values())
        return [paper_uav(), paper_ugv(with_arm=arm), *([paper_arm()] if arm else [])]
