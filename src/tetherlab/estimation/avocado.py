"""Where AVOCADO is and how it moves, by its own sensors alone. Theory: docs/theory/avocado_estimation.md."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.estimation import avocado_layout as K
from tetherlab.estimation.avocado_kernel import SLACK_TIME, update
from tetherlab.sensors.avocado_suite import AvocadoSensorSpec
from tetherlab.sensors.readings import AvocadoReading
from tetherlab.vehicles.avocado import AvocadoCommand, AvocadoSpec, AvocadoState
from tetherlab.vehicles.avocado.model import make_model
from tetherlab.vehicles.avocado.state import LENGTH_MIN

NAMES = tuple(AvocadoState.__annotations__)
TURNED = np.array([0, 2, 1])  # axes of ENU or FLU in the order of the paper's, which point the other way
TURNED_MATRIX = np.array([0, 2, 1, 6, 8, 7, 3, 5, 4])
ROWS = 64  # readings that one call of the kernel takes
SILENT = 0.1  # after which a sensor counts as silent [s]
CONTRADICTS = 0.5  # for which it is said after a contradiction [s]
MISFIT_MAX = 6.0  # mean surprise of the joint's readings, in deviations squared, beyond which nothing fits
KNOWN = 0.1  # share of the free length up to whose deviation it counts as known


class AvocadoDoubt(Enum):
    """Why an estimate, or a part of it, is not to be relied on; `value` is the sentence."""

    NOT_STARTED = "orientation, joint and wheel have not all been heard yet"
    CAMERA = "the tracking camera is silent or stuck: the orientation is the gyroscope's alone, and drifts"
    GYROSCOPE = "the gyroscope is silent or stuck: the rates are not to be relied on"
    JOINT = "the joint's encoder is silent or stuck: theta and phi are those that the motion predicts"
    WHEEL = "the wheel's encoder is silent: the tether length is the last that was heard, moved on"
    CONTRADICTION = "camera and gyroscope, or joint and motion, contradict each other"
    SLACK = (
        "the tether may be slack: it has no direction, and neither theta nor the free length means anything"
    )
    HEADING = "the tether is too close to the vertical to tell heading from psi; their sum is known"
    FREE_LENGTH = "there has been too little motion to tell the free length"


@dataclass(frozen=True, kw_only=True)
class AvocadoEstimate:
    """What is known at a time. `state.distance` is the free length: that from P to the last contact."""

    time: float  # [s]
    state: AvocadoState | None  # None: nothing can be said
    deviation: dict[str, float]  # standard deviation of each field of the state
    free_probability: float  # that nothing touches the tether between P and the anchor
    tension: float  # with which the tether ought to pull [N]; negative where it cannot be taut
    doubts: tuple[AvocadoDoubt, ...]

    @property
    def ok(self) -> bool:
        """Whether a controller may fly by this state: heading or free length may be vague."""
        return all(doubt in (AvocadoDoubt.HEADING, AvocadoDoubt.FREE_LENGTH) for doubt in self.doubts)


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


class AvocadoEstimator:
    """Readings in, states out. Call it as often as there is to be an estimate, 100 times a second."""

    def __init__(
        self,
        robot: AvocadoSpec | None = None,
        sensors: AvocadoSensorSpec | None = None,
        spec: AvocadoEstimatorSpec | None = None,
        branches: ArrayLike = (),
    ) -> None:
        """sensors: how they are believed to err; their faults are for the estimator to find out.

        branches: both ends of each one that is known, seen from the anchor, world frame [m], (n, 2, 3).
        """
        self.robot = AvocadoSpec() if robot is None else robot
        self.sensors = AvocadoSensorSpec() if sensors is None else sensors
        self.spec = AvocadoEstimatorSpec() if spec is None else spec
        self._settings = _settings(self.robot, self.sensors, self.spec)
        ends = check.array("branches", np.reshape(branches, (-1, 2, 3)), (None, 2, 3))
        self._branches = np.ascontiguousarray(-ends[:, :, TURNED]).reshape(-1, 6)
        self._rows = np.zeros((ROWS, K.ROW))
        self.reset()

    def reset(self) -> None:
        """Forget all readings."""
        self._memory = K.make_memory(self._branches)
        clock = self._memory.clock
        clock[K.HEARD : K.HEARD + K.KINDS] = -math.inf
        clock[[K.SLACK_SINCE, K.CONTRADICTED, K.SWUNG, K.NEWEST]] = -math.inf
        self._memory.fresh[:] = _contacts(self.spec.length_share_min)

    def update(
        self, time: float, readings: Iterable[AvocadoReading], command: AvocadoCommand
    ) -> AvocadoEstimate:
        """Take what has arrived by a time [s]; command: what was held since the last update."""
        memory, clock = self._memory, self._memory.clock
        if not time > clock[K.NEWEST]:
            raise InputError(f"time must increase: {time:g} s came after {clock[K.NEWEST]:g} s")
        count = self._pack(list(readings))
        update(self._settings, memory, self._rows, count, float(time), float(command.thrust))
        if clock[K.BEGAN] == 0.0:
            nothing = dict.fromkeys(NAMES, math.nan)
            doubts = (AvocadoDoubt.NOT_STARTED,)
            return AvocadoEstimate(
                time=time,
                state=None,
                deviation=nothing,
                free_probability=math.nan,
                tension=math.nan,
                doubts=doubts,
            )
        out = memory.out.tolist()
        values = out[:11]
        values[0], values[1] = max(values[0], LENGTH_MIN), max(values[1], LENGTH_MIN)
        state = object.__new__(AvocadoState)  # needs no checks
        state.__dict__.update(zip(NAMES, values, strict=True))
        return AvocadoEstimate(
            time=time,
            state=state,
            deviation=dict(zip(NAMES, out[K.DEVIATION : K.DEVIATION + 11], strict=True)),
            free_probability=out[K.FREE_PROBABILITY],
            tension=out[K.TENSION],
            doubts=self._doubts(time, out),
        )

    def _pack(self, readings: Sequence[AvocadoReading]) -> int:
        if 2 * len(readings) > len(self._rows):
            self._rows = np.zeros((2 * len(readings), K.ROW))
        rows, k = self._rows, 0
        for reading in readings:
            for kind, values in _numbers(reading):
                rows[k, K.KIND], rows[k, K.TIME] = kind, reading.time
                rows[k, K.VALUE :] = 0.0
                rows[k, K.VALUE : K.VALUE + len(values)] = values
                k += 1
        return k

    def _doubts(self, time: float, out: Sequence[float]) -> tuple[AvocadoDoubt, ...]:
        clock = self._memory.clock.tolist()
        stuck = self.spec.repeats_max

        def lost(kind: int, repeats: bool = True) -> bool:
            silent = time - clock[K.HEARD + kind] > SILENT
            return silent or (repeats and clock[K.REPEATS + kind] >= stuck)

        doubts = []
        for kind, doubt in (
            (K.CAMERA, AvocadoDoubt.CAMERA),
            (K.GYROSCOPE, AvocadoDoubt.GYROSCOPE),
            (K.JOINT, AvocadoDoubt.JOINT),
        ):
            if lost(kind):
                doubts.append(doubt)
        if lost(K.WHEEL, repeats=False):
            doubts.append(AvocadoDoubt.WHEEL)
        if time - clock[K.CONTRADICTED] < CONTRADICTS or clock[K.MISFIT] > MISFIT_MAX:
            doubts.append(AvocadoDoubt.CONTRADICTION)
        if time - clock[K.SLACK_SINCE] < SLACK_TIME:
            doubts.append(AvocadoDoubt.SLACK)
        if out[K.DEVIATION + NAMES.index("heading")] > 0.35:
            doubts.append(AvocadoDoubt.HEADING)
        if out[K.DEVIATION] > KNOWN * out[0]:
            doubts.append(AvocadoDoubt.FREE_LENGTH)
        return tuple(doubts)


def _numbers(reading: AvocadoReading) -> list[tuple[int, NDArray[np.float64] | tuple[float, ...]]]:
    """Kinds and values of a reading, in the paper's axes."""
    found: list[tuple[int, NDArray[np.float64] | tuple[float, ...]]] = []
    if reading.rotation is not None:
        found.append((K.CAMERA, reading.rotation.ravel()[TURNED_MATRIX]))
    if reading.position is not None:
        found.append((K.POSITION, -reading.position[TURNED]))
    if reading.angular_velocity is not None:
        found.append((K.GYROSCOPE, -reading.angular_velocity[TURNED]))
    if reading.phi is not None:
        found.append((K.JOINT, (reading.phi,)))
    if reading.length is not None:
        found.append((K.WHEEL, (reading.length,)))
    return found


def _contacts(share_min: float) -> NDArray[np.float64]:
    """Logarithms of l_f / l_T of the hypotheses and their deviations; the first is free, (MODES, 2)."""
    count = K.MODES - 1
    step = -math.log(share_min) / count
    centres = -step * (np.arange(count) + 0.5)
    return np.vstack([[0.0, 0.0], np.column_stack([centres, np.full(count, 0.5 * step)])])


def _settings(robot: AvocadoSpec, sensors: AvocadoSensorSpec, spec: AvocadoEstimatorSpec) -> K.Settings:
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
