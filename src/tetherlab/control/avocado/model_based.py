"""A controller that knows the model: gains by tether angle and free length, statics fed forward."""

import math

from tetherlab.contracts import check
from tetherlab.control.avocado.bearings import Bearings, take_bearings
from tetherlab.control.avocado.length import LengthLaw
from tetherlab.control.avocado.motors import motors_of
from tetherlab.control.avocado.references import References
from tetherlab.control.avocado.schedule import Schedule, Weights
from tetherlab.control.avocado.shaping import Shaper
from tetherlab.vehicles.avocado.simulate import HOLD, check_kind
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import AvocadoCommand, AvocadoState

YAW_FULL = math.radians(30.0)  # beyond, the integrals rest
TURN_MAX = math.radians(50.0)  # by which the robot turns away from its heading to push sideways
YAW_ERROR_MAX = math.radians(60.0)  # more does not turn it faster
BIAS_RATE = 0.5  # at which a torque that is always missing is learned [1/s]
THETA_RATE_MAX, HEADING_RATE_MAX = math.radians(60.0), math.radians(120.0)  # of shaped references


class ModelController:
    """Two linear-quadratic regulators, one in the robot's plane and one across. Called every 10 ms.

    The gains follow theta and the free length, `state.distance`, which may jump when the tether meets a
    branch. Where the motors cannot do both, the robot turns first: a thrust in the wrong direction is
    worse than none. Propellers that turn both ways (AvocadoSpec.reverse_thrust) are used that way.

    lift: thrust up to which it may be raised to turn [N]. bandwidth, heading_bandwidth: at which theta and
    heading follow steps [rad/s].
    """

    @check.known_arguments
    def __init__(
        self,
        spec: AvocadoSpec,
        references: References,
        *,
        weights: Weights | None = None,
        length: LengthLaw | None = None,
        lift: float = 0.6,
        bandwidth: float = 3.0,
        heading_bandwidth: float = 4.0,
    ) -> None:
        check_kind("spec", spec, AvocadoSpec)
        self.spec, self.references = spec, references
        self.schedule = Schedule(spec, Weights() if weights is None else weights)
        self.length = LengthLaw() if length is None else length
        self.motors = motors_of(spec)
        self.lift = check.non_negative("lift", lift)
        bandwidth = check.positive("bandwidth", bandwidth)
        self._theta = Shaper(bandwidth, THETA_RATE_MAX)
        self._heading = Shaper(check.positive("heading_bandwidth", heading_bandwidth), HEADING_RATE_MAX)
        self._inertia = spec.inertia_z + spec.mass * spec.mass_arm**2  # about P
        self.reset()

    def reset(self) -> None:
        """Forget all that has been."""
        self.length.reset()
        self._integral, self._bias, self._running = 0.0, 0.0, False

    def __call__(self, time: float, state: AvocadoState) -> AvocadoCommand:
        """The next command, for 10 ms."""
        wanted, schedule = self.references(time), self.schedule
        if not self._running:
            self._theta.start(min(max(state.theta, 0.0), schedule.lean_max))
            self._heading.start(wanted.heading)
            self._running = True
        self._theta(min(wanted.theta, schedule.lean_max), wanted.theta_rate, HOLD)
        self._heading(wanted.heading, wanted.heading_rate, HOLD)
        seen = take_bearings(state, self._heading.value)
        gains, swing = schedule.gains(seen.lean, state.distance)
        facing = max(0.0, math.cos(seen.yaw))
        lean = math.asin(facing * math.sin(self._theta.value))
        asked = self._push(seen, state, lean, facing, gains, swing)
        torque = self._turn(seen, state.theta, gains)
        thrust, given = self.motors.torque_first(asked, torque, self.lift)
        if abs(seen.yaw) < YAW_FULL:
            # Integrals rest while the motors cannot do what they ask for.
            error = seen.lean - lean
            if asked == thrust or (asked - thrust) * error > 0.0:
                self._integral += error * HOLD
            if torque == given:
                self._bias += BIAS_RATE * gains[6] * seen.yaw * HOLD
        speed = self.length(state.tether_length, wanted.tether_length, HOLD)
        return AvocadoCommand(reel_speed=speed, thrust=thrust, torque=given)

    def _push(
        self,
        seen: Bearings,
        state: AvocadoState,
        lean: float,
        facing: float,
        gains: list[float],
        swing: float,
    ) -> float:
        """Thrust [N], before the motors' limits; lean: where the tether shall be in the robot's plane."""
        aim = self._theta
        # A pendulum that shall accelerate needs the thrust of a larger angle: theta'' = w^2 (k T - theta).
        thrust, phi = self.schedule.rest(lean + facing * aim.acceleration / swing**2)
        thrust -= gains[0] * (seen.lean - lean) + gains[1] * (state.phi - phi)
        thrust -= gains[2] * (seen.lean_rate - facing * aim.rate) + gains[3] * state.phi_rate
        thrust -= gains[4] * self._integral
        return min(thrust, self._upright_thrust(seen.lean + state.phi, seen.lean_rate + state.phi_rate))

    def _upright_thrust(self, pitch: float, rate: float) -> float:
        """Most thrust [N] under which the robot, turning about P as it does, stops before it is too steep.

        With c its largest pitch, I rate^2 / 2 + T l_Th (c - pitch) < m g l_g (cos(pitch) - cos(c)): energy
        about P, as if P stood still.
        """
        spec, most = self.spec, self.schedule.pitch_max
        left = most - pitch
        if left <= 0.0:
            return 2.0 * self.motors.least
        spare = spec.weight * spec.mass_arm * (math.cos(pitch) - math.cos(most))
        if rate > 0.0:
            spare -= 0.5 * self._inertia * rate * rate
        return spare / (spec.thrust_arm * left)

    def _turn(self, seen: Bearings, theta: float, gains: list[float]) -> float:
        """Torque [N m], before the motors' limits."""
        k_side, k_turn, k_side_rate, k_turn_rate, authority = gains[5:]
        rate, c, s = self._heading.rate, math.cos(theta), math.sin(abs(theta))
        # The regulator's law, with the yaw by which it pushes sideways in the middle, where it is limited.
        lead = s * self._heading.acceleration / authority
        lead -= (k_side * seen.side + k_side_rate * (seen.side_rate - s * rate)) / k_turn
        lead = min(max(lead, -TURN_MAX), TURN_MAX)
        error = min(max(c * seen.yaw - lead, -YAW_ERROR_MAX), YAW_ERROR_MAX)
        return -k_turn * error - k_turn_rate * (seen.turn_rate - c * rate) - self._bias
