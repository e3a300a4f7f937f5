"""How the drone of a scenario finds out where it is: sensors, a method, and what happens when it cannot."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from annotated_types import Ge, Le
from pydantic import Field, model_validator

from tetherlab.scenario.problems import KeyPath, refuse
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Count, Number, Rate, Switch, Unit
from tetherlab.scenario.section import Section
from tetherlab.sensors.altimeter import AltimeterSpec
from tetherlab.sensors.angle_sensor import AngleSensorSpec
from tetherlab.sensors.attitude import AttitudeSpec
from tetherlab.sensors.encoder import EncoderSpec
from tetherlab.sensors.faults import Fault
from tetherlab.sensors.imu import ImuSpec
from tetherlab.sensors.suite import SuiteSpec
from tetherlab.sensors.tension_sensor import TensionSpec

Spec = TypeVar("Spec")
Range = Annotated[tuple[Number, Number], Unit("rad")]
Radians = Annotated[Number, Unit("rad")]
Spread = Annotated[Number, NOT_NEGATIVE, Unit("rad")]  # a standard deviation
Share = Annotated[Number, NOT_NEGATIVE, Le(1.0)]
Time = Annotated[Number, NOT_NEGATIVE, Unit("s")]


class SensorSection(Section):
    """When a sensor speaks, and when it is heard."""

    rate: Rate = 100.0
    delay: Time = Field(default=0.005, description="until a message arrives")
    delay_jitter: Time = Field(default=0.0, description="up to so much later still")

    def spec(self, kind: type[Spec], **others: Any) -> Spec:
        """The sensor, for the simulator."""
        values = {name: getattr(self, name) for name in type(self).model_fields if name != "rate"}
        arguments: dict[str, Any] = {"rate_hz": self.rate, **values, **others}
        return kind(**arguments)


class AngleSensor(SensorSection):
    """Two axes with potentiometers, and a light link that the tether turns."""

    azimuth_noise: Spread
    elevation_noise: Spread
    azimuth_offset: Radians = 0.0
    elevation_offset: Radians = 0.0
    bias_field: Spread = Field(default=0.0, description="root mean square of a smooth error over all angles")
    bias_seed: Annotated[Count, Ge(0)] = Field(default=1, description="which smooth error: of this hardware")
    friction: Annotated[Number, NOT_NEGATIVE, Unit("N")] = Field(default=0.029, description="of each axis")
    link_mass: Annotated[Number, NOT_NEGATIVE, Unit("kg")] = 0.002
    azimuth_range: Range = (-math.pi, math.pi)
    azimuth_endless: Switch = True
    elevation_range: Range = (-0.25 * math.pi, 1.25 * math.pi)
    mounting: Literal["upright", "lying"] = Field(
        default="upright", description="its first axis along z, or along -x of what carries it (paper 003)"
    )
    adc_bits: Annotated[Count, Ge(4), Le(32)] = 16
    ratiometric: Switch = Field(default=True, description="the supply of the potentiometers is read too")
    supply_sag: Share = 0.0
    supply_noise: Share = 0.001


class LengthSensor(SensorSection):
    """A roller that the tether turns."""

    noise: Annotated[Number, NOT_NEGATIVE, Unit("m")] = 0.001
    offset: Annotated[Number, Unit("m")] = 0.0
    scale_error: Number = 0.0
    slip_out: Share = Field(default=0.0, description="share paid out that does not turn the roller")
    slip_in: Share = Field(default=0.0, description="share reeled in that does not turn it")
    counts_per_metre: Annotated[Number, POSITIVE] = 10000.0


class DrumSensor(LengthSensor):
    """The turns of the winch's drum: it knows whether the tether moves, but not its radius to the layer."""

    noise: Annotated[Number, NOT_NEGATIVE, Unit("m")] = 0.0
    scale_error: Number = Field(default=0.02, description="share by which its radius is taken too large")


class TensionSensor(SensorSection):
    """A sprung arm over which the tether runs."""

    noise: Annotated[Number, NOT_NEGATIVE, Unit("N")] = 0.033
    offset: Annotated[Number, Unit("N")] = 0.0
    lag: Time = 0.02
    curvature: Annotated[Number, NOT_NEGATIVE] = Field(default=0.5, description="of its characteristic")
    tension_max: Annotated[Number, POSITIVE, Unit("N")] = 6.0
    adc_bits: Annotated[Count, Ge(4), Le(32)] = 10


class ImuSensor(SensorSection):
    """Accelerometer and gyroscope of the drone."""

    rate: Rate = 200.0
    delay: Time = 0.0
    force_noise: Annotated[Number, NOT_NEGATIVE, Unit("m_per_s2")] = 0.05
    force_bias: Annotated[Number, NOT_NEGATIVE, Unit("m_per_s2")] = 0.05
    rate_noise: Annotated[Number, NOT_NEGATIVE, Unit("rad_per_s")] = 0.005
    rate_bias: Annotated[Number, NOT_NEGATIVE, Unit("rad_per_s")] = 0.002
    thrust_noise: Annotated[Number, NOT_NEGATIVE, Unit("N")] = 0.2


class AttitudeSource(Section):
    """What the autopilot believes of its attitude."""

    tilt_noise: Spread = 0.002
    tilt_wander: Spread = 0.005
    tilt_wander_time: Annotated[Number, POSITIVE, Unit("s")] = 20.0
    heading_noise: Spread = 0.002
    heading_offset: Radians = 0.0
    heading_offset_deviation: Spread = Field(default=0.0, description="of an error that each run draws anew")

    @property
    def source(self) -> AttitudeSpec:
        """For the simulator."""
        return AttitudeSpec(**{name: getattr(self, name) for name in type(self).model_fields})


