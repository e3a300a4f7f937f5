"""Where AVOCADO is, seen from a wanted heading: numbers that stay good where theta passes 0."""

import math
from typing import NamedTuple

from tetherlab.control.avocado.heading import wrapped
from tetherlab.vehicles.avocado.state import AvocadoState


class Bearings(NamedTuple):
    """In the plane of tether and robot, and out of the vertical plane of the wanted heading."""

    lean: float  # of the tether in the robot's plane, theta if psi = 0, with its sign [rad]
    lean_rate: float  # of the tether frame about its z [rad/s]
    side: float  # of the tether out of the wanted plane, to the right, as a sine
    side_rate: float  # [1/s]
    yaw: float  # of the thrust from the wanted heading, to the right [rad]
    turn_rate: float  # of the robot about the tether, omega_y [rad/s]


def take_bearings(state: AvocadoState, heading: float) -> Bearings:
    """Bearings of a state against a heading [rad]."""
    s, c = math.sin(state.theta), math.cos(state.theta)
    sp, cp = math.sin(state.psi), math.cos(state.psi)
    off = state.heading - heading
    so, co = math.sin(off), math.cos(off)
    return Bearings(
        math.atan2(s * cp, c),
        state.heading_rate * s * sp + state.theta_rate * cp,
        s * so,
        c * so * state.theta_rate + s * co * state.heading_rate,
        wrapped(off + math.atan2(sp, c * cp)),
        state.heading_rate * c + state.psi_rate,
    )
