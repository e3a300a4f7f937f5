"""A run in the canopy: a scene with one robot on its tether among branches, and a controller every 10 ms."""

from __future__ import annotations

import math
import time as wall
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.assembly.canopy_rows import CanopyRows
from tetherlab.assembly.hanging import hang_robot
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts import check
from tetherlab.contracts.columns import STATION_COUNT
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.math.kernel import entry_point, plain
from tetherlab.math.record import make_records
from tetherlab.plant.branch import BENT_MAX, Branch
from tetherlab.plant.hanging import ELEMENT
from tetherlab.plant.joint_build import joint_energy
from tetherlab.plant.record import sample_tether
from tetherlab.sim import hanging_watch as W
from tetherlab.sim.speakers import place_of_failure
from tetherlab.tether import model as M
from tetherlab.tether.readout import Energy, energy_of
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.state import AvocadoCommand, AvocadoState
from tetherlab.world import World, shapes
from tetherlab.world.wind import Wind

Array = NDArray[np.float64]
Controller = Callable[[float, AvocadoState], AvocadoCommand]

TICK = 0.01  # [s]; the paper's controllers run at 100 Hz
STEP = 0.002  # of the physics [s]: see docs/theory/canopy.md
PROGRESS_EVERY = 0.1  # [s] of the wall clock
ROBOT, TETHER, ANCHOR = "robot", "robot_tether", "anchor"  # in the scene
ANCHOR_SINKS = 0.005  # deeper into a branch than at the start [m]: the branch goes through the anchor
SELDOM = 1e-6  # rows per second of the scene's own record, which is not used
NOTHING = (np.empty(0), np.empty(0), np.empty(0, np.float32))


