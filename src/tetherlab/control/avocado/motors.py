"""Two propellers that cannot do everything: which thrust and torque they give when asked for too much."""

from dataclasses import dataclass

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.vehicles.avocado.spec import AvocadoSpec


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class MotorPair:
    """Left and right motor, each between its own limits; thrust and torque are their sum and difference.

    T = T_l + T_r and tau = (T_l - T_r) l_Th^p, equations (3) and (4) of the paper.
    """

    arm: float  # l_Th^p [m]
    least: float  # of each motor; negative: it can run backwards [N]
    most: float  # of each motor [N]

    def __post_init__(self) -> None:
        arm = check.positive("MotorPair.arm", self.arm)
        least, most = check.number("MotorPair.least", self.least), check.number("MotorPair.most", self.most)
        if not least < most:
            raise InputError(f"MotorPair.least must be below `most`, got {least:g} and {most:g} N")
        for name, value in (("arm", arm), ("least", least), ("most", most)):
            object.__setattr__(self, name, value)

    def clip_each(self, thrust: float, torque: float) -> tuple[float, float]:
        """Each motor as asked, or at its limit: then thrust and torque give way alike.

        So do the flight controller and its motors on the robot. A torque at the least thrust comes out
        halved, and brings a thrust with it.
        """
        half, difference = 0.5 * thrust, 0.5 * torque / self.arm
        left = min(max(half + difference, self.least), self.most)
        right = min(max(half - difference, self.least), self.most)
        return left + right, (left - right) * self.arm

    def torque_first(self, thrust: float, torque: float, lift: float) -> tuple[float, float]:
        """The torque as asked as far as a thrust between `thrust` and `lift` [N] allows; then the torque.

        Where the thrust asked for is too small to carry the torque it is raised, but not above `lift`;
        where it is too large it is lowered, since the robot that does not turn pushes the wrong way.
        """
        low, high = 2.0 * self.least, 2.0 * self.most
        need = abs(torque) / self.arm
        floor, ceiling = low + need, high - need
        thrust = min(max(thrust, low), high)
        if floor > ceiling:
            floor = ceiling = 0.5 * (low + high)
        if thrust < floor:
            thrust = max(thrust, min(floor, lift))
        elif thrust > ceiling:
            thrust = ceiling
        reach = self.torque_reach(thrust)
        return thrust, min(max(torque, -reach), reach)

    def torque_reach(self, thrust: float) -> float:
        """Largest torque [N m] to either side at a thrust [N] that is kept."""
        return self.arm * max(0.0, min(thrust - 2.0 * self.least, 2.0 * self.most - thrust))


def motors_of(spec: AvocadoSpec) -> MotorPair:
    """The motors of a robot."""
    return MotorPair(arm=spec.motor_arm, least=0.5 * spec.thrust_least, most=0.5 * spec.thrust_max)
