"""How much AVOCADO's loops can bear: margins of gain, phase and delay where they meet the motors."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

from tetherlab.contracts.errors import InputError
from tetherlab.control.avocado.heading import HeadingLaw
from tetherlab.control.avocado.planar import PlacedGains, PlanarGains
from tetherlab.control.avocado.schedule import Schedule
from tetherlab.vehicles.avocado.linearise import lateral_system, planar_system
from tetherlab.vehicles.avocado.simulate import HOLD
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.statics import equilibrium

Array = NDArray[np.float64]
FREQUENCIES = np.geomspace(1e-2, math.pi / HOLD, 4000)  # [rad/s]


class Loop(NamedTuple):
    """x' = A x + b u with u = -K x."""

    A: Array  # (n, n)
    b: Array  # (n,)
    K: Array  # (n,)


class Margins(NamedTuple):
    """What may change before the loop is unstable; inf: as much as one likes."""

    gain: float  # by which all gains may be multiplied
    less_gain: float  # to which they may be reduced, 0: to nothing
    phase: float  # that may be lost [rad]
    delay: float  # that may be added [s]


def margins(loop: Loop, *, lag: float = 0.0) -> Margins:
    """Of a loop whose command is held for 10 ms, with motors of this lag [s]."""
    if not stable(loop, lag):
        raise InputError("margins are those of a stable loop, and this one is not")
    w = FREQUENCIES
    n = len(loop.b)
    matrices = 1j * w[:, None, None] * np.eye(n) - loop.A
    response = np.linalg.solve(matrices, loop.b[:, None].astype(complex))[:, :, 0] @ loop.K
    response = response * np.exp(-0.5j * HOLD * w) / (1.0 + 1j * lag * w)
    real, imaginary = response.real, response.imag
    at = np.flatnonzero((imaginary[:-1] * imaginary[1:] < 0.0) & (real[:-1] < 0.0))
    crossing = -1.0 / np.minimum(real[at], -1e-9)
    size = np.abs(response)
    unity = np.flatnonzero((size[:-1] - 1.0) * (size[1:] - 1.0) < 0.0)
    left = np.abs(np.angle(-response[unity]))
    # Delay turns the response backwards: what counts is how far that is from -1.
    late = np.mod(np.angle(-response[unity]), 2.0 * math.pi) / w[unity]
    return Margins(
        gain=float(min(crossing[crossing > 1.0], default=math.inf)),
        less_gain=float(max(crossing[crossing < 1.0], default=0.0)),
        phase=float(min(left, default=math.inf)),
        delay=float(min(late, default=math.inf)),
    )


def stable(loop: Loop, lag: float = 0.0, delay: int = 0) -> bool:
    """Whether all that is held for 10 ms and comes `delay` calls late dies away."""
    return bool(np.abs(closed_eigenvalues(loop, lag, delay)).max() < 1.0)


def closed_eigenvalues(loop: Loop, lag: float = 0.0, delay: int = 0) -> NDArray[np.complex128]:
    """Of the closed loop from call to call, with motors of this lag [s] and states that come late."""
    n = len(loop.b)
    m = n + (lag > 0.0)
    both = np.zeros((m + 1, m + 1))
    both[:n, :n] = loop.A
    if lag > 0.0:
        both[:n, n], both[n, n], both[n, n + 1] = loop.b, -1.0 / lag, 1.0 / lag
    else:
        both[:n, n] = loop.b
    both = expm(HOLD * both)
    size = m + delay
    step = np.zeros((size, size))
    step[:m, :m] = both[:m, :m]
    feedback = np.zeros(size)
    feedback[:n] = -loop.K
    if delay == 0:
        step[:m] += np.outer(both[:m, m], feedback)
    else:
        step[:m, size - 1] = both[:m, m]
        step[m] = feedback
        for k in range(1, delay):
            step[m + k, m + k - 1] = 1.0
    return np.asarray(np.linalg.eigvals(step), dtype=np.complex128)


def paper_planar_loop(
    spec: AvocadoSpec, gains: PlanarGains | PlacedGains, length: float, thrust: float
) -> Loop:
    """The PID and its filter about a rest; states: theta, phi, their rates, integral, filtered rate."""
    system = planar_system(spec, length, thrust=thrust)
    A = np.zeros((6, 6))
    A[:4, :4], A[4, 0] = system.A, 1.0
    A[5, 2], A[5, 5] = gains.filter_rate, -gains.filter_rate
    proportional, integral, derivative = gains.at(length)
    K = np.array([proportional, 0.0, 0.0, 0.0, integral, derivative])
    return Loop(A, np.append(system.b, [0.0, 0.0]), K)


def paper_heading_loop(spec: AvocadoSpec, law: HeadingLaw, length: float, thrust: float) -> Loop:
    """The heading cascade about a rest; states: side, turn and their rates."""
    theta = equilibrium(spec, thrust).theta
    system = lateral_system(spec, length, thrust=thrust)
    # Omega = side / sin(theta) and Omega + psi = turn + side tan(theta / 2).
    K = law.torque_gain * np.array(
        [law.gain * math.tan(0.5 * theta), law.gain, law.damping / math.sin(theta), 1.0]
    )
    return Loop(system.A, system.b, K)


def model_planar_loop(spec: AvocadoSpec, schedule: Schedule, length: float, thrust: float) -> Loop:
    """The regulator of the plane about a rest; states: theta, phi, their rates, integral."""
    system = planar_system(spec, length, thrust=thrust)
    A = np.zeros((5, 5))
    A[:4, :4], A[4, 0] = system.A, 1.0
    gains, _ = schedule.gains(equilibrium(spec, thrust).theta, length)
    return Loop(A, np.append(system.b, 0.0), np.array(gains[:5]))


def model_lateral_loop(
    spec: AvocadoSpec, schedule: Schedule, length: float, thrust: float, *, damped: bool = True
) -> Loop:
    """The regulator across the plane about a rest; states: side, turn and their rates."""
    if not damped:
        spec = replace(spec, damping_heading=0.0, damping_psi=0.0)
    system = lateral_system(spec, length, thrust=thrust)
    gains, _ = schedule.gains(equilibrium(spec, thrust).theta, length)
    return Loop(system.A, system.b, np.array(gains[5:9]))
