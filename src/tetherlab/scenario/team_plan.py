"""What a team should do, step by step, as `tetherlab plan` writes it and `tetherlab run` carries it out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any, Literal, Self

import numpy as np
from annotated_types import Ge
from pydantic import Field

from tetherlab.contracts.check import did_you_mean
from tetherlab.contracts.errors import InputError
from tetherlab.planning.abilities import abilities
from tetherlab.planning.plan import Curve, Plan, PlanStatus, Step
from tetherlab.scenario.document import Document
from tetherlab.scenario.plane_world import plane_world
from tetherlab.scenario.problems import KeyPath
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Count, Number, Switch, Unit
from tetherlab.scenario.section import Section
from tetherlab.scenario.team_problem import Place, TeamProblem
from tetherlab.world import World

DECIMALS = 6  # of what is written: people read it, and nobody goes by less than a micrometre
SHOWN_HALF_WIDTH = 0.3  # of obstacles across the plane: a little more than that of a robot [m]
Metres = Annotated[Number, NOT_NEGATIVE, Unit("m")]
Speed = Annotated[Number, POSITIVE, Unit("m_per_s")]
Points = Annotated[tuple[Place, ...], Field(min_length=1)]


class StepSection(Section):
    """One action of one robot; all others wait."""

    label: str = Field(description="what it does, in a symbol")
    agent: str = Field(description="who does it")
    partner: str | None = Field(default=None, description="whom it works with")
    sentence: str = Field(description="what happens, in words")
    cost: Metres = Field(description="in metres of driving")
    way: Annotated[Points, Unit("m")] = Field(description="of the robot's centre")
    tether: Annotated[Points | None, Unit("m")] = Field(
        default=None, description="taut, from the ground robot to what holds it, after the step"
    )
    hinge: Annotated[Place | None, Unit("m")] = Field(
        default=None, description="from which the robot hangs meanwhile"
    )

    @classmethod
    def of(cls, step: Step) -> Self:
        """As it is written."""
        return cls.model_validate(
            {
                "label": step.label,
                "agent": step.agent,
                "partner": step.partner or None,
                "sentence": step.sentence,
                "cost_m": round(float(step.cost), DECIMALS),
                "way_m": _written(step.way),
                "tether_m": None if step.tether is None else _written(step.tether),
                "hinge_m": None if step.hinge is None else _written(step.hinge),
            }
        )

    @property
    def step(self) -> Step:
        """For who carries it out."""
        return Step(
            label=self.label,
            agent=self.agent,
            way=np.array(self.way),
            cost=self.cost,
            sentence=self.sentence,
            tether=None if self.tether is None else np.array(self.tether),
            hinge=self.hinge,
            partner=self.partner or "",
        )


class ExecutionSection(Section):
    """How it is carried out."""

    reel_speed: Speed = Field(default=0.3, description="of the winch")
    speed: Speed = Field(default=0.5, description="of flying and driving")
    damped: Switch = Field(
        default=True, description="whether the winch takes the swing out, or goes to lengths as the paper's"
    )
    replans: Annotated[Count, Ge(0)] = Field(
        default=3, description="how often it is planned again after a step that failed"
    )
    missing: Annotated[tuple[Place, ...], Unit("m")] = Field(
        default=(), description="perches at which the drone finds no hold, which no plan knows"
    )


class TeamPlan(TeamProblem):
    """A whole document: a problem, and the steps that solve it."""

    execution: ExecutionSection = ExecutionSection()
    status: Literal["solved", "improvable"] = Field(
        default="solved", description="whether it is known that there is none that costs less"
    )
    cost: Metres = Field(description="of all steps, in metres of driving")
    steps: tuple[StepSection, ...]

    @classmethod
    def of(cls, problem: TeamProblem, plan: Plan) -> Self:
        """A problem with the plan that was found for it, to a micrometre."""
        if not plan.status.has_plan:
            raise InputError(f"there is no plan to write: {plan.status.value}")
        return cls.model_validate(
            {
                **problem.to_dict(),
                "status": plan.status.name.lower(),
                "cost_m": round(float(plan.cost), DECIMALS),
                "steps": [StepSection.of(step) for step in plan.steps],
            }
        )

    @property
    def plan(self) -> Plan:
        """For who carries it out."""
        steps = tuple(section.step for section in self.steps)
        return Plan(PlanStatus[self.status.upper()], steps, self.cost)

    @cached_property
    def world(self) -> World:
        """Floor and obstacles as one looks at them: thin, without the sides and the ceiling."""
        return plane_world(self.problem, half_width=SHOWN_HALF_WIDTH, sides=("floor",))

    @classmethod
    def _look_first(cls, document: Document) -> None:
        if isinstance(document.data, dict) and "steps" not in document.data:
            title = document.places[()].title
            raise InputError(
                f"{title}: a problem of a team without 'steps': "
                f"`tetherlab plan {title} --out plan.yaml` writes a plan, which can be run"
            )

    def _impossible(self) -> Iterable[tuple[KeyPath, str]]:
        wrong = list(super()._impossible())
        yield from wrong
        if wrong:
            return
        for k, section in enumerate(self.steps):
            if section.agent not in self.agents:
                yield (
                    ("steps", k, "agent"),
                    f"no agent {section.agent!r}.{did_you_mean(section.agent, self.agents)}",
                )
                continue
            able = abilities(self.agents[section.agent].agent(section.agent))
            label = section.label.partition(":")[0]
            if label not in able:
                yield ("steps", k, "label"), f"{section.agent} cannot do {label!r}. It can: {', '.join(able)}"


def _written(points: Curve | tuple[float, float]) -> Any:
    """Rounded, as plain lists; without a negative zero."""
    return (np.round(np.asarray(points, float), DECIMALS) + 0.0).tolist()
