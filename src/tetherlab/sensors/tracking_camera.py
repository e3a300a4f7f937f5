"""The tracking camera of AVOCADO: orientation, and a position that may drift or be lost."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from tetherlab.contracts import check
from tetherlab.sensors.attitude import AttitudeSpec
from tetherlab.sensors.avocado_truth import AXES, AvocadoTruth
from tetherlab.sensors.readings import AvocadoReading
from tetherlab.sensors.sensor import Sensor, Timing
from tetherlab.sensors.wander import wander

# Places of the state: tilt about the two level axes, heading [rad], drift [m], time, end of a loss [s].
HEADING, DRIFT, TIME, LOST_UNTIL = 2, 3, 6, 7


def orientation() -> AttitudeSpec:
    """Of visual and inertial odometry: gravity holds the tilt, the heading drifts; assumed."""
    return AttitudeSpec(
        tilt_noise=0.001,
        tilt_wander=0.003,
        tilt_wander_time=20.0,
        heading_noise=0.001,
        heading_walk=0.001,
    )


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class TrackingCameraSpec(Timing):
    """Intel RealSense T265 (section III of paper 001). The paper prints no figure of its errors: assumed.

    Outdoors its position drifted in one of three tests (section VI-C), while its orientation held:
    `outdoors` has such values.
    """

    rate_hz: float = 200.0  # the T265's rate of poses
    delay: float = 0.010  # assumed [s]
    orientation: AttitudeSpec = field(default_factory=orientation)
    position: bool = True  # whether it tells a position
    position_noise: float = 0.002  # standard deviation of one sample in each direction [m]
    position_walk: float = 0.003  # drift: its standard deviation after a second, growing as √t [m/√s]
    loss_rate: float = 0.0  # how often tracking is lost [1/s]
    loss_time: float = 2.0  # for how long, on average [s]
    loss_walk: float = 0.2  # drift while it is lost [m/√s]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("position_noise", "position_walk", "loss_rate", "loss_walk"):
            check.non_negative(name, getattr(self, name))
        check.positive("loss_time", self.loss_time)


def outdoors() -> TrackingCameraSpec:
    """A camera in a canopy, with little light and leaves that move; assumed."""
    return TrackingCameraSpec(position_walk=0.02, loss_rate=0.05)


class TrackingCamera(Sensor[TrackingCameraSpec, AvocadoTruth]):
    """While tracking is lost there is no position, and it drifts faster; its own IMU holds the orientation.

    Axes as in the paper: R = Ry(heading) Rz(pitch) Rx(roll) in its frame, pitch being theta + phi where psi
    is 0; x, y, z of the position in the world.
    """

    axes = ("heading", "pitch", "roll", "x", "y", "z")

    def __init__(self, spec: TrackingCameraSpec, name: str, seed: int) -> None:
        super().__init__(spec, name, seed)
        self.state = np.zeros(8)
        self.state[TIME] = self.state[LOST_UNTIL] = -math.inf
        drawn = spec.orientation.heading_offset_deviation * float(self.generator.standard_normal())
        self.state[HEADING] = spec.orientation.heading_offset + drawn

    def values(self, truth: AvocadoTruth) -> list[float]:
        """Angles [rad], and the position of P [m]."""
        spec, errors, state = self.spec, self.spec.orientation, self.state
        normals, chance = self.generator.standard_normal(12), self.generator.random(2)
        elapsed = truth.time - state[TIME]
        wander(state[:HEADING], normals[:2], elapsed, errors.tilt_wander, errors.tilt_wander_time)
        if elapsed < math.inf:
            self._drift(float(truth.time), elapsed, normals[2:6], chance)
        state[TIME] = truth.time
        # Tilted about the level axes, then turned about the vertical, in the paper's frame.
        x, z = state[:HEADING] + errors.tilt_noise * normals[6:8]
        y = state[HEADING] + errors.heading_noise * normals[8]
        R = _turn(y, 1) @ _turn(math.hypot(x, z), 0, math.atan2(z, x)) @ AXES @ truth.rotation @ AXES
        pitch = math.asin(min(1.0, max(-1.0, float(R[1, 0]))))
        angles = math.atan2(-R[2, 0], R[0, 0]), pitch, math.atan2(-R[1, 2], R[1, 1])
        position = truth.position + state[DRIFT:TIME] + spec.position_noise * normals[9:]
        return [*angles, *position.tolist()]

    def _drift(self, time: float, elapsed: float, normals: np.ndarray, chance: np.ndarray) -> None:
        spec, state, root = self.spec, self.state, math.sqrt(elapsed)
        if time >= state[LOST_UNTIL] and chance[0] < -math.expm1(-spec.loss_rate * elapsed):
            state[LOST_UNTIL] = time - spec.loss_time * math.log1p(-chance[1])
        walk = spec.loss_walk if time < state[LOST_UNTIL] else spec.position_walk
        state[HEADING] += spec.orientation.heading_walk * root * normals[0]
        state[DRIFT:TIME] += walk * root * normals[1:]

    def message(self, truth: AvocadoTruth, values: list[float], saturated: tuple[str, ...]) -> AvocadoReading:
        """A pose, or an orientation alone."""
        heading, pitch, roll = values[:3]
        rotation = AXES @ _turn(heading, 1) @ _turn(pitch, 2) @ _turn(roll, 0) @ AXES
        tracks = self.spec.position and not truth.time < self.state[LOST_UNTIL]
        position = np.array(values[3:]) if tracks else None
        return AvocadoReading(truth.time, rotation=rotation, position=position, saturated=saturated)


def _turn(angle: float, axis: int, azimuth: float = 0.0) -> np.ndarray:
    """Rotation about x (0), y (1) or z (2); the first about x turned by an azimuth towards z, (3, 3)."""
    s, c = math.sin(angle), math.cos(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    if azimuth != 0.0:
        about = _turn(-azimuth, 1)
        R = about @ R @ about.T
    return R
