"""Power through the tether of a scenario: battery, converters and cable, and what the drone draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Self

from annotated_types import Le
from pydantic import Field, model_validator

from tetherlab.contracts.errors import InputError
from tetherlab.scenario.problems import refuse
from tetherlab.scenario.quantity import NOT_NEGATIVE, POSITIVE, Number, Switch, Unit
from tetherlab.scenario.section import Section
from tetherlab.vehicles.power.airframe import Airframe
from tetherlab.vehicles.power.battery import Battery
from tetherlab.vehicles.power.cable import Cable
from tetherlab.vehicles.power.conductor import TEMPERATURE_COEFFICIENT
from tetherlab.vehicles.power.converter import Converter
from tetherlab.vehicles.power.spec import PowerSpec

if TYPE_CHECKING:
    from tetherlab.scenario.scenario import Scenario

Efficiency = Annotated[Number, POSITIVE, Le(1.0)]
HOUR = 3600.0  # [s]


class CableSection(Section):
    """The conductors in the tether, whose length, weight and diameter are those of the section `tether`."""

    resistance: Annotated[Number, POSITIVE, Unit("ohm_per_m")] = Field(
        description="of one conductor at 20 °C; there are two"
    )
    return_conductor: Switch = Field(default=False, description="the way back resists as well")
    connectors: Annotated[Number, NOT_NEGATIVE, Unit("ohm")] = Field(
        default=0.0, description="connectors, slip ring and what else is in the circuit"
    )
    temperature_coefficient: Annotated[Number, NOT_NEGATIVE, Unit("per_K")] = Field(
        default=TEMPERATURE_COEFFICIENT, description="of the resistance"
    )
    temperature_max: Annotated[Number, POSITIVE, Unit("C")] = Field(
        default=180.0, description="that its insulation stands"
    )
    wound_cooling: Efficiency = Field(
        default=0.3, description="share of its surface that it shows to the air on the drum"
    )


class BatterySection(Section):
    """On the ground robot."""

    capacity: Annotated[Number, POSITIVE, Unit("Ah")]
    open_circuit: Annotated[tuple[Number, ...], Unit("V")] = Field(
        description="voltages at rest at equal steps of charge, empty to full"
    )
    resistance: Annotated[Number, NOT_NEGATIVE, Unit("ohm")] = Field(default=0.0, description="inside")
    cut_off: Annotated[Number, NOT_NEGATIVE, Unit("V")] = Field(
        default=0.0, description="at its terminals, below which it switches off"
    )

    @model_validator(mode="after")
    def _can_be(self) -> Self:
        try:
            self.spec  # noqa: B018 (its checks are what is wanted)
        except InputError as error:
            refuse([((), str(error).removeprefix("Battery."))])
        return self

    @property
    def spec(self) -> Battery:
        """For the simulator."""
        return Battery(
            capacity=HOUR * self.capacity,
            open_circuit=self.open_circuit,
            resistance=self.resistance,
            cut_off=self.cut_off,
        )


class ConverterSection(Section):
    """Raises the voltage for the cable and lowers it again on board; the robot's mass includes it."""

    voltage: Annotated[Number, POSITIVE, Unit("V")] = Field(description="on the cable, at the ground robot")
    base_efficiency: Efficiency = 0.95
    drone_efficiency: Efficiency = 0.95


class Power(Section):
    """What feeds the drone."""

    cable: CableSection
    battery: BatterySection
    converter: ConverterSection | None = Field(
        default=None, description="if not given, the battery's own voltage is on the cable"
    )
    figure_of_merit: Efficiency = Field(
        default=0.65, description="of the rotors: ideal over real power in hover"
    )
    drive_efficiency: Efficiency = Field(default=0.82, description="of motors and their controllers")
    avionics: Annotated[Number, NOT_NEGATIVE, Unit("W")] = Field(
        default=0.0, description="drawn on board by all but the rotors"
    )
    voltage_min: Annotated[Number, POSITIVE, Unit("V")] = Field(
        description="that must arrive at the drone's end of the cable"
    )
    hold_up: Annotated[Number, NOT_NEGATIVE, Unit("s")] = Field(
        default=0.1, description="that the drone lives on when too little arrives"
    )
    air_temperature: Annotated[Number, Unit("C")] = 20.0


def power_spec(scenario: Scenario) -> PowerSpec | None:
    """The supply of a scenario; None: the drone needs none."""
    chosen, tether, robot = scenario.power, scenario.tether, scenario.uav.robot
    if chosen is None:
        return None
    cable, converter = chosen.cable, chosen.converter
    return PowerSpec(
        cable=Cable(
            length=tether.length,
            resistance=cable.resistance,
            return_conductor=cable.return_conductor,
            connectors=cable.connectors,
            linear_density=tether.linear_density,
            diameter=tether.diameter,
            temperature_coefficient=cable.temperature_coefficient,
        ),
        airframe=Airframe(
            mass=robot.mass,
            disc_area=len(robot.rotors) * math.pi * robot.rotor_radius**2,
            figure_of_merit=chosen.figure_of_merit,
            drive_efficiency=chosen.drive_efficiency,
            avionics=chosen.avionics,
            thrust_max=len(robot.rotors) * robot.rotor_thrust_coefficient * robot.rotor_speed_max**2,
            voltage_min=chosen.voltage_min,
        ),
        battery=chosen.battery.spec,
        converter=None
        if converter is None
        else Converter(
            voltage=converter.voltage,
            voltage_min=chosen.voltage_min,
            base_efficiency=converter.base_efficiency,
            drone_efficiency=converter.drone_efficiency,
        ),
        air_density=scenario.world.air_density,
        air_temperature=chosen.air_temperature,
        temperature_max=cable.temperature_max,
        wound_cooling=cable.wound_cooling,
        hold_up=chosen.hold_up,
    )
