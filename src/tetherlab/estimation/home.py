"""Where its base is and how fast the drone flies, by whatever still speaks.

In the level frame that the autopilot takes for the world's, with p from the base to the drone and g the
height of what is below the drone against the base,

    dv = du + q dW,   dp = v dt,   dg = dG ,

u: what inertial sensors integrate. Odometry tells v; a radio |p|; the altimeter p_z - g; the tether p. Each
may fall silent. Without odometry the places hold the velocity: an error of it that walks with q, against a
place with white noise of the spectral density r², has the variance √2 q √(q r) in the end. Without the tether
odometry and radio hold the place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.autonomy import UNKNOWN
from tetherlab.contracts.measurement import Measurement
from tetherlab.estimation.odometry import GATE, Witness
from tetherlab.estimation.pulled_line import hanging_end
from tetherlab.sensors.readings import InertialReading, OdometryReading, RangeReading, VerticalReading

Vector = NDArray[np.float64]
SPEED, FLOOR, SIZE = 3, 6, 7  # places of the state: x, y, z [m] come first; v [m/s] (3), g [m]
STALE = 0.5  # age of a length or tension that is not used any more [s]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class HomeSpec:
    """What is known beforehand of sensors and tether."""

    walk: float = 0.1  # q [m/s/√s]
    odometry: float = 0.1  # deviation of its velocity: as wrong as it may be before it says so [m/s]
    uwb: Witness = field(default_factory=lambda: Witness(deviation=0.06, memory=0.1))
    altimeter: Witness = field(default_factory=lambda: Witness(deviation=0.03))
    floor_walk: float = 0.05  # by which the floor under a flying drone rises and falls [m/√s]
    floor_jump: float = 2.0  # deviation of it behind an edge [m]
    angle: Witness = field(default_factory=lambda: Witness(deviation=0.02, memory=0.2))  # of the tether [rad]
    sag: float = 0.3  # share of what sag does to the place that may be wrong: waves, a floor, wind
    length: float = 0.05  # deviation of the length that is out [m]
    tether_weight: float = 0.373  # per length [N/m]
    docked: float = 0.35  # tether out, below which the drone stands on its platform [m]
    known_within: float = 0.5  # deviation on the level with which the base counts as known [m]

    def __post_init__(self) -> None:
        for name in ("odometry", "floor_jump", "tether_weight", "docked", "known_within"):
            check.positive(name, getattr(self, name))
        for name in ("walk", "floor_walk", "sag", "length"):
            check.non_negative(name, getattr(self, name))


class HomeFilter:
    """An extended Kalman filter, message by message; delays of some hundredths of a second are neglected."""

    def __init__(self, spec: HomeSpec | None = None) -> None:
        self.spec = spec or HomeSpec()
        self.refused = dict.fromkeys(("uwb", "altimeter", "tether"), 0)  # readings that contradicted the rest
        self._inertial: InertialReading | None = None
        self._length = self._tension = (-math.inf, math.nan)  # when [s], [m] or [N]
        self._heard = dict.fromkeys(self.refused, -math.inf)  # when a sensor last spoke [s]
        self._x, self._P = np.zeros(SIZE), np.eye(SIZE)
        self._start()

    def hear(self, sender: str, message: Any) -> None:
        """Take what a sensor says; who is not needed is not listened to."""
        if isinstance(message, InertialReading):
            self._move(message)
        elif self._inertial is None:
            return
        elif isinstance(message, OdometryReading):
            self._hear_odometry(message, self._inertial.yaw)
        elif sender == "uwb" and isinstance(message, RangeReading) and not message.saturated:
            self._hear_distance(message)
        elif sender == "altimeter" and isinstance(message, VerticalReading) and not message.saturated:
            self._hear_height(message)
        elif isinstance(message, Measurement):
            self._hear_tether(message)

    @property
    def velocity_H(self) -> Vector:
        """In the drone's level frame [m/s], (3,)."""
        return self._in_H(self._x[SPEED:FLOOR])

    @property
    def base_H(self) -> Vector:
        """From the drone to its base, in the drone's level frame [m], (3,); NaN if not known well enough."""
        known = self._inertial is not None and math.hypot(*self.deviation[:2]) < self.spec.known_within
        return -self._in_H(self._x[:SPEED]) if known else UNKNOWN

    @property
    def state(self) -> tuple[Vector, Vector]:
        """p, v, g (7,) and their covariance (7, 7)."""
        return self._x.copy(), self._P.copy()

    @property
    def deviation(self) -> Vector:
        """Standard deviation of the state, (7,)."""
        return np.sqrt(np.diagonal(self._P))

    def _start(self) -> None:
        """On the platform."""
        self._x[:] = 0.0
        self._x[2] = 0.5 * self.spec.docked
        large = np.array([*[0.1] * 3, *[self.spec.odometry] * 3, self.spec.floor_jump])
        self._P = np.diag(large**2)

    def _in_H(self, vector: Vector) -> Vector:
        yaw = 0.0 if self._inertial is None else self._inertial.yaw
        c, s = math.cos(yaw), math.sin(yaw)
        x, y, z = vector
        return np.array((c * x + s * y, c * y - s * x, z))

    def _move(self, told: InertialReading) -> None:
        """On by what inertial sensors felt."""
        before, self._inertial = self._inertial, told
        if before is None or told.time <= before.time:
            return
        dt = told.time - before.time
        change = told.velocity - before.velocity
        self._x[:SPEED] += dt * (self._x[SPEED:FLOOR] + 0.5 * change)
        self._x[SPEED:FLOOR] += change
        F = np.eye(SIZE)
        F[:SPEED, SPEED:FLOOR] = dt * np.eye(3)
        self._P = F @ self._P @ F.T
        power = self.spec.walk**2
        for k in range(3):
            self._P[k, k] += power * dt**3 / 3.0
            self._P[k, SPEED + k] += power * dt**2 / 2.0
            self._P[SPEED + k, k] += power * dt**2 / 2.0
            self._P[SPEED + k, SPEED + k] += power * dt
        self._P[FLOOR, FLOOR] += self.spec.floor_walk**2 * dt

    def _hear_odometry(self, told: OdometryReading, yaw: float) -> None:
        if not told.tracking:
            return
        if self._length[1] < self.spec.docked and told.time - self._length[0] < STALE:
            self._start()  # the rover may drive: nothing but this says how fast
        c, s = math.cos(yaw), math.sin(yaw)
        x, y, z = told.velocity_H
        H = np.zeros((3, SIZE))
        H[:, SPEED:FLOOR] = np.eye(3)
        error = np.array((c * x - s * y, s * x + c * y, z)) - self._x[SPEED:FLOOR]
        self._correct(error, H, self.spec.odometry**2 * np.eye(3))

    def _hear_distance(self, told: RangeReading) -> None:
        far = float(np.linalg.norm(self._x[:SPEED]))
        H = np.zeros((1, SIZE))
        H[0, :SPEED] = self._x[:SPEED] / max(far, 1e-6)
        R = self.spec.uwb.deviation**2 * np.eye(1)
        self._take("uwb", told.time, np.array([told.range - far]), H, R, self.spec.uwb)

    def _hear_height(self, told: VerticalReading) -> None:
        """An edge below is told from a drone that falls by its size: the floor is then another one."""
        H = np.zeros((1, SIZE))
        H[0, 2], H[0, FLOOR] = 1.0, -1.0
        error = np.array([told.distance - self._x[2] + self._x[FLOOR]])
        R = self.spec.altimeter.deviation**2 * np.eye(1)
        if not self._take("altimeter", told.time, error, H, R, self.spec.altimeter):
            self._P[FLOOR, :] = self._P[:, FLOOR] = 0.0  # the next reading tells where it is
            self._P[FLOOR, FLOOR] = self.spec.floor_jump**2

    def _hear_tether(self, told: Measurement) -> None:
        if not math.isnan(told.length):
            self._length = (told.time, told.length)
        if not math.isnan(told.tension):
            self._tension = (told.time, told.tension)
        if told.tangent_end is None or told.saturated:
            return
        if min(self._length[0], self._tension[0]) < told.time - STALE:
            return
        length, up = self._length[1], told.rotation @ told.tangent_end
        across = math.hypot(up[0], up[1])
        level, rise = hanging_end(max(length, 1e-3), float(up[2]), self._tension[1], self.spec.tether_weight)
        if math.isnan(level):
            return  # it is not taut and leads nowhere
        aside = level / across if across > 1e-9 else 0.0
        place = np.array((aside * up[0], aside * up[1], rise))
        bent = self.spec.sag * (place - length * up)
        turning = (self.spec.angle.deviation * length) ** 2 * (np.eye(3) - np.outer(up, up))
        R = turning + self.spec.length**2 * np.outer(up, up) + np.outer(bent, bent)
        H = np.eye(3, SIZE)
        self._take("tether", told.time, place - self._x[:SPEED], H, R, self.spec.angle)

    def _take(self, name: str, time: float, error: Vector, H: Vector, R: Vector, witness: Witness) -> bool:
        """Correct by what a sensor says, unless it cannot be true."""
        elapsed, self._heard[name] = time - self._heard[name], time
        S = H @ self._P @ H.T + R
        if float(error @ np.linalg.solve(S, error)) > GATE[len(error)]:
            self.refused[name] += 1
            return False
        self._correct(error, H, R * witness.inflation(elapsed))
        return True

    def _correct(self, error: Vector, H: Vector, R: Vector) -> None:
        PH = self._P @ H.T
        K = np.linalg.solve(H @ PH + R, PH.T).T
        self._x = self._x + K @ error
        left = np.eye(SIZE) - K @ H
        self._P = left @ self._P @ left.T + K @ R @ K.T
