"""State and command of AVOCADO in the paper's words."""

from dataclasses import dataclass
from math import isfinite

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError

LENGTH_MIN = 0.02  # of tether and distance: nearer to the anchor the direction of the tether means little [m]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class AvocadoState:
    """Where the robot is and how it moves. Angles in radians; the pitch of the robot is theta + phi.

    heading turns about the vertical, positive to the right (clockwise from above), as in the paper; theta
    tilts the tether towards the heading, psi turns the robot about the tether, to the right, and phi
    pitches it against the tether. (heading, theta, psi) is the same as (heading + pi, -theta, psi - pi).
    """

    distance: float  # l, from the anchor to P, where the tether is tied [m]
    tether_length: float  # l_T, unstretched [m]
    heading: float = 0.0  # Omega [rad]
    theta: float = 0.0  # tether from the vertical [rad]
    phi: float = 0.0  # robot from the tether [rad]
    psi: float = 0.0  # roll about the tether [rad]
    distance_rate: float = 0.0  # [m/s]
    heading_rate: float = 0.0  # [rad/s]
    theta_rate: float = 0.0  # [rad/s]
    phi_rate: float = 0.0  # [rad/s]
    psi_rate: float = 0.0  # [rad/s]

    def __post_init__(self) -> None:
        for name, value in self.__dict__.items():
            # Estimators make one every 10 ms: the plain case first.
            if type(value) is not float or not isfinite(value):
                object.__setattr__(self, name, check.number(f"AvocadoState.{name}", value))
        for name in ("distance", "tether_length"):
            value = getattr(self, name)
            if value < LENGTH_MIN:
                raise InputError(
                    f"AvocadoState.{name} must be at least {LENGTH_MIN:g} m, since nearer to the anchor the "
                    f"direction of the tether means nothing, got {value:g}"
                )

    @property
    def pitch(self) -> float:
        """Of the robot, theta + phi [rad]."""
        return self.theta + self.phi


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class AvocadoCommand:
    """What is held until the next command. The motors follow at once, as in the paper."""

    reel_speed: float = 0.0  # rate of the tether length, > 0 pays out [m/s]
    thrust: float = 0.0  # T, of both motors [N]
    torque: float = 0.0  # tau, > 0 turns to the right: the left motor pushes more [N m]

    def __post_init__(self) -> None:
        for name, value in self.__dict__.items():
            # A controller makes one every 10 ms: the plain case first.
            if type(value) is not float or not isfinite(value):
                object.__setattr__(self, name, check.number(f"AvocadoCommand.{name}", value))
