"""All sensors of an inspection drone and its base: from the world as it is to what a mission is told."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.autonomy import UNKNOWN, Readings
from tetherlab.sensors.angle_sensor import AngleSensorSpec, BaseAngles, DroneAngles
from tetherlab.sensors.attitude import Attitude, AttitudeSpec
from tetherlab.sensors.depth_camera import DepthCamera, DepthCameraSpec
from tetherlab.sensors.encoder import Encoder, EncoderSpec
from tetherlab.sensors.inertial import Inertial, InertialSpec
from tetherlab.sensors.inspection_truth import InspectionTruth
from tetherlab.sensors.levelling import levelled
from tetherlab.sensors.lidar import Lidar, LidarSpec
from tetherlab.sensors.range_finder import RangeFinder, RangeFinderSpec, ceiling_finder
from tetherlab.sensors.readings import OdometryReading
from tetherlab.sensors.sensor import Message, Sensor, Timing
from tetherlab.sensors.sensor_set import SensorSet, check_seed
from tetherlab.sensors.suite import drone_angles, platform_angles
from tetherlab.sensors.tension_sensor import TensionSensor, TensionSpec
from tetherlab.sensors.uwb import Uwb, UwbSpec
from tetherlab.sensors.visual_odometry import VisualOdometry, VisualOdometrySpec

Vector = NDArray[np.float64]
STUCK = 3  # readings of the odometry that repeat a number before it counts as lost
SILENT = 3.0  # periods without a message after which a sensor counts as lost


def tension() -> TensionSpec:
    """Landing asks for 6 N and more, where the arm of paper 002 ends; a mission must also see too much.

    Assumed.
    """
    return TensionSpec(tension_max=60.0)


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class InspectionSpec:
    """Defaults: the sensors of paper 003, section 3.2.5. Those that are None are not on board."""

    altimeter: RangeFinderSpec = field(default_factory=RangeFinderSpec)
    ceiling: RangeFinderSpec | None = field(default_factory=ceiling_finder)
    drone_angles: AngleSensorSpec = field(default_factory=drone_angles)
    base_angles: AngleSensorSpec = field(default_factory=platform_angles)
    length: EncoderSpec = field(default_factory=EncoderSpec)
    tension: TensionSpec = field(default_factory=tension)
    attitude: AttitudeSpec = field(default_factory=AttitudeSpec)
    inertial: InertialSpec = field(default_factory=InertialSpec)
    odometry: VisualOdometrySpec | None = field(default_factory=VisualOdometrySpec)
    depth_camera: DepthCameraSpec | None = field(default_factory=DepthCameraSpec)
    uwb: UwbSpec | None = field(default_factory=UwbSpec)
    lidar: LidarSpec | None = None


class InspectionSuite(SensorSet[InspectionTruth]):
    """Same specification, seed and world: same readings, bit for bit."""

    def __init__(self, spec: InspectionSpec, seed: int) -> None:
        check_seed(seed)
        self.spec = spec
        self.messages: list[tuple[str, Message]] = []  # sender and message, that arrived with the last `read`
        estimate = Attitude(spec.attitude, "attitude", seed).estimate
        self.odometry = None if spec.odometry is None else VisualOdometry(spec.odometry, "odometry", seed)
        sensors: list[Sensor[Any, Any]] = [
            RangeFinder(spec.altimeter, "altimeter", seed, estimate),
            DroneAngles(spec.drone_angles, "drone_angles", seed, estimate),
            BaseAngles(spec.base_angles, "base_angles", seed),
            Encoder(spec.length, "length", seed),
            TensionSensor(spec.tension, "tension", seed),
            Inertial(spec.inertial, "inertial", seed, estimate),
        ]
        if spec.ceiling is not None:
            sensors.append(RangeFinder(spec.ceiling, "ceiling", seed, estimate))
        if self.odometry is not None:
            sensors.append(self.odometry)
        if spec.depth_camera is not None:
            sensors.append(DepthCamera(spec.depth_camera, "depth_camera", seed, estimate))
        if spec.uwb is not None:
            sensors.append(Uwb(spec.uwb, "uwb", seed))
        if spec.lidar is not None:
            sensors.append(Lidar(spec.lidar, "lidar", seed))
        super().__init__(sensors, seed)
        self._newest: dict[str, Any] = {}  # message by sender
        self._timing: dict[str, Timing] = {sensor.name: sensor.spec for sensor in sensors}
        self._started = math.nan  # [s]
        self._repeats = 0  # of the odometry, in a row

    def read(self, truth: InspectionTruth) -> Readings:
        """The newest of each sensor that has arrived by now, in the level frame of its time.

        To be called at increasing times. What is not called for as often as a sensor speaks is sampled less
        often, and a message waits for the next call.
        """
        tick = truth.time - self.time
        if not tick < math.inf:
            self._started, tick = truth.time, 0.0
        self.messages = self.heard(truth)
        for sender, message in self.messages:
            newest = self._newest.get(sender)
            if newest is None or message.time >= newest.time:
                self._newest[sender] = message
                if isinstance(message, OdometryReading):
                    self._repeats = self._repeats + 1 if _repeats(newest, message) else 0
        lost = self._lost(truth.time, tick)
        told = {sender: message for sender, message in self._newest.items() if sender not in lost}
        altimeter, ceiling, odometry = told.get("altimeter"), told.get("ceiling"), told.get("odometry")
        angles, length, pull = told.get("drone_angles"), told.get("length"), told.get("tension")
        return Readings(
            time=truth.time,
            height=math.nan if altimeter is None else altimeter.distance,
            headroom=math.nan if ceiling is None else ceiling.distance,
            tether_H=None if angles is None else -levelled(angles.rotation) @ angles.tangent_end,
            length=math.nan if length is None else length.length,
            tension=math.nan if pull is None else pull.tension,
            velocity_H=UNKNOWN if odometry is None else odometry.velocity_H,
            position=UNKNOWN if odometry is None else odometry.position,
            yaw=math.nan if odometry is None else odometry.yaw,
            depth=told.get("depth_camera"),
            voltage=truth.voltage,
            power_share=truth.power_share,
            energy_left=truth.energy_left,
            base_tilt=truth.base_tilt,
            lost=lost,
        )

    def _lost(self, time: float, tick: float) -> tuple[str, ...]:
        """Sensors that are silent, and odometry that has lost its way or repeats itself."""
        names = []
        for name, timing in self._timing.items():
            newest = self._newest.get(name)
            since = self._started if newest is None else newest.time
            patience = SILENT * max(1.0 / timing.rate_hz, tick) + timing.delay + timing.delay_jitter
            if time - since > patience or (
                name == "odometry" and newest is not None and self._astray(newest)
            ):
                names.append(name)
        return tuple(names)

    def _astray(self, newest: OdometryReading) -> bool:
        return not newest.tracking or self._repeats >= STUCK


def _repeats(before: OdometryReading | None, now: OdometryReading) -> bool:
    """Whether a number of it is the same to the last bit, which noise does not allow."""
    if before is None:
        return False
    same = (before.position == now.position).any() or (before.velocity_H == now.velocity_H).any()
    return bool(same) or before.yaw == now.yaw
