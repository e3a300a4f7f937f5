"""Simulate AVOCADO: commands that are held, as a controller at 100 Hz holds them."""

import math
from collections.abc import Callable
from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.math.kernel import entry_point
from tetherlab.vehicles.avocado.advance import COMPLETED, advance
from tetherlab.vehicles.avocado.frames import COLUMNS, chart_of, make_record, read_records
from tetherlab.vehicles.avocado.model import make_model
from tetherlab.vehicles.avocado.record import RECORD
from tetherlab.vehicles.avocado.spec import AvocadoSpec
from tetherlab.vehicles.avocado.state import AvocadoCommand, AvocadoState
from tetherlab.vehicles.avocado.trajectory import AvocadoStatus, AvocadoTrajectory
from tetherlab.vehicles.avocado.work import make_work

Array = NDArray[np.float64]
Controller = Callable[[float, AvocadoState], AvocadoCommand]

HOLD = 0.01  # [s]; Table I
STATUSES = tuple(AvocadoStatus)  # in the order of the kernel's numbers
NAMES = tuple(AvocadoState.__annotations__)


@check.known_arguments
def simulate(
    spec: AvocadoSpec,
    state: AvocadoState,
    command: AvocadoCommand | ArrayLike | Controller,
    duration: float,
    *,
    hold: float = HOLD,
    rtol: float = 1e-6,
    atol: float = 1e-8,
    throw: bool = True,
) -> AvocadoTrajectory:
    """The motion from a state over a duration [s], each command held for `hold` [s], the last maybe shorter.

    command: one for all the time; or rows of reel speed, thrust, torque, one per hold, (n, 3); or a function
    that is called with time and state before each hold.
    rtol, atol: tolerances of a step, the latter in m, rad, m/s and rad/s; angles count as 1 rad.
    throw: a simulation that cannot go on is a SimulationError; False: it returns what it computed, with its
    status.
    """
    check_kind("spec", spec, AvocadoSpec)
    check_kind("state", state, AvocadoState)
    holds = _holds(duration, hold)
    _check_tolerances(rtol, atol)
    run = _Run(spec, state, len(holds), float(rtol), float(atol))
    if callable(command):
        for k in range(len(holds)):
            if not run.go(k, _row(spec, command(k * hold, run.state(k))), holds[k : k + 1]):
                break
    else:
        one = isinstance(command, AvocadoCommand)
        rows = np.repeat([_row(spec, command)], len(holds), axis=0) if one else command
        run.go(0, _checked_rows(spec, rows, len(holds)), holds)
    trajectory = run.trajectory(holds)
    if throw and trajectory.status is not AvocadoStatus.COMPLETED:
        raise SimulationError(f"after {trajectory.time[-1]:.6g} s {trajectory.status.value}")
    return trajectory


