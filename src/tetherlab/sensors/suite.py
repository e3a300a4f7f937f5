"""All sensors of base and drone together: from the world as it is to the messages that arrive."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from tetherlab.contracts import check
from tetherlab.contracts.measurement import Measurement
from tetherlab.sensors.altimeter import Altimeter, AltimeterSpec
from tetherlab.sensors.angle_sensor import AngleSensorSpec, BaseAngles, DroneAngles
from tetherlab.sensors.attitude import Attitude, AttitudeSpec
from tetherlab.sensors.camera import Camera, CameraSpec
from tetherlab.sensors.encoder import Drum, Encoder, EncoderSpec
from tetherlab.sensors.gnss import Gnss, GnssSpec
from tetherlab.sensors.imu import Imu, ImuSpec
from tetherlab.sensors.readings import Reading
from tetherlab.sensors.sensor import Sensor
from tetherlab.sensors.sensor_set import SensorSet, check_seed
from tetherlab.sensors.tension_sensor import TensionSensor, TensionSpec
from tetherlab.sensors.truth import Truth
from tetherlab.sensors.uwb import Uwb, UwbSpec


def drone_angles() -> AngleSensorSpec:
    """Its supply fluctuates in flight, its noise is a third of β_d's in Table II, it is heard by radio."""
    return AngleSensorSpec(
        azimuth_noise=0.026 / 3.0,  # the paper prints none; assumed: as in elevation
        elevation_noise=0.026 / 3.0,
        bias_seed=2,
        supply_sag=0.02,
        supply_noise=0.01,
        delay=0.015,
        delay_jitter=0.01,
    )


def platform_angles() -> AngleSensorSpec:
    """That of paper 003, which lies below the middle of the platform; its noise is not printed.

    Its first axis has stops, so that a link that hung down beside the platform comes up on the side on which
    its second axis does not end.
    """
    return AngleSensorSpec(
        mounting="lying",
        azimuth_noise=0.0096 / 3.0,  # assumed: both potentiometers as the elevation of paper 002
        azimuth_range=(math.radians(-170.0), math.radians(170.0)),  # this and the next: assumed
        azimuth_endless=False,
        elevation_range=(math.radians(-100.0), math.radians(100.0)),
        adc_bits=10,  # Arduino, paper 003, section 3.3
    )


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class SuiteSpec:
    """Defaults: the sensors of paper 002. Those that are None are not on board."""

    base_angles: AngleSensorSpec = field(default_factory=AngleSensorSpec)
    drone_angles: AngleSensorSpec = field(default_factory=drone_angles)
    length: EncoderSpec = field(default_factory=EncoderSpec)
    tension: TensionSpec = field(default_factory=TensionSpec)
    imu: ImuSpec = field(default_factory=ImuSpec)
    attitude: AttitudeSpec = field(default_factory=AttitudeSpec)
    drum: EncoderSpec | None = None
    altimeter: AltimeterSpec | None = None
    gnss: GnssSpec | None = None
    uwb: UwbSpec | None = None
    camera: CameraSpec | None = None


class SensorSuite(SensorSet[Truth]):
    """Same specification, seed and world: same messages, bit for bit."""

    def __init__(self, spec: SuiteSpec, seed: int) -> None:
        check_seed(seed)
        self.spec = spec
        self.readings: list[Reading] = []  # of GNSS, UWB and camera, that arrived with the last `sense`
        self._attitude = Attitude(spec.attitude, "attitude", seed)
        estimate = self._attitude.estimate
        sensors: list[Sensor[Any, Truth]] = [
            BaseAngles(spec.base_angles, "base_angles", seed),
            DroneAngles(spec.drone_angles, "drone_angles", seed, estimate),
            Encoder(spec.length, "length", seed),
            TensionSensor(spec.tension, "tension", seed),
            Imu(spec.imu, "imu", seed, estimate),
        ]
        if spec.drum is not None:
            sensors.append(Drum(spec.drum, "drum", seed))
        if spec.altimeter is not None:
            sensors.append(Altimeter(spec.altimeter, "altimeter", seed))
        if spec.gnss is not None:
            sensors.append(Gnss(spec.gnss, "gnss", seed))
        if spec.uwb is not None:
            sensors.append(Uwb(spec.uwb, "uwb", seed))
        if spec.camera is not None:
            sensors.append(Camera(spec.camera, "camera", seed))
        super().__init__(sensors, seed)

    def sense(self, truth: Truth) -> list[Measurement]:
        """What has arrived by now, in order of arrival: one measurement for each message of a sensor.

        To be called at each tick, at increasing times: what follows the tether follows it then. A sensor is
        sampled at the first tick at or after its turn.
        """
        measurements: list[Measurement] = []
        self.readings = []
        for message in self.arriving(truth):
            if isinstance(message, Measurement):
                measurements.append(message)
            else:
                self.readings.append(message)
        return measurements
