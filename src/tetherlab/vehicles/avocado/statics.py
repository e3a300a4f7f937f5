"""AVOCADO at rest: closed form of the angles under a thrust."""

import math
from dataclasses import replace
from typing import NamedTuple

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.avocado.simulate import check_kind
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import LENGTH_MIN, AvocadoState

LEVEL = math.radians(85.0)  # angle of a tether that is as good as level


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


@check.known_arguments
def widest_thrust(spec: AvocadoSpec) -> float:
    """Thrust [N] under which the tether rests at the largest angle that the motors can hold.

    With r = l_Th / l_g > 1 and strong motors that is where tan(theta) = 1 / (2 sqrt(r (r - 1))). With r <= 1
    it grows until the tether is level, and beyond; as that is no place to hang, 85 deg count as the largest.
    """
    check_kind("spec", spec, AvocadoSpec)
    ratio = spec.thrust_arm / spec.mass_arm
    square = 1.0 / (4.0 * ratio * (ratio - 1.0)) if ratio > 1.0 else math.inf  # of tan(theta)
    if square > math.tan(LEVEL) ** 2:
        thrust = _smallest_thrust(spec, LEVEL)
    else:
        share = (2.0 * ratio * square + 1.0) / (2.0 * ratio**2 * (square + 1.0))
        thrust = spec.weight * math.sqrt(share)
    return min(thrust, spec.thrust_max)


@check.known_arguments
def thrust_for(spec: AvocadoSpec, theta: float) -> float:
    """The smallest thrust [N] under which the tether rests at an angle of 0 to less than a right one [rad].

    An angle that the motors cannot hold is refused.
    """
    check_kind("spec", spec, AvocadoSpec)
    theta = check.number("theta", theta)
    if not 0.0 <= theta < 0.5 * math.pi:
        raise InputError(f"theta must be from 0 to less than a right angle, got {math.degrees(theta):g} deg")
    thrust = _smallest_thrust(spec, theta)
    if not thrust <= spec.thrust_max * (1.0 + 1e-9):
        widest = widest_thrust(spec)
        weak = f" with motors of {widest:g} N" if widest == spec.thrust_max else ""
        raise InputError(
            f"theta must be at most {math.degrees(equilibrium(spec, widest).theta):.4g} deg, the largest at "
            f"which the robot can rest{weak}, got {math.degrees(theta):g} deg"
        )
    return min(thrust, spec.thrust_max)


def _smallest_thrust(spec: AvocadoSpec, theta: float) -> float:
    """Under which the tether rests at an angle [rad], whether or not the motors can give it [N]; NaN: none.

    The square x of T / (m g) solves r^2 (t^2 + 1) x^2 - (2 r t^2 + 1) x + t^2 = 0, with t = tan(theta) and
    r = l_Th / l_g.
    """
    square, ratio = math.tan(theta) ** 2, spec.thrust_arm / spec.mass_arm
    middle = 2.0 * ratio * square + 1.0
    root = 1.0 + 4.0 * ratio * (1.0 - ratio) * square
    if root < 0.0:
        return math.nan
    return spec.weight * math.sqrt(2.0 * square / (middle + math.sqrt(root)))


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
