"""AVOCADO as a machine: what the plant needs to know of it beyond the analytic model.

"III" is the section of the paper (001) that describes the hardware. What it does not print is assumed, and
`assumed` names it.
"""

import math
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.spec import WinchSpec

SHELL_COUNT = 8  # spheres
MAY_BE_ZERO = (
    "motor_lag", "damping_roll", "shell_friction", "tether_axial_damping",
    "tether_bending_damping", "tether_friction",
)  # fmt: skip
SPOOL_INERTIA = 5e-6  # of a printed spool, 20 g at 15 mm [kg m^2]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class AvocadoRobotSpec(AvocadoSpec):
    """The hanging robot with motors, shell, spool and the tether on it. SI units.

    k_T and d_T of the analytic model, which do not depend on the length, are not used: a tether of the
    plant has an axial stiffness EA, and pulls with EA / length per metre. Damping of Omega and psi is not
    used either: it acts against the anchor as if the tether were a shaft, and no tether is.
    """

    motor_lag: float = 0.04  # time constant of a motor's thrust [s]; assumed
    propeller_radius: float = 0.0381  # [m]; III: 3 inch blades
    damping_roll: float = 0.01  # of the tilt across phi [N m s]; assumed: as large as that of phi
    shell_thickness: float = 0.1  # along x [m]; Table I: 300 x 230 x 100 mm
    shell_stiffness: float = 2e4  # of soft printed TPU where it touches [N/m]; assumed
    shell_friction: float = 0.4  # against objects that name none; assumed
    spool_radius: float = 0.015  # [m]; assumed
    spool_width: float = 0.02  # [m]; assumed
    spool_torque_max: float = 0.52  # [N m]; stall torque in the data sheet of the XL330-M288-T (III), 5 V
    spool_rate_max: float = 10.8  # [rad/s]; no-load speed there, 103 /min at 5 V
    spool_gear_ratio: float = 288.4  # there, too
    spool_rotor_inertia: float = 2e-8  # of the servo's motor [kg m^2]; assumed
    spool_acceleration_max: float = 1.0  # of the tether [m/s^2]; assumed
    tether_total: float = 10.0  # on the spool and out [m]; assumed
    tether_diameter: float = 0.39e-3  # [m]; III
    tether_strength: float = 451.0  # [N]; III: 46 kg
    tether_density: float = 1.16e-4  # [kg/m]; assumed: polyethylene, 970 kg/m^3, of the full diameter
    tether_axial_stiffness: float = 1e4  # EA [N]; assumed: Table I at 1 m, and 4.5 % at the breaking load
    tether_axial_damping: float = 10.0  # [N s]; assumed: a bounce at 1 m has 6 % of critical damping
    tether_bending_damping: float = (
        1e-7  # [N m^2 s]; assumed: a plucked tether is quiet within tenths of a second
    )
    tether_friction: float = 0.4  # against objects that name none; assumed: bark limits sliding (VI)

    assumed: ClassVar[tuple[str, ...]] = (
        *AvocadoSpec.assumed, "motor_lag", "damping_roll", "shell_stiffness", "shell_friction",
        "spool_radius", "spool_width", "spool_rotor_inertia", "spool_acceleration_max",
        "tether_total", "tether_density", "tether_axial_stiffness", "tether_axial_damping",
        "tether_bending_damping", "tether_friction",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        own = {field.name for field in fields(self)} - {field.name for field in fields(AvocadoSpec)}
        for name in own:
            required = check.non_negative if name in MAY_BE_ZERO else check.positive
            object.__setattr__(self, name, required(f"AvocadoRobotSpec.{name}", getattr(self, name)))
        thinnest = 2.0 * min(self.half_axis_y, self.half_axis_z)
        if self.shell_thickness >= thinnest:
            raise InputError(
                f"AvocadoRobotSpec.shell_thickness must be below {thinnest:g} m, the smaller width of the "
                f"elliptic plate, of which it is the round rim, got {self.shell_thickness:g}"
            )

    @property
    def spool_speed_max(self) -> float:
        """Of the tether [m/s]."""
        return self.spool_rate_max * self.spool_radius

    @property
    def inertia_B(self) -> NDArray[np.float64]:
        """Principal moments about forward, left and up [kg m^2], (3,); Table I has them about x, z and y."""
        return np.array([self.inertia_x, self.inertia_z, self.inertia_y])

    @property
    def shell(self) -> NDArray[np.float64]:
        """Spheres that touch: x forward, y left, z up from the centre of mass, radius [m], (8, 4).

        Their centres lie on an ellipse, so that they fill the rim of the elliptic plate.
        """
        radius = 0.5 * self.shell_thickness
        angle = (np.arange(SHELL_COUNT) + 0.5) * 2.0 * math.pi / SHELL_COUNT
        y = (self.half_axis_z - radius) * np.sin(angle)
        z = (self.half_axis_y - radius) * np.cos(angle)
        return np.column_stack([np.zeros(SHELL_COUNT), y, z, np.full(SHELL_COUNT, radius)])

    @property
    def spool(self) -> WinchSpec:
        """The spool as a winch whose tether leaves at P."""
        return WinchSpec(
            exit=np.array([0.0, 0.0, self.mass_arm]),
            drum_radius=self.spool_radius,
            drum_width=self.spool_width,
            drum_inertia=SPOOL_INERTIA,
            rotor_inertia=self.spool_rotor_inertia,
            gear_ratio=self.spool_gear_ratio,
            torque_max=self.spool_torque_max / self.spool_gear_ratio,
            motor_speed_max=self.spool_rate_max * self.spool_gear_ratio,
            speed_max=self.spool_speed_max,
            acceleration_max=self.spool_acceleration_max,
        )
