"""Visual odometry that is kept from drifting by a radio range, an altimeter and the tether.

Visual-inertial odometry (VIO) is sure of each small step and forgets nothing of its errors. The filter takes
its steps as they are, turned by the yaw that it believes in, and lets the position walk with them:

    p ← p + Rz(yaw − yaw_V) Δp_V,   yaw ← yaw + Δyaw_V.

The distance to the base, the height above the floor and the place where the tether's curve ends then hold it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.autonomy import Readings
from tetherlab.contracts.estimate import Estimate, EstimateStatus
from tetherlab.contracts.track import Track
from tetherlab.estimation.odometry_track import Step, smooth

Vector = NDArray[np.float64]
GATE = {1: 10.8, 3: 16.3}  # squared standard deviations that one good reading in a thousand exceeds
PATIENCE = 10.0  # for which a sensor may contradict before the filter doubts itself [s]


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class Witness:
    """How good a sensor is."""

    deviation: float  # standard deviation of one reading [m]; of a tether's place: what its covariance lacks
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
    """What is known beforehand of a flight and its sensors. Walks grow as √t."""

    base: tuple[float, float, float] = (0.0, 0.0, 0.0)  # where the range is measured from, frame W [m]
    floor: float = 0.0  # mean height of the floor in W [m]
    start_deviation: float = 0.05  # of the first position in each direction [m]
    yaw_deviation: float = 0.01  # of the first yaw [rad]
    walk: tuple[float, float, float] = (0.015, 0.034, 0.008)  # of VIO's x, y, z [m/√s]
    yaw_walk: float = 0.0005  # of VIO's yaw [rad/√s]
    lost_walk: float = 0.3  # while VIO says nothing, in each direction [m/√s]
    range: Witness = field(default_factory=lambda: Witness(deviation=0.05, memory=0.05))
    height: Witness = field(default_factory=lambda: Witness(deviation=0.1, memory=3.0))
    tether: Witness = field(default_factory=lambda: Witness(deviation=0.1, memory=5.0))

    def __post_init__(self) -> None:
        check.vector("base", self.base)
        check.vector("walk", self.walk)
        check.number("floor", self.floor)
        for name in ("start_deviation", "yaw_deviation", "yaw_walk", "lost_walk"):
            check.non_negative(name, getattr(self, name))


class OdometryFilter:
    """Where the drone is in the frame of its base, reading by reading; `track` says it again at the end.

    refused: how many readings of each sensor contradicted the others and were not believed.
    """

    def __init__(self, spec: OdometrySpec, position: Vector, yaw: float) -> None:
        self.spec = spec
        self._base = np.array(spec.base, float)
        self._x = np.array([*check.vector("position", position), check.number("yaw", yaw)])
        self._P = np.diag([spec.start_deviation**2] * 3 + [spec.yaw_deviation**2])
        self._told: tuple[float, Vector, float] | None = None  # time, position and yaw by VIO
        self._heard = dict.fromkeys(("range", "height", "tether"), -math.inf)  # when a sensor last spoke [s]
        self._agreed = dict.fromkeys(self._heard, -math.inf)  # when it was last believed [s]
        self._steps: list[Step] = []
        self.refused = dict.fromkeys(self._heard, 0)

    def update(
        self, readings: Readings, *, distance: float = math.nan, tether: Estimate | None = None
    ) -> Estimate:
        """Move on to the time of the readings and take them.

        distance: to the base by radio [m]. tether: the place that the tether's shape tells.
        """
        transition = self._move(readings)
        predicted = self._x.copy(), self._P.copy()
        if not math.isnan(distance):
            self._hear_distance(readings.time, distance)
        if not math.isnan(readings.height):
            error = np.array([readings.height + self.spec.floor - self._x[2]])
            H = np.array([[0.0, 0.0, 1.0, 0.0]])
            self._take("height", readings.time, error, H, np.zeros((1, 1)))
        if tether is not None and tether.status.usable:
            H = np.eye(3, 4)
            self._take("tether", readings.time, tether.position - self._x[:3], H, tether.covariance)
        self._steps.append(Step(readings.time, transition, *predicted, self._x.copy(), self._P.copy()))
        return self._answer(readings.time)

    def track(self) -> Track:
        """The whole flight, each place by what was heard before and after it."""
        return smooth(self._steps)

    def _move(self, readings: Readings) -> Vector:
        """Take VIO's step; returns how errors go on, (4, 4)."""
        F = np.eye(4)
        before = self._told if self._steps else None
        knows = bool(np.isfinite(readings.position).all()) and math.isfinite(readings.yaw)
        elapsed = readings.time - self._steps[-1].time if self._steps else 0.0
        walk = np.full(3, self.spec.lost_walk)
        if knows and before is not None and before[0] == self._steps[-1].time:
            turn = self._x[3] - before[2]
            c, s = math.cos(turn), math.sin(turn)
            dx, dy, dz = readings.position - before[1]
            self._x[:3] += (c * dx - s * dy, s * dx + c * dy, dz)
            self._x[3] += math.remainder(readings.yaw - before[2], math.tau)
            F[0, 3], F[1, 3] = -s * dx - c * dy, c * dx - s * dy
            walk = np.array(self.spec.walk)
        if knows:
            self._told = readings.time, readings.position, readings.yaw
        self._P = F @ self._P @ F.T + elapsed * np.diag([*(walk**2), self.spec.yaw_walk**2])
        return F

    def _hear_distance(self, time: float, distance: float) -> None:
        away = self._x[:3] - self._base
        far = float(np.linalg.norm(away))
        if far < 0.5:  # its direction is not known
            return
        H = np.array([[*(away / far), 0.0]])
        self._take("range", time, np.array([distance - far]), H, np.zeros((1, 1)))

    def _take(self, name: str, time: float, error: Vector, H: Vector, covariance: Vector) -> None:
        """Correct by what a sensor says, unless it cannot be true."""
        witness: Witness = getattr(self.spec, name)
        R = covariance + witness.deviation**2 * np.eye(len(error))
        elapsed, self._heard[name] = time - self._heard[name], time
        seen = H @ self._P @ H.T
        excess = float(error @ np.linalg.solve(seen + R, error)) / GATE[len(error)]
        if self._agreed[name] == -math.inf:
            self._agreed[name] = time
        if excess > 1.0:
            self.refused[name] += 1
            if time - self._agreed[name] < PATIENCE:
                return
            R = R + excess * (seen + R)  # it insists: let it pull, gently
        else:
            self._agreed[name] = time
        R = R * witness.inflation(elapsed)
        # K = P Hᵀ (H P Hᵀ + R)⁻¹
        K = np.linalg.solve(seen + R, H @ self._P).T
        self._x = self._x + K @ error
        # Joseph's form stays positive whatever is rounded.
        keep = np.eye(4) - K @ H
        self._P = keep @ self._P @ keep.T + K @ R @ K.T

    def _answer(self, time: float) -> Estimate:
        return Estimate(
            time,
            self._x[:3].copy(),
            self._P[:3, :3].copy(),
            EstimateStatus.OK,
            heading=float(self._x[3]),
            heading_deviation=math.sqrt(self._P[3, 3]),
        )