class Altimeter(SensorSection):
    """Height of the drone above what is below it."""

    rate: Rate = 20.0
    noise: Annotated[Number, NOT_NEGATIVE, Unit("m")] = 0.02


class Sensors(Section):
    """What is on board of base and drone."""

    base_angles: AngleSensor
    drone_angles: AngleSensor
    length: LengthSensor = LengthSensor()
    tension: TensionSensor = TensionSensor()
    imu: ImuSensor = ImuSensor()
    attitude: AttitudeSource = AttitudeSource()
    drum: DrumSensor | None = None
    altimeter: Altimeter | None = None

    def suite(self, gravity: float) -> SuiteSpec:
        """For the simulator; gravity [m/s^2]."""
        return SuiteSpec(
            base_angles=self.base_angles.spec(AngleSensorSpec, gravity=gravity),
            drone_angles=self.drone_angles.spec(AngleSensorSpec, gravity=gravity),
            length=self.length.spec(EncoderSpec),
            tension=self.tension.spec(TensionSpec),
            imu=self.imu.spec(ImuSpec),
            attitude=self.attitude.source,
            drum=None if self.drum is None else self.drum.spec(EncoderSpec),
            altimeter=None if self.altimeter is None else self.altimeter.spec(AltimeterSpec),
        )

    @property
    def rate(self) -> float:
        """Of the fastest sensor [1/s]."""
        must = (self.base_angles, self.drone_angles, self.length, self.tension, self.imu)
        may = (self.drum, self.altimeter)
        return max(part.rate for part in (*must, *may) if part is not None)


class SensorFault(Section):
    """Something that goes wrong with a sensor."""

    AXES: ClassVar[dict[str, tuple[str, ...]]] = dict.fromkeys(
        ("base_angles", "drone_angles"), ("azimuth", "elevation")
    )
    sensor: Literal["base_angles", "drone_angles", "length", "drum", "tension", "imu", "altimeter"]
    kind: Literal["stuck", "offset", "drop_out", "saturated"]
    axis: Literal["azimuth", "elevation"] | None = Field(default=None, description="of an angle sensor")
    start: Time
    end: Annotated[Number | None, Unit("s")] = Field(default=None, description="for good if not given")
    value: Number = Field(default=0.0, description="of an offset, in rad, m or N")

    @model_validator(mode="after")
    def _can_happen(self) -> Self:
        wrong: list[tuple[KeyPath, str]] = []
        if self.end is not None and self.end <= self.start:
            wrong.append((("end_s",), f"must be after start_s, {self.start:g}, got {self.end:g}"))
        if self.value != 0.0 and self.kind != "offset":
            wrong.append((("value",), f"belongs to the kind 'offset', got it with {self.kind!r}"))
        if self.value == 0.0 and self.kind == "offset":
            wrong.append((("value",), "an offset needs one other than 0, in rad, m or N"))
        if self.axis is not None and self.kind == "drop_out":
            wrong.append((("axis",), "a drop-out takes all of a message: leave it out"))
        if self.sensor == "imu" and self.kind == "offset":
            wrong.append((("kind",), "the imu reads numbers of different units: it cannot have one offset"))
        if self.axis is not None and self.sensor not in self.AXES:
            wrong.append((("axis",), f"belongs to {' and '.join(self.AXES)}, got it with {self.sensor!r}"))
        elif self.axis is not None and self.axis not in self.AXES[self.sensor]:
            known = ", ".join(self.AXES[self.sensor])
            wrong.append((("axis",), f"{self.sensor} has {known}, got {self.axis!r}"))
        if wrong:
            refuse(wrong)
        return self

    @property
    def fault(self) -> Fault:
        """For the simulator."""
        axis = {} if self.axis is None else {"axis": self.axis}
        end = math.inf if self.end is None else self.end
        return Fault(kind=self.kind, start=self.start, end=end, value=self.value, **axis)


class Localisation(Section):
    """The drone flies by what its tether tells; without this section everybody knows the truth."""

    sensors: Sensors
    method: Literal[
        "ekf", "catenary", "learned", "taut_line", "thrust", "base_tension", "elevation", "selector"
    ] = Field(default="ekf", description="how the position is found; learned needs a model")
    model: str | None = Field(default=None, description="file of a learned correction (.npz)")
    in_loop: Switch = Field(
        default=True, description="fly by the estimate; if not, it is recorded and the truth is flown by"
    )
    on_fault: Literal["hold", "land", "continue"] = Field(
        default="hold", description="what the drone does when a sensor is not believed any more"
    )
    faults: tuple[SensorFault, ...] = ()

    @model_validator(mode="after")
    def _has_what_it_speaks_of(self) -> Self:
        wrong: list[tuple[KeyPath, str]] = []
        if self.method == "learned" and self.model is None:
            wrong.append((("model",), "missing: the method learned needs the file of a learned correction"))
        if self.model is not None and self.method not in ("ekf", "learned"):
            wrong.append((("model",), f"belongs to the methods ekf and learned, got it with {self.method!r}"))
        for index, fault in enumerate(self.faults):
            if getattr(self.sensors, fault.sensor) is None:
                wrong.append((("faults", index, "sensor"), f"there is no {fault.sensor} among these sensors"))
        if wrong:
            refuse(wrong)
        return self
