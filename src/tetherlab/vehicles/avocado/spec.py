"""AVOCADO as a user describes it, with the values of the paper's Table I.

Beside each stands its origin. Table I is that of "Design, Modeling and Control of AVOCADO" (paper 001); what
the paper does not print is assumed.
"""

import math
from dataclasses import dataclass, fields
from typing import ClassVar

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError

DAMPING_MIN = 1e-3  # [N m s]
POSITIVE = ("mass", "inertia_x", "inertia_y", "inertia_z", "mass_arm", "thrust_arm", "motor_arm")


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class AvocadoSpec:
    """A robot that hangs on its tether and is pushed by two propellers. SI units.

    Its own axes: y from the point P, where the tether is tied, to the centre of mass, z to the right, and
    x against the thrust. `assumed` names the fields whose values the paper does not print.
    """

    mass: float = 0.74  # m [kg]; Table I
    inertia_x: float = 1.068e-3  # about the centre of mass [kg m^2]; Table I
    inertia_y: float = 3.991e-3  # [kg m^2]; Table I
    inertia_z: float = 4.579e-3  # [kg m^2]; Table I
    mass_arm: float = 0.154  # l_g, from P to the centre of mass [m]; Table I
    thrust_arm: float = 0.19  # l_Th, from P to the line of thrust [m]; Table I
    motor_arm: float = 0.06  # l_Th^p, from the axis to each motor [m]; Table I
    thrust_min: float = 0.05  # of both motors, which spin as long as they are armed [N]; appendix A
    thrust_max: float = 7.0  # of both motors [N]; Table I
    reverse_thrust: float = 0.0  # of both motors, backwards [N]; 0: they turn one way, as in the paper
    tether_stiffness: float = 1e4  # k_T [N/m]; Table I
    tether_damping: float = 1e4  # d_T [N s/m]; Table I
    drag_coefficient: float = 0.674  # c_D, linear in the speed [N s/m^3]; Table I, unit assumed
    half_axis_y: float = 0.15  # a, of the elliptic plate about the centre of mass [m]; Table I
    half_axis_z: float = 0.115  # b [m]; Table I
    damping_phi: float = 0.01  # numerical, of phi [N m s]; Table I, unit assumed
    damping_heading: float = 0.04  # numerical, of Omega [N m s]; Table I, unit assumed
    damping_psi: float = 0.04  # numerical, of psi [N m s]; Table I, unit assumed
    gravity: float = 9.80665  # g [m/s^2]; assumed

    assumed: ClassVar[tuple[str, ...]] = ("gravity",)  # values that the paper does not print

    def __post_init__(self) -> None:
        for field in fields(AvocadoSpec):  # those of a larger robot are its own business
            required = check.positive if field.name in POSITIVE else check.non_negative
            value = required(f"AvocadoSpec.{field.name}", getattr(self, field.name))
            object.__setattr__(self, field.name, value)
        check.positive("AvocadoSpec.tether_stiffness", self.tether_stiffness)
        check.positive("AvocadoSpec.gravity", self.gravity)
        if self.thrust_min > self.thrust_max:
            raise InputError(
                f"AvocadoSpec.thrust_min must be at most thrust_max, {self.thrust_max:g} N, "
                f"got {self.thrust_min:g}"
            )
        moments = {name: getattr(self, name) for name in ("inertia_x", "inertia_y", "inertia_z")}
        largest = max(moments, key=lambda name: moments[name])
        others = sum(moments.values()) - moments[largest]
        if moments[largest] > others * (1.0 + 1e-9):
            raise InputError(
                f"AvocadoSpec.{largest} must be at most the sum of the other two, {others:g} kg m^2, "
                f"as for any rigid body, got {moments[largest]:g}"
            )

        if 0.0 < self.damping_heading + self.damping_psi < DAMPING_MIN:
            raise InputError(
                f"AvocadoSpec.damping_heading + damping_psi must be 0 or at least {DAMPING_MIN:g} "
                f"N m s, since less could not say how the robot turns where theta passes 0, "
                f"got {self.damping_heading:g} and {self.damping_psi:g}"
            )

    @property
    def weight(self) -> float:
        """m g [N]."""
        return self.mass * self.gravity

    @property
    def plate_area(self) -> float:
        """Of the elliptic plate on which the air acts [m^2]."""
        return math.pi * self.half_axis_y * self.half_axis_z

    @property
    def thrust_least(self) -> float:
        """Of both motors while they are armed; negative if they can run backwards [N]."""
        return -self.reverse_thrust if self.reverse_thrust > 0.0 else self.thrust_min

    @property
    def torque_max(self) -> float:
        """One motor at its limit and the other at rest, or at its limit backwards [N m]."""
        return self.motor_arm * (self.thrust_max + self.reverse_thrust) / 2.0

    @property
    def thrust_limit(self) -> float:
        """Thrust beyond which no equilibrium exists, m g l_g / l_Th [N]."""
        return self.weight * self.mass_arm / self.thrust_arm
