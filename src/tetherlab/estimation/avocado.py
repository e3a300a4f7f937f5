"""Where AVOCADO is and how it moves, by its own sensors alone. Theory: docs/theory/avocado_estimation.md."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.estimation import avocado_layout as K
from tetherlab.estimation.avocado_estimate import AvocadoDoubt, AvocadoEstimate
from tetherlab.estimation.avocado_kernel import update
from tetherlab.estimation.avocado_listen import SLACK_TIME
from tetherlab.estimation.avocado_settings import AvocadoEstimatorSpec, contacts, make_settings
from tetherlab.sensors.avocado_suite import AvocadoSensorSpec
from tetherlab.sensors.readings import AvocadoReading
from tetherlab.vehicles.avocado import AvocadoCommand, AvocadoSpec, AvocadoState
from tetherlab.vehicles.avocado.state import LENGTH_MIN

__all__ = ["AvocadoDoubt", "AvocadoEstimate", "AvocadoEstimator", "AvocadoEstimatorSpec"]

NAMES = tuple(AvocadoState.__annotations__)
TURNED = np.array([0, 2, 1])  # axes of ENU or FLU in the order of the paper's, which point the other way
TURNED_MATRIX = np.array([0, 2, 1, 6, 8, 7, 3, 5, 4])
ROWS = 64  # readings that one call of the kernel takes
SILENT = 0.1  # after which a sensor counts as silent [s]
CONTRADICTS = 0.5  # for which it is said after a contradiction [s]
MISFIT_MAX = 6.0  # mean surprise of the joint's readings, in deviations squared, beyond which nothing fits
HEADING_KNOWN = 0.35  # deviation up to which a heading counts as told from psi [rad]
KNOWN = 0.1  # share of the free length up to whose deviation it counts as known


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
        self._settings = make_settings(self.robot, self.sensors, self.spec)
        ends = check.array("branches", np.reshape(branches, (-1, 2, 3)), (None, 2, 3))
        self._branches = np.ascontiguousarray(-ends[:, :, TURNED]).reshape(-1, 6)
        self._rows = np.zeros((ROWS, K.ROW))
        self.reset()

    def reset(self) -> None:
        """Forget all readings."""
        self._thrust, self._heard = math.nan, -math.inf
        self._memory = K.make_memory(self._branches)
        clock = self._memory.clock
        clock[K.HEARD : K.HEARD + K.KINDS] = -math.inf
        clock[[K.SLACK_SINCE, K.CONTRADICTED, K.SWUNG, K.NEWEST]] = -math.inf
        self._memory.fresh[:] = contacts(self.spec.length_share_min)

    def update(
        self, time: float, readings: Iterable[AvocadoReading], command: AvocadoCommand
    ) -> AvocadoEstimate:
        """Take what has arrived by a time [s]; command: what was held since the last update."""
        memory, clock = self._memory, self._memory.clock
        if not time > clock[K.NEWEST]:
            raise InputError(f"time must increase: {time:g} s came after {clock[K.NEWEST]:g} s")
        count = self._pack(list(readings))
        update(self._settings, memory, self._rows, count, float(time), self._pushed(time, command.thrust))
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

    def _pushed(self, time: float, thrust: float) -> float:
        """Mean thrust since the last update [N]: the motors lag behind what was commanded."""
        lag, before = getattr(self.robot, "motor_lag", 0.0), self._thrust
        elapsed = time - self._heard
        if lag == 0.0 or math.isnan(before) or not 0.0 < elapsed < 1.0:
            self._thrust, self._heard = thrust, time
            return thrust
        left = math.exp(-elapsed / lag)
        self._thrust, self._heard = thrust + left * (before - thrust), time
        return thrust + lag / elapsed * (1.0 - left) * (before - thrust)

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
        if out[K.DEVIATION + NAMES.index("heading")] > HEADING_KNOWN:
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
