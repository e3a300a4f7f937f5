"""The two vehicles: which robot, where it starts, who steers it."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from tetherlab.scenario.plug_in import OneOf, PlugIn
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Number, Rate, Switch, Unit, Vector
from tetherlab.scenario.robots import GroundRobot, Quadrotor
from tetherlab.scenario.section import Section


class PositionControl(Section):
    """Follow a moving point with the force that it needs: three poles of one bandwidth, one integral."""

    type: Literal["position"] = "position"
    feed_forward: Literal["none", "measured", "catenary"] = Field(
        default="none",
        description="pull of the tether that is countered: none, as measured, or of a hanging tether",
    )
    bandwidth: Annotated[Number, POSITIVE, Unit("rad_per_s")] = 2.0
    filter_time: Annotated[Number, POSITIVE, Unit("s")] = Field(
        default=0.1, description="time constant of the measured pull"
    )
    acceleration_max: Annotated[Number, POSITIVE, Unit("m_per_s2")] = 5.0
    rate: Rate = 100.0


class DriveControl(Section):
    """Follow a moving point on the floor."""

    type: Literal["drive"] = "drive"
    gain: Annotated[Number, POSITIVE, Unit("per_s")] = Field(default=0.8, description="speed per error")
    integral_gain: Annotated[Number, NOT_NEGATIVE, Unit("per_s2")] = 0.05
    turn_gain: Annotated[Number, POSITIVE, Unit("per_s")] = Field(
        default=1.5, description="turning rate per error of the heading"
    )
    turn_rate_max: Annotated[Number, POSITIVE, Unit("deg_per_s")] = 45.0
    speed_max: Annotated[Number, POSITIVE, Unit("m_per_s")] = 0.5
    stop_within: Annotated[Number, POSITIVE, Unit("m")] = Field(
        default=0.01, description="of a point at rest"
    )
    rate: Rate = 50.0


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
        default=0.0, description="heading that it starts with and keeps, from +x, counter-clockwise"
    )
    controller: AirController = PositionControl()

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
        default=0.0,
        description="heading that it starts with, from +x, counter-clockwise; kept if all wheels steer",
    )
    controller: GroundController = DriveControl()
