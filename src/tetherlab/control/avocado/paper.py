"""The paper's controller: length, tether angle and heading, each by a law of its own (Fig. 6 and 11)."""

import math

from tetherlab.contracts import check
from tetherlab.control.avocado.heading import HeadingLaw
from tetherlab.control.avocado.length import LengthLaw
from tetherlab.control.avocado.motors import motors_of
from tetherlab.control.avocado.planar import PlacedGains, PlanarGains, PlanarLaw, fixed_gains
from tetherlab.control.avocado.references import References
from tetherlab.vehicles.avocado.simulate import HOLD, check_kind
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import AvocadoCommand, AvocadoState
from tetherlab.vehicles.avocado.statics import equilibrium, thrust_for, widest_thrust

STEEP = math.sin(math.radians(10.0))  # of theta, below which its heading counts less


class PaperController:
    """Follows references with three laws that know nothing of each other. Called every 10 ms.

    The paper prints no gains. Those of the planar law are placed at 1 m of tether, where it tuned its own,
    for all lengths; with `planar=PlacedGains(spec)` they follow the free length, `state.distance`.
    heading, length: laws other than the built-in; thrust_max: at most that [N], by default the thrust of
    the largest tether angle, beyond which more thrust lowers the robot (section IV-E).
    """

    @check.known_arguments
    def __init__(
        self,
        spec: AvocadoSpec,
        references: References,
        *,
        planar: PlanarGains | PlacedGains | None = None,
        heading: HeadingLaw | None = None,
        length: LengthLaw | None = None,
        thrust_max: float | None = None,
    ) -> None:
        check_kind("spec", spec, AvocadoSpec)
        self.spec, self.references = spec, references
        most = widest_thrust(spec) if thrust_max is None else min(thrust_max, spec.thrust_max)
        check.positive("thrust_max", most)
        self.planar = PlanarLaw(fixed_gains(spec) if planar is None else planar, spec.thrust_least, most)
        self.heading = HeadingLaw() if heading is None else heading
        self.length = LengthLaw() if length is None else length
        self.motors = motors_of(spec)
        self._theta_max = equilibrium(spec, min(most, spec.thrust_limit)).theta
        self._running = False

    def reset(self) -> None:
        """Forget all that has been."""
        self.length.reset()
        self._running = False

    def __call__(self, time: float, state: AvocadoState) -> AvocadoCommand:
        """The next command, for 10 ms."""
        wanted = self.references(time)
        theta, theta_rate, heading, psi = state.theta, state.theta_rate, state.heading, state.psi
        if math.cos(psi) < 0.0:
            # The robot looks away from where the tether leans: the same place, with theta < 0.
            theta, theta_rate, heading, psi = -theta, -theta_rate, heading + math.pi, psi - math.pi
        if not self._running:
            self.planar.start(thrust_for(self.spec, min(max(theta, 0.0), self._theta_max)))
            self._running = True
        thrust = self.planar(theta, theta_rate, wanted.theta, wanted.theta_rate, state.distance, HOLD)
        turn_rate = state.heading_rate * math.cos(theta) + state.psi_rate
        # Close to the vertical the tether's heading turns fast by next to nothing: what counts is its speed.
        share = min(1.0, abs(math.sin(theta)) / STEEP)
        sideways = share * state.heading_rate + (1.0 - share) * wanted.heading_rate
        torque = self.heading(heading + psi, sideways, turn_rate, wanted.heading, wanted.heading_rate)
        thrust, torque = self.motors.clip_each(thrust, torque)
        return AvocadoCommand(
            reel_speed=self.length(state.tether_length, wanted.tether_length, HOLD),
            thrust=thrust,
            torque=torque,
        )
