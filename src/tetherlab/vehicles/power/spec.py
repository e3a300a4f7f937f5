"""A power supply through the tether as a user describes it: battery, converters, cable, drone, air."""

from dataclasses import dataclass, field

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.power.airframe import AIR_DENSITY, Airframe
from tetherlab.vehicles.power.battery import Battery
from tetherlab.vehicles.power.cable import Cable
from tetherlab.vehicles.power.converter import Converter
from tetherlab.vehicles.power.heat import WOUND_COOLING


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class PowerSpec:
    """From the cells of the battery to the rotors."""

    cable: Cable = field(default_factory=Cable)
    airframe: Airframe = field(default_factory=Airframe)
    battery: Battery = field(default_factory=Battery)
    converter: Converter | None = None  # None: the battery's own voltage is on the cable
    air_density: float = AIR_DENSITY  # [kg/m^3]
    air_temperature: float = 20.0  # [C]
    temperature_max: float = 180.0  # of the cable [C]; silicone rubber
    wound_cooling: float = WOUND_COOLING  # share of its surface that the cable on the drum shows to the air
    hold_up: float = 0.1  # that the drone lives on when too little arrives [s]; assumed: energy of its rotors

    def __post_init__(self) -> None:
        for name in ("air_density", "wound_cooling"):
            check.positive(f"PowerSpec.{name}", getattr(self, name))
        if self.wound_cooling > 1.0:
            raise InputError(f"PowerSpec.wound_cooling must be at most 1, got {self.wound_cooling:g}")
        check.non_negative("PowerSpec.hold_up", self.hold_up)
        if check.number("PowerSpec.temperature_max", self.temperature_max) <= self.air_temperature:
            raise InputError("PowerSpec.temperature_max must be above air_temperature")

    @property
    def voltage_min(self) -> float:
        """That must arrive at the drone's end of the cable [V]."""
        return self.airframe.voltage_min if self.converter is None else self.converter.voltage_min
