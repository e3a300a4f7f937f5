"""What AVOCADO's estimator is told beforehand, and how its kernels take it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.estimation import avocado_layout as K
from tetherlab.sensors.avocado_suite import AvocadoSensorSpec
from tetherlab.vehicles.avocado import AvocadoSpec
from tetherlab.vehicles.avocado.model import make_model


@check.known_arguments
@dataclass(frozen=True, kw_only=True)
class AvocadoEstimatorSpec:
    """What is assumed of the robot's surroundings; none of it is in the paper."""

    push: float = 0.1  # acceleration that the model does not know, as by wind: deviation [m/s^2]
    thrust_error: float = 0.05  # share by which the thrust is not the one that was commanded: deviation
    push_time: float = 1.0  # in which that changes [s]
    jerk: float = 0.05  # the part of it that changes at once [m/s^2 per sqrt(Hz)]
    play_deviation: float = 0.003  # by which the joint's play is not the one of its specification [rad]
    contact_per_radian: float = 0.02  # contacts for each radian that the tether sweeps [1/rad]
    contact_per_second: float = 1e-4  # of branches that move by themselves [1/s]
    release_per_radian: float = 0.5  # of a tether that is caught [1/rad]
    free_prior: float = 0.9  # probability that it hangs freely at the start
    length_share_min: float = 0.1  # shortest free length that is looked for, as a share of all that is out
    map_deviation: float = 0.05  # of a free length by the map [m]
    gate: float = 5.0  # deviations beyond which a picture contradicts the gyroscope
    repeats_max: float = 10.0  # equal readings in a row, beyond which a sensor is stuck

    def __post_init__(self) -> None:
        for field in fields(self):
            check.positive(f"AvocadoEstimatorSpec.{field.name}", getattr(self, field.name))
        for name in ("free_prior", "length_share_min"):
            if not getattr(self, name) < 1.0:
                raise InputError(f"AvocadoEstimatorSpec.{name} must be below 1, got {getattr(self, name):g}")


def contacts(share_min: float) -> NDArray[np.float64]:
    """Logarithms of l_f / l_T of the hypotheses and their deviations; the first is free, (MODES, 2)."""
    count = K.MODES - 1
    step = -math.log(share_min) / count
    centres = -step * (np.arange(count) + 0.5)
    return np.vstack([[0.0, 0.0], np.column_stack([centres, np.full(count, 0.5 * step)])])


def make_settings(robot: AvocadoSpec, sensors: AvocadoSensorSpec, spec: AvocadoEstimatorSpec) -> K.Settings:
    """All as floats, so that the kernel is compiled once."""
    camera, gyro, joint, wheel = sensors.camera, sensors.gyroscope, sensors.joint, sensors.wheel
    count, model = 2.0 * math.pi / joint.counts_per_turn, make_model(robot)
    values = dict(
        mass=robot.mass,
        mass_arm=robot.mass_arm,
        gravity=robot.gravity,
        drag=model.drag,
        drag_z=model.drag_z,
        inertia_z=robot.inertia_z,
        thrust_arm=robot.thrust_arm,
        damping_phi=robot.damping_phi,
        damping_turn=robot.damping_heading + robot.damping_psi,
        gyro_noise=max(gyro.noise, 1e-4),
        gyro_period=1.0 / gyro.rate_hz,
        gyro_bias=gyro.bias,
        gyro_walk=gyro.bias_walk,
        tilt_noise=max(camera.orientation.tilt_noise, 1e-5),
        tilt_wander=camera.orientation.tilt_wander,
        heading_noise=max(camera.orientation.heading_noise, 1e-5),
        heading_walk=camera.orientation.heading_walk,
        position_noise=max(camera.position_noise, 1e-5),
        position_walk=max(camera.position_walk, 1e-3),
        joint_noise=math.sqrt(joint.noise**2 + count**2 / 12.0),
        play=joint.play,
        play_deviation=spec.play_deviation,
        wheel_noise=math.sqrt(wheel.noise**2 + wheel.counts_per_metre**-2 / 12.0),
        slip=max(wheel.slip_out, wheel.slip_in),
        slip_slack=wheel.slip_slack,
        push=spec.push,
        thrust_error=spec.thrust_error,
        push_time=spec.push_time,
        jerk=spec.jerk,
        contact_per_radian=spec.contact_per_radian,
        contact_per_second=spec.contact_per_second,
        release_per_radian=spec.release_per_radian,
        free_prior=spec.free_prior,
        map_deviation=spec.map_deviation,
        gate=spec.gate,
        repeats_max=spec.repeats_max,
    )
    return K.Settings(**{name: float(value) for name, value in values.items()})
