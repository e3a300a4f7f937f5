"""Visual odometry that is kept from drifting by a radio range, an altimeter and the tether.

Visual-inertial odometry (VIO) is sure of each small step and forgets none of its errors. In the drone's level
frame H a step Δ_H is wrong by b for each metre flown, and the yaw by a rate w; both wander slowly, so that
they can be found out:

    p ← p + Rz(yaw) (Δ_H − b s),   yaw ← yaw + Δyaw − w Δt,

with s the way of the step. The distance to the base, the height above the floor and the place where the
tether's curve ends then hold it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.estimate import Estimate, EstimateStatus, Estimator
from tetherlab.contracts.measurement import Measurement
from tetherlab.contracts.track import Track
from tetherlab.estimation.gather import Gatherer
from tetherlab.estimation.odometry_track import Step, calmed, smooth
from tetherlab.sensors.readings import OdometryReading, RangeReading, VerticalReading

Vector = NDArray[np.float64]
YAW, DRIFT, TURN, SIZE = (
    3,
    4,
    7,
    8,
)  # places of the state: x, y, z [m] come first; yaw [rad], b (3), w [rad/s]
GATE = {1: 10.8, 3: 16.3}  # squared standard deviations that one good reading in a thousand exceeds
PATIENCE = 10.0  # for which a sensor may contradict before the filter doubts itself [s]
NEAR = 0.5  # distance below which that to the base has no direction [m]
ROUNDING = 1e-9  # of time stamps [s]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Witness:
    """How good a sensor is."""

    deviation: float  # standard deviation of one reading [m]; of the tether: beside what its estimate says
    memory: float = 0.0  # for how long its error stays the same, about [s]

    def __post_init__(self) -> None:
        for name in ("deviation", "memory"):
            check.non_negative(name, getattr(self, name))

    def inflation(self, elapsed: float) -> float:
        """By how much more variance readings so far apart [s] tell no more than they know."""
        return max(1.0, 2.0 * self.memory / max(elapsed, 1e-3))


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class OdometrySpec:
    """What is known beforehand of a flight and its sensors."""

    base: tuple[float, float, float] = (0.0, 0.0, 0.0)  # where distances are measured from, frame W [m]
    floor: float = 0.0  # mean height of the floor in W [m]
    start_deviation: float = 0.05  # of the first position in each direction [m]
    yaw_deviation: float = 0.01  # of the first yaw [rad]
    drift: tuple[float, float, float] = (0.0206, 0.0462, 0.0112)  # deviation of b: ahead, to the left, up [1]
    drift_time: float = 30.0  # within which b and w are others [s]
    hover_speed: float = 0.05  # that stands for the sway of a hovering drone in s [m/s]
    turn_drift: float = 0.0002  # deviation of w [rad/s]
    noise: float = 0.003  # of one position of VIO in each direction, white [m]
    yaw_noise: float = 0.002  # [rad]
    calm: float = 0.6  # within which the drone's motion is smooth [s]; looking back, noise is taken off by it
    walk: float = 0.003  # what else a position gathers in each direction [m/√s]
    yaw_walk: float = 0.0002  # [rad/√s]
    lost_walk: float = 0.3  # the same of a position while VIO is lost [m/√s]
    uwb: Witness = field(default_factory=lambda: Witness(deviation=0.06, memory=0.1))
    altimeter: Witness = field(default_factory=lambda: Witness(deviation=0.1, memory=3.0))
    tether: Witness = field(default_factory=lambda: Witness(deviation=0.1, memory=5.0))
    tether_every: float = 0.2  # how often the tether is asked [s]

    def __post_init__(self) -> None:
        check.vector("base", self.base)
        check.vector("drift", self.drift)
        check.number("floor", self.floor)
        check.positive("drift_time", self.drift_time)
        for name in ("start_deviation", "yaw_deviation", "hover_speed", "turn_drift", "walk", "yaw_walk"):
            check.non_negative(name, getattr(self, name))
        for name in ("lost_walk", "tether_every", "noise", "yaw_noise", "calm"):
            check.non_negative(name, getattr(self, name))


class OdometryFilter:
    """Where the drone is in the frame of its base, message by message; `track` says it again at the end.

    position, yaw: where it starts [m], (3,), [rad]. tether: what tells a place from the tether's
    measurements, None if nothing shall.
    """

    def __init__(
        self, spec: OdometrySpec, position: Vector, yaw: float, tether: Estimator | None = None
    ) -> None:
        self.spec, self.tether = spec, tether
        self.refused = dict.fromkeys(("uwb", "altimeter", "tether"), 0)  # readings that contradicted the rest
        self._base = np.array(spec.base, float)
        drift = np.array([*spec.drift, spec.turn_drift])
        self._x = np.array(
            [*check.vector("position", position), check.number("yaw", yaw), 0.0, 0.0, 0.0, 0.0]
        )
        start = np.array([*[spec.start_deviation] * 3, spec.yaw_deviation, *drift])
        self._P = np.diag(start**2)
        self._last: OdometryReading | None = None
        self._heard = dict.fromkeys(self.refused, -math.inf)  # when a sensor last spoke [s]
        self._agreed = dict.fromkeys(self.refused, math.nan)  # when it was last believed [s]
        self._parts = Gatherer()
        self._steps: list[Step] = []

    def hear(self, sender: str, message: Any) -> None:
        """Take what a sensor says: odometry, uwb, altimeter, or a part of what is known of the tether.

        Others are not listened to. Messages come in the order of their times, up to their delays.
        """
        if isinstance(message, OdometryReading):
            self._move(message)
        elif not self._steps:
            return
        elif sender == "uwb" and isinstance(message, RangeReading) and not message.saturated:
            self._hear_distance(message)
        elif sender == "altimeter" and isinstance(message, VerticalReading) and not message.saturated:
            error = np.array([message.distance + self.spec.floor - self._x[2]])
            self._take("altimeter", message.time, error, np.eye(1, SIZE, 2), np.zeros((1, 1)))
        elif self.tether is not None and isinstance(message, Measurement):
            self._parts.take(message)
            self._ask_tether()

    @property
    def estimate(self) -> Estimate:
        """Where it is now."""
        if not self._steps:
            return Estimate.nothing(math.nan, EstimateStatus.MISSING)
        status = (
            EstimateStatus.OK if self._last is not None and self._last.tracking else EstimateStatus.UNSURE
        )
        return Estimate(
            self._steps[-1].time,
            self._x[:3].copy(),
            self._P[:3, :3].copy(),
            status,
            heading=float(self._x[YAW]),
            heading_deviation=math.sqrt(self._P[YAW, YAW]),
        )

    def known_then(self) -> Vector:
        """Positions at the times of `track` as they were known by then [m], (n, 3)."""
        return np.array([step.mean[:3] for step in self._steps])

    def track(self) -> Track:
        """The whole flight, each place by what was heard before and after it."""
        return calmed(smooth(self._steps), self.spec.noise, self.spec.yaw_noise, self.spec.calm)

    def _move(self, told: OdometryReading) -> None:
        """Take VIO's step."""
        before, F = self._last, np.eye(SIZE)
        elapsed = told.time - before.time if before is not None else 0.0
        if before is not None and elapsed <= ROUNDING:
            return
        forgotten = math.exp(-elapsed / self.spec.drift_time)
        walk = self.spec.lost_walk
        if before is not None and before.tracking and told.tracking:
            F, walk = self._step(before, told, elapsed), self.spec.walk
        F[DRIFT:, DRIFT:] *= forgotten
        self._x = np.concatenate([self._x[:DRIFT], forgotten * self._x[DRIFT:]])
        drift = np.array([*self.spec.drift, self.spec.turn_drift])
        Q = np.array(
            [*[elapsed * walk**2] * 3, elapsed * self.spec.yaw_walk**2, *drift**2 * (1.0 - forgotten**2)]
        )
        self._P = F @ self._P @ F.T
        self._P[np.diag_indices(SIZE)] += Q
        self._last = told
        self._steps.append(Step(told.time, F, self._x.copy(), self._P.copy(), self._x, self._P))

    def _step(self, before: OdometryReading, told: OdometryReading, elapsed: float) -> Vector:
        """Move on by a step; returns how errors go on, (8, 8)."""
        x, F = self._x, np.eye(SIZE)
        speed = float(np.linalg.norm(told.velocity_H)) if np.isfinite(told.velocity_H).all() else 0.0
        way = elapsed * math.hypot(speed, self.spec.hover_speed)
        dx, dy, dz = told.position - before.position
        c, s = math.cos(before.yaw), math.sin(before.yaw)
        ahead, left = c * dx + s * dy - way * x[DRIFT], c * dy - s * dx - way * x[DRIFT + 1]
        c, s = math.cos(x[YAW]), math.sin(x[YAW])
        F[:2, YAW] = -s * ahead - c * left, c * ahead - s * left
        F[:2, DRIFT : DRIFT + 2] = [[-c * way, s * way], [-s * way, -c * way]]
        F[2, DRIFT + 2], F[YAW, TURN] = -way, -elapsed
        self._x = x + np.array(
            [c * ahead - s * left, s * ahead + c * left, dz - way * x[DRIFT + 2], *[0.0] * 5]
        )
        self._x[YAW] += math.remainder(told.yaw - before.yaw, math.tau) - elapsed * x[TURN]
        return F

    def _hear_distance(self, message: RangeReading) -> None:
        away = self._x[:3] - self._base
        far = float(np.linalg.norm(away))
        if far < NEAR:
            return
        H = np.zeros((1, SIZE))
        H[0, :3] = away / far
        self._take("uwb", message.time, np.array([message.range - far]), H, np.zeros((1, 1)))

    def _ask_tether(self) -> None:
        assert self.tether is not None
        if self._parts.time - self._heard["tether"] < self.spec.tether_every:
            return
        found = self.tether.update(self._parts.gathered())
        if found.status.usable:
            self._take("tether", found.time, found.position - self._x[:3], np.eye(3, SIZE), found.covariance)

    def _take(self, name: str, time: float, error: Vector, H: Vector, covariance: Vector) -> None:
        """Correct by what a sensor says, unless it cannot be true."""
        witness: Witness = getattr(self.spec, name)
        R = covariance + witness.deviation**2 * np.eye(len(error))
        elapsed, self._heard[name] = time - self._heard[name], time
        seen = H @ self._P @ H.T
        excess = float(error @ np.linalg.solve(seen + R, error)) / GATE[len(error)]
        if math.isnan(self._agreed[name]):
            self._agreed[name] = time
        if excess > 1.0:
            self.refused[name] += 1
            if time - self._agreed[name] < PATIENCE:
                return
            R = excess * (seen + R)  # it insists: let it pull, gently
        else:
            self._agreed[name] = time
        R = R * witness.inflation(elapsed)
        # K = P Hᵀ (H P Hᵀ + R)⁻¹
        K = np.linalg.solve(seen + R, H @ self._P).T
        self._x = self._x + K @ error
        # Joseph's form stays positive whatever is rounded.
        keep = np.eye(SIZE) - K @ H
        self._P = keep @ self._P @ keep.T + K @ R @ K.T
        self._steps[-1] = self._steps[-1]._replace(mean=self._x, covariance=self._P)
