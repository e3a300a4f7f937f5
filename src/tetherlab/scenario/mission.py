"""What the team should do, and how the run is computed."""

from typing import Annotated, ClassVar

from annotated_types import Ge, Le
from pydantic import Field

from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Number, Rate, Seed, Switch, Unit, Vector
from tetherlab.scenario.section import Section
from tetherlab.tether.limits import STEP_LONGEST


class Target(Section):
    """A state that both vehicles should take together."""

    uav: Annotated[Vector, Unit("m")]
    ugv: Annotated[Vector, Unit("m")] = Field(
        description="its height is not used: the robot stands on the floor"
    )
    length: Annotated[Annotated[Number, POSITIVE] | None, Unit("m")] = Field(
        default=None, description="of the tether, for the rule from_trajectory"
    )


class Mission(Section):
    """Targets one after another: the next one is taken when both vehicles are near the present one."""

    shorthand: ClassVar[dict[str, str]] = {
        "trajectory": "a packaged trajectory by name, or a .yaml or .csv file, in place of targets"
    }

    targets: tuple[Target, ...] = Field(
        default=(), description="none with a section inspection, else one or more"
    )
    take_off: Switch = Field(default=False, description="climb straight up before the first target")
    take_off_height: Annotated[Number, POSITIVE, Unit("m")] = Field(
        default=1.0, description="above the start"
    )
    land: Switch = Field(default=False, description="return to the platform after the last target")
    switch_uav: Annotated[Number, POSITIVE, Unit("m")] = Field(
        default=0.5, description="how near the drone must be, in space"
    )
    switch_ugv: Annotated[Number, POSITIVE, Unit("m")] = Field(
        default=0.3, description="how near the robot must be, on the plan"
    )
    uav_speed: Annotated[Number, POSITIVE, Unit("m_per_s")] = 0.15
    uav_slow_down: Annotated[Number, NOT_NEGATIVE, Unit("m")] = Field(
        default=0.5, description="within this distance of a target the speed falls in proportion"
    )
    ugv_speed: Annotated[Number, POSITIVE, Unit("m_per_s")] = 0.065
    hold_last: Annotated[Number, NOT_NEGATIVE, Unit("s")] = Field(
        default=0.0, description="stay this long at the last target"
    )


STEP_SHORTEST = 1e-6  # [s]; a tick of 10 ms would take minutes with less
STEPS_MAX = 1e9  # of a run: hours of computing


def too_many_steps(duration: float, step: float) -> str:
    """A sentence about a step that makes a run of so long endless [s], empty if it does not."""
    if duration / step <= STEPS_MAX:
        return ""
    return (
        f"{step:g} s would take {duration / step:.3g} steps for {duration:g} s; a run has at most "
        f"{STEPS_MAX:g}: choose a longer step or a shorter run"
    )


class Run(Section):
    """How long, how finely, and with which random numbers."""

    duration_max: Annotated[Number, POSITIVE, Unit("s")] = 3600.0
    step: Annotated[Number, Ge(STEP_SHORTEST), Le(STEP_LONGEST), Unit("s")] = 0.005
    record: Rate = Field(
        default=50.0,
        description="rows of the log per second; divides 100, or the rate of a faster controller",
    )
    seed: Seed = 1
