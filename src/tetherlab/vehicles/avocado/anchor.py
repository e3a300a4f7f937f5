"""An anchor that is set in motion: what a jerk of the branch does to the robot."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.vehicles.avocado.simulate import check_kind
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import AvocadoState
from tetherlab.vehicles.avocado.turns import tether_frame

Array = NDArray[np.float64]
UPRIGHT = 1e-9  # sine of theta below which Omega and psi are told apart by the motion


@check.known_arguments
def jerk_anchor(spec: AvocadoSpec, state: AvocadoState, velocity_change: ArrayLike) -> AvocadoState:
    """The state, as seen from the anchor, just after the anchor's velocity has changed, ENU [m/s], (3,).

    Seen from there every mass gets an impulse against the change, at the centre of mass of the robot. The
    tether gives none at that instant: it answers with a force, as soon as the motion goes on. An anchor
    that moves on at constant speed is as good as one at rest, but for the air.
    """
    check_kind("spec", spec, AvocadoSpec)
    check_kind("state", state, AvocadoState)
    change = check.vector("velocity_change", velocity_change)
    east, north, up = change.tolist()
    Q = tether_frame(state.heading, state.theta, state.psi)
    local = Q.T @ np.array([-east, -up, -north])
    jacobian, mass = _matrices(spec, state)
    rates = np.array([state.distance_rate, *_turning(state), state.phi_rate])
    rates -= np.linalg.solve(mass, spec.mass * jacobian.T @ local)
    return _with_rates(state, rates)


def _turning(state: AvocadoState) -> tuple[float, float, float]:
    """Rates of the tether frame about its own axes [rad/s]."""
    s, c, sp, cp = (f(x) for x in (state.theta, state.psi) for f in (math.sin, math.cos))
    return (
        state.heading_rate * s * cp - state.theta_rate * sp,
        state.heading_rate * c + state.psi_rate,
        state.heading_rate * s * sp + state.theta_rate * cp,
    )


def _matrices(spec: AvocadoSpec, state: AvocadoState) -> tuple[Array, Array]:
    """d v_G / d (l', w, phi') in the tether frame, (3, 5), and the mass matrix of these rates, (5, 5)."""
    s, c, arm = math.sin(state.phi), math.cos(state.phi), spec.mass_arm
    reach = state.distance + arm * c
    jacobian = np.array(
        [
            [0.0, 0.0, 0.0, -reach, -arm * c],
            [1.0, 0.0, 0.0, -arm * s, -arm * s],
            [0.0, reach, arm * s, 0.0, 0.0],
        ]
    )
    turns = np.array([[0.0, c, s, 0.0, 0.0], [0.0, -s, c, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 1.0]])
    moments = np.diag([spec.inertia_x, spec.inertia_y, spec.inertia_z])
    return jacobian, spec.mass * jacobian.T @ jacobian + turns.T @ moments @ turns


def _with_rates(state: AvocadoState, rates: Array) -> AvocadoState:
    """The same place with these rates (l', w, phi')."""
    distance_rate, w1, w2, w3, phi_rate = rates.tolist()
    psi, heading = state.psi, state.heading
    sine, cosine = math.sin(state.theta), math.cos(state.theta)
    if abs(sine) < UPRIGHT and math.hypot(w1, w3) > 0.0:
        # The tether leaves the vertical along its heading, forwards or backwards, whichever is nearer.
        psi = math.atan2(-w1, w3)
        psi += math.pi * math.floor((state.psi - psi) / math.pi + 0.5)
        heading += state.psi - psi
    cp, sp = math.cos(psi), math.sin(psi)
    across = w1 * cp + w3 * sp
    heading_rate = across / sine if abs(sine) >= UPRIGHT else w2
    return replace(
        state,
        heading=heading,
        psi=psi,
        distance_rate=distance_rate,
        heading_rate=heading_rate,
        theta_rate=w3 * cp - w1 * sp,
        psi_rate=w2 - heading_rate * cosine,
        phi_rate=phi_rate,
    )
