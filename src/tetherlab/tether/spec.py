"""What a tether is made of, as a user writes it."""

import math
from dataclasses import dataclass, fields

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class TetherSpec:
    """Material of a uniform tether. SI units; only the first two have no default.

    tension = axial_stiffness * strain + axial_damping * strain_rate
    drag force per length = 1/2 air_density * coefficient * diameter * speed^2, across and along the tether,
    with the air_density of the world
    strength: no tether starts with a tension above it. None breaks later: whoever watches `Tether.tensions`
    reports that it was exceeded
    """

    linear_density: float  # [kg/m]
    diameter: float  # [m]
    axial_stiffness: float = 1e4  # EA [N]
    axial_damping: float = 10.0  # [N s]
    bending_stiffness: float = 0.0  # EI [N m^2]
    bending_damping: float = 0.0  # [N m^2 s]
    strength: float = math.inf  # breaking tension [N]
    friction: float = 0.3  # Coulomb coefficient against obstacles that name none
    drag_coefficient: float = 1.2  # across the tether
    drag_coefficient_tangential: float = 0.02  # along it

    def __post_init__(self) -> None:
        for field in fields(self):
            name, value = field.name, getattr(self, field.name)
            if name == "strength" and value == math.inf:
                continue
            if name in ("linear_density", "diameter", "axial_stiffness", "strength"):
                value = check.positive(f"TetherSpec.{name}", value)
            else:
                value = check.non_negative(f"TetherSpec.{name}", value)
            object.__setattr__(self, name, value)
        if self.friction > 5.0:
            raise InputError(f"TetherSpec.friction must be at most 5, got {self.friction:g}")
