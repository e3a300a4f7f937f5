"""Power through the tether: cable, battery, converters, what the rotors draw, and which cable to take."""

from tetherlab.vehicles.power.airframe import Airframe
from tetherlab.vehicles.power.battery import Battery
from tetherlab.vehicles.power.cable import Cable
from tetherlab.vehicles.power.conductor import Wire, wire
from tetherlab.vehicles.power.converter import Converter
from tetherlab.vehicles.power.heat import steady_temperature
from tetherlab.vehicles.power.live import PowerReading, PowerStatus, PowerSupply
from tetherlab.vehicles.power.spec import PowerSpec
from tetherlab.vehicles.power.transfer import Transfer, power_max, transfer

__all__ = [
    "Airframe",
    "Battery",
    "Cable",
    "Converter",
    "PowerReading",
    "PowerSpec",
    "PowerStatus",
    "PowerSupply",
    "Transfer",
    "Wire",
    "power_max",
    "steady_temperature",
    "transfer",
    "wire",
]
