"""A scene that runs: stepped, commanded, looked at and recorded."""

from __future__ import annotations

import math
import time as wall
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.assembly.machinery import Machinery, MachineryState
from tetherlab.assembly.robots import Robot
from tetherlab.assembly.scene import Hand, Line, RunSettings, Scene
from tetherlab.assembly.scene_checkpoint import resume_scene, save_scene
from tetherlab.assembly.scene_clock import SceneClock
from tetherlab.assembly.scene_ending import ending
from tetherlab.assembly.scene_failure import SceneHistory, stuck_tethers
from tetherlab.assembly.scene_joint import Joint, axis_numbers
from tetherlab.assembly.scene_plant import cast_of, scene_plant
from tetherlab.assembly.scene_rows import SceneRows
from tetherlab.assembly.scene_writing import recorded_scene
from tetherlab.assembly.sites import Body, Site
from tetherlab.assembly.views import (
    BodyView,
    DroneView,
    HandView,
    HangingView,
    JointView,
    RobotView,
    TetherView,
)
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.math.kernel import entry_point
from tetherlab.metrics import all_metrics
from tetherlab.plant.graph import Graph
from tetherlab.plant.graph_build import (
    TOLERANCE,
    BodyStart,
    TetherStart,
    Tie,
    build_graph,
    near_bodies,
    open_tether,
    release_end,
    tie_end,
    with_pairs,
    with_room,
)
from tetherlab.plant.joint import HELD
from tetherlab.plant.joint_build import FREE_AXES, JointStart, lock_joint, unlock_joint
from tetherlab.plant.model import Plant, copy_plant
from tetherlab.plant.rest import hold_body, lay_tether, let_go_of_body, stow_tether
from tetherlab.plant.watch import FLYING
from tetherlab.scenario.surroundings import seeded_wind
from tetherlab.sim.checkpoint import read_checkpoint
from tetherlab.sim.scene_steps import run_steps
from tetherlab.tether import model as M
from tetherlab.tether.limits import LENGTH_MIN, check_length
from tetherlab.tether.tether import Tether
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.state import AvocadoState
from tetherlab.vehicles.spec import QuadrotorSpec
from tetherlab.world.wind import Wind
from tetherlab.world.world import World

Vector = NDArray[np.float64]
SIDES = ("start", "end")
ASIDE = 1e8  # where nothing is [m]
PROGRESS_EVERY = 0.1  # by the wall clock [s]
WATCH_PERIOD = 0.01  # between two looks at what may end the run [s]


@dataclass
class _Held:
    """Where a hand is, and where it goes within the next step."""

    position: Vector
    velocity: Vector = field(default_factory=lambda: np.zeros(3))
    target: Vector | None = None
    target_velocity: Vector | None = None

    def copy(self) -> _Held:
        return replace(self, position=self.position.copy(), velocity=self.velocity.copy())


@dataclass(frozen=True)
class SceneState:
    """All that changes in a run; see `SceneSimulation.get_state`."""

    plant: Plant
    hands: dict[str, _Held]
    sites: dict[tuple[str, int], Site | None]
    machinery: MachineryState
    outcome: Outcome | None
    outcome_sentence: str

    @property
    def time(self) -> float:
        """[s]."""
        return float(self.plant.clock["time"][0])

    @property
    def graph(self) -> Graph:
        """Bodies, tethers and joints."""
        return self.plant.graph


