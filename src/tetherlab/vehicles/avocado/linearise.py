"""AVOCADO close to its rest: the matrices of small motions, and what the inputs do to them."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.math.kernel import njit
from tetherlab.vehicles.avocado.frames import chart_of
from tetherlab.vehicles.avocado.model import make_model
from tetherlab.vehicles.avocado.motion import ANGLES, PULLS, fill_balance
from tetherlab.vehicles.avocado.prepare import prepare
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import AvocadoState
from tetherlab.vehicles.avocado.statics import resting
from tetherlab.vehicles.avocado.work import make_work

Array = NDArray[np.float64]

ANGLE_NAMES = ("distance", "heading", "theta", "psi", "phi")
TURN_NAMES = ("distance", "side", "turn", "theta", "phi")


class SmallMotions(NamedTuple):
    """mass x'' = by_rate x' + by_place x + by_thrust dT + by_torque tau, of small deviations x from a rest.

    Coordinates: distance, heading, theta, psi, phi where Omega or psi is damped; else distance, `side`,
    `turn`, theta, phi, with the turns of the tether frame about its axes x (sideways) and y (its own).
    """

    rest: AvocadoState  # about which they go
    coordinates: tuple[str, ...]  # what the five are
    mass: Array  # (5, 5)
    by_rate: Array  # (5, 5)
    by_place: Array  # (5, 5)
    by_thrust: Array  # (5,)
    by_torque: Array  # (5,)

    @property
    def plane(self) -> list[int]:
        """Which coordinates lie in the plane of tether and robot."""
        return [k for k, name in enumerate(self.coordinates) if name in ("distance", "theta", "phi")]

    @property
    def across(self) -> list[int]:
        """Which lead out of it."""
        return [k for k in range(5) if k not in self.plane]


class LinearSystem(NamedTuple):
    """x' = A x + b u with x: two deviations [rad] and their rates [rad/s]."""

    A: Array  # (4, 4)
    b: Array  # (4,)


@check.known_arguments
def small_motions(spec: AvocadoSpec, tether_length: float, *, thrust: float = 0.0) -> SmallMotions:
    """The matrices about the rest under a thrust [N]."""
    rest = resting(spec, tether_length, thrust=thrust)
    model, work = make_model(spec), make_work()
    chart = chart_of(model)
    y = np.zeros(10)
    y[0], y[4] = rest.distance, rest.phi
    if chart == ANGLES:
        y[2] = rest.theta
    else:
        work.base[:] = np.sin(rest.theta), np.cos(rest.theta), 0.0
    forces = np.zeros((3, 5))
    _fill(model, chart, y, rest.tether_length, float(thrust), work, forces)
    return SmallMotions(
        rest=rest,
        coordinates=ANGLE_NAMES if chart == ANGLES else TURN_NAMES,
        mass=work.mass,
        by_rate=work.by_rate,
        by_place=work.by_place,
        by_thrust=forces[1] - forces[0],
        by_torque=forces[2] - forces[0],
    )


@njit(cache=True, error_model="numpy", _nrt=False)
def _fill(model, chart, y, tether_length, thrust, work, forces):
    """Derivatives into work; forces (3, 5): r with no other input, with one more newton, with a torque."""
    command, out = work.scale, work.error  # memory, whatever it is for otherwise
    for k in range(3):
        # r is linear in the inputs.
        command[0], command[1], command[2] = 0.0, thrust + (k == 1), 1.0 * (k == 2)
        fill_balance(model, chart, work.base, y, PULLS, tether_length, command, work, out)
        for i in range(5):
            forces[k, i] = work.r[i]
    command[1], command[2] = thrust, 0.0
    prepare(model, chart, y, PULLS, tether_length, command, False, work)


@check.known_arguments
def planar_system(spec: AvocadoSpec, tether_length: float, *, thrust: float = 0.0) -> LinearSystem:
    """What the thrust [N] does to (theta, phi); the tether's own stretch, far faster, is left out."""
    motions = small_motions(spec, tether_length, thrust=thrust)
    return _system(motions, motions.plane[1:], motions.by_thrust)


@check.known_arguments
def lateral_system(spec: AvocadoSpec, tether_length: float, *, thrust: float = 0.0) -> LinearSystem:
    """What the torque [N m] does to (side, turn), regular also at theta = 0.

    side: turn of the tether frame about its x, sin(theta) dOmega; turn: about the tether, cos(theta) dOmega
    + dpsi. The numerical damping of Omega and psi acts through both and grows without bound as theta goes to
    0; it is included where theta > 0.
    """
    bare = replace(spec, damping_heading=0.0, damping_psi=0.0)
    motions = small_motions(bare, tether_length, thrust=thrust)
    tilt = motions.rest.theta
    if tilt > 0.0:
        # Omega' = side' / sin(theta) and psi' = turn' - side' / tan(theta).
        heading = np.array([1.0 / np.sin(tilt), 0.0])
        psi = np.array([-1.0 / np.tan(tilt), 1.0])
        loss = spec.damping_heading * np.outer(heading, heading) + spec.damping_psi * np.outer(psi, psi)
        motions.by_rate[np.ix_(motions.across, motions.across)] -= loss
    return _system(motions, motions.across, motions.by_torque)


def _system(motions: SmallMotions, group: list[int], by_input: Array) -> LinearSystem:
    inside = np.ix_(group, group)
    solve = np.linalg.inv(motions.mass[inside])
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2], A[2:, 2:] = solve @ motions.by_place[inside], solve @ motions.by_rate[inside]
    return LinearSystem(A, np.concatenate([np.zeros(2), solve @ by_input[group]]))
