"""Converters at both ends of the cable, so that it can carry a higher voltage and less current."""

from dataclasses import dataclass, fields

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Converter:
    """Raises the voltage for the cable and lowers it again on board."""

    voltage: float = 400.0  # on the cable, at the ground robot [V]; paper 003 names it as usual
    base_efficiency: float = 0.95  # at the ground robot; assumed
    drone_efficiency: float = 0.95  # on board; assumed
    mass: float = 0.5  # on board [kg]; assumed
    voltage_min: float = 200.0  # at its input on board [V]; assumed

    def __post_init__(self) -> None:
        for field in fields(self):
            value = check.positive(f"Converter.{field.name}", getattr(self, field.name))
            if field.name.endswith("efficiency") and value > 1.0:
                raise InputError(f"Converter.{field.name} must be at most 1, got {value:g}")
            object.__setattr__(self, field.name, value)
