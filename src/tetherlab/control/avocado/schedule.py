"""Gains of linear-quadratic regulators over tether angle and free length, from the linearised model."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm, solve_discrete_are
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from tetherlab.contracts import check
from tetherlab.control.avocado.nodes import LENGTHS, length_node
from tetherlab.vehicles.avocado.linearise import LinearSystem, lateral_system, planar_system
from tetherlab.vehicles.avocado.simulate import HOLD
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.statics import equilibrium, thrust_for, widest_thrust

Array = NDArray[np.float64]

LEAN_COUNT = 7  # nodes of theta, from 0 to LEAN_SHARE of the largest
LEAN_SHARE = 0.93
REST_COUNT = 201  # entries of the table of rests
LATERAL_THRUST_MIN = 0.1  # below this, sideways gains grow without use [N]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Weights:
    """What counts as much as what: a deviation of each of these costs the same. Angles in radians."""

    lean: float = math.radians(5.0)  # theta
    phi: float = math.radians(20.0)
    lean_rate: float = math.radians(40.0)  # [rad/s]
    pitch_rate: float = math.radians(60.0)  # theta' + phi' [rad/s]
    lean_integral: float = math.radians(3.0)  # [rad s]
    thrust: float = 1.0  # [N]
    side: float = math.radians(3.0)  # of the tether, sideways
    turn: float = math.radians(20.0)  # of the robot about the tether
    side_rate: float = math.radians(20.0)  # [rad/s]
    turn_rate: float = math.radians(150.0)  # [rad/s]
    torque: float = 0.03  # [N m]

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            check.positive(f"Weights.{name}", getattr(self, name))


class Schedule:
    """Gains at nodes, and between them bilinear over theta and the logarithm of the free length.

    planar: of theta, phi, their rates, and the integral of theta, to thrust, (lengths, leans, 5).
    lateral: of side, turn and their rates, to torque, and last how much a turn accelerates sideways
    [1/s^2], (lengths, leans, 5). It is designed without the numerical damping of Omega and psi, on which no
    real robot can rely.
    """

    def __init__(self, spec: AvocadoSpec, weights: Weights) -> None:
        self.lean_max = LEAN_SHARE * equilibrium(spec, widest_thrust(spec)).theta
        leans = np.linspace(0.0, self.lean_max, LEAN_COUNT)
        self._lean_step = float(leans[1])
        self._rests = [self._rest(spec, k * self.lean_max / (REST_COUNT - 1)) for k in range(REST_COUNT)]
        steepest = self.lean_max + self._rests[-1][1]
        self.pitch_max = 0.5 * (steepest + 0.5 * math.pi)  # of the robot: half way to lying flat
        thrusts = [thrust_for(spec, float(lean)) for lean in leans]
        bare = replace(spec, damping_heading=0.0, damping_psi=0.0)
        self.planar = np.zeros((len(LENGTHS), LEAN_COUNT, 5))
        self.lateral = np.zeros((len(LENGTHS), LEAN_COUNT, 5))
        swing = []
        with threadpool_limits(1, "blas"):  # matrices of five rows: threads would only wait for each other
            for i, length in enumerate(LENGTHS):
                for j, thrust in enumerate(thrusts):
                    system = planar_system(spec, length, thrust=thrust)
                    self.planar[i, j] = _planar_gain(system, weights)
                    push = max(thrust, LATERAL_THRUST_MIN)
                    across = lateral_system(bare, length, thrust=push)
                    self.lateral[i, j, :4] = _lateral_gain(across, weights)
                    self.lateral[i, j, 4] = across.A[2, 1]
                system = planar_system(spec, length)
                swing.append(float(np.min(np.abs(np.linalg.eigvals(system.A)))))
        self._swing = swing
        self._rows = np.concatenate([self.planar, self.lateral], axis=2).tolist()

    @staticmethod
    def _rest(spec: AvocadoSpec, lean: float) -> tuple[float, float]:
        thrust = thrust_for(spec, lean)
        return thrust, equilibrium(spec, thrust).phi

    def rest(self, lean: float) -> tuple[float, float]:
        """Thrust [N] and phi [rad] at which the tether rests at an angle, or at the nearest that counts."""
        place = min(max(lean / self.lean_max, 0.0), 1.0) * (REST_COUNT - 1)
        k = min(int(place), REST_COUNT - 2)
        u, low, high = place - k, self._rests[k], self._rests[k + 1]
        return low[0] + u * (high[0] - low[0]), low[1] + u * (high[1] - low[1])

    def gains(self, lean: float, length: float) -> tuple[list[float], float]:
        """Five planar and five lateral numbers at theta [rad] and a free length [m]; the swing [rad/s]."""
        i, u = length_node(length)
        place = min(max(lean / self._lean_step, 0.0), LEAN_COUNT - 1.000001)
        j = int(place)
        v = place - j
        rows = self._rows
        a, b, c, d = (1.0 - u) * (1.0 - v), (1.0 - u) * v, u * (1.0 - v), u * v
        near, far = rows[i], rows[i + 1]
        mixed = [
            a * w + b * x + c * y + d * z
            for w, x, y, z in zip(near[j], near[j + 1], far[j], far[j + 1], strict=True)
        ]
        return mixed, (1.0 - u) * self._swing[i] + u * self._swing[i + 1]


def _planar_gain(system: LinearSystem, weights: Weights) -> Array:
    A = np.zeros((5, 5))
    A[:4, :4], A[4, 0] = system.A, 1.0
    cost = np.diag([weights.lean**-2, weights.phi**-2, weights.lean_rate**-2, 0.0, weights.lean_integral**-2])
    pitch_rate = np.array([0.0, 0.0, 1.0, 1.0, 0.0]) / weights.pitch_rate
    cost += np.outer(pitch_rate, pitch_rate)
    return regulator(A, np.append(system.b, 0.0), cost, weights.thrust)


def _lateral_gain(system: LinearSystem, weights: Weights) -> Array:
    sizes = np.array([weights.side, weights.turn, weights.side_rate, weights.turn_rate])
    return regulator(system.A, system.b, np.diag(sizes**-2), weights.torque)


def regulator(A: Array, b: Array, cost: Array, effort: float) -> Array:
    """K of u = -K x, held for 10 ms, that makes the sum of x cost x + (u / effort)^2 smallest, (n,)."""
    n = len(b)
    both = np.zeros((n + 1, n + 1))
    both[:n, :n], both[:n, n] = A, b
    both = expm(HOLD * both)
    F, g = both[:n, :n], both[:n, n:]
    price = np.array([[effort**-2]])
    P = solve_discrete_are(F, g, cost, price)
    return np.ravel(np.linalg.solve(price + g.T @ P @ g, g.T @ P @ F))
