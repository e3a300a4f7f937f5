"""The landing platform of a ground robot: its deck, the depression in it, and what keeps it level."""

from typing import Annotated, Self

import numpy as np
from annotated_types import Le, Lt
from pydantic import Field, model_validator

from tetherlab.scenario.problems import refuse
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Number, Rate, Unit, Vector
from tetherlab.scenario.section import Section
from tetherlab.vehicles.spec import LevellerSpec


class Block(Section):
    """A box along the axes of the ground robot's frame."""

    lower: Annotated[Vector, Unit("m")] = Field(description="lowest corner")
    upper: Annotated[Vector, Unit("m")] = Field(description="highest corner")

    @model_validator(mode="after")
    def _has_a_volume(self) -> Self:
        if not all(low < high for low, high in zip(self.lower, self.upper, strict=True)):
            raise ValueError(
                f"upper_m must be above lower_m on every axis, got {self.lower} and {self.upper}"
            )
        return self


class Depression(Section):
    """In the middle of the deck: a round floor, and a wall that rises to its rim ever more steeply."""

    floor_radius: Annotated[Number, POSITIVE, Unit("m")]
    rim_radius: Annotated[Number, POSITIVE, Unit("m")]
    depth: Annotated[Number, POSITIVE, Unit("m")]

    @model_validator(mode="after")
    def _has_a_wall(self) -> Self:
        if self.rim_radius <= self.floor_radius:
            told = f"must be above floor_radius_m, {self.floor_radius:g}, got {self.rim_radius:g}"
            refuse([(("rim_radius_m",), told)])
        most = (self.rim_radius**2 - self.floor_radius**2) ** 0.5
        if self.depth > most:
            told = f"must be at most {most:.3g}, where the wall is upright at its rim, got {self.depth:g}"
            refuse([(("depth_m",), told)])
        return self


Ends = Annotated[tuple[Vector, Vector], Unit("m")]


class Levelling(Section):
    """Universal joint, two linear actuators, accelerometer and loops that keep the deck level.

    Points are in the ground robot's frame, with the deck parallel to the robot.
    """

    joint: Annotated[Vector, Unit("m")] = Field(description="about which the deck rolls and pitches")
    actuator_tops: Ends = Field(description="where they hold the deck")
    actuator_feet: Ends = Field(description="where they stand on the robot")
    length_min: Annotated[Number, POSITIVE, Unit("m")] = Field(description="of an actuator with no stroke")
    stroke_max: Annotated[Number, POSITIVE, Unit("m")]
    speed_max: Annotated[Number, POSITIVE, Unit("m_per_s")] = Field(description="of an actuator without load")
    speed_loaded: Annotated[Number, NOT_NEGATIVE, Le(1.0)] = Field(
        description="share of that which is left against force_max"
    )
    force_max: Annotated[Number, POSITIVE, Unit("N")] = Field(description="that an actuator moves against")
    time_constant: Annotated[Number, NOT_NEGATIVE, Unit("s")] = Field(
        default=0.05, description="of an actuator's speed after a command"
    )
    mass: Annotated[Number, NOT_NEGATIVE, Unit("kg")] = Field(
        description="of what turns, part of the robot's"
    )
    center: Annotated[Vector, Unit("m")] = Field(description="centre of mass of what turns")
    sensor: Annotated[Vector, Unit("m")] = Field(description="where the accelerometer is")
    noise: Annotated[Number, NOT_NEGATIVE, Unit("m_per_s2")] = Field(
        default=0.04, description="of a sample of the accelerometer, standard deviation"
    )
    bias: Annotated[Vector, Unit("m_per_s2")] = (0.0, 0.0, 0.0)
    filter_time: Annotated[Number, NOT_NEGATIVE, Unit("s")] = Field(
        default=0.2, description="of its low-pass"
    )
    rate: Rate = Field(default=50.0, description="of the loops")
    gain: Annotated[Number, NOT_NEGATIVE, Unit("per_s")] = 1.0
    integral_gain: Annotated[Number, NOT_NEGATIVE, Unit("per_s2")] = 0.05
    rate_gain: Annotated[Number, NOT_NEGATIVE] = 0.1
    dead_band: Annotated[Number, NOT_NEGATIVE, Lt(45.0), Unit("deg")] = Field(
        default=0.2, description="angle below which an axis rests"
    )

    @property
    def spec(self) -> LevellerSpec:
        """For the simulator."""
        values = {name: getattr(self, name) for name in type(self).model_fields if name != "rate"}
        arrays = {name: np.array(value) for name, value in values.items() if isinstance(value, tuple)}
        return LevellerSpec(rate_hz=self.rate, **(values | arrays))


class Platform(Block):
    """Where the drone starts and lands: a box along the axes of the ground robot's frame."""

    friction: Annotated[Number, NOT_NEGATIVE] = Field(
        default=0.8, description="Coulomb coefficient against its feet"
    )
    tether_exit: Annotated[Vector | None, Unit("m")] = Field(
        default=None, description="where the tether comes out of it; without: where the winch says"
    )
    depression: Depression | None = Field(default=None, description="in its middle, for feet that fit")
    levelling: Levelling | None = Field(
        default=None, description="keeps it level; without, it is fixed to the robot"
    )

    @model_validator(mode="after")
    def _has_room_for_its_depression(self) -> Self:
        dish = self.depression
        if dish is None:
            return self
        reach = 0.5 * min(self.upper[0] - self.lower[0], self.upper[1] - self.lower[1])
        if dish.rim_radius > reach or dish.depth >= self.upper[2] - self.lower[2]:
            told = f"does not fit into a deck that reaches {reach:g} m and is "
            refuse([(("depression",), f"{told}{self.upper[2] - self.lower[2]:g} m thick")])
        return self
