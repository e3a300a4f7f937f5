"""A scene of rover, tether and drone that latch to each other and perch, run 10 ms by 10 ms as it is told."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.assembly.robots import center_of_mass
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.math.kernel import entry_point
from tetherlab.missions.crew import APART, LATCHED, PERCHED, TICK, HoistCommand
from tetherlab.plant.record import record_now
from tetherlab.sim.observation import vehicle_state
from tetherlab.sim.rows import CHUNK, Rows
from tetherlab.tether import model as M
from tetherlab.tether.limits import LENGTH_MIN
from tetherlab.tether.spec import TetherSpec
from tetherlab.vehicles.hanging import Hanging
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec, WinchSpec
from tetherlab.world import World

Vector = NDArray[np.float64]
STEP = 0.0025  # of the physics [s]
STEPS = round(TICK / STEP)
# Of a step [m]. A hull that swings in the plane rolls and turns with it, and what began as the error of a
# step grows e-fold in 2 s while the winch damps the swing: with 1e-6 m it goes round below its perch at last.
TOLERANCE = 1e-8
ELEMENT = 0.2  # of the tether [m]: it is light and bends only where it touches something
SLACK = 1.02  # length over distance of a tether that was latched
ASIDE = np.array((0.0, 0.0, 1e-3))  # from the winch to where the hook of a tether on its drum is [m]
ROVER, DRONE = 0, 1  # in arrays of bodies


class Members:
    """What controllers of rover and drone may look at; windows, nothing is copied."""

    def __init__(self, sim: SceneSimulation) -> None:
        body, part = sim.graph.body, sim.plant.part
        self.ugv, self.uav = (
            vehicle_state(body[who], part[who]["acceleration_W"], part[who]["pull_W"])
            for who in (ROVER, DRONE)
        )


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
        perch_force: float = math.inf,
        element_length: float = ELEMENT,
        record_every: int = 2,
    ) -> None:
        """Rover and drone at rest, apart. Positions are those of the middles of rover and drone [m].

        length: of the whole tether, on the drum [m]. drone_radius: of the disc that the drone is for
        planners, which stands on the ground where its drone does [m]. perch_force: that the drone holds when
        perched [N].
        record_every: ticks from one row of the record to the next.
        """
        place = check.vector("rover_position", rover_position)
        above = check.vector("drone_position", drone_position)
        self.world, self.tether, self.quadrotor, self.drone_radius = world, tether, quadrotor, drone_radius
        self.drone_origin = np.array([0.0, 0.0, lift(quadrotor, drone_radius)])  # of its disc's middle, body
        self.rover_mass, self.perch_force = rover.mass, perch_force
        scene = Scene(world)
        ugv = scene.add_robot(rover, name="ugv", position=place - winch.exit)
        uav = scene.add_robot(quadrotor, name="uav", position=above - self.drone_origin)
        self._hook = uav.site("hook")
        exit_R = np.asarray(winch.exit, float)
        damping = hook_damping(rover, winch, float(world.gravity))
        scene.add_tether(
            tether, name="cord", start=ugv.site(exit_R), end=ugv.site(exit_R + ASIDE),
            length=length, paid_out=2.0 * LENGTH_MIN, winch=winch, element_length=element_length,
            step_max=STEP, start_damping=(damping, damping, 0.2 * damping),
        )  # fmt: skip
        self.scene = scene
        self.sim = SceneSimulation(
            scene,
            controllers={"ugv": None, "uav": None, "cord": None},
            dt=STEP,
            record_hz=1.0,
            tolerance=TOLERANCE,
        )
        self.sim.stow("cord")
        self._commands, plant = self.sim._machinery.commands, self.sim.plant
        self._flight, self._drive, self._reel = (
            order[0] for order in (self._commands.flight, self._commands.drive, self._commands.reel)
        )
        self._hooked, self._winch, self._line = plant.hooked[0], plant.winch[0], plant.line[0]
        self._exit_B = exit_R - rover.center_of_mass
        plant.part["origin_B"][ROVER] = self._exit_B  # which is recorded, as planners have it
        self._rover_W, self._active = plant.part["origin_W"][ROVER], plant.graph.body_contact["active"]
        self._rover_W[:] = self._at(ROVER, self._exit_B)
        self._write: Callable[..., None] | None = None
        self.observation = Members(self.sim)
        self.target = np.array([self.drone, self.rover])  # where drone and rover should be [m], (2, 3)
        self.perch_place = np.zeros(3)  # where the tether ends while the drone holds on [m]
        self.perch_peak = 0.0  # largest pull on the perch in the last tick [N]
        self.events: list[Event] = []
        self.outcome: Outcome | None = None
        self.outcome_sentence = ""
        self._every, self._ticks = record_every, 0
        self._rows, self._count = Rows(), 0
        for who, spec in ((ROVER, rover), (DRONE, quadrotor)):
            plant.part["clearance"][who] = self._clearance(who, spec)
        self._record()

    @property
    def time(self) -> float:
        """[s]."""
        return self.sim.time

    @property
    def rover(self) -> Vector:
        """Middle of its hull [m], (3,)."""
        return self._rover_W.copy()

    @property
    def drone(self) -> Vector:
        """Middle of its disc [m], (3,)."""
        return self._at(DRONE, self.drone_origin)

    @property
    def drone_velocity(self) -> Vector:
        """Of its centre of mass [m/s], (3,)."""
        return np.array(self.sim.graph.body["v_W"][DRONE])

    @property
    def exit_velocity(self) -> Vector:
        """Of the point where the tether leaves the rover [m/s], (3,)."""
        return np.array(self.sim.graph.memories.vectors[0, 1, 0])

    @property
    def link(self) -> int:
        """APART, LATCHED or PERCHED."""
        if self.sim.graph.stowed[0]:
            return APART
        return PERCHED if self.sim.graph.held[DRONE] else LATCHED

    @property
    def tension(self) -> float:
        """Where the tether leaves the rover [N]."""
        return float(self._winch["tension"])

    @property
    def pull_max(self) -> float:
        """That the winch can pull with as it is wound now [N]."""
        winch = self._winch
        return float(winch["torque_max"] * winch["gear_ratio"] / winch["radius"])

    @property
    def length(self) -> float:
        """Of tether that is out [m]."""
        return float(self._winch["length"])

    @property
    def touches(self) -> bool:
        """Whether the rover touches anything."""
        return bool(self._active[ROVER].any())

    @property
    def stands(self) -> bool:
        """Whether the drone stands: three of its feet touch."""
        return int(self._active[DRONE].sum()) >= 3

    @property
    def hangs_from(self) -> str:
        """Name of the object that the tether touches last before the rover, or "perch"."""
        who = int(self._hooked["object"])
        return "perch" if who < 0 else self.world.names[who]

    @property
    def last_contact(self) -> Vector:
        """Of the tether before the rover, or its end [m], (3,)."""
        return np.array(self._hooked["point_W"])

    @property
    def hook_below(self) -> float:
        """How far the tether is tied to the drone from the middle of its disc [m]."""
        return float(np.linalg.norm(self.drone_origin - self._hook.r_B))

    @property
    def nodes(self) -> Vector:
        """Of the tether, from the rover to its end [m], (n, 3)."""
        return self.sim["cord"].nodes

    @property
    def along(self) -> Vector:
        """Direction of the tether where it comes to the drone, (3,)."""
        x, count = self.sim.graph.memories.vectors[0, M.POSITIONS], self.sim.graph.memories.number[0, M.COUNT]
        last = x[count] - x[count - 1]
        return np.asarray(last / max(math.sqrt(float(last @ last)), 1e-9))

    def hanging(self, hinge: ArrayLike) -> Hanging:
        """The rover as a pendulum about a hinge in the plane y = 0, (2,) [m]."""
        x, z = np.asarray(hinge, float).tolist()
        return Hanging.in_space(np.array((x, 0.0, z)), self.rover, self.exit_velocity)

    def latch(self, *, via: ArrayLike = (), slack: float = SLACK) -> None:
        """Tie the end of the rover's tether to the drone, straight, or `via` points on the way there [m].

        Both must be at rest. slack: length over that of the way.
        """
        if self.link != APART:
            raise InputError("the tether is latched already")
        points = check.points("via", via) if np.size(via) else np.zeros((0, 3))
        way = np.vstack([self.rover, points, self._at(DRONE, self._hook.r_B)])
        length = slack * float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
        self.sim.lay("cord", self._hook, length=length, via=points)
        self.note("latch", f"the tether is latched, {self.length:.2f} m are out")

    def perch(self) -> None:
        """The drone takes hold of what is there: from now on the tether ends where it is."""
        if self.link != LATCHED:
            raise InputError("only a drone that the tether is latched to can be its anchor")
        self.perch_place = self._at(DRONE, self._hook.r_B)
        self.sim.hold("uav")
        x, _, z = self.perch_place
        self.note("perch", f"the drone holds on, the tether ends at ({x:.2f}, {z:.2f}) m")

    def unhook(self) -> None:
        """The tether lets go of the drone, which is free, and is on the drum again."""
        if self.link == APART:
            raise InputError("there is nothing to unhook: the tether is on its drum")
        perched = self.link == PERCHED
        self.sim.stow("cord")
        if perched:
            self.sim.let_go("uav")
        self.note("unhook", "the tether is unhooked, and comes home")

    def note(self, kind: str, sentence: str) -> None:
        """Something happened."""
        self.events.append(Event(self.time, kind, sentence))

    def tick(self, command: HoistCommand) -> bool:
        """Go on for 10 ms; whether the run goes on."""
        if self.outcome is not None:
            return False
        flight, drive, reel = self._flight, self._drive, self._reel
        perched = bool(self.sim.graph.held[DRONE])
        flight["force_W"], flight["armed"] = command.force, command.armed and not perched
        drive["forward"], drive["turn"] = command.drive, command.turn
        reel["mode"], reel["wanted"], reel["rate"] = command.reel_mode, command.reel, command.reel_rate
        last = self.sim.steps_taken + STEPS
        try:
            while self.sim.outcome is None and self.sim.steps_taken < last:
                self.sim.advance(last - self.sim.steps_taken)
        except SimulationError as failure:
            self.finish(Outcome.DIVERGED, str(failure).removesuffix("."))
            return False
        self._ticks += 1
        self.perch_peak = float(self._line["end_peak"]) if perched else 0.0
        if self.perch_peak > self.perch_force:
            self.sim.let_go("uav")
            self.finish(
                Outcome.PERCH_LOST, f"{self.perch_peak:.0f} N, the drone holds {self.perch_force:.0f} N"
            )
        elif self.sim.outcome is not None:
            self.outcome, self.outcome_sentence = self.sim.outcome, self.sim.outcome_sentence
            self.note("outcome", self.outcome_sentence)
        if self._ticks % self._every == 0:
            self._record()
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

    def _at(self, who: int, r_B: Vector) -> Vector:
        row = self.sim.graph.body[who]
        place: Vector = row["p_W"] + row["R_WB"] @ r_B
        return place

    def _clearance(self, who: int, spec: RoverSpec | QuadrotorSpec) -> float:
        """Of a hull from the world at the start, as the plant finds it later [m]."""
        row, hull = self.sim.graph.body[who], np.asarray(spec.hull, float).reshape(-1, 4)
        places = row["p_W"] + (hull[:, :3] - center_of_mass(spec)) @ row["R_WB"].T
        return float(np.min(self.world.distance(places) - hull[:, 3]))

    def _record(self) -> None:
        """A row of the record."""
        chunk, points = self._rows.chunk(self._count)
        place = self._count % CHUNK
        self._count += 1
        if self.sim.graph.stowed[0]:  # it is where it leaves the rover
            self.sim.graph.memories.vectors[0, M.POSITIONS] = self.rover
        arguments = (self.sim.plant, self.target, self._commands, chunk[place], points[place])
        if self._write is None:
            record_now(*arguments)
            self._write = entry_point(record_now, arguments)
        else:
            self._write(*arguments)


def lift(quadrotor: QuadrotorSpec, radius: float) -> float:
    """How far the middle of a drone's disc of a radius is above its centre of mass [m]."""
    feet = np.asarray(quadrotor.feet)
    return radius - float((feet[:, 3] - feet[:, 2]).max())


def hook_damping(rover: RoverSpec, winch: WinchSpec, gravity: float) -> float:
    """A fifth of what would just not let the hull rock on a tether that hangs still [N m s]."""
    arm = float(winch.exit[2] - rover.center_of_mass[2])
    return 0.2 * 2.0 * math.sqrt(rover.mass * gravity * arm * float(rover.inertia[1]))
