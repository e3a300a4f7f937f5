"""The section `inspection` of a scenario: walls to be mapped one after another, by sensors on board."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Lt
from pydantic import Field

from tetherlab.scenario.localisation import SensorFault
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Count, Number, Rate, Switch, Unit
from tetherlab.scenario.section import Section
from tetherlab.sensors.visual_odometry import VisualOdometry

Metres = Annotated[Number, POSITIVE, Unit("m")]
Newtons = Annotated[Number, POSITIVE, Unit("N")]
Speed = Annotated[Number, POSITIVE, Unit("m_per_s")]
Share = Annotated[Number, NOT_NEGATIVE, Lt(1.0)]
Place = tuple[Number, Number]


class StopSection(Section):
    """A wall, and the way to it."""

    name: str
    route: Annotated[tuple[Place, ...], Unit("m")] = Field(
        min_length=1, description="places that the rover drives to; at the last one the drone takes off"
    )
    wall_heading: Annotated[Number, Unit("deg")] = Field(
        description="towards the wall from there, from +x, counter-clockwise"
    )


class SweepSection(Section):
    """What the pictures of a wall shall be like."""

    distance: Metres = Field(default=1.5, description="from the camera to the wall")
    overlap: Share = Field(default=0.3, description="of one row and the next, of the picture's height")
    overlap_lateral: Share = Field(default=0.7, description="of one picture and the next, of its width")
    speed_max: Speed = Field(default=0.35, description="along the rows")


class LandingSection(Section):
    """How it comes home along the tether."""

    law: Literal["continuous", "switched"] = Field(
        default="continuous", description="the vector field: smooth, or that of paper 003"
    )
    speed: Speed = 0.15
    tension: Newtons = Field(default=6.0, description="of the tether meanwhile")


class LimitsSection(Section):
    """Beyond which a wall is left and the drone comes home."""

    energy_min: Share = Field(default=0.2, description="of the battery")
    voltage_min: Annotated[Number, NOT_NEGATIVE, Unit("V")] = Field(default=24.0, description="at the drone")
    power_share_max: Annotated[Number, POSITIVE] = Field(
        default=0.8, description="of the most that the cable can transfer"
    )
    length_left: Metres = Field(default=0.5, description="of tether on the drum")
    tension_max: Newtons = Field(default=25.0, description="at the winch")
    headroom_min: Metres = Field(default=0.5, description="below the ceiling")


class CameraSection(Section):
    """The depth camera."""

    columns: Annotated[Count, Ge(16)] = 128
    rows: Annotated[Count, Ge(12)] = 96
    rate: Rate = 5.0


class InspectionFault(SensorFault):
    """Something that goes wrong with a sensor."""

    AXES: ClassVar[dict[str, tuple[str, ...]]] = {**SensorFault.AXES, "odometry": VisualOdometry.axes}
    sensor: Literal[  # type: ignore[assignment]
        "altimeter",
        "ceiling",
        "drone_angles",
        "base_angles",
        "length",
        "tension",
        "odometry",
        "depth_camera",
        "uwb",
    ]
    axis: Literal["azimuth", "elevation", "x", "y", "z", "forward", "left", "up", "yaw"] | None = Field(  # type: ignore[assignment]
        default=None, description="of an angle sensor, or of the odometry"
    )
    value: Number = Field(default=0.0, description="of an offset, in rad, m, m/s or N")


class InspectionSection(Section):
    """Drive to a wall, take off, map it, land, and on to the next."""

    stops: tuple[StopSection, ...] = Field(
        default=(), description="walls one after another; in a mine, if there are none: its faces"
    )
    faces: tuple[str, ...] = Field(
        default=(), description="of a mine, 'pillar_1 south' and so on; if there are none: all"
    )
    stand_off: Metres = Field(default=3.5, description="of the rover from the faces of a mine")
    take_off_height: Metres = Field(default=1.2, description="above the platform")
    flight_tension: Newtons = Field(default=4.0, description="of the tether while it flies")
    wall_height: Annotated[Annotated[Number, POSITIVE] | None, Unit("m")] = Field(
        default=None, description="how far up the rows go; to the ceiling if not given"
    )
    sweep: SweepSection = SweepSection()
    landing: LandingSection = LandingSection()
    limits: LimitsSection = LimitsSection()
    depth_camera: CameraSection = CameraSection()
    map: Switch = Field(default=True, description="make a map of each wall when it is left, as a PLY file")
    spotlights: Switch = Field(default=True, description="on board; odometry needs light")
    faults: tuple[InspectionFault, ...] = ()
    rate: Rate = Field(default=20.0, description="how often the mission looks and commands")
