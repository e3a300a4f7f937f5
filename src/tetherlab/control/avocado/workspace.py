"""Where AVOCADO can go, and how safely: the cone that it reaches, and what is left at each thrust."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.control.avocado.model_based import ModelController
from tetherlab.control.avocado.motors import motors_of
from tetherlab.control.avocado.references import hold
from tetherlab.vehicles.avocado.simulate import check_kind, simulate
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import AvocadoCommand
from tetherlab.vehicles.avocado.statics import equilibrium, resting, thrust_for, widest_thrust
from tetherlab.vehicles.avocado.trajectory import AvocadoStatus

Array = NDArray[np.float64]

STEP_DURATION = 20.0  # in which a step of the thrust turns the robot over, or does not [s]
STEP_FIRST = 0.02  # of the largest thrust: how finely steps are tried, from below
STEP_EXACT = 0.005  # to which the smallest is then found [N]
KNOCK = math.radians(10.0)  # by which the tether is knocked aside, to see how it recovers
KNOCK_NEAR = math.radians(1.0)  # within which it has recovered
KNOCK_DURATION = 10.0  # [s]


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """The reachable cone of a robot and its margins, one entry per thrust in arrays of n. SI units, radians.

    Beyond `thrust_widest` more thrust lowers the robot, and beyond `thrust_limit` it turns over. A thrust
    that is put on at once turns it over from `thrust_step` on, within 20 s from rest; None: no step can.
    """

    spec: AvocadoSpec
    tether_length: float  # at which steps and recovery are measured [m]
    thrust: Array  # [N], (n,)
    theta: Array  # at rest, (n,)
    pitch: Array  # at rest, (n,)
    thrust_margin: Array  # left up to the largest angle or the motors' limit, (n,)
    theta_margin: Array  # left up to the largest angle, (n,)
    torque: Array  # that the motors can still give [N m], (n,)
    recovery: Array  # time back to 1 deg after a knock by 10 deg [s], inf: never, NaN: not measured, (n,)
    theta_held: float  # largest angle that the model's controller holds, up to which recovery is measured
    theta_max: float  # half the opening of the cone, motors' limit included
    thrust_widest: float  # at which it is reached [N]
    thrust_limit: float  # beyond which there is no rest [N]
    thrust_step: float | None  # smallest step that turns the robot over [N]
    theta_step: float  # half the opening of the cone that steps of the thrust can reach

    @property
    def radius(self) -> float:
        """Of the cone at the tether's length [m]."""
        return self.tether_length * math.sin(self.theta_max)


@check.known_arguments
def workspace(spec: AvocadoSpec, tether_length: float = 1.0, *, count: int = 13) -> Workspace:
    """Compute it, with `count` thrusts from the least to that of the largest angle."""
    check_kind("spec", spec, AvocadoSpec)
    length = check.positive("tether_length", tether_length)
    if count < 2:
        raise InputError(f"count must be at least 2, got {count}")
    widest = widest_thrust(spec)
    least = max(spec.thrust_least, 0.0)
    if least >= widest:
        raise InputError(
            f"AvocadoSpec.thrust_min must be below {widest:.4g} N, the largest thrust that is of use, "
            f"got {least:g}"
        )
    thrusts = np.linspace(least, widest, count)
    rests = np.array([equilibrium(spec, float(thrust)) for thrust in thrusts])
    theta_max = float(rests[-1, 0])
    motors = motors_of(spec)
    step = overturning_step(spec, length)
    controller = ModelController(spec, hold(length))
    return Workspace(
        spec=spec,
        tether_length=length,
        thrust=thrusts,
        theta=rests[:, 0],
        pitch=rests.sum(axis=1),
        thrust_margin=widest - thrusts,
        theta_margin=theta_max - rests[:, 0],
        torque=np.array([motors.torque_reach(t) for t in thrusts.tolist()]),
        recovery=_recoveries(controller, length, rests[:, 0]),
        theta_held=controller.schedule.lean_max,
        theta_max=theta_max,
        thrust_widest=widest,
        thrust_limit=spec.thrust_limit,
        thrust_step=step,
        theta_step=theta_max if step is None else float(equilibrium(spec, min(step, widest)).theta),
    )


@check.known_arguments
def overturning_step(spec: AvocadoSpec, tether_length: float = 1.0) -> float | None:
    """The smallest thrust [N] that turns the robot over when put on at once, from rest; None: there is none.

    Steps are tried from below in fiftieths of the largest, and the first that fails is then found to 5 mN.
    The bound is not sharp: a larger step may pass where a smaller one fails.
    """
    top = min(spec.thrust_max, spec.thrust_limit)
    safe = 0.0
    for thrust in np.linspace(0.0, top, round(1.0 / STEP_FIRST) + 1)[1:].tolist():
        if _turns_over(spec, tether_length, thrust):
            break
        safe = thrust
    else:
        return None if top == spec.thrust_max else top
    while thrust - safe > STEP_EXACT:
        middle = 0.5 * (safe + thrust)
        if _turns_over(spec, tether_length, middle):
            thrust = middle
        else:
            safe = middle
    return thrust


def _turns_over(spec: AvocadoSpec, tether_length: float, thrust: float) -> bool:
    command = AvocadoCommand(thrust=thrust)
    run = simulate(spec, resting(spec, tether_length), command, STEP_DURATION, throw=False)
    lost = run.status is not AvocadoStatus.COMPLETED
    return lost or bool(np.abs(run.pitch).max() > 0.5 * math.pi)


def _recoveries(controller: ModelController, tether_length: float, thetas: Array) -> Array:
    """How long a robot with the model's controller takes after its tether was knocked inwards [s], (n,).

    NaN for an angle that it does not hold.
    """
    spec, times = controller.spec, []
    for theta in thetas.tolist():
        if theta > controller.schedule.lean_max:
            times.append(math.nan)
            continue
        controller.reset()
        controller.references = hold(tether_length, theta=theta)
        rest = resting(spec, tether_length, thrust=thrust_for(spec, theta))
        controller(0.0, rest)  # it has been there
        knocked = replace(rest, theta=rest.theta - KNOCK)
        run = simulate(spec, knocked, controller, KNOCK_DURATION, throw=False)
        away = np.flatnonzero(np.abs(run.theta - theta) > KNOCK_NEAR)
        lost = run.status is not AvocadoStatus.COMPLETED or away[-1] == len(run) - 1
        times.append(math.inf if lost else float(run.time[away[-1] + 1]))
    return np.array(times)