class _Run:
    """Records and their table, filled from the start."""

    def __init__(self, spec: AvocadoSpec, state: AvocadoState, count: int, rtol: float, atol: float) -> None:
        self.model = make_model(spec)
        self.chart = chart_of(self.model)
        self.tolerances = rtol, atol
        self.work = make_work()
        self.records = np.zeros((count + 1, RECORD))
        self.records[0] = make_record(self.model, self.chart, state, self.work)
        self.table = np.zeros((count + 1, COLUMNS))
        self.table[0] = astuple(state)
        self.commands = np.zeros((count, 3))
        self.steps = np.array([HOLD, 0.0, 0.0])  # to try first, number, time within the last hold
        self.filled, self.status = 1, COMPLETED
        self._advance: Callable[..., Any] = advance
        self._read: Callable[..., Any] = read_records

    def go(self, k: int, commands: Array | tuple[float, float, float], holds: Array) -> bool:
        """Advance from record k by commands, one per hold; False if it cannot go on."""
        n = len(holds)
        self.commands[k : k + n] = commands
        records, table = self.records[k : k + n + 1], self.table[k : k + n + 1]
        model, chart = self.model, self.chart
        arguments = self.commands[k : k + n], holds, *self.tolerances, self.work, records, self.steps
        self.status, filled = self._advance(model, chart, *arguments)
        self._read(chart, records[:filled], table[:filled])
        if k > 0 and self._advance is advance:
            self._advance = entry_point(advance, (model, chart, *arguments))
            self._read = entry_point(read_records, (chart, records, table))
        self.filled = k + filled
        return bool(self.status == COMPLETED)

    def state(self, k: int) -> AvocadoState:
        """A state, which needs no checks."""
        state = object.__new__(AvocadoState)
        state.__dict__.update(zip(NAMES, self.table[k].tolist(), strict=True))
        return state

    def trajectory(self, holds: Array) -> AvocadoTrajectory:
        table, n = self.table[: self.filled], self.filled
        time = np.concatenate([[0.0], np.cumsum(holds[: n - 1])])
        if self.status != COMPLETED:
            time[-1] += self.steps[2] - holds[n - 2]
        commands = self.commands[: n - 1].copy()
        speed = np.concatenate([commands[:1, 0], commands[:, 0]])
        columns = dict(zip(NAMES, table.T.copy(), strict=True))
        stretch = columns["distance"] - columns["tether_length"]
        pull = self.model.tether_stiffness * stretch
        pull += self.model.tether_damping * (columns["distance_rate"] - speed)
        return AvocadoTrajectory(
            time=time,
            tension=np.where(stretch >= 0.0, np.maximum(pull, 0.0), 0.0),
            commands=commands,
            status=STATUSES[self.status],
            step_count=int(self.steps[1]),
            **columns,
        )


def _row(spec: AvocadoSpec, command: Any) -> tuple[float, float, float]:
    """The numbers of one command."""
    check_kind("command", command, AvocadoCommand)
    _check_limits(spec, command.thrust, command.torque, "")
    return command.reel_speed, command.thrust, command.torque


def _checked_rows(spec: AvocadoSpec, rows: Any, count: int) -> Array:
    """One row per hold, (count, 3)."""
    commands = check.array("command", rows, (None, 3))
    if len(commands) != count:
        raise InputError(f"command must have one row for each of the {count} holds, got {len(commands)}")
    wrong = (commands[:, 1] < -spec.reverse_thrust) | (commands[:, 1] > spec.thrust_max)
    wrong |= np.abs(commands[:, 2]) > spec.torque_max
    for k in np.flatnonzero(wrong)[:1]:
        _check_limits(spec, commands[k, 1], commands[k, 2], f" in row {k}")
    return commands


def _check_limits(spec: AvocadoSpec, thrust: float, torque: float, where: str) -> None:
    if not -spec.reverse_thrust <= thrust <= spec.thrust_max:
        raise InputError(
            f"thrust must be between {0.0 - spec.reverse_thrust:g} and {spec.thrust_max:g} N "
            f"(AvocadoSpec.thrust_max), got {thrust:g}{where}"
        )
    if not abs(torque) <= spec.torque_max:
        raise InputError(
            f"torque must be within {spec.torque_max:g} N m of 0, which one motor at its limit gives "
            f"(AvocadoSpec.torque_max), got {torque:g}{where}"
        )


def check_kind(name: str, value: Any, kind: type) -> None:
    """Refuse what is not an object of a public class of this package."""
    if not isinstance(value, kind):
        raise InputError(f"{name} must be an {kind.__name__} of tetherlab.vehicles.avocado, got {value!r}")


def _holds(duration: float, hold: float) -> Array:
    """Lengths of the holds that make up a duration [s], (n,)."""
    duration, hold = check.positive("duration", duration), check.positive("hold", hold)
    if duration / hold > 1e8:
        raise InputError(f"duration must be at most 1e8 holds of {hold:g} s, got {duration:g} s")
    count = max(1, math.ceil(duration / hold - 1e-9))
    holds = np.full(count, hold)
    holds[-1] = duration - (count - 1) * hold
    return holds


def _check_tolerances(rtol: float, atol: float) -> None:
    if not 1e-14 <= check.positive("rtol", rtol) <= 1e-2:
        raise InputError(f"rtol must be between 1e-14, below which rounding hides it, and 0.01, got {rtol:g}")
    if check.positive("atol", atol) > 1e-2:
        raise InputError(f"atol must be at most 0.01, got {atol:g}")