class ControllerError(Exception):
    """The controller, or what told it where the robot is, raised an error."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


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
        seed: int = 0,
    ) -> None:
        """A robot in a state; nothing has moved yet.

        controller: called with time [s] and state every 10 ms; or one command for all the time. If it has
        `references`, which give theta, heading [rad] and tether_length [m] of a time, these are recorded.
        anchor: where the tether is tied [m]. via: points over which it runs, from the one next to the robot
        to the one next to the anchor [m], (n, 3); the angles and the distance of `start` are those of the
        free part, from the first of them. branches: that bend; rigid things are shapes of the world.
        sensing: called with this run before the controller, for the state that the controller gets; without
        it that is the truth. failures: when the "left" and the "right" propeller fail [s]. thrust: that both
        together give at the start [N]. wind: instead of that of the world. step: longest of the physics [s].
        record_every: ticks per row. seed: of the gusts.
        """
        self.spec = check.instance("spec", spec, AvocadoRobotSpec)
        self.controller = _controller(controller)
        self.sensing, self.duration = sensing, check.positive("duration", duration)
        self.branches = tuple(branches)
        self._steps = max(1, math.ceil(TICK / check.positive("step", step) - 1e-9))
        world = check.instance("world", world, World)
        self.scene = Scene(world if wind is None else world.with_wind(wind))
        self.anchor = check.vector("anchor", anchor)
        tied = self.scene.add_hand(name=ANCHOR, position=self.anchor)
        limbs = [
            self.scene.add_branch(branch, name=None if _can_be_name(branch.name) else f"branch_{k}")
            for k, branch in enumerate(self.branches)
        ]
        hang_robot(
            self.scene, self.spec, name=ROBOT, anchor=tied.site(),
            start=check.instance("start", start, AvocadoState), via=via, thrust=thrust, failures=failures,
            element_length=element_length, step_max=TICK / self._steps,
        )  # fmt: skip
        self.simulation = SceneSimulation(
            self.scene, seed=seed, controllers={ROBOT: self._decide}, dt=TICK / self._steps, record_hz=SELDOM
        )
        self.objects = (*world.names, *(branch.name for branch in self.branches))
        self._every, self._ticks = check_every(record_every), 0
        self._rows = CanopyRows(self.branches)
        self.command = AvocadoCommand()  # that is held
        self.events: list[Event] = []
        self.outcome: Outcome | None = None
        self.outcome_sentence = ""
        self._plant = (
            self.simulation.plant
        )  # whose records of actuators and tethers are those of the whole run
        self._robot = list(self.scene.parts).index(ROBOT) - 1  # of the bodies; the first part is the anchor
        self._limb = self._make_limbs([limb.name for limb in limbs])
        self._watched = make_records(1, W.WATCHED)
        self._watched["anchor_W"] = self.anchor
        depth = -float(self.simulation.world.distance(self.anchor))
        self._watched["depth_max"] = max(depth, 0.0) + ANCHOR_SINKS
        self._plant.hanging["state"][0, :] = astuple(start)  # whole turns of the heading count from there
        if np.size(via):
            self._plant.hanging["object"] = self._nearest_object(np.asarray(via, float)[0])
        self._told = self.time, self.simulation.hanging_state(ROBOT)  # when, and the state then
        self._graph: Any = None
        self._compiled: Callable[..., int] | None = None
        self._look(due=True)

    @property
    def time(self) -> float:
        """[s]."""
        return self.simulation.time

    @property
    def failure_folder(self) -> Path | None:
        """For what led to a failure; None: a temporary one."""
        return self.simulation.failure_folder

    @failure_folder.setter
    def failure_folder(self, folder: Path | None) -> None:
        self.simulation.failure_folder = folder

    @property
    def state(self) -> AvocadoState:
        """The truth: distance, theta and heading are those of the free part of the tether."""
        if self._told[0] != self.time:
            self._told = self.time, self.simulation.hanging_state(ROBOT)
        return self._told[1]

    @property
    def position(self) -> Array:
        """Where the tether leaves the robot, P [m], (3,)."""
        return np.array(self._memory.vectors[M.POSITIONS, 0])

    @property
    def rotation(self) -> Array:
        """R_WB of the robot: forward, left, up, (3, 3)."""
        return np.array(self._body["R_WB"])

    @property
    def angular_velocity(self) -> Array:
        """Rates of the robot, body frame [rad/s], (3,)."""
        body = self._body
        return np.linalg.solve(body["inertia_B"], body["R_WB"].T @ body["L_W"])

    @property
    def tension(self) -> float:
        """Tension where the tether leaves the robot [N]."""
        return float(self._plant.winch["tension"][0])

    @property
    def thrusts(self) -> Array:
        """Of the left and the right propeller [N], (2,)."""
        return self.simulation.thrusts(ROBOT)

    @property
    def bends(self) -> Array:
        """How far the branches are bent, sideways and up [rad], (branches, 2)."""
        return np.array(self.simulation.graph.joint["angle"][self._limb["joint"]])

    @property
    def stations(self) -> tuple[Array, Array]:
        """Points of the tether from the robot to the anchor [m], (41, 3), and the tensions there [N]."""
        values = np.zeros(W.STATIONS_SIZE, np.float32)
        sample_tether(self._memory, values)
        places, tensions = np.split(values.astype(np.float64), [3 * STATION_COUNT])
        return places.reshape(-1, 3), tensions

    @property
    def hangs_from(self) -> str:
        """Name of the object that the tether touches last before the robot, or "anchor"."""
        who = int(self._plant.hanging["object"][0])
        return "anchor" if who < 0 else self.objects[who]

    @property
    def energy(self) -> Energy:
        """Energy of robot, tether and branches [J]; what branches lose is not counted."""
        graph, memory, books = self.simulation.graph, self._memory, self.simulation.graph.books[0]
        own = energy_of(plain(M.open_model)(memory), plain(M.open_state)(memory))
        kinetic = 0.0
        for body in graph.body:
            L_B = body["R_WB"].T @ body["L_W"]
            kinetic += 0.5 * float(body["mass"] * (body["v_W"] @ body["v_W"]))
            kinetic += 0.5 * float(L_B @ np.linalg.solve(body["inertia_B"], L_B))
        springs = joint_energy(graph.joint) + float(graph.body_contact["stored"].sum())
        return own._replace(
            kinetic=own.kinetic + kinetic,
            potential=own.potential + graph.gravity * float(self._body["mass"] * self._body["p_W"][2]),
            elastic=own.elastic + springs,
            dissipated=own.dissipated + float(books["dissipated"]),
            work=own.work + float(books["work"]),
        )

    def step(self) -> bool:
        """One tick; whether the run goes on."""
        if self.outcome is not None:
            return False
        try:
            self.simulation.run(until=(self._ticks + 1) * TICK)
        except ControllerError as failed:  # a user's code: the run ends, its data stay
            error = failed.error
            where = place_of_failure(error, self.controller)
            self._finish(
                Outcome.CONTROLLER_FAILED,
                f"the controller failed at {where}: {type(error).__name__}: {error}",
            )
            return False
        except SimulationError as error:
            self._finish(Outcome.DIVERGED, str(error))
            return False
        if self.simulation.outcome is Outcome.STOPPED:
            self._finish(Outcome.STOPPED, "Ctrl-C")
            return False
        self._ticks += 1
        code = self._look(due=self._ticks % self._every == 0)
        if code != W.GOING:
            self._finish(*self._ending(code))
        elif self.simulation.outcome is not None:  # the scene has a reason of its own
            self._end(self.simulation.outcome, self.simulation.outcome_sentence)
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

    def _decide(self, time: float, state: AvocadoState) -> AvocadoCommand:
        """Sense, and ask the controller for a command."""
        self._told = time, state
        try:
            seen = state if self.sensing is None else self.sensing(self)
            command = self.controller(time, seen)
            if not isinstance(command, AvocadoCommand):
                raise InputError(f"it must return an AvocadoCommand, got {command!r}")
        except Exception as error:
            raise ControllerError(error) from error
        self.command = command
        return command

    def _look(self, due: bool) -> int:
        """Why the run ends, or GOING; where a row is due, it is written."""
        graph = self.simulation.graph
        if graph is not self._graph:  # its arrays were replaced
            self._graph, plant = graph, self._plant
            self._memory = plain(M.memory_row)(graph.memories, 0)
            self._body = graph.body[self._robot]
            self._looked_at = (
                self._memory, graph.body, graph.body_contact[self._robot], graph.joint, plant.thrusters,
                plant.hanging, plant.line, plant.winch, plant.clock, self._watched, self._limb,
            )  # fmt: skip
            self._compiled = None
        arguments = (*self._looked_at, *(self._rows.fresh() if due else NOTHING))
        if self._compiled is None:
            code = int(W.watch_hanging(*arguments))
            self._compiled = entry_point(W.watch_hanging, arguments)
        else:
            code = int(self._compiled(*arguments))
        if due:
            references = getattr(self.controller, "references", None)
            self._rows.keep(references(self.time) if callable(references) else None)
        return code

    def _ending(self, code: int) -> tuple[Outcome, str]:
        """Outcome and its details."""
        seen, plant = self._watched[0], self._plant
        if code == W.ASTRAY:
            return Outcome.DIVERGED, "the robot is beyond 1000 km"
        if code == W.OVERLOAD:
            most, strength = float(plant.line["tension_peak"][0]), self.spec.tether_strength
            return Outcome.TETHER_OVERLOAD, f"{most:.0f} N, its strength is {strength:.0f} N"
        if code == W.TURNED_OVER:
            thrust, limit = float(self.thrusts.sum()), self.spec.thrust_limit
            return Outcome.TURNED_OVER, (
                f"its pitch is beyond 90 deg at a thrust of {thrust:.2f} N; "
                f"it rests under at most {limit:.2f} N"
            )
        if code == W.OVERBENT:
            return Outcome.BRANCH_OVERBENT, f"more than {math.degrees(BENT_MAX):.0f} deg"
        if code == W.ANCHOR_HIT:
            depth = 1000.0 * float(seen["anchor_depth"])
            return Outcome.ANCHOR_HIT, f"the anchor is {depth:.0f} mm below its bark"
        return Outcome.REELED_IN, f"{float(plant.winch['length'][0]):.3f} m are left"

    def _finish(self, outcome: Outcome, details: str) -> None:
        self._end(outcome, f"After {self.time:.2f} s {outcome.value}: {details.rstrip('.')}.")

    def _end(self, outcome: Outcome, sentence: str) -> None:
        self.outcome, self.outcome_sentence = outcome, sentence
        self.events.append(Event(self.time, "outcome", self.outcome_sentence))

    def _progress(self) -> tuple[float, str]:
        return min(self.time / self.duration, 1.0), f"{self.time:.0f} of {self.duration:g} s"

    def _make_limbs(self, names: Sequence[str]) -> NDArray[np.void]:
        """The branches by the numbers of their bodies and joints."""
        rows = make_records(len(self.branches), W.LIMB)
        joints = list(self.scene.joints)
        for k, (row, branch, name) in enumerate(zip(rows, self.branches, names, strict=True)):
            row["body"], row["joint"] = k, joints.index(f"{name}_root")
            row["tip_B"], row["radius"] = branch.tip - branch.root, branch.radius
        return rows

    def _nearest_object(self, point: Array) -> int:
        """What a tether that runs over a point at the start hangs from."""
        things = [World([shape]) for shape in self.scene.world.shapes]
        for branch in self.branches:
            tip = branch.root + branch.rotation(branch.bent) @ (branch.tip - branch.root)
            things.append(World([shapes.Capsule(start=branch.root, end=tip, radius=branch.radius)]))
        gaps = [float(thing.distance(point)) for thing in things]
        return int(np.argmin(gaps)) if gaps else -1


def _can_be_name(name: str) -> bool:
    """Whether a part of the scene can be called so."""
    return name.isidentifier() and name not in (ROBOT, TETHER, ANCHOR)


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
