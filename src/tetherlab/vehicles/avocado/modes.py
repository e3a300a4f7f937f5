"""Small motions of AVOCADO about its rest."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eig

from tetherlab.contracts import check
from tetherlab.vehicles.avocado.linearise import small_motions
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import AvocadoState

ENDLESS = 1e9  # an eigenvalue beyond is one of the damping that acts at once at theta = 0 [1/s]
NEUTRAL = 1e-5  # turning about the vertical changes nothing; rounding makes this of its eigenvalue [1/s]


@dataclass(frozen=True)
class LinearModes:
    """Eigenvalues and shapes of small motions exp(s t) about a state of rest, slowest first."""

    rest: AvocadoState  # about which they go
    eigenvalues: NDArray[np.complex128]  # s [1/s], (n,)
    shapes: NDArray[np.complex128]  # of the five coordinates, largest 1, (n, 5)
    coordinates: tuple[str, ...]  # what the five are
    planar: NDArray[np.bool_]  # in the plane of tether and robot; False: out of it, (n,)

    @property
    def frequencies(self) -> NDArray[np.float64]:
        """Of the oscillation, 0 where there is none [rad/s], (n,)."""
        return np.abs(self.eigenvalues.imag)

    @property
    def damping_ratios(self) -> NDArray[np.float64]:
        """-Re s / |s|: 0 undamped, 1 no oscillation, negative growing; 0 for what stays, (n,)."""
        size = np.abs(self.eigenvalues)
        moving = size > NEUTRAL
        return np.where(moving, -self.eigenvalues.real / np.where(moving, size, 1.0), 0.0)

    @property
    def stable(self) -> bool:
        """Nothing grows."""
        return bool(np.all(self.eigenvalues.real < NEUTRAL))


@check.known_arguments
def linear_modes(spec: AvocadoSpec, tether_length: float, *, thrust: float = 0.0) -> LinearModes:
    """Small motions about the rest under a thrust [N], for any l_g / l_Th.

    Coordinates: distance, heading, theta, psi, phi where Omega or psi is damped; else distance, `side`,
    `turn`, theta, phi, with the turns of the tether frame about its axes x (sideways) and y (its own).
    """
    motions = small_motions(spec, tether_length, thrust=thrust)
    groups = motions.plane, motions.across
    values, shapes, planar = [], [], []
    for group in groups:
        inside = np.ix_(group, group)
        for value, shape in _eigen(motions.mass[inside], motions.by_rate[inside], motions.by_place[inside]):
            values.append(value)
            planar.append(group is groups[0])
            shapes.append(np.zeros(5, complex))
            shapes[-1][group] = shape
    order = np.argsort(np.abs(values), kind="stable")
    return LinearModes(
        motions.rest,
        np.array(values)[order],
        np.array(shapes)[order],
        motions.coordinates,
        np.array(planar)[order],
    )


def _eigen(
    mass: NDArray[np.float64], by_rate: NDArray[np.float64], by_place: NDArray[np.float64]
) -> list[tuple[complex, NDArray[np.complex128]]]:
    """Finite s and shapes x of s^2 mass x = s by_rate x + by_place x."""
    n = len(mass)
    one, zero = np.eye(n), np.zeros((n, n))
    left = np.block([[zero, one], [by_place, by_rate]])
    right = np.block([[one, zero], [zero, mass]])
    (above, below), vectors = eig(left, right, homogeneous_eigvals=True)
    found = []
    for a, b, vector in zip(above, below, vectors.T, strict=True):
        if abs(a) < ENDLESS * abs(b):
            largest = vector[:n][np.argmax(np.abs(vector[:n]))]
            found.append((complex(a / b), vector[:n] / largest))
    return found
