"""The two vehicles: which robot, where it starts, who steers it."""

from typing import Annotated, Literal, Self

from annotated_types import Lt
from pydantic import Field, model_validator

from tetherlab.scenario.plug_in import OneOf, PlugIn
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Number, Switch, Unit, Vector
from tetherlab.scenario.robots import GroundRobot, Quadrotor
from tetherlab.scenario.section import Section


class PositionControl(Section):
    """Position to velocity to tilt to body rates, each proportional; an integral of the velocity error."""

    type: Literal["position"]
    feed_forward: Literal["none", "measured", "catenary"] = Field(
        default="none",
        description="pull of the tether that the drone counters: not, as measured, or of a hanging tether",
    )
    rate: Annotated[Number, POSITIVE, Unit("hz")] = 100.0
    position_gain: Annotated[Number, POSITIVE, Unit("per_s")] = Field(
        default=1.0, description="velocity per error"
    )
    velocity_gain: Annotated[Number, POSITIVE, Unit("per_s")] = Field(
        default=3.0, description="acceleration per error"
    )
    velocity_integral_gain: Annotated[Number, NOT_NEGATIVE, Unit("per_s2")] = 1.0
    attitude_gain: Annotated[Number, POSITIVE, Unit("per_s")] = Field(
        default=8.0, description="body rate per error"
    )
    body_rate_gain: Annotated[Number, POSITIVE, Unit("per_s")] = Field(
        default=20.0, description="angular acceleration per error"
    )
    tilt_max: Annotated[Number, POSITIVE, Lt(90.0), Unit("deg")] = 30.0
    acceleration_max: Annotated[Number, POSITIVE, Unit("m_per_s2")] = 5.0


class DriveControl(Section):
    """Drive straight at the target at the speed of the mission and stop within a tolerance."""

    type: Literal["drive"]
    rate: Annotated[Number, POSITIVE, Unit("hz")] = 50.0
    stop_tolerance: Annotated[Number, POSITIVE, Unit("m")] = 0.1
    wheel_speed_gain: Annotated[Number, POSITIVE, Unit("N_m_s_per_rad")] = Field(
        default=5.0, description="torque of a wheel per missing speed"
    )
    heading_gain: Annotated[Number, POSITIVE, Unit("per_s")] = Field(
        default=1.0, description="turning rate per error; differential drive only"
    )


AirController = Annotated[PositionControl | PlugIn, OneOf("tetherlab.controllers")]
GroundController = Annotated[DriveControl | PlugIn, OneOf("tetherlab.ground_controllers")]


class Uav(Section):
    """The drone."""

    robot: Quadrotor
    start: Annotated[Vector | None, Unit("m")] = Field(
        default=None, description="where it starts, or see on_platform"
    )
    on_platform: Switch = Field(default=False, description="it starts on the platform of the ground robot")
    yaw: Annotated[Number, Unit("deg")] = Field(
        default=0.0, description="at the start, from +x, counter-clockwise"
    )
    controller: AirController = PositionControl(type="position")

    @model_validator(mode="after")
    def _starts_at_one_place(self) -> Self:
        if (self.start is None) != self.on_platform:
            raise ValueError("give either start_m or on_platform: true")
        return self


class Ugv(Section):
    """The ground robot."""

    robot: GroundRobot
    start: Annotated[Vector, Unit("m")] = Field(
        default=(0.0, 0.0, 0.0), description="the point of the floor on which it stands"
    )
    yaw: Annotated[Number, Unit("deg")] = Field(
        default=0.0, description="at the start, from +x, counter-clockwise"
    )
    controller: GroundController = DriveControl(type="drive")
