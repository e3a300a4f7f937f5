"""A run in the canopy: every 10 ms the controller speaks, and the robot on its tether goes on."""

from __future__ import annotations

import math
import time as wall
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.columns import STATION_COUNT
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.failure_ring import FailureRing
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.math.kernel import entry_point
from tetherlab.plant import canopy_model as C
from tetherlab.plant import canopy_watch as W
from tetherlab.plant.branch import Branch
from tetherlab.plant.canopy_advance import advance_canopy
from tetherlab.plant.canopy_build import build_canopy
from tetherlab.plant.canopy_energy import canopy_energy
from tetherlab.plant.hanging import ELEMENT
from tetherlab.plant.record import sample_tether
from tetherlab.sim.canopy_ending import ending
from tetherlab.sim.canopy_rows import CanopyRows
from tetherlab.sim.plant_parts import plant_parts
from tetherlab.sim.speakers import place_of_failure
from tetherlab.tether import model as M
from tetherlab.tether.readout import Energy
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.state import AvocadoCommand, AvocadoState
from tetherlab.world import World
from tetherlab.world.wind import Wind

Array = NDArray[np.float64]
Controller = Callable[[float, AvocadoState], AvocadoCommand]

TICK = 0.01  # [s]; the paper's controllers run at 100 Hz
STEP = 0.002  # of the physics [s]: see docs/theory/canopy.md
PROGRESS_EVERY = 0.1  # [s] of the wall clock
NAMES = tuple(AvocadoState.__annotations__)
NOTHING = (np.empty(0), np.empty(0), np.empty(0, np.float32))


