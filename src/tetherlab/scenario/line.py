"""The tether of a scenario and the winch that holds the rest of it."""

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le
from pydantic import Field, model_validator

from tetherlab.scenario.plug_in import OneOf, PlugIn
from tetherlab.scenario.problems import refuse
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Count, Number, Rate, Unit, Vector
from tetherlab.scenario.section import Section
from tetherlab.tether.limits import COUNT_MAX
from tetherlab.tether.spec import TetherSpec

AT_LEAST_ONE = Ge(1.0)  # times the distance: less tether than that does not reach


class TetherMaterial(Section):
    """What a tether is made of."""

    linear_density: Annotated[Number, POSITIVE, Unit("kg_per_m")]
    diameter: Annotated[Number, POSITIVE, Unit("m")]
    axial_stiffness: Annotated[Number, POSITIVE, Unit("N")] = Field(default=1e4, description="EA")
    axial_damping: Annotated[Number, NOT_NEGATIVE, Unit("N_s")] = 10.0
    bending_stiffness: Annotated[Number, NOT_NEGATIVE, Unit("N_m2")] = Field(default=0.0, description="EI")
    bending_damping: Annotated[Number, NOT_NEGATIVE, Unit("N_m2_s")] = 0.0
    strength: Annotated[Number, POSITIVE, Unit("N")] = Field(description="tension at which it breaks")
    friction: Annotated[Number, NOT_NEGATIVE, Le(5.0)] = Field(
        default=0.3, description="Coulomb coefficient against obstacles that name none"
    )
    drag_coefficient: Annotated[Number, NOT_NEGATIVE] = Field(default=1.2, description="across the tether")
    drag_coefficient_tangential: Annotated[Number, NOT_NEGATIVE] = Field(
        default=0.02, description="along the tether"
    )

    @property
    def spec(self) -> TetherSpec:
        """The material, for `tl.Tether`."""
        given = {name: getattr(self, name) for name in TetherSpec.__dataclass_fields__}
        return TetherSpec(**{name: value for name, value in given.items() if value is not None})


MATERIAL = tuple(str(field.alias) for field in TetherMaterial.model_fields.values())  # keys of it


class TetherSection(TetherMaterial):
    """What the tether is made of, and how much of it there is."""

    length: Annotated[Number, POSITIVE, Unit("m")] = Field(description="all of it: on the drum and paid out")
    paid_out: Annotated[Number, POSITIVE, Unit("m")] = Field(default=0.5, description="at the start")
    element_length: Annotated[Number, POSITIVE, Unit("m")] = Field(
        default=0.15, description="of the simulated tether"
    )

    @model_validator(mode="after")
    def _starts_with_what_it_has(self) -> Self:
        if self.paid_out > self.length:
            told = f"must be at most length_m, {self.length:g}, got {self.paid_out:g}"
            refuse([(("paid_out_m",), told)])
        return self

    @model_validator(mode="after")
    def _is_cut_into_elements(self) -> Self:
        shortest = self.length / COUNT_MAX
        if not shortest <= self.element_length <= self.length:
            told = (
                f"must be from {shortest:.2g}, which makes {COUNT_MAX} elements, "
                f"to length_m, {self.length:g}, got {self.element_length:g}"
            )
            refuse([(("element_length_m",), told)])
        return self


class FollowDistance(Section):
    """Pay out factor times the distance from the exit to the drone, plus a margin."""

    type: Literal["follow_distance"]
    factor: Annotated[Number, AT_LEAST_ONE] = 1.05
    margin: Annotated[Number, NOT_NEGATIVE, Unit("m")] = 0.05
    rate: Rate = 50.0


class FromTrajectory(Section):
    """Keep the ratio of length to distance that the target of the moment has, plus a margin."""

    type: Literal["from_trajectory"]
    factor: Annotated[Number, AT_LEAST_ONE] = Field(
        default=1.05, description="where a target gives no length"
    )
    planned_exit: Annotated[Vector | None, Unit("m")] = Field(
        default=None, description="from where the lengths were planned, if not from the winch's exit"
    )
    margin: Annotated[Number, NOT_NEGATIVE, Unit("m")] = 0.05
    rate: Rate = 50.0


