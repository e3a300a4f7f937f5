"""Visual and inertial odometry: where the drone believes to be, with the drift of it, and without light.

In the level frame H along the heading the velocity that it believes in is wrong by

    e = b sqrt(|v|² + v_h²) + s v + n ,

b: an error of each direction in metres per metre flown, which wanders; v_h: a speed that stands for the sway
of a hovering drone; s: an error of scale, of this run; n: what an inertial sensor alone adds in the dark. The
yaw is wrong by the integral of a rate that wanders. Position is the integral of the velocity, turned by it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.math.kernel import njit
from tetherlab.sensors.levelling import heading
from tetherlab.sensors.lighting import SpotlightSpec, lit
from tetherlab.sensors.readings import OdometryReading
from tetherlab.sensors.sensor import Sensor, Timing
from tetherlab.sensors.wander import wander

Vector = NDArray[np.float64]

# Places of the state: b (3), error of the yaw's rate [rad/s], n, e [m/s] (3 each), error of the yaw [rad],
# where it believes to be [m] (3), the attachment [m] (3) and the time [s] of the last tick, how long it has
# been dark [s], the yaw at the start [rad].
SHARE, TURN, INERTIAL, ERROR, YAW, PLACE, BEFORE, TIME, DARK, START = 0, 3, 4, 7, 10, 11, 14, 17, 18, 19
SIZE = 20
VELOCITY = ("forward", "left", "up")


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class VisualOdometrySpec(Timing):
    """Intel RealSense T265, which looks ahead (paper 003, section 3.2.5).

    `drift` was set once so that flights of two rows along a wall of 12 m at 0.35 m/s have, in the mean over
    runs, the errors of the visual row of Table 2: 0.177, 0.405 and 0.095 m ahead, along the wall and up. The
    rest is assumed.
    """

    rate_hz: float = 50.0
    delay: float = 0.01  # [s]
    drift: tuple[float, float, float] = (0.0206, 0.0462, 0.0112)  # deviation of b: ahead, to the left, up [1]
    drift_time: float = 30.0  # within which b, and the error of the yaw's rate, are others [s]
    hover_speed: float = 0.05  # v_h [m/s]
    scale: float = 0.005  # deviation of s [1]
    turn_drift: float = 0.0002  # deviation of the error of the yaw's rate [rad/s]
    position_noise: float = 0.003  # standard deviation of one sample in each direction [m]
    velocity_noise: float = 0.01  # [m/s]
    yaw_noise: float = 0.002  # [rad]
    light_min: float = 15.0  # below which it sees nothing; paper 003 [lx]
    dark_walk: float = 0.1  # by which n walks in the dark [m/s/√s]
    dark_time: float = 1.0  # after which it says that it is lost [s]
    recovery_time: float = 0.5  # in which n fades in the light [s]
    spotlights: SpotlightSpec = field(default_factory=SpotlightSpec)
    position: tuple[float, float, float] = (0.1, 0.0, 0.1)  # from the tether's attachment, body frame [m]

    def __post_init__(self) -> None:
        super().__post_init__()
        for share in check.vector("drift", self.drift).tolist():
            check.non_negative("drift", share)
        for name in (
            "hover_speed",
            "scale",
            "turn_drift",
            "position_noise",
            "velocity_noise",
            "yaw_noise",
            "light_min",
            "dark_walk",
            "dark_time",
        ):
            check.non_negative(name, getattr(self, name))
        check.positive("drift_time", self.drift_time)
        check.positive("recovery_time", self.recovery_time)
        check.vector("position", self.position)


class VisualOdometry(Sensor[VisualOdometrySpec, Any]):
    """Of where the tether is tied to the drone. Its frame is the level one along the heading at the start."""

    axes = ("x", "y", "z", *VELOCITY, "yaw")

    def __init__(self, spec: VisualOdometrySpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        self.state = np.zeros(SIZE)
        self.state[TIME] = -math.inf
        self.light = math.nan  # where it looks [lx]
        self._directions = spec.spotlights.directions()
        self._position = np.array(spec.position, float)
        self._numbers = np.array(
            [
                spec.drift_time,
                spec.hover_speed,
                spec.scale * float(self.generator.standard_normal()),
                spec.turn_drift,
                spec.light_min,
                spec.dark_walk,
                spec.recovery_time,
            ]
        )
        self._drift = np.array(spec.drift, float)
        # Arrays of the caller may be of any layout; compiled code sees these.
        self._place, self._velocity, self._rotation = np.empty(3), np.empty(3), np.empty((3, 3))

    @property
    def velocity_error_H(self) -> Vector:
        """What it believes less what is, without noise [m/s], (3,). Who flies by it errs by the opposite."""
        error = self.state[ERROR:YAW].copy()
        for fault in self.faults:
            if fault.kind == "offset" and fault.axis in VELOCITY and fault.active(self.state[TIME]):
                error[VELOCITY.index(fault.axis)] += fault.value
        return error

    @property
    def turn_error(self) -> float:
        """The same of the yaw's rate [rad/s]."""
        return float(self.state[TURN])

    @property
    def lost(self) -> bool:
        """Whether it has been dark for too long."""
        return bool(self.state[DARK] > self.spec.dark_time)

    def follow(self, truth: Any) -> None:
        """It integrates, at each tick."""
        self.light = float(truth.ambient_light)
        if truth.spotlights and self.light < self.spec.light_min:
            lamps = self.spec.spotlights
            place = truth.attachment + truth.rotation @ self._position
            self._rotation[:] = truth.rotation
            self.light += lit(
                truth.surroundings, place, self._rotation, self._directions, lamps.intensity, lamps.range_max
            )
        self._place[:], self._velocity[:] = truth.attachment, truth.velocity
        _go_on(
            self.state,
            self.generator.standard_normal(7),
            float(truth.time),
            self._place,
            self._velocity,
            heading(truth.rotation),
            self.light,
            self._drift,
            self._numbers,
        )

    def values(self, truth: Any) -> list[float]:
        """Position [m], velocity in H [m/s] and yaw [rad]."""
        spec, state = self.spec, self.state
        normals = self.generator.standard_normal(7)
        position = state[PLACE:BEFORE] + spec.position_noise * normals[:3]
        yaw = heading(truth.rotation)
        c, s = math.cos(yaw), math.sin(yaw)
        x, y, z = truth.velocity.tolist()
        velocity = np.array([c * x + s * y, c * y - s * x, z]) + state[ERROR:YAW]
        velocity += spec.velocity_noise * normals[3:6]
        own = yaw - float(state[START]) + float(state[YAW]) + spec.yaw_noise * float(normals[6])
        return [*position.tolist(), *velocity.tolist(), math.remainder(own, 2.0 * math.pi)]

    def message(self, truth: Any, values: list[float], saturated: tuple[str, ...]) -> OdometryReading:
        """A pose and a velocity."""
        return OdometryReading(
            truth.time, np.array(values[:3]), np.array(values[3:6]), values[6], not self.lost
        )