class CanopyRun:
    """A run that can be stepped and looked at while it goes on; `run` takes it to its end."""

    def __init__(
        self,
        spec: AvocadoRobotSpec,
        world: World,
        controller: Controller | AvocadoCommand,
        start: AvocadoState,
        duration: float,
        *,
        anchor: ArrayLike = (0.0, 0.0, 0.0),
        via: ArrayLike = (),
        branches: Sequence[Branch] = (),
        sensing: Callable[[CanopyRun], AvocadoState] | None = None,
        failures: Mapping[str, float] | None = None,
        thrust: float = 0.0,
        wind: Wind | None = None,
        element_length: float = ELEMENT,
        step: float = STEP,
        record_every: int = 1,
    ) -> None:
        """A robot in a state; nothing has moved yet.

        controller: called with time [s] and state every 10 ms; or one command for all the time. If it has
        `references`, which give theta, heading [rad] and tether_length [m] of a time, these are recorded.
        sensing: called with this run before the controller, for the state that the controller gets; without
        it that is the truth. anchor, via, branches, failures, thrust: see `build_canopy`. step: longest of
        the physics [s]. record_every: ticks per row.
        """
        self.spec = check.instance("spec", spec, AvocadoRobotSpec)
        self.controller = _controller(controller)
        self.sensing, self.duration = sensing, check.positive("duration", duration)
        self.branches = tuple(branches)
        self._steps = max(1, math.ceil(TICK / check.positive("step", step) - 1e-9))
        self.plant = build_canopy(
            self.spec, check.instance("world", world, World), check.instance("start", start, AvocadoState),
            anchor=anchor, via=via, branches=self.branches, failures=failures, thrust=thrust, wind=wind,
            element_length=element_length, step=TICK / self._steps,
        )  # fmt: skip
        self.objects = (*world.names, *(branch.name for branch in self.branches))
        self._rows = CanopyRows(self.branches)
        self._every, self._ticks = check_every(record_every), 0
        self._command = np.zeros(C.COMMAND_SIZE)
        self.command = AvocadoCommand()  # that is held
        self.events: list[Event] = []
        self.outcome: Outcome | None = None
        self.outcome_sentence = ""
        self._compiled: Callable[..., int] | None = None
        self._ring = FailureRing(dict(plant_parts(self.plant)), (self._command,))
        self.on_failure: Callable[[], str] | None = None  # writes what led to it, and says where
        self._advance(0)

    @property
    def time(self) -> float:
        """[s]."""
        return float(self.plant.clock[0])

    @property
    def state(self) -> AvocadoState:
        """The truth: distance, theta and heading are those of the free part of the tether."""
        state = object.__new__(AvocadoState)  # needs no checks
        state.__dict__.update(zip(NAMES, self.plant.truth[1].tolist(), strict=True))
        return state

    @property
    def position(self) -> Array:
        """Of P, where the tether leaves the robot [m], (3,)."""
        return self.plant.memory.vectors[M.POSITIONS, 0].copy()

    @property
    def rotation(self) -> Array:
        """R_WB of the robot: forward, left, up, (3, 3)."""
        return self.plant.memory.body["R_WB"][M.BASE].copy()

    @property
    def thrusts(self) -> Array:
        """Of the left and the right propeller [N], (2,)."""
        return np.array(self.plant.robot["thrust"][0])

    @property
    def bends(self) -> Array:
        """How far the branches are bent, sideways and up [rad], (branches, 2)."""
        return np.array(self.plant.branch["bent"]).reshape(-1, 2)

    @property
    def stations(self) -> tuple[Array, Array]:
        """Points of the tether from the robot to the anchor [m], (41, 3), and the tensions there [N]."""
        values = np.zeros(4 * STATION_COUNT, np.float32)
        sample_tether(self.plant.memory, values)
        places, tensions = np.split(values.astype(np.float64), [3 * STATION_COUNT])
        return places.reshape(-1, 3), tensions

    @property
    def angular_velocity(self) -> Array:
        """Of the robot, body frame [rad/s], (3,)."""
        body = self.plant.memory.body[M.BASE]
        return np.linalg.solve(body["inertia_B"], body["R_WB"].T @ body["L_W"])

    @property
    def tension(self) -> float:
        """Where the tether leaves the robot [N]."""
        return float(self.plant.spool["tension"][0])

    @property
    def hangs_from(self) -> str:
        """Name of the object that the tether touches last before the robot, or "anchor"."""
        who = int(self.plant.free[C.FREE_OBJECT])
        return "anchor" if who < 0 else self.objects[who]

    @property
    def energy(self) -> Energy:
        """Of robot, tether and branches [J]; what branches lose is not counted."""
        return canopy_energy(self.plant)

    def step(self) -> bool:
        """One tick; whether the run goes on."""
        if self.outcome is not None:
            return False
        try:
            self._listen()
        except Exception as error:  # a user's code: the run ends, its data stay
            where = place_of_failure(error, self.controller)
            self._finish(
                Outcome.CONTROLLER_FAILED,
                f"the controller failed at {where}: {type(error).__name__}: {error}",
            )
            return False
        code = self._advance(self._steps)
        self._ticks += 1
        if code != W.HANGING:
            outcome, details = ending(code, self.plant, self.spec)
            if outcome is Outcome.DIVERGED and self.on_failure is not None:
                details = f"{details}; {self.on_failure()}"
            self._finish(outcome, details)
        elif self.time >= self.duration - 1e-9:
            self._finish(Outcome.COMPLETED, f"all {self.duration:g} s were run")
        return self.outcome is None

    def run(self, until: float | None = None, progress: Callable[[float, str], None] | None = None) -> Log:
        """Go on until the end, or until a time [s]; Ctrl-C stops and keeps what there is.

        progress: called now and then with the share that is done and a line of text.
        """
        stop = (math.inf if until is None else check.number("until", until)) - 0.5 * TICK
        shown = wall.monotonic()
        try:
            while self.time < stop and self.step():
                if progress is not None and wall.monotonic() - shown > PROGRESS_EVERY:
                    shown = wall.monotonic()
                    progress(*self._progress())
        except KeyboardInterrupt:
            self._finish(Outcome.STOPPED, "Ctrl-C")
        if progress is not None:
            progress(*self._progress())
        return self.log

    @property
    def log(self) -> Log:
        """The record so far."""
        return Log(self._rows.tables(), self.outcome, self.outcome_sentence, list(self.events))

    def _listen(self) -> None:
        """Sense, and ask the controller for a command."""
        seen = self.state if self.sensing is None else self.sensing(self)
        command = self.controller(self.time, seen)
        if not isinstance(command, AvocadoCommand):
            raise InputError(f"it must return an AvocadoCommand, got {command!r}")
        self.command = command
        self._command[:] = command.reel_speed, command.thrust, command.torque

    def _advance(self, steps: int) -> int:
        """Of so many steps; why the run ends, or 0."""
        due = self._every == 1 or steps == 0 or (self._ticks + 1) % self._every == 0
        rows = self._rows.fresh() if due else NOTHING
        if steps > 0:
            self._ring.before(self.time, (steps,))
        arguments = (self.plant, self._command, TICK / self._steps, steps, *rows)
        if self._compiled is None:
            code = int(advance_canopy(*arguments))
            self._compiled = entry_point(advance_canopy, arguments)
        else:
            code = int(self._compiled(*arguments))
        if due:
            references = getattr(self.controller, "references", None)
            self._rows.keep(references(self.time) if callable(references) else None)
        return code

    def _finish(self, outcome: Outcome, details: str) -> None:
        self.outcome = outcome
        self.outcome_sentence = f"After {self.time:.2f} s {outcome.value}: {details}."
        self.events.append(Event(self.time, "outcome", self.outcome_sentence))

    def _progress(self) -> tuple[float, str]:
        return min(self.time / self.duration, 1.0), f"{self.time:.0f} of {self.duration:g} s"


def _controller(controller: Any) -> Controller:
    if isinstance(controller, AvocadoCommand):
        return lambda time, state: controller
    if not callable(controller):
        raise InputError(
            f"controller must be called with time and state, or be an AvocadoCommand, got {controller!r}"
        )
    return controller


def check_every(value: Any) -> int:
    """Ticks per row."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InputError(f"record_every must be an integer >= 1, got {value!r}")
    return int(value)
