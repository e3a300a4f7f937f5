"""A run of rover, tether and drone that latch to each other and perch: 10 ms by 10 ms, as it is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts.failure_ring import FailureRing
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.math.kernel import entry_point
from tetherlab.plant import hoist_build as B
from tetherlab.plant import hoist_model as H
from tetherlab.plant import hoist_watch as W
from tetherlab.plant.canopy_model import FREE_OBJECT, FREE_POINT
from tetherlab.plant.hoist_advance import advance_hoist
from tetherlab.sim.hoist_ending import ending
from tetherlab.sim.hoist_observation import HoistObserved
from tetherlab.sim.plant_parts import plant_parts
from tetherlab.sim.rows import CHUNK, Rows
from tetherlab.tether import model as M
from tetherlab.tether.spec import TetherSpec
from tetherlab.vehicles.hanging import Hanging
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec, WinchSpec
from tetherlab.vehicles.winch import HOLD
from tetherlab.world import World

Vector = NDArray[np.float64]
TICK = 0.01  # [s]
STEP = 0.0025  # of the physics [s]
NOTHING = (np.empty(0), np.empty(0, np.float32))


class HoistCommand(NamedTuple):
    """What all members do until the next tick."""

    force: ArrayLike = (0.0, 0.0, 0.0)  # of the drone's rotors, world frame [N], (3,)
    armed: bool = False  # whether they turn
    drive: float = 0.0  # speed of the rover, forwards [m/s]
    turn: float = 0.0  # to the left [rad/s]
    reel_mode: int = HOLD  # of the winch, see vehicles/winch.py
    reel: float = 0.0  # speed [m/s], length [m] or tension [N] that it keeps
    reel_rate: float = 0.0  # of a wanted length, or at which the ends part [m/s]


class HoistRun:
    """One run; whoever holds it gives a command for every tick."""

    def __init__(
        self,
        world: World,
        tether: TetherSpec,
        quadrotor: QuadrotorSpec,
        rover: RoverSpec,
        winch: WinchSpec,
        *,
        length: float,
        rover_position: ArrayLike,
        drone_position: ArrayLike,
        drone_radius: float = 0.2,
        record_every: int = 5,
        **options: Any,
    ) -> None:
        """Rover and drone at rest, apart; positions, length and options: see `build_hoist`."""
        self.world, self.tether, self.quadrotor = world, tether, quadrotor
        self.drone_radius = drone_radius  # of its disc [m]
        self.plant = B.build_hoist(
            world, tether, quadrotor, rover, winch, length=length, rover_position=rover_position,
            drone_position=drone_position,
            drone_radius=drone_radius, step=STEP, **options,
        )  # fmt: skip
        self.target = np.array([self.drone, self.rover])  # where drone and rover should be [m], (2, 3)
        self.observation = HoistObserved(self.plant)
        self.events: list[Event] = []
        self.outcome: Outcome | None = None
        self.outcome_sentence = ""
        self._every, self._ticks = record_every, 0
        self._rows, self._count = Rows(), 0
        self._command = np.zeros(H.COMMAND_SIZE)
        self._compiled: Callable[..., int] | None = None
        self._ring = FailureRing(dict(plant_parts(self.plant)), (self._command, self.target))
        self.on_failure: Callable[[], str] | None = None  # writes what led to it, and says where
        self._advance(0)

    @property
    def time(self) -> float:
        """[s]."""
        return float(self.plant.clock[0])

    @property
    def rover(self) -> Vector:
        """Middle of its hull [m], (3,)."""
        return B.middle(self.plant, H.ROVER)

    @property
    def drone(self) -> Vector:
        """Middle of its disc [m], (3,)."""
        return B.middle(self.plant, H.DRONE)

    def velocity(self, who: int) -> Vector:
        """Of the centre of mass of rover (0) or drone (1) [m/s], (3,)."""
        return np.asarray(self.plant.body["v_W"][who].copy())

    @property
    def exit_velocity(self) -> Vector:
        """Of the point where the tether leaves the rover [m/s], (3,)."""
        return np.asarray(self.plant.memory.vectors[1, 0].copy())

    @property
    def link(self) -> int:
        """APART, LATCHED or PERCHED, see plant/hoist_model.py."""
        return int(self.plant.flag[H.LINK])

    @property
    def tension(self) -> float:
        """Where the tether leaves the rover [N]."""
        return float(self.plant.winch["tension"][0])

    @property
    def length(self) -> float:
        """Of tether that is out [m]."""
        return float(self.plant.winch["length"][0])

    @property
    def touches(self) -> bool:
        """Whether the rover touches anything."""
        return bool(self.plant.seen[H.SHELL_COUNT] > 0)

    @property
    def hangs_from(self) -> str:
        """Name of the object that the tether touches last before the rover, or "perch"."""
        who = int(self.plant.free[FREE_OBJECT])
        return "perch" if who < 0 else self.world.names[who]

    @property
    def last_contact(self) -> Vector:
        """Of the tether before the rover, or its end [m], (3,)."""
        return np.asarray(self.plant.free[FREE_POINT : FREE_POINT + 3].copy())

    @property
    def nodes(self) -> Vector:
        """Of the tether, from the rover to its end [m], (n, 3)."""
        count = int(self.plant.memory.number[M.COUNT])
        return np.asarray(self.plant.memory.vectors[M.POSITIONS, : count + 1].copy())

    def hanging(self, hinge: ArrayLike) -> Hanging:
        """The rover as a pendulum about a hinge in the plane y = 0, (2,) [m]."""
        x, z = np.asarray(hinge, float)
        return Hanging.in_space((x, 0.0, z), self.rover, self.exit_velocity)

    def latch(self, **options: Any) -> None:
        """The rover ties its tether to the drone, see `plant.hoist_build.latch`."""
        B.latch(self.plant, self.world, self.tether, **options)
        self._ring.clear()
        self.note("latch", f"the tether is latched, {self.length:.2f} m are out")

    def perch(self) -> None:
        """The drone holds on where it is."""
        B.perch(self.plant)
        self._ring.clear()
        x, _, z = self.plant.perch
        self.note("perch", f"the drone holds on, the tether ends at ({x:.2f}, {z:.2f}) m")

    def unhook(self) -> None:
        """The tether lets go of the drone, which is free, and is on the drum again."""
        B.unhook(self.plant)
        self._ring.clear()
        self.note("unhook", "the tether is unhooked, and comes home")

    def note(self, kind: str, sentence: str) -> None:
        """Something happened."""
        self.events.append(Event(self.time, kind, sentence))

    def tick(self, command: HoistCommand) -> bool:
        """Go on for 10 ms; whether the run goes on."""
        if self.outcome is not None:
            return False
        self._command[H.FORCE] = command.force
        self._command[H.DRIVE :] = (
            command.drive, command.turn, command.reel_mode, command.reel, command.reel_rate,
            float(command.armed),
        )  # fmt: skip
        code = self._advance(round(TICK / STEP))
        self._ticks += 1
        if code != W.GOING:
            outcome, details = ending(code, self.plant)
            if outcome is Outcome.DIVERGED and self.on_failure is not None:
                details = f"{details}; {self.on_failure()}"
            self.finish(outcome, details)
        return self.outcome is None

    def finish(self, outcome: Outcome, details: str) -> None:
        """End the run."""
        self.outcome = outcome
        self.outcome_sentence = f"After {self.time:.2f} s {outcome.value}: {details}."
        self.note("outcome", self.outcome_sentence)

    @property
    def log(self) -> Log:
        """The record so far. The position of the rover is that of the middle of its hull."""
        return Log(self._rows.tables(self._count), self.outcome, self.outcome_sentence, list(self.events))

    def _advance(self, steps: int) -> int:
        """Of so many steps; why the run ends, or 0."""
        if steps > 0:
            self._ring.before(self.time, (steps,))
        due = steps == 0 or (self._ticks + 1) % self._every == 0
        rows, stations = NOTHING
        if due:
            chunk, points = self._rows.chunk(self._count)
            rows, stations = chunk[self._count % CHUNK], points[self._count % CHUNK]
            self._count += 1
        arguments = (self.plant, self._command, STEP, steps, self.target, rows, stations)
        if self._compiled is None:
            code = int(advance_hoist(*arguments))
            self._compiled = entry_point(advance_hoist, arguments)
            return code
        return int(self._compiled(*arguments))
