"""AVOCADO at rest: closed form of the angles under a thrust."""

import math
from dataclasses import replace
from typing import NamedTuple

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.avocado.simulate import check_kind
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import LENGTH_MIN, AvocadoState


class Equilibrium(NamedTuple):
    """Angles at rest [rad]; the pitch of the robot is their sum."""

    theta: float  # tether from the vertical
    phi: float  # robot from the tether


@check.known_arguments
def equilibrium(spec: AvocadoSpec, thrust: float) -> Equilibrium:
    """Angles at which the robot rests under a thrust [N], for any heading and tether length.

    With tau = T / (m g), moments about P give the pitch, sin(gamma) = tau l_Th / l_g, and forces the tether,
    tan(theta) = tau cos(gamma) / (1 - tau sin(gamma)). Beyond T = m g l_g / l_Th there is no equilibrium.
    """
    check_kind("spec", spec, AvocadoSpec)
    thrust = check.non_negative("thrust", thrust)
    across, down = _pull(spec, thrust)
    if math.hypot(across, down) < 1e-12 * spec.weight:
        raise InputError(f"thrust {thrust:g} N carries the robot alone: the tether is slack and has no angle")
    theta = math.atan2(across, down)
    return Equilibrium(theta, _pitch(spec, thrust) - theta)


@check.known_arguments
def resting(
    spec: AvocadoSpec, tether_length: float, *, thrust: float = 0.0, heading: float = 0.0
) -> AvocadoState:
    """The state at rest under a thrust [N], with the tether stretched [m] by what it carries."""
    theta, phi = equilibrium(spec, thrust)
    stretch = math.hypot(*_pull(spec, float(thrust))) / spec.tether_stiffness
    slack = AvocadoState(
        distance=LENGTH_MIN, tether_length=tether_length, heading=heading, theta=theta, phi=phi
    )
    return replace(slack, distance=slack.tether_length + stretch)


def _pitch(spec: AvocadoSpec, thrust: float) -> float:
    sine = thrust / spec.thrust_limit
    if sine > 1.0:
        raise InputError(
            f"thrust must be at most {spec.thrust_limit:.6g} N (m g l_g / l_Th) for the robot to rest, "
            f"since beyond it turns over about the point where the tether is tied, got {thrust:g}"
        )
    return math.asin(sine)


def _pull(spec: AvocadoSpec, thrust: float) -> tuple[float, float]:
    """Force of the robot on the tether, across and down [N]."""
    pitch = _pitch(spec, thrust)
    return thrust * math.cos(pitch), spec.weight - thrust * math.sin(pitch)
