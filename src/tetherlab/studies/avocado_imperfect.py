"""AVOCADO's controllers with what a robot has: noise, delay, drift, and motors that lag behind."""

import math
from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from tetherlab.contracts import check
from tetherlab.vehicles.avocado import AvocadoCommand, AvocadoState
from tetherlab.vehicles.avocado.simulate import HOLD, Controller


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Imperfection:
    """How the state that a controller sees, and the command that acts, differ from the true ones."""

    angle_noise: float = 0.0  # of theta, phi, psi and heading, white, standard deviation [rad]
    rate_noise: float = 0.0  # of their rates [rad/s]
    length_noise: float = 0.0  # of distance and tether length [m]
    delay: int = 0  # of the state, in calls of 10 ms
    heading_drift: float = 0.0  # of the camera's heading [rad/s]
    length_factor: float = 1.0  # of the distance that the controller believes
    motor_lag: float = 0.0  # time constant of thrust and torque [s]


@dataclass
class Imperfect:
    """A controller behind an imperfection. It has the memory of one run."""

    controller: Controller
    imperfection: Imperfection
    seed: int = 0

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        self._seen: deque[AvocadoState] = deque(maxlen=self.imperfection.delay + 1)
        self._pushed: tuple[float, float] | None = None

    def __call__(self, time: float, state: AvocadoState) -> AvocadoCommand:
        """What the motors do in the next 10 ms."""
        self._seen.append(state)
        command = self.controller(time, self._look(time, self._seen[0]))
        lag = self.imperfection.motor_lag
        if lag == 0.0:
            return command
        if self._pushed is None:
            self._pushed = command.thrust, command.torque
        # The mean over the hold of what decays exponentially towards the command.
        left = math.exp(-HOLD / lag)
        mean = lag / HOLD * (1.0 - left)
        old, self._pushed = (
            self._pushed,
            (
                command.thrust + left * (self._pushed[0] - command.thrust),
                command.torque + left * (self._pushed[1] - command.torque),
            ),
        )
        return replace(
            command,
            thrust=command.thrust + mean * (old[0] - command.thrust),
            torque=command.torque + mean * (old[1] - command.torque),
        )

    def _look(self, time: float, state: AvocadoState) -> AvocadoState:
        how, draw = self.imperfection, self._random.standard_normal(11)
        return AvocadoState(
            distance=max(0.03, how.length_factor * state.distance + how.length_noise * draw[0]),
            tether_length=max(0.03, state.tether_length + how.length_noise * draw[1]),
            heading=state.heading + how.heading_drift * time + how.angle_noise * draw[2],
            theta=state.theta + how.angle_noise * draw[3],
            phi=state.phi + how.angle_noise * draw[4],
            psi=state.psi + how.angle_noise * draw[5],
            distance_rate=state.distance_rate,
            heading_rate=state.heading_rate + how.rate_noise * draw[7],
            theta_rate=state.theta_rate + how.rate_noise * draw[8],
            phi_rate=state.phi_rate + how.rate_noise * draw[9],
            psi_rate=state.psi_rate + how.rate_noise * draw[10],
        )