class SceneSimulation:
    """A scene in motion.

    `sim["load"]` is a part as it is now; `sim.log["load"]` is its record.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        seed: int | None = None,
        controllers: Mapping[str, Any] | None = None,
        dt: float | None = None,
        record_hz: float | None = None,
        tolerance: float = TOLERANCE,
    ) -> None:
        """What is not given here is as the scene has it, in `scene.run` and `scene.control`.

        seed: of the gusts of the wind. controllers: by the name of a robot or tether, the name of a packaged
        controller or an object of one's own; without one, robots follow what they are commanded.
        dt: of a step, from one command to the next [s]; 0.005 with robots or winches, else 0.01.
        record_hz: rows of the log per second.
        tolerance: a step is solved when its last Newton correction moves nothing farther than this [m]; 1e-10
        keeps momentum and energy of what floats freely nearly to round-off, for about two more iterations.
        """
        self.scene = check.instance("scene", scene, Scene)
        scene.check()
        self.name = "scene"
        self.failure_folder: Path | None = None  # for what led to a failure; None: a temporary one
        seed = scene.run.seed if seed is None else seed
        dt = scene.run.step if dt is None else dt
        record_hz = scene.run.record_hz if record_hz is None else record_hz
        if not isinstance(controllers or {}, Mapping):
            raise InputError(
                f"controllers must be a dict, as {{'uav': mine}}, got {check.shown(controllers)}"
            )
        controllers = {**scene.control, **(controllers or {})}
        self.seed = check.seed(seed)
        cast = cast_of(scene)
        self.dt = check.positive("dt", (0.005 if any(cast) else 0.01) if dt is None else dt)
        self._tolerance = check.positive("tolerance", tolerance)
        self._row_every = max(1, round(1.0 / (check.positive("record_hz", record_hz) * self.dt)))
        self._scene_clock = SceneClock(scene.commands, self.dt)
        self._written: dict[str, Any] | None = None
        self._controllers = controllers
        self._watch_every = max(1, round(WATCH_PERIOD / self.dt))
        self.outcome: Outcome | None = None
        self.outcome_sentence = ""
        self.events: list[Event] = []
        self._bodies = {name: i for i, name in enumerate(self._names(Body))}
        self._tethers = {name: i for i, name in enumerate(scene.tethers)}
        self._joints = {name: i for i, name in enumerate(scene.joints)}
        self.hands = {
            part.name: _Held(part.position.copy()) for part in scene.parts.values() if isinstance(part, Hand)
        }
        self._sites: dict[tuple[str, int], Site | None] = {}  # what the ends are tied to now
        for line in scene.tethers.values():
            self._sites[line.name, 0], self._sites[line.name, 1] = line.start, line.end
        self._riders = {
            name: self._bodies[part.name]
            for part in scene.parts.values()
            if isinstance(part, Body)
            for name in (shape.name for shape in part.shapes)
        }
        self._join_world()
        self.plant = scene_plant(
            scene, cast, self._build(), self.world.field, seeded_wind(scene.world, self.seed).field,
            self._bodies, self._tethers,
        )  # fmt: skip
        self._machinery = Machinery(scene, cast, controllers, self.dt)
        self._compiled: Callable[..., tuple[int, int]] | None = None
        self._history = SceneHistory(self.graph)
        self._near = near_bodies(self.graph)
        centers = {
            name: part.center_of_mass if isinstance(part := scene.parts[name], Robot) else np.zeros(3)
            for name in self._bodies
        }
        self._rows = SceneRows(centers, list(self._tethers), list(self._joints))
        self.recording = True
        self._start = self.get_state()
        self._record()

    @property
    def time(self) -> float:
        """[s]."""
        return float(self.plant.clock["time"][0])

    @property
    def graph(self) -> Graph:
        """Bodies, tethers and joints."""
        return self.plant.graph

    @graph.setter
    def graph(self, graph: Graph) -> None:
        self.plant = self.plant._replace(graph=graph)

    @property
    def steps_taken(self) -> int:
        """So far."""
        return int(self.plant.clock["steps"][0])

    def __getitem__(self, name: str) -> Any:
        if name in self._bodies:
            part = self.scene.parts[name]
            if isinstance(part, Robot) and isinstance(part.spec, AvocadoRobotSpec):
                return HangingView(self, self._bodies[name], part.center_of_mass, name)
            if isinstance(part, Robot) and isinstance(part.spec, QuadrotorSpec):
                return DroneView(self, self._bodies[name], part.center_of_mass, name)
            if isinstance(part, Robot):
                return RobotView(self, self._bodies[name], part.center_of_mass)
            return BodyView(self, self._bodies[name])
        if name in self._tethers:
            return TetherView(self, self._tethers[name])
        if name in self._joints:
            return JointView(self, self._joints[name])
        if name in self.hands:
            return HandView(self, name)
        raise InputError(f"the scene has no {name!r}.{check.did_you_mean(name, self._known())}")

    def step(self) -> bool:
        """Advance by dt, unless the run has ended; whether it goes on."""
        if self.outcome is None:
            self.advance(1)
        return self.outcome is None

    def advance(self, most: int) -> None:
        """Take up to so many steps, as many as nobody has to say anything in between."""
        most = min(most, self._row_every - self.steps_taken % self._row_every)
        most = self._scene_clock.tell(self, most)
        if any(held.target is not None for held in self.hands.values()):
            most = 1
        self._move_hands()
        self._follow_obstacles()
        most = self._make_room(min(most, self._machinery.ask(self.plant)))
        code = self._take_steps(most)
        for held in self.hands.values():
            if held.target is not None:
                held.position, held.velocity = held.target, np.asarray(held.target_velocity)
                held.target = held.target_velocity = None
            else:
                held.velocity = np.zeros(3)
        if code != FLYING:
            self._finish(*ending(code, self))
        if self.steps_taken % self._row_every == 0 or self.outcome is not None:
            self._record()

    def run(self, until: float | None = None, progress: Callable[[float, str], None] | None = None) -> None:
        """Go on until a time [s], or until the run is over; Ctrl-C stops and keeps what there is.

        until: without it, the run is over after `scene.run.duration_max`. progress: called now and then with
        the share that is done and a line of text.
        """
        longest = self.scene.run.duration_max
        end = longest if until is None else check.number("until", until)
        if end < self.time - 0.5 * self.dt and self.outcome is None:
            raise InputError(f"until is {end:g} s, but it is {self.time:g} s already")
        shown = -math.inf
        try:
            while self.outcome is None and self.time < end - 0.5 * self.dt:
                self.advance(round((end - self.time) / self.dt))
                if progress is not None and wall.monotonic() - shown > PROGRESS_EVERY:
                    shown = wall.monotonic()
                    progress(self.time / end, f"{self.time:.1f} of {end:g} s")
        except KeyboardInterrupt:
            self._finish(Outcome.STOPPED, "Ctrl-C")
        if until is None and self.outcome is None:
            late = sum(command.time > self.time for command in self.scene.commands)
            if late:
                self.events.append(
                    Event(self.time, "warning", f"{late} commands come after the end of the run")
                )
            self._finish(Outcome.COMPLETED, f"the scene ran for its {longest:g} s")
        if progress is not None:
            progress(min(1.0, self.time / end) if end else 1.0, f"{self.time:.1f} of {end:g} s")

    def command(
        self,
        name: str,
        *,
        position: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        force: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        speed: float | None = None,
        length: float | None = None,
        tension: float | None = None,
        yaw: float | None = None,
        take_off: bool | None = None,
        land: bool | None = None,
        hold: bool | None = None,
        rate: float | ArrayLike | None = None,
        thrust: float | None = None,
    ) -> None:
        """Tell a part something.

        A hand: the position [m] where it is after the next step, and the velocity [m/s] that it has then, by
        default the mean one. A body: the force [N] and torque [N m] on it besides its weight, world frame,
        until the next command. A tether: the speed [m/s] at which its start pays out, until the next
        command; with a winch also the length [m] or tension [N] that it keeps. A robot: the position [m] to
        which it goes, the velocity [m/s] that it keeps, or `hold`, and its yaw [rad]; a drone also `take_off`
        and `land`.
        A robot that hangs on its tether: thrust [N] and torque [N m] of its propellers.
        A joint: the torque [N m] of its actuator on the child about each axis, or, while it is locked, the
        rate [rad/s] at which it turns, until the next command.
        """
        if self.outcome is not None:
            raise InputError(f"the run has ended, nothing can be commanded any more. {self.outcome_sentence}")
        given = {
            key: value
            for key, value in (
                ("position", position), ("velocity", velocity), ("force", force), ("torque", torque),
                ("speed", speed), ("length", length), ("tension", tension), ("yaw", yaw),
                ("take_off", take_off), ("land", land), ("hold", hold), ("rate", rate),
                ("thrust", thrust),
            )
            if value is not None
        }  # fmt: skip
        if name in self._machinery:
            said = self._machinery.command(name, given, self.plant)
            self.events.append(Event(self.time, "command", f"{name}: {said}"))
            return
        kinds = (
            ("hand", self.hands, ("position", "velocity")),
            ("body", self._bodies, ("force", "torque")),
            ("tether", self._tethers, ("speed",)),
            ("joint", self._joints, ("torque", "rate")),
        )
        for kind, known, allowed in kinds:
            if name in known:
                wrong = [key for key in given if key not in allowed]
                if wrong or not given:
                    raise InputError(
                        f"{kind} {name!r} takes {' and '.join(allowed)}, got {', '.join(wrong) or 'nothing'}"
                    )
        if name in self.hands:
            held = self.hands[name]
            target = held.position.copy() if position is None else check.vector("position", position)
            mean = (target - held.position) / self.dt
            held.target = target
            held.target_velocity = mean if velocity is None else check.vector("velocity", velocity)
        elif name in self._bodies:
            row = self.graph.body[self._bodies[name]]
            row["force_W"] = 0.0 if force is None else check.vector("force", force)
            row["torque_W"] = 0.0 if torque is None else check.vector("torque", torque)
        elif name in self._tethers:
            self.graph.command[self._tethers[name]]["reel_speed"] = check.number("speed", speed)
        elif name in self._joints:
            self._command_joint(name, torque, rate)
        else:
            self[name]

    def lock(self, joint: str) -> None:
        """Stop the axes of a joint at once, and hold them where they are."""
        lock_joint(self._joint(joint))
        self._joint_changed(f"{joint} is locked")

    def unlock(self, joint: str) -> None:
        """Let go of the axes of a joint that are held."""
        unlock_joint(self._joint(joint))
        self._joint_changed(f"{joint} is unlocked")

    def attach(self, tether: str, side: str, site: Site) -> None:
        """Tie an end ("start" or "end") of a tether to a site, which must be where the end is."""
        t, end = self._loose_end(tether, side)
        if not isinstance(site, Site) or site.owner not in self.scene.parts:
            raise InputError(
                f"site must be one of this scene, as part.site('origin'), got {check.shown(site)}"
            )
        node = self._node(t, end)
        apart = float(np.linalg.norm(node - self._where(site)))
        if apart > 1e-3:
            raise InputError(
                f"the {side} of {tether!r} is {apart:.4g} m away from the site of {site.owner!r}; it can be "
                "attached within 0.001 m"
            )
        tie = self._tie_now(site)
        if tie is not None:
            self.graph = tie_end(self.graph, t, end, tie)
        else:
            self.graph = release_end(self.graph, t, end)
            self.graph.memories.number[t, M.KIND_BASE + end] = M.PRESCRIBED
        self._changed(tether, end, site, f"the {side} of {tether} is attached to {site.owner}")

    def release(self, tether: str, side: str) -> None:
        """Let go of an end ("start" or "end") of a tether."""
        t, end = self._loose_end(tether, side)
        if self._sites[tether, end] is None:
            raise InputError(f"the {side} of {tether!r} is released already")
        self.graph = release_end(self.graph, t, end)
        self._changed(tether, end, None, f"the {side} of {tether} is released")

    def hold(self, body: str) -> None:
        """Stop a body or robot at once, and hold it where it is; tethers go on hanging on it."""
        b = self._free_body(body, held=0)
        self.graph = hold_body(self.graph, b)
        self._reconnected(f"{body} is held")

    def let_go(self, body: str) -> None:
        """Let go of a body that is held: it moves again, from rest."""
        b = self._free_body(body, held=1)
        ties = {
            (self._tethers[name], end): Tie(b, site.r_B)
            for (name, end), site in self._sites.items()
            if site is not None and site.owner == body and not self.graph.stowed[self._tethers[name]]
        }
        self.graph = with_pairs(let_go_of_body(self.graph, b, ties), self._near)
        self._reconnected(f"{body} is let go")

    def stow(self, tether: str) -> None:
        """Put all of a tether on the drum at its start, where it touches nothing."""
        t, _ = self._end(tether, "end")
        if self.graph.stowed[t]:
            raise InputError(f"{tether!r} lies on its drum already")
        self.graph = stow_tether(self.graph, t)
        self._stop_winch(tether, 0.0)
        self._sites[tether, 1] = None
        self._reconnected(f"{tether} lies on its drum")

    def lay(self, tether: str, site: Site, *, length: float, via: ArrayLike = ()) -> None:
        """Lay a tether that lies on its drum to a site, where it is tied: straight, or by the points via.

        length: that is then out [m]. All that holds it must be at rest.
        """
        t, _ = self._end(tether, "end")
        line, start = self.scene.tethers[tether], self._sites[tether, 0]
        if not self.graph.stowed[t]:
            raise InputError(f"{tether!r} is out; stow it first")
        if start is None or not isinstance(site, Site) or site.owner not in self.scene.parts:
            raise InputError(
                f"site must be one of this scene, as part.site('origin'), got {check.shown(site)}"
            )
        length = check_length(length)
        if length > line.length_total:
            raise InputError(f"{length:.2f} m would have to be out, the tether has {line.length_total:g} m")
        points = check.points("via", via) if np.size(via) else np.zeros((0, 3))
        way = np.vstack([self._where(start), points, self._where(site)])
        laid = Tether(
            line.spec, base=way[0], end=way[-1], length=length, element_length=line.element_length,
            step_max=line.step_max, shape=way if len(points) else None, world=self.world, name=tether,
        )  # fmt: skip
        room = self.graph.memories.scalars.shape[2]
        needed = len(laid._memory.contact)
        if needed > room:
            self.graph = with_room(self.graph, max(needed, 2 * room))
        self._sites[tether, 1] = site
        self.graph = lay_tether(self.graph, t, laid, [self._tie_now(start), self._tie_now(site)])
        self._stop_winch(tether, length)
        self._reconnected(f"{tether} is laid to {site.owner}")

    def get_state(self) -> SceneState:
        """All that changes in a run, independent of what happens next."""
        hands = {name: held.copy() for name, held in self.hands.items()}
        return SceneState(
            copy_plant(self.plant), hands, dict(self._sites), self._machinery.copy_state(), self.outcome,
            self.outcome_sentence,
        )  # fmt: skip

    def set_state(self, state: SceneState) -> None:
        """Go back, or on, to a state of this scene; record and obstacles are left as they are."""
        check.instance("state", state, SceneState)
        self.plant = copy_plant(state.plant)._replace(field=self.plant.field, pose=self.plant.pose)
        self._near = near_bodies(self.graph)
        self.hands = {name: held.copy() for name, held in state.hands.items()}
        self._sites = dict(state.sites)
        self._machinery.set_state(state.machinery)
        self.outcome, self.outcome_sentence = state.outcome, state.outcome_sentence

    def reset(self, seed: int | None = None) -> None:
        """Back to the start, with an empty record; seed: another one, of the gusts of the wind."""
        if seed is not None:
            self.seed = check.seed(seed)
            wind = seeded_wind(self.scene.world, self.seed).field
            self._start = replace(self._start, plant=self._start.plant._replace(wind=wind))
        self.set_state(self._start)
        self._written = None  # the seed may be another one
        self.events.clear()
        self._rows.clear()
        self._record()

    def stop_recording(self) -> None:
        """Keep no more rows; the log is what was recorded so far."""
        self.recording = False

    def start_recording(self) -> None:
        """Begin a new record now."""
        self.recording = True
        self._rows.clear()
        self._record()

    def set_wind(self, wind: Wind) -> None:
        """Another wind from now on."""
        self.plant = self.plant._replace(wind=check.instance("wind", wind, Wind).field)
        self._history = SceneHistory(self.graph)
        self.events.append(Event(self.time, "command", f"wind {np.round(wind.velocity, 2).tolist()} m/s"))

    def checkpoint(self, path: str | Path) -> None:
        """Write the run as it is now to a file, from which `resume` goes on with the same bits."""
        self._follow_obstacles()
        save_scene(self, path)

    @classmethod
    def resume(cls, path: str | Path, *, controllers: Mapping[str, Any] | None = None) -> SceneSimulation:
        """The run of a checkpoint; controllers: those of one's own, which a file cannot hold."""
        return resume_scene(cls, path, *read_checkpoint(path), controllers)

    @property
    def settings(self) -> RunSettings:
        """How the scene runs."""
        return RunSettings(
            duration_max=self.scene.run.duration_max, seed=self.seed, step=self.dt,
            record_hz=1.0 / (self._row_every * self.dt),
        )  # fmt: skip

    @property
    def log(self) -> Log:
        """The record so far: a table for each body, tether and joint, the scene itself, and metrics."""
        if self._written is None:
            self._written = recorded_scene(self.scene, self._controllers, self.settings)
        log = Log(
            self._rows.tables(self.graph), self.outcome, self.outcome_sentence, list(self.events),
            self._written, name=self.name,
        )  # fmt: skip
        log.metrics = all_metrics(log)
        return log

    @property
    def scenario(self) -> Scene:
        """What runs."""
        return self.scene

    @property
    def commanded(self) -> Machinery:
        """Robots and winches, which note their commands themselves."""
        return self._machinery

    def hanging_state(self, name: str) -> AvocadoState:
        """How a robot hangs on its tether now; see `sim[name].state`."""
        return self._machinery.hanging_state(name, self.plant)

    def armed(self, name: str) -> bool:
        """Whether the rotors of a drone turn; see `sim[name].armed`."""
        return self._machinery.armed(name)

    def thrusts(self, name: str) -> Vector:
        """Of the propellers of a hanging robot [N], (2,); see `sim[name].thrusts`."""
        return self._machinery.thrusts(name, self.plant)

    def ends_of(self, part: str) -> list[tuple[str, int]]:
        """The tethers, and which of their ends, that a part holds now."""
        return [key for key, site in self._sites.items() if site is not None and site.owner == part]

    def site_of(self, tether: str, end: int) -> Site | None:
        """What the start (0) or end (1) of a tether is tied to now; None: nothing."""
        return self._sites[tether, end]

    def target_of(self, robot: str) -> Vector | None:
        """Where a robot is to go [m], (3,); None: it is none that is sent to places."""
        return self._machinery.target(robot)

    def hand_rows(self) -> Vector:
        """Of each hand: position and velocity, the same after the next step or NaN, (hands, 4, 3)."""
        none = np.full(3, math.nan)
        return np.array([
            [none if part is None else part for part in vars(held).values()] for held in self.hands.values()
        ]).reshape(-1, 4, 3)  # fmt: skip

    def take_hands(self, rows: Vector) -> None:
        """The same back."""
        for name, row in zip(self.hands, rows, strict=True):
            target = None if np.isnan(row).any() else row[2].copy()
            later = None if target is None else row[3].copy()
            self.hands[name] = _Held(row[0].copy(), row[1].copy(), target, later)

    def _names(self, kind: type) -> list[str]:
        return [part.name for part in self.scene.parts.values() if isinstance(part, kind)]

    def _known(self) -> list[str]:
        return [*self._bodies, *self._tethers, *self._joints, *self.hands]

    def _build(self) -> Graph:
        scene = self.scene
        bodies = []
        for name in self._bodies:
            part = scene.parts[name]
            assert isinstance(part, Body)
            stiffness = part.contact_stiffness if isinstance(part, Robot) else None
            bodies.append(BodyStart(part.body, part.position, part.velocity, stiffness))
        tethers = [TetherStart(self._hang(line), self._ties(line)) for line in scene.tethers.values()]
        joints = [self._assemble_joint(joint) for joint in scene.joints.values()]
        return build_graph(
            float(scene.world.gravity),
            bodies,
            tethers,
            len(self.world.names),
            self._tolerance,
            {self.world.index(name): body for name, body in self._riders.items()},
            joints,
        )

    def _assemble_joint(self, joint: Joint) -> JointStart:
        """The joint as it is assembled."""
        child, parent = joint.child, joint.parent
        fixed = not isinstance(parent, Site)
        return JointStart(
            kind=joint.kind,
            body=(-1 if fixed else self._bodies[parent.owner], self._bodies[child.owner]),
            r_B=(np.asarray(parent, float) if fixed else parent.r_B, child.r_B),
            axes=joint.axes,
            angle=joint.angle,
            stiffness=joint.stiffness,
            rest=joint.rest,
            damping=joint.damping,
            torque_max=joint.torque_max,
            lower=joint.lower,
            upper=joint.upper,
            held=(joint.held, joint.held),
            release_time=np.full(2, joint.release_time),
        )

    def _free_body(self, name: str, held: int) -> int:
        """The index of a body that is held, or not."""
        if name not in self._bodies:
            raise InputError(f"there is no body {name!r}.{check.did_you_mean(name, self._bodies)}")
        b = self._bodies[name]
        if self.graph.held[b] != held:
            raise InputError(f"{name!r} is {'not' if held else 'already'} held")
        return b

    def _stop_winch(self, tether: str, length: float) -> None:
        """The winch of a tether, if it has one, holds, with so much paid out [m]."""
        rows = self.plant.winch[self.plant.winch["tether"] == self._tethers[tether]]
        rows["length"] = np.maximum(length, rows["length_min"])
        rows["speed"] = rows["tension"] = 0.0
        self.plant.winch[self.plant.winch["tether"] == self._tethers[tether]] = rows
        self._machinery.stop_winch(tether)

    def _tie_now(self, site: Site) -> Tie | None:
        """What an end at a site is tied to; None: it is fixed there."""
        b = self._bodies.get(site.owner, -1)
        return None if b < 0 or self.graph.held[b] else Tie(b, site.r_B)

    def _reconnected(self, said: str) -> None:
        self.events.append(Event(self.time, "tie", said))

    def _joint(self, name: str) -> Any:
        """The record of a joint that has axes."""
        if name not in self._joints:
            raise InputError(f"there is no joint {name!r}.{check.did_you_mean(name, self._joints)}")
        if FREE_AXES[self.scene.joints[name].kind] == 0:
            raise InputError(f"joint {name!r} has no axis: it is a {self.scene.joints[name].kind} joint")
        return self.graph.joint[self._joints[name]]

    def _joint_changed(self, said: str) -> None:
        self._history = SceneHistory(self.graph)
        self.events.append(Event(self.time, "joint", said))

    def _command_joint(self, name: str, torque: Any, rate: Any) -> None:
        row = self._joint(name)
        count = FREE_AXES[self.scene.joints[name].kind]
        if rate is not None and (row["lock"][:count] != HELD).any():
            raise InputError(f"joint {name!r} is free to turn; lock it, or give a torque")
        for key, field_name, value in (("torque", "torque", torque), ("rate", "held_rate", rate)):
            if value is not None:
                row[field_name] = axis_numbers(f"{key} of joint {name!r}", value, count, check.number)

    def _world_of(self, line: Line) -> World:
        """The world as a tether finds it at the start: without bodies inside of which it is tied."""
        world = self.world
        for site in (line.start, line.end):
            part = self.scene.parts[site.owner]
            if isinstance(part, Body) and part.shapes and World(part.shapes).distance(site.r_B) < 0.0:
                world = world.copy()
                for shape in part.shapes:
                    world.place(shape.name, position=(ASIDE, 0.0, 0.0))
        return world

    def _hang(self, line: Line) -> Tether:
        """The tether as it hangs at the start."""
        return Tether(
            line.spec,
            base=self.scene.at(line.start),
            end=self.scene.at(line.end),
            length=line.length,
            element_length=line.element_length,
            step_max=line.step_max,
            shape=line.shape,
            world=self._world_of(line),
            name=line.name,
        )

    def _ties(self, line: Line) -> tuple[Tie | None, Tie | None]:
        start, end = (
            Tie(self._bodies[site.owner], site.r_B) if site.owner in self._bodies else None
            for site in (line.start, line.end)
        )
        return start, end

    def _end(self, tether: str, side: str) -> tuple[int, int]:
        if tether not in self._tethers:
            raise InputError(f"there is no tether {tether!r}.{check.did_you_mean(tether, self._tethers)}")
        if side not in SIDES:
            raise InputError(f"side must be 'start' or 'end', got {side!r}")
        return self._tethers[tether], SIDES.index(side)

    def _loose_end(self, tether: str, side: str) -> tuple[int, int]:
        """An end of a tether that is out."""
        t, end = self._end(tether, side)
        if self.graph.stowed[t]:
            raise InputError(f"{tether!r} lies on its drum; lay it to a site")
        return t, end

    def _node(self, t: int, end: int) -> Vector:
        state = open_tether(self.graph, t)
        return np.array(state.x[end * int(state.number[M.COUNT])])

    def _where(self, site: Site) -> Vector:
        """Where a site is now [m], (3,)."""
        if site.owner in self.hands:
            return self.hands[site.owner].position
        row = self.graph.body[self._bodies[site.owner]]
        place: Vector = row["p_W"] + row["R_WB"] @ site.r_B
        return place

    def _changed(self, tether: str, end: int, site: Site | None, said: str) -> None:
        self._sites[tether, end] = site
        self._reconnected(said)

    def _move_hands(self) -> None:
        """Command the ends that hands hold."""
        for name, held in self.hands.items():
            target = held.position if held.target is None else held.target
            velocity = np.zeros(3) if held.target_velocity is None else held.target_velocity
            for tether, end in self.ends_of(name):
                row = self.graph.command[self._tethers[tether]]
                row["position_W"][end], row["velocity_W"][end] = target, velocity

    def _make_room(self, steps: int) -> int:
        """Space for the nodes paid out within so many steps, and an answer where all would be wound up.

        Returns how many steps may be taken: one, where little is left.
        """
        speeds = self.graph.command["reel_speed"]
        needed = room = self.graph.memories.scalars.shape[2]
        for name, t in self._tethers.items():
            line = self.scene.tethers[name]
            if speeds[t] != 0.0 or line.winch is not None:
                count = int(self.graph.memories.number[t, M.COUNT])
                fastest = abs(speeds[t]) if line.winch is None else max(abs(speeds[t]), line.winch.speed_max)
                needed = max(needed, count + 8 + math.ceil(fastest * steps * self.dt / line.element_length))
            if speeds[t] < 0.0:
                state = open_tether(self.graph, t)
                out = float(state.rest[:count].sum())
                if out - fastest * steps * self.dt < 2.0 * LENGTH_MIN:
                    steps = 1
                left = out + speeds[t] * self.dt
                if left < LENGTH_MIN:
                    raise InputError(
                        f"{name}: {speeds[t]:g} m/s would leave {left:.4g} m of it; at least "
                        f"{LENGTH_MIN:g} m stay out"
                    )
        if needed > room:
            self.graph = with_room(self.graph, max(needed, 2 * room))
        return steps

    def _join_world(self) -> None:
        """The world of the scene with the shapes of its bodies, where they are at the start."""
        self._user_field = self.scene.world.field
        self.world = self.scene.world
        for part in self.scene.parts.values():
            if isinstance(part, Body) and part.shapes:
                self.world = self.world.with_objects(part.shapes)
                for shape in part.shapes:
                    turned = np.asarray(part.body.rotation_wxyz, dtype=float)
                    self.world.place(shape.name, position=part.position, rotation_wxyz=turned)

    def _follow_obstacles(self) -> None:
        """Take the obstacles as they are now, with poses of one's own to move them within a step."""
        if self._user_field is self.scene.world.field:
            return
        self._join_world()
        field = self.world.field
        own = field._replace(pose=field.pose.copy(), twist=field.twist.copy())
        self.plant = self.plant._replace(field=own, pose=field.pose.copy())

    def _take_steps(self, most: int) -> int:
        """Take up to so many steps; why the run has to end, or 0."""
        while True:
            if self._history.graph is not self.graph:
                self._history = SceneHistory(self.graph)
            self._history.before(self.time, self.world.field)
            machinery = self._machinery
            arguments = (
                self.plant, machinery.laws, machinery.commands, machinery.paths, self._near, self.dt, most,
                self._watch_every, self._history.inputs,
            )  # fmt: skip
            if self._compiled is None:
                taken, code = run_steps(*arguments)
                self._compiled = entry_point(run_steps, arguments)
            else:
                taken, code = self._compiled(*arguments)
            failed = int(self.plant.clock["failed"][0])
            self._history.after(taken + failed, self.dt)
            if failed:
                said = self._failure()
                self._finish(Outcome.DIVERGED, said)
                raise SimulationError(said)
            if taken < most and code == FLYING:
                self.graph = with_pairs(self.graph, self._near)
            if taken > 0:
                return int(code)

    def _finish(self, outcome: Outcome, details: str) -> None:
        self.outcome = outcome
        self.outcome_sentence = f"After {self.time:.2f} s {outcome.value}: {details.removesuffix('.')}."
        self.events.append(Event(self.time, "outcome", self.outcome_sentence))

    def _failure(self) -> str:
        """What to say of a step that did not converge."""
        said = self._history.write(
            self.time, list(self._tethers), self.world, self.plant.wind, self.failure_folder
        )
        self._history = SceneHistory(self.graph)
        return (
            f"the step of {self.dt:g} s from t = {self.time:.6g} s did not converge, however finely it was "
            f"cut, for {stuck_tethers(self.graph, list(self._tethers))}. This is a bug in tetherlab; please "
            f"report it; {said}"
        )

    def _record(self) -> None:
        if self.recording:
            self._rows.keep(self.time, self.graph)
