"""All sensors of AVOCADO together: from the robot as it is to the readings that arrive."""

from __future__ import annotations

from dataclasses import dataclass, field

from tetherlab.contracts import check
from tetherlab.sensors.avocado_truth import AvocadoTruth
from tetherlab.sensors.gyroscope import Gyroscope, GyroscopeSpec
from tetherlab.sensors.joint_encoder import JointEncoder, JointEncoderSpec
from tetherlab.sensors.readings import AvocadoReading
from tetherlab.sensors.sensor_set import SensorSet, check_seed
from tetherlab.sensors.tracking_camera import TrackingCamera, TrackingCameraSpec
from tetherlab.sensors.wheel_encoder import WheelEncoder, WheelEncoderSpec


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class AvocadoSensorSpec:
    """Defaults: the sensors of paper 001."""

    camera: TrackingCameraSpec = field(default_factory=TrackingCameraSpec)
    gyroscope: GyroscopeSpec = field(default_factory=GyroscopeSpec)
    joint: JointEncoderSpec = field(default_factory=JointEncoderSpec)
    wheel: WheelEncoderSpec = field(default_factory=WheelEncoderSpec)


class AvocadoSensors(SensorSet[AvocadoTruth]):
    """`inject` names them camera, gyroscope, joint and wheel."""

    def __init__(self, spec: AvocadoSensorSpec, seed: int) -> None:
        check_seed(seed)
        self.spec = spec
        sensors = (
            TrackingCamera(spec.camera, "camera", seed),
            Gyroscope(spec.gyroscope, "gyroscope", seed),
            JointEncoder(spec.joint, "joint", seed),
            WheelEncoder(spec.wheel, "wheel", seed),
        )
        super().__init__(sensors, seed)

    def sense(self, truth: AvocadoTruth) -> list[AvocadoReading]:
        """What has arrived by now, in order of arrival: one reading for each message of a sensor.

        To be called at each tick, at increasing times.
        """
        return [message for message in self.arriving(truth) if isinstance(message, AvocadoReading)]
