"""AVOCADO as it is, where its sensors look at it.

Both the analytic model and a rigid body in the plant can fill this: world ENU, body FLU. The paper's axes,
y down, z to the right, x backwards, are the same turned half round about (y - z)/sqrt(2): FLU and ENU come
from them by x, y, z -> -x, -z, -y, which is its own inverse.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.vehicles.avocado import AvocadoState
from tetherlab.vehicles.avocado.turns import about_z, tether_frame

Vector = NDArray[np.float64]
AXES = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]])  # paper's axes <-> ENU or FLU


class AvocadoTruth(NamedTuple):
    """SI. Sensors copy what they keep."""

    time: float  # [s]
    rotation: Vector  # R_WB, body to world, (3, 3)
    angular_velocity: Vector  # of the robot, body frame [rad/s], (3,)
    phi: float  # of the joint: robot from tether [rad]
    length: float  # of tether that is out [m]
    tension: float  # of the tether where it leaves the robot [N]
    position: Vector  # of P, where the tether is tied, from the anchor, world frame [m], (3,)


def truth_of(
    time: float, state: AvocadoState, *, tension: float, anchor: Vector | None = None
) -> AvocadoTruth:
    """The truth of a state of the analytic model. anchor: place in the world from which it hangs now [m]."""
    rotation = AXES @ paper_rotation(state) @ AXES
    away, down = state.distance * math.sin(state.theta), state.distance * math.cos(state.theta)
    position = np.array([away * math.cos(state.heading), -away * math.sin(state.heading), -down])
    return AvocadoTruth(
        time=time,
        rotation=rotation,
        angular_velocity=AXES @ paper_rates(state),
        phi=state.phi,
        length=state.tether_length,
        tension=tension,
        position=position if anchor is None else position + anchor,
    )


def paper_rotation(state: AvocadoState) -> Vector:
    """R = Ry(Omega) Rz(theta) Ry(psi) Rz(phi), robot to inertial frame, in the paper's axes, (3, 3)."""
    return tether_frame(state.heading, state.theta, state.psi) @ about_z(state.phi)


def paper_rates(state: AvocadoState) -> Vector:
    """Turning rates of the robot in its own axes of the paper [rad/s], (3,)."""
    s, c = math.sin(state.theta), math.cos(state.theta)
    sp, cp = math.sin(state.psi), math.cos(state.psi)
    w = np.array(
        [
            state.heading_rate * s * cp - state.theta_rate * sp,
            state.heading_rate * c + state.psi_rate,
            state.heading_rate * s * sp + state.theta_rate * cp + state.phi_rate,
        ]
    )
    return about_z(state.phi).T @ w
