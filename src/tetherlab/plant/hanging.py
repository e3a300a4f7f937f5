"""A robot that hangs on its tether, in the paper's words and in the world's."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tetherlab.tether.spec import TetherSpec
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.state import AvocadoState
from tetherlab.vehicles.avocado.statics import resting
from tetherlab.vehicles.avocado.turns import about_z, tether_frame

Vector = NDArray[np.float64]
ELEMENT = 0.2  # of the tether [m]: it is light and taut, and bends only where it touches something
TO_ENU = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]])  # from the paper's axes, and back


def hanging(
    spec: AvocadoRobotSpec, tether_length: float, *, thrust: float = 0.0, heading: float = 0.0
) -> AvocadoState:
    """The state at rest under a thrust [N], stretched as the tether of the plant is."""
    state = resting(spec, tether_length, thrust=thrust, heading=heading)
    pull = (state.distance - state.tether_length) * spec.tether_stiffness
    return replace(state, distance=state.tether_length * (1.0 + pull / spec.tether_axial_stiffness))


def make_tether_spec(spec: AvocadoRobotSpec) -> TetherSpec:
    """What the tether of the robot is made of."""
    return TetherSpec(
        linear_density=spec.tether_density,
        diameter=spec.tether_diameter,
        axial_stiffness=spec.tether_axial_stiffness,
        axial_damping=spec.tether_axial_damping,
        bending_damping=spec.tether_bending_damping,
        strength=spec.tether_strength,
        friction=spec.tether_friction,
    )


def motion_of(start: AvocadoState) -> tuple[Vector, Vector, Vector, Vector]:
    """Direction of the free part, attitude, angular velocity and velocity of P relative to it, all ENU."""
    Q = tether_frame(start.heading, start.theta, start.psi)
    R = Q @ about_z(start.phi)
    s, c, sp, cp = (f(x) for x in (start.theta, start.psi) for f in (math.sin, math.cos))
    w = np.array(
        [
            start.heading_rate * s * cp - start.theta_rate * sp,
            start.heading_rate * c + start.psi_rate,
            start.heading_rate * s * sp + start.theta_rate * cp,
        ]
    )
    n_W = TO_ENU @ Q[:, 1]
    frame_W = TO_ENU @ Q @ w
    w_W = TO_ENU @ Q @ (w + np.array([0.0, 0.0, start.phi_rate]))
    v_W = start.distance_rate * n_W + start.distance * np.cross(frame_W, n_W)
    return n_W, TO_ENU @ R @ TO_ENU, w_W, v_W
