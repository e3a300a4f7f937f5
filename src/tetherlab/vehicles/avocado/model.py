"""What the kernels of AVOCADO read and write."""

from typing import NamedTuple

from tetherlab.vehicles.avocado.spec import AvocadoSpec


class AvocadoModel(NamedTuple):
    """Numbers of a robot; see AvocadoSpec."""

    mass: float  # [kg]
    inertia_x: float  # [kg m^2]
    inertia_y: float
    inertia_z: float
    mass_arm: float  # [m]
    thrust_arm: float  # [m]
    gravity: float  # [m/s^2]
    drag: float  # of the centre of mass [N s/m]
    drag_x: float  # of turning about the axes of the plate [N m s]
    drag_y: float
    drag_z: float
    damping_phi: float  # [N m s]
    damping_heading: float
    damping_psi: float
    tether_stiffness: float  # [N/m]
    tether_damping: float  # [N s/m]


def make_model(spec: AvocadoSpec) -> AvocadoModel:
    """The model of a robot."""
    a, b = spec.half_axis_y, spec.half_axis_z
    drag = spec.drag_coefficient * spec.plate_area
    return AvocadoModel(
        mass=spec.mass,
        inertia_x=spec.inertia_x,
        inertia_y=spec.inertia_y,
        inertia_z=spec.inertia_z,
        mass_arm=spec.mass_arm,
        thrust_arm=spec.thrust_arm,
        gravity=spec.gravity,
        drag=drag,
        drag_x=drag * (a * a + b * b) / 4.0,
        drag_y=drag * b * b / 4.0,
        drag_z=drag * a * a / 4.0,
        damping_phi=spec.damping_phi,
        damping_heading=spec.damping_heading,
        damping_psi=spec.damping_psi,
        tether_stiffness=spec.tether_stiffness,
        tether_damping=spec.tether_damping,
    )
