"""AVOCADO in a scenario: every number of it can be given, and has the default of `AvocadoRobotSpec`."""

import re
from dataclasses import fields
from typing import Annotated, Any, Literal, Self

from pydantic import create_model, model_validator

from tetherlab.contracts.errors import InputError
from tetherlab.scenario.problems import refuse
from tetherlab.scenario.quantity import Number, Unit
from tetherlab.scenario.section import Section
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec

# By unit, the fields of AvocadoRobotSpec that a file may give; bounds and origins stand there.
IN_UNITS: dict[str, tuple[str, ...]] = {
    "kg": ("mass",),
    "kg_m2": ("inertia_x", "inertia_y", "inertia_z", "spool_rotor_inertia"),
    "m": (
        "mass_arm", "thrust_arm", "motor_arm", "half_axis_y", "half_axis_z", "shell_thickness",
        "propeller_radius", "spool_radius", "spool_width", "tether_total", "tether_diameter",
    ),
    "N": ("thrust_min", "thrust_max", "reverse_thrust", "tether_strength", "tether_axial_stiffness"),
    "s": ("motor_lag",),
    "N_s_per_m3": ("drag_coefficient",),
    "N_m_s": ("damping_phi", "damping_heading", "damping_psi", "damping_roll"),
    "N_m": ("spool_torque_max",),
    "rad_per_s": ("spool_rate_max",),
    "m_per_s2": ("spool_acceleration_max",),
    "N_per_m": ("shell_stiffness",),
    "N_s": ("tether_axial_damping",),
    "N_m2_s": ("tether_bending_damping",),
    "kg_per_m": ("tether_density",),
    "": ("shell_friction", "tether_friction", "spool_gear_ratio"),
}  # fmt: skip
# The world has gravity, and the plant's tether is made of its own stiffness and damping.
NOT_HERE = ("gravity", "tether_stiffness", "tether_damping")
WRITTEN = {name: f"{name}_{unit}" if unit else name for unit, names in IN_UNITS.items() for name in names}
DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(AvocadoRobotSpec)}


class HangingRobot(Section):
    """A robot that hangs on its tether and is pushed by two propellers; see `AvocadoRobotSpec`."""

    type: Literal["avocado"] = "avocado"

    def spec(self, gravity: float) -> AvocadoRobotSpec:
        """The robot, for the plant and for controllers, where that gravity pulls [m/s^2]."""
        given = {name: getattr(self, name) for name in WRITTEN}
        return AvocadoRobotSpec(**given, gravity=gravity)

    @model_validator(mode="after")
    def _can_be_built(self) -> Self:
        try:
            self.spec(DEFAULTS["gravity"])
        except InputError as error:
            found = re.match(r"\w+\.(\w+) (?:\+ \w+ )?", str(error))
            if found is None or found[1] not in WRITTEN:
                raise ValueError(str(error)) from None
            refuse([((WRITTEN[found[1]],), str(error)[found.end() :])])
        return self


def _field(unit: str, name: str) -> Any:
    kind: Any = Annotated[Number, Unit(unit)] if unit else Number
    return (kind, DEFAULTS[name])


Avocado = create_model(
    "Avocado",
    __base__=HangingRobot,
    __module__=__name__,
    __doc__=HangingRobot.__doc__,
    **{name: _field(unit, name) for unit, names in IN_UNITS.items() for name in names},
)


def assumed_of_robot(given: Any) -> dict[str, str]:
    """Keys of a robot that the paper does not print and that a file does not give either."""
    said = given if isinstance(given, dict) else {}
    keys = [WRITTEN[name] for name in AvocadoRobotSpec.assumed if name in WRITTEN]
    return {f"robot.{key}": "the paper does not print it" for key in keys if key not in said}