@njit(cache=True)
def _go_on(state, normals, time, place, velocity, yaw, light, drift, numbers):
    """Move errors and belief on to a time [s]."""
    drift_time, hover_speed, scale, turn_drift, light_min, dark_walk, recovery_time = numbers
    elapsed = time - state[TIME]
    for k in range(3):
        wander(state[SHARE + k : SHARE + k + 1], normals[k : k + 1], elapsed, drift[k], drift_time)
    wander(state[TURN : TURN + 1], normals[3:4], elapsed, turn_drift, drift_time)
    if elapsed == math.inf:
        state[START] = yaw
        elapsed = 0.0
    else:
        state[YAW] += state[TURN] * elapsed
    dark = light < light_min
    state[DARK] = state[DARK] + elapsed if dark else 0.0
    c, s = math.cos(yaw), math.sin(yaw)
    v = (c * velocity[0] + s * velocity[1], c * velocity[1] - s * velocity[0], velocity[2])
    speed = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + hover_speed * hover_speed)
    for k in range(3):
        if dark:
            state[INERTIAL + k] += dark_walk * math.sqrt(elapsed) * normals[4 + k]
        else:
            state[INERTIAL + k] *= math.exp(-elapsed / recovery_time)
        state[ERROR + k] = state[SHARE + k] * speed + scale * v[k] + state[INERTIAL + k]
    if state[TIME] > -math.inf:
        # What it has moved by, in H, and then along the heading that it believes in.
        x, y = place[0] - state[BEFORE], place[1] - state[BEFORE + 1]
        ahead = c * x + s * y + state[ERROR] * elapsed
        left = c * y - s * x + state[ERROR + 1] * elapsed
        c, s = math.cos(yaw - state[START] + state[YAW]), math.sin(yaw - state[START] + state[YAW])
        state[PLACE] += c * ahead - s * left
        state[PLACE + 1] += s * ahead + c * left
        state[PLACE + 2] += place[2] - state[BEFORE + 2] + state[ERROR + 2] * elapsed
    for k in range(3):
        state[BEFORE + k] = place[k]
    state[TIME] = time