class ConstantTension(Section):
    """Hold the tension at the exit."""

    type: Literal["constant_tension"]
    tension: Annotated[Number, POSITIVE, Unit("N")]
    rate: Rate = 50.0


class TensionPD(Section):
    """Hold the tension at the exit by the speed of the winch: by its error squared, damped (paper 002)."""

    type: Literal["tension_pd"]
    tension: Annotated[Number, POSITIVE, Unit("N")] = 3.5
    gain: Annotated[Number, NOT_NEGATIVE, Unit("m_per_N2_s")] = Field(
        default=0.3, description="reel speed per square of the missing tension"
    )
    rate_gain: Annotated[Number, NOT_NEGATIVE, Unit("m_per_N")] = Field(
        default=0.004, description="reel speed per rate of the tension"
    )
    filter_time: Annotated[Number, POSITIVE, Unit("s")] = Field(
        default=0.05, description="time constant of the low-pass before it"
    )
    rate: Rate = 100.0


class TensionPID(Section):
    """Hold the tension at the exit by the speed of the winch, up to its reel_speed_max (paper 003)."""

    type: Literal["tension_pid"]
    tension: Annotated[Number, POSITIVE, Unit("N")] = 0.3
    gain: Annotated[Number, NOT_NEGATIVE, Unit("m_per_N_s")] = Field(
        default=0.2, description="reel speed per missing tension"
    )
    integral_gain: Annotated[Number, NOT_NEGATIVE, Unit("m_per_N_s2")] = Field(
        default=0.2, description="reel speed per integral of the missing tension"
    )
    rate_gain: Annotated[Number, NOT_NEGATIVE, Unit("m_per_N")] = Field(
        default=0.004, description="reel speed per rate of the tension"
    )
    filter_time: Annotated[Number, POSITIVE, Unit("s")] = Field(
        default=0.05, description="time constant of the low-pass before it"
    )
    rate: Rate = 100.0


WinchRule = Annotated[
    FollowDistance | FromTrajectory | ConstantTension | TensionPD | TensionPID | PlugIn,
    OneOf("tetherlab.winch_rules"),
]


class WinchControl(Section):
    """How the winch follows the length or tension that its rule asks for."""

    length_gain: Annotated[Number, NOT_NEGATIVE, Unit("per_s")] = Field(
        default=8.0, description="reel speed per missing length"
    )
    tension_gain: Annotated[Number, NOT_NEGATIVE, Unit("m_per_N_s")] = Field(
        default=0.02, description="reel speed per missing tension"
    )
    tension_filter: Annotated[Number, NOT_NEGATIVE, Unit("s")] = Field(
        default=0.05, description="time constant of the measured tension"
    )


class WinchSection(Section):
    """Drum, gear and motor on the ground robot."""

    exit: Annotated[Vector, Unit("m")] = Field(
        description="where the tether leaves, in the ground robot's frame"
    )
    drum_radius: Annotated[Number, POSITIVE, Unit("m")] = Field(
        description="bare; the wound tether adds to it"
    )
    drum_width: Annotated[Number, POSITIVE, Unit("m")]
    drum_inertia: Annotated[Number, POSITIVE, Unit("kg_m2")] = Field(description="without the motor")
    motor_inertia: Annotated[Number, NOT_NEGATIVE, Unit("kg_m2")] = Field(
        default=0.0, description="of its rotor"
    )
    gear_ratio: Annotated[Number, POSITIVE] = Field(description="turns of the motor per turn of the drum")
    motor_torque_max: Annotated[Number, POSITIVE, Unit("N_m")]
    motor_speed_max: Annotated[Number, POSITIVE, Unit("rad_per_s")]
    reel_speed_max: Annotated[Number, POSITIVE, Unit("m_per_s")]
    reel_acceleration_max: Annotated[Number, POSITIVE, Unit("m_per_s2")]
    encoder_counts_per_turn: Annotated[Count, POSITIVE] = Field(description="of the drum")
    friction_torque: Annotated[Number, NOT_NEGATIVE, Unit("N_m")] = Field(
        default=0.0, description="at the drum"
    )
    control: WinchControl = WinchControl()
    rule: WinchRule
