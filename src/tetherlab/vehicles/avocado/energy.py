"""Mechanical energy of AVOCADO."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.avocado.simulate import check_kind
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import AvocadoState
from tetherlab.vehicles.avocado.trajectory import AvocadoTrajectory

Value = float | NDArray[np.float64]


class AvocadoEnergy(NamedTuple):
    """In joules: numbers for a state, arrays (n,) for a trajectory."""

    kinetic: Value
    potential: Value  # of the weight, zero at the height of the anchor
    elastic: Value  # of the stretched tether

    @property
    def total(self) -> Value:
        """Their sum [J]."""
        return self.kinetic + self.potential + self.elastic


@check.known_arguments
def energy(spec: AvocadoSpec, motion: AvocadoState | AvocadoTrajectory) -> AvocadoEnergy:
    """Energy of a state, or of all states of a trajectory."""
    check_kind("spec", spec, AvocadoSpec)
    if not isinstance(motion, AvocadoState | AvocadoTrajectory):
        raise InputError(f"motion must be an AvocadoState or an AvocadoTrajectory, got {motion!r}")
    q = motion
    # Turning rates of the tether frame; velocity of the centre of mass and body rates, both in that frame.
    s, c, sp, cp = np.sin(q.theta), np.cos(q.theta), np.sin(q.psi), np.cos(q.psi)
    w1 = q.heading_rate * s * cp - q.theta_rate * sp
    w2 = q.heading_rate * c + q.psi_rate
    w3 = q.heading_rate * s * sp + q.theta_rate * cp
    sf, cf, turn = np.sin(q.phi), np.cos(q.phi), w3 + q.phi_rate
    arm = spec.mass_arm
    v1 = -q.distance * w3 - arm * turn * cf
    v2 = q.distance_rate - arm * turn * sf
    v3 = q.distance * w1 + arm * (w1 * cf + w2 * sf)
    o1, o2 = w1 * cf + w2 * sf, w2 * cf - w1 * sf
    moments = spec.inertia_x * o1**2 + spec.inertia_y * o2**2 + spec.inertia_z * turn**2
    below = q.distance * c + arm * (cf * c - sf * s * cp)
    stretch = np.maximum(q.distance - q.tether_length, 0.0)
    values = (
        0.5 * spec.mass * (v1**2 + v2**2 + v3**2) + 0.5 * moments,
        -spec.weight * below,
        0.5 * spec.tether_stiffness * stretch**2,
    )
    if isinstance(motion, AvocadoState):
        return AvocadoEnergy(*(float(value) for value in values))
    return AvocadoEnergy(*values)
