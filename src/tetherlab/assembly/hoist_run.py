"""A scene of rover, tether and drone that latch to each other and perch, run 10 ms by 10 ms as it is told."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_simulation import SceneSimulation
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.contracts.log import Event, Log
from tetherlab.contracts.outcome import Outcome
from tetherlab.math.kernel import entry_point
from tetherlab.math.record import make_records
from tetherlab.missions.crew import APART, LATCHED, PERCHED, TICK, HoistCommand
from tetherlab.sim import team_look as W
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
# Of a step [m]. A hull that swings in the plane rolls and turns with it, and what began as the error of a step
# grows e-fold in 2 s while the winch damps the swing: with 1e-6 m it goes round below its perch in the end.
TOLERANCE = 1e-8
ELEMENT = 0.2  # of the tether [m]: it is light and bends only where it touches something
SLACK = 1.02  # length over distance of a tether that was latched
ASIDE = np.array((0.0, 0.0, 1e-3))  # from the winch to where the hook of a tether on its drum is [m]
NOTHING = (np.empty(0), np.empty(0, np.float32))
ROVER, DRONE = W.ROVER, W.DRONE


class Members:
    """What controllers of rover and drone may look at; windows, nothing is copied."""

    def __init__(self, sim: SceneSimulation) -> None:
        body, machines, none = sim.graph.body, sim._machinery.machines, np.full(3, math.nan)
        self.ugv = vehicle_state(body[ROVER], none, machines.driven["tether_force_W"][0])
        self.uav = vehicle_state(body[DRONE], none, machines.flown["tether_force_W"][0])


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
        self.rover_mass, self.winch = rover.mass, winch
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
            scene, controllers={"ugv": None, "uav": None, "cord": None}, dt=STEP, record_hz=1.0, tolerance=TOLERANCE
        )
        self.sim.stow("cord")
        machines = self.sim._machinery.machines
        self._flown, self._driven, self._reeled = machines.flown[0], machines.driven[0], machines.reeled[0]
        self._hooked, self._winch, self._hook_now = machines.hooked[0], machines.winch[0], machines.hook[0]
        self._team = _team(rover, winch, tether, perch_force)
        self._hulls = _hull(rover.hull, rover.center_of_mass), _hull(quadrotor.hull, np.zeros(3))
        self._look: Callable[..., int] | None = None
        self.observation = Members(self.sim)
        self.target = np.array([self.drone, self.rover])  # where drone and rover should be [m], (2, 3)
        self.perch_place = np.zeros(3)  # where the tether ends while the drone holds on [m]
        self.perch_peak = 0.0  # largest pull on the perch in the last tick [N]
        self.events: list[Event] = []
        self.outcome: Outcome | None = None
        self.outcome_sentence = ""
        self._every, self._ticks = record_every, 0
        self._rows, self._count = Rows(), 0
        self._look_around(0.0)

    @property
    def time(self) -> float:
        """[s]."""
        return self.sim.time

    @property
    def rover(self) -> Vector:
        """Middle of its hull [m], (3,)."""
        return self._at(ROVER, self._team["origin_B"][0, ROVER])

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
        return bool(self._team["touching"][0] > 0)

    @property
    def stands(self) -> bool:
        """Whether the drone stands: three of its feet touch."""
        return int(self.sim.graph.body_contact[DRONE]["active"].sum()) >= 3

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
        x, z = np.asarray(hinge, float)
        return Hanging.in_space((x, 0.0, z), self.rover, self.exit_velocity)

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
        self._rewired("latch", f"the tether is latched, {self.length:.2f} m are out")

    def perch(self) -> None:
        """The drone takes hold of what is there: from now on the tether ends where it is."""
        if self.link != LATCHED:
            raise InputError("only a drone that the tether is latched to can be its anchor")
        self.perch_place = self._at(DRONE, self._hook.r_B)
        self.sim.hold("uav")
        x, _, z = self.perch_place
        self._rewired("perch", f"the drone holds on, the tether ends at ({x:.2f}, {z:.2f}) m")

    def unhook(self) -> None:
        """The tether lets go of the drone, which is free, and is on the drum again."""
        if self.link == APART:
            raise InputError("there is nothing to unhook: the tether is on its drum")
        perched = self.link == PERCHED
        self.sim.stow("cord")
        if perched:
            self.sim.let_go("uav")
        self._rewired("unhook", "the tether is unhooked, and comes home")

    def note(self, kind: str, sentence: str) -> None:
        """Something happened."""
        self.events.append(Event(self.time, kind, sentence))

    def tick(self, command: HoistCommand) -> bool:
        """Go on for 10 ms; whether the run goes on."""
        if self.outcome is not None:
            return False
        flown, driven, reeled, hook = self._flown, self._driven, self._reeled, self._hook_now
        flown["force_W"], flown["armed"] = command.force, command.armed and not self.sim.graph.held[DRONE]
        driven["forward"], driven["turn"] = command.drive, command.turn
        reeled["mode"], reeled["wanted"], reeled["rate"] = (
            command.reel_mode, command.reel, command.reel_rate
        )  # fmt: skip
        hook["peak"] = hook["peak_end"] = 0.0
        try:
            self.sim.run(self.sim.time + TICK)
        except SimulationError as failure:
            self.finish(Outcome.DIVERGED, str(failure))
            return False
        self._ticks += 1
        code = self._look_around(TICK)
        self.perch_peak = float(hook["peak_end"]) if self.sim.graph.held[DRONE] else 0.0
        if code != W.GOING:
            if code == W.PERCH_LOST:
                self.sim.let_go("uav")
            self.finish(*self._ending(code))
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

    def _rewired(self, kind: str, sentence: str) -> None:
        self._look_around(0.0, record=False)
        self.note(kind, sentence)

    def _ending(self, code: int) -> tuple[Outcome, str]:
        """Outcome and its details."""
        team, hook = self._team[0], self._hook_now
        x, _, z = self.sim.graph.body["p_W"][DRONE]
        at = f"the drone at ({x:.2f}, {z:.2f}) m"
        peak = max(float(hook["peak"]), float(hook["peak_end"]))
        return {
            W.DIVERGED: (Outcome.DIVERGED, "a place is beyond 1000 km, or not a number"),
            W.PERCH_LOST: (
                Outcome.PERCH_LOST, f"{self.perch_peak:.0f} N, the drone holds {team['perch_force']:.0f} N"
            ),
            W.COLLISION_UAV: (Outcome.COLLISION, f"{at} hit an obstacle"),
            W.COLLISION_TEAM: (Outcome.COLLISION, f"{at} hit the rover"),
            W.OVERLOAD: (
                Outcome.TETHER_OVERLOAD, f"{peak:.0f} N, its strength is {team['strength']:.0f} N"
            ),
            W.TANGLED_ROTOR: (
                Outcome.TANGLED, f"it is within {1000.0 * team['rotor_gap']:.0f} mm of a rotor"
            ),
        }[code]  # fmt: skip

    def _look_around(self, passed: float, record: bool = True) -> int:
        """Why the run ends, or GOING; a row of the record where one is due."""
        rows, stations = NOTHING
        if record and self._ticks % self._every == 0:
            chunk, points = self._rows.chunk(self._count)
            rows, stations = chunk[self._count % CHUNK], points[self._count % CHUNK]
            self._count += 1
        graph, machines = self.sim.graph, self.sim._machinery.machines
        seen = W.Looked(
            graph.memories, graph.body, graph.body_contact, graph.held, graph.stowed, machines.rotorcraft,
            machines.flown, machines.driven, machines.winch, machines.reeled, machines.hook,
            machines.hooked, self._team, *self._hulls, self.sim._own_field,
        )  # fmt: skip
        arguments = (seen, self.time, passed, self.target, rows, stations)
        if self._look is None:
            code = int(W.look_at_team(*arguments))
            self._look = entry_point(W.look_at_team, arguments)
            return code
        return int(self._look(*arguments))


def lift(quadrotor: QuadrotorSpec, radius: float) -> float:
    """How far the middle of a drone's disc of a radius is above its centre of mass [m]."""
    feet = np.asarray(quadrotor.feet)
    return radius - float((feet[:, 3] - feet[:, 2]).max())


def hook_damping(rover: RoverSpec, winch: WinchSpec, gravity: float) -> float:
    """A fifth of what would just not let the hull rock on a tether that hangs still [N m s]."""
    arm = float(winch.exit[2] - rover.center_of_mass[2])
    return 0.2 * 2.0 * math.sqrt(rover.mass * gravity * arm * float(rover.inertia[1]))


def _team(rover: RoverSpec, winch: WinchSpec, tether: TetherSpec, perch_force: float) -> NDArray[Any]:
    team = make_records(1, W.TEAM)
    team["body"] = ROVER, DRONE
    team["origin_B"][0, ROVER] = np.asarray(winch.exit) - rover.center_of_mass
    team["strength"], team["rotor_gap"] = tether.strength, 2.0 * tether.diameter
    team["perch_force"] = perch_force
    return team


def _hull(spheres: Vector, origin: Vector) -> Vector:
    """Spheres of a hull from the centre of mass, (n, 4)."""
    hull = np.array(spheres, float).reshape(-1, 4)
    hull[:, :3] -= origin
    return hull
