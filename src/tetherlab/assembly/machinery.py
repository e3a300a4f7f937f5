"""The actuators of a scene: built from its robots and winches, commanded by name, decided by controllers."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.robots import Robot
from tetherlab.assembly.scene import Line, Scene
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.messages import Reference, UavCommand, UgvCommand, VehicleState, WinchCommand
from tetherlab.control.drive import DriveController
from tetherlab.control.position import PositionController
from tetherlab.control.winch_rules import ConstantTension, FollowDistance
from tetherlab.math.kernel import entry_point
from tetherlab.math.record import make_records
from tetherlab.plant.free_part import HANGING
from tetherlab.plant.graph import Graph
from tetherlab.plant.graph_build import open_tether
from tetherlab.plant.hanging_state import NOW
from tetherlab.plant.hook import HOOK
from tetherlab.plant.laws import DRIVE, FLIGHT, REEL
from tetherlab.sim.machines import (
    CLOCK,
    DRIVEN,
    FLOWN,
    HUNG,
    REELED,
    Machines,
    copy_machines,
    look_at_hung,
)
from tetherlab.sim.reference import MovingPoint, Paths
from tetherlab.sim.scene_steps import STEPS_AT_ONCE
from tetherlab.tether.limits import LENGTH_MIN
from tetherlab.tether.model import COUNT
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.state import AvocadoCommand, AvocadoState
from tetherlab.vehicles.avocado.thrusters import ROBOT
from tetherlab.vehicles.avocado.thrusters import make_robot as make_thrusters
from tetherlab.vehicles.build import make_quadrotor, make_rover, make_winch
from tetherlab.vehicles.quadrotor import QUADROTOR
from tetherlab.vehicles.rover import ROVER
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec
from tetherlab.vehicles.winch import HOLD, LENGTH, SPEED, TENSION, WINCH
from tetherlab.world.field import Field

Vector = NDArray[np.float64]
# Of reference points: speed [m/s], distance of slowing down [m], acceleration [m/s^2].
AIR_LIMITS, GROUND_LIMITS = (1.0, 0.0, 1.0), (0.5, 0.0, 0.5)
TAKE_OFF_HEIGHT = 1.0  # [m]
LANDING_SPEED = 0.3  # [m/s]
KINDS = {"rotorcraft": FLIGHT, "rover": DRIVE, "winch": REEL}  # of machines, and their laws
DECIDES = {
    "rotorcraft": UavCommand, "rover": UgvCommand, "hanging": AvocadoCommand, "winch": WinchCommand
}  # fmt: skip
ALLOWED = {
    "rotorcraft": ("position", "velocity", "yaw", "take_off", "land", "hold"),
    "rover": ("position", "velocity", "yaw", "hold"),
    "hanging": ("thrust", "torque"),
    "winch": ("length", "speed", "tension"),
}


@dataclass
class _Machine:
    """One of them: its kind, its row, and what decides for it."""

    name: str
    kind: str
    index: int
    controller: Any
    every: int  # steps from one decision to the next
    memory: Any = None
    by_hand: bool = False  # a command stands in place of the winch's rule
    landing: bool = False

    @property
    def asked(self) -> bool:
        """Whether its controller is called in Python."""
        return self.controller is not None and _law(self.controller, self.kind) is None


@dataclass(frozen=True)
class RobotObservation:
    """What the controller of a robot may look at."""

    time: float  # [s]
    robot: VehicleState

    @property
    def uav(self) -> VehicleState:
        """The robot itself, for controllers of a drone."""
        return self.robot

    @property
    def ugv(self) -> VehicleState:
        """The robot itself, for controllers of a ground robot."""
        return self.robot


@dataclass(frozen=True)
class HangingObservation:
    """What the controller of a hanging robot may look at."""

    time: float  # [s]
    state: AvocadoState  # of the free part of its tether and of the robot on it, in the paper's words
    body: Any  # record of its body

    @property
    def robot(self) -> VehicleState:
        """The robot by itself."""
        return _vehicle_state(self.body, np.full(3, math.nan))


@dataclass(frozen=True)
class WinchObservation:
    """What the rule of a winch may look at."""

    time: float  # [s]
    exit: Vector  # where the tether leaves the winch [m], (3,)
    exit_velocity: Vector  # [m/s], (3,)
    attachment: Vector  # where its other end is [m], (3,)
    attachment_velocity: Vector  # [m/s], (3,)
    length: float  # that is out [m]
    length_total: float  # out and on the drum [m]
    tension: float  # as the winch's sensor sees it [N]


class Machinery:
    """All machines of a scene, by name."""

    def __init__(
        self,
        scene: Scene,
        bodies: Mapping[str, int],
        tethers: Mapping[str, int],
        controllers: Mapping[str, Any],
        dt: float,
    ) -> None:
        """controllers: by the name of a robot or tether, an object or the name of a packaged one."""
        self.dt = dt
        robots = [part for part in scene.parts.values() if isinstance(part, Robot)]
        flyers = [part for part in robots if isinstance(part.spec, QuadrotorSpec)]
        rovers = [part for part in robots if isinstance(part.spec, RoverSpec)]
        hung = [part for part in robots if isinstance(part.spec, AvocadoRobotSpec)]
        winches = [line for line in scene.tethers.values() if line.winch is not None]
        self.machines = _build(scene, flyers, rovers, hung, winches, bodies, tethers)
        self._looks: Callable[..., Any] | None = None
        chosen = _chosen(scene, controllers, flyers, rovers, hung, winches)
        self._known: dict[str, _Machine] = {}
        kinds: dict[str, list[Any]] = {
            "rotorcraft": list(flyers), "rover": list(rovers), "hanging": list(hung), "winch": list(winches)
        }  # fmt: skip
        for kind, parts in kinds.items():
            for i, part in enumerate(parts):
                controller = chosen[part.name]
                every = 1 if controller is None else _steps(part.name, controller, dt)
                machine = _Machine(part.name, kind, i, controller, every)
                machine.memory = None if controller is None else controller.init()
                self._known[part.name] = machine
                self._let_law_decide(machine)

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __len__(self) -> int:
        return len(self._known)

    def copy_state(self) -> tuple[Machines, dict[str, tuple[Any, bool, bool]]]:
        """All that changes, independent of what happens next."""
        told = {m.name: (_copied(m.memory), m.by_hand, m.landing) for m in self._known.values()}
        return copy_machines(self.machines), told

    def set_state(self, state: tuple[Machines, dict[str, tuple[Any, bool, bool]]]) -> None:
        """Go back to such a state."""
        self.machines = copy_machines(state[0])
        self.forget_graph()
        for name, (memory, by_hand, landing) in state[1].items():
            machine = self._known[name]
            machine.memory, machine.by_hand, machine.landing = _copied(memory), by_hand, landing

    def ask(self, graph: Graph, field: Field) -> int:
        """Ask the controllers in Python whose turn it is; how many steps may follow until the next question.

        field: the obstacles where they are now.
        """
        free = STEPS_AT_ONCE
        steps = int(self.machines.clock["steps"][0])
        for machine in self._known.values():
            if machine.landing:
                self._stop_on_ground(machine, graph)
                free = 1
            if machine.asked and not machine.by_hand and steps % machine.every == 0:
                self._ask(machine, graph, field)
            if machine.asked and not machine.by_hand:
                free = min(free, machine.every - steps % machine.every)
        return free

    def forget_graph(self) -> None:
        """The arrays of the graph were replaced."""
        self._looks = None

    def hanging_state(self, name: str, graph: Graph, field: Field) -> AvocadoState:
        """How a robot hangs on its tether, in the paper's words."""
        i = self._known[name].index
        arguments = (self.machines, graph, field, i)
        if self._looks is None:
            look_at_hung(*arguments)
            self._looks = entry_point(look_at_hung, arguments)
        else:
            self._looks(*arguments)
        return self._told_state(i)

    def _told_state(self, i: int) -> AvocadoState:
        """The state of hanging robot i as it was looked at last: after the last step."""
        state = object.__new__(AvocadoState)  # needs no checks
        now = self.machines.hanging["state"][i, NOW].tolist()
        state.__dict__.update(zip(AvocadoState.__annotations__, now, strict=True))
        return state

    def thrusts(self, name: str) -> Vector:
        """Of the left and the right propeller of a hanging robot in the last step [N], (2,)."""
        return np.array(self.machines.thrusters["thrust"][self._known[name].index])

    def command(self, name: str, given: Mapping[str, Any]) -> str:
        """Tell a robot or winch something; what was said, for the record."""
        machine = self._known[name]
        allowed = ALLOWED[machine.kind]
        wrong = [key for key in given if key not in allowed]
        if wrong or not given:
            raise InputError(f"{name!r} takes {', '.join(allowed)}, got {', '.join(wrong) or 'nothing'}")
        if machine.kind == "winch":
            self._command_winch(machine, given)
        elif machine.kind == "hanging":
            for key, value in {key: check.number(key, value) for key, value in given.items()}.items():
                self._row(machine)[key] = value
            machine.by_hand = True
        else:
            self._command_robot(machine, given)
        return ", ".join(f"{key} {_told(value)}" for key, value in given.items())

    def winch(self, name: str) -> np.void:
        """The record of a winch."""
        row: np.void = self.machines.winch[self._known[name].index]
        return row

    def turned_to(self, name: str, length: float) -> None:
        """The winch of a tether, if it has one, stands still with so much paid out [m]."""
        if self.has_winch(name):
            winch, row = self.winch(name), self.machines.reeled[self._known[name].index]
            winch["length"], winch["speed"], winch["tension"] = max(length, 2.0 * LENGTH_MIN), 0.0, 0.0
            row["mode"], row["wanted"], row["rate"] = HOLD, 0.0, 0.0

    def has_winch(self, name: str) -> bool:
        """Whether a tether has a winch."""
        return name in self._known and self._known[name].kind == "winch"

    def _row(self, machine: _Machine) -> Any:
        rows = {
            "rotorcraft": self.machines.flown, "rover": self.machines.driven, "hanging": self.machines.hung,
            "winch": self.machines.reeled,
        }  # fmt: skip
        return rows[machine.kind][machine.index]

    def _point(self, machine: _Machine) -> MovingPoint:
        return self.machines.paths.point(int(self._row(machine)["path"]))

    def _let_law_decide(self, machine: _Machine) -> None:
        """Hand the machine to the compiled law of its controller, if that has one."""
        row, law = self._row(machine), None
        if machine.kind == "hanging":
            row["every"] = machine.every
            return
        if machine.controller is not None:
            law = _law(machine.controller, machine.kind)
        row["by_law"], row["every"] = int(law is not None), machine.every
        if law is not None:
            laws = {
                "rotorcraft": self.machines.flight_law,
                "rover": self.machines.drive_law,
                "winch": self.machines.reel_law,
            }
            laws[machine.kind][machine.index] = law[0]

    def _command_robot(self, machine: _Machine, given: Mapping[str, Any]) -> None:
        """All is checked before anything is done."""
        row, point = self._row(machine), self._point(machine)
        flies = machine.kind == "rotorcraft"
        moves = [key for key in given if key != "yaw"]
        if len(moves) > 1:
            raise InputError(f"{machine.name!r}: give one of {', '.join(moves)}")
        place = velocity = None
        if "position" in given:
            place = _vector("position", given["position"], point.position[2], flies)
        if "velocity" in given:
            velocity = _vector("velocity", given["velocity"], 0.0, flies)
        yaw = check.number("yaw", given["yaw"]) if "yaw" in given else None
        if flies and not row["armed"] and moves and "take_off" not in given:
            raise InputError(f"{machine.name!r} stands with its rotors off: command take_off=True first")
        machine.landing = bool(given.get("land"))
        if given.get("take_off"):
            row["armed"] = 1
            point.go_to(point.position + np.array((0.0, 0.0, TAKE_OFF_HEIGHT)))
        elif given.get("land"):
            point.keep(np.array((0.0, 0.0, -LANDING_SPEED)))
        elif given.get("hold"):
            point.keep(np.zeros(3))
        elif place is not None:
            point.go_to(place)
        elif velocity is not None:
            point.keep(velocity)
        if yaw is not None:
            row["yaw"] = yaw

    def _command_winch(self, machine: _Machine, given: Mapping[str, Any]) -> None:
        if len(given) > 1:
            raise InputError(f"{machine.name!r}: give one of {', '.join(given)}")
        (key, value), row = next(iter(given.items())), self._row(machine)
        total = float(self.machines.winch["length_total"][machine.index])
        wanted = check.number(key, value) if key == "speed" else check.non_negative(key, value)
        if key == "length" and not wanted <= total:
            raise InputError(f"{machine.name!r} has {total:g} m of tether, got length {wanted:g} m")
        row["mode"] = {"length": LENGTH, "speed": SPEED, "tension": TENSION}[key]
        row["wanted"], row["rate"], row["by_law"] = wanted, 0.0, 0
        machine.by_hand = True

    def _stop_on_ground(self, machine: _Machine, graph: Graph) -> None:
        """A drone that lands stops its rotors when a foot touches."""
        row = self._row(machine)
        if graph.body_contact[int(row["body"])]["touching"].any():
            row["armed"], machine.landing = 0, False
            self._point(machine).keep(np.zeros(3))

    def _ask(self, machine: _Machine, graph: Graph, field: Field) -> None:
        row, reference = self._row(machine), None
        seen: Any
        if machine.kind == "winch":
            seen = self._winch_seen(machine, graph)
        elif machine.kind == "hanging":
            if self.machines.clock["steps"][0] == 0:
                self.hanging_state(machine.name, graph, field)
            now = float(self.machines.clock["time"][0])
            seen = HangingObservation(now, self._told_state(machine.index), graph.body[int(row["body"])])
        else:
            seen = self._robot_seen(row, graph)
            reference = _reference(self._point(machine), float(row["yaw"]))
        answer = machine.controller(machine.memory, seen, reference)
        kind = DECIDES[machine.kind]
        if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[1], kind):
            raise InputError(
                f"the controller of {machine.name!r} must return (memory, {kind.__name__}), got "
                f"{check.shown(answer)}"
            )
        machine.memory, said = answer
        if isinstance(said, UavCommand):
            row["force_W"], row["yaw"] = check.vector("force", said.force), check.number("yaw", said.yaw)
        elif isinstance(said, UgvCommand):
            row["forward"], row["left"], row["turn"] = (check.number("velocity", v) for v in said)
        elif isinstance(said, AvocadoCommand):
            row["thrust"], row["torque"] = said.thrust, said.torque
            if row["winch"] >= 0:
                reeled = self.machines.reeled[int(row["winch"])]
                reeled["mode"], reeled["wanted"], reeled["by_law"] = SPEED, said.reel_speed, 0
        else:
            _write_reel(row, said)

    def _robot_seen(self, row: Any, graph: Graph) -> RobotObservation:
        state = _vehicle_state(graph.body[int(row["body"])], row["tether_force_W"].copy())
        return RobotObservation(float(self.machines.clock["time"][0]), state)

    def _winch_seen(self, machine: _Machine, graph: Graph) -> WinchObservation:
        winch = self.machines.winch[machine.index]
        state = open_tether(graph, int(self._row(machine)["tether"]))
        count = int(state.number[COUNT])
        return WinchObservation(
            time=float(self.machines.clock["time"][0]),
            exit=state.x[0].copy(),
            exit_velocity=state.v[0].copy(),
            attachment=state.x[count].copy(),
            attachment_velocity=state.v[count].copy(),
            length=float(winch["length"]),
            length_total=float(winch["length_total"]),
            tension=float(winch["tension_seen"]),
        )


def _vehicle_state(body: Any, tether_force: Vector) -> VehicleState:
    """Of the body of a robot."""
    return VehicleState(
        position=body["p_W"].copy(),
        rotation=body["R_WB"].copy(),
        velocity=body["v_W"].copy(),
        angular_momentum=body["L_W"].copy(),
        inertia=body["inertia_B"].copy(),
        acceleration=np.full(3, math.nan),
        tether_force=tether_force,
        mass=float(body["mass"]),
    )


def _build(
    scene: Scene,
    flyers: list[Robot],
    rovers: list[Robot],
    hung: list[Robot],
    winches: list[Line],
    bodies: Mapping[str, int],
    tethers: Mapping[str, int],
) -> Machines:
    """The arrays of all machines, at rest at their places."""
    robots = [*flyers, *rovers]
    hooks = [line for line in scene.tethers.values() if line.start_damping.any()]
    places = [part.position if part in flyers else part.at(part.site()) for part in robots]
    limits = [AIR_LIMITS] * len(flyers) + [GROUND_LIMITS] * len(rovers)
    machines = Machines(
        rotorcraft=_records([make_quadrotor(_spec(p), scene.world.air_density) for p in flyers], QUADROTOR),
        flown=make_records(len(flyers), FLOWN),
        flight_law=make_records(len(flyers), FLIGHT),
        rover=_records([make_rover(_spec(p)) for p in rovers], ROVER),
        driven=make_records(len(rovers), DRIVEN),
        drive_law=make_records(len(rovers), DRIVE),
        thrusters=_records([make_thrusters(_spec(p)) for p in hung], ROBOT),
        hung=make_records(len(hung), HUNG),
        hanging=make_records(len(hung), HANGING),
        winch=_records([_winch_row(line) for line in winches], WINCH),
        reeled=make_records(len(winches), REELED),
        reel_law=make_records(len(winches), REEL),
        hook=make_records(len(hooks), HOOK),
        hooked=make_records(len(hooks), HANGING),
        paths=Paths.at(places, limits) if robots else Paths(*np.zeros((len(Paths._fields), 0, 3))),
        air=np.zeros(3),
        clock=make_records(1, CLOCK),
    )
    for row, line in zip(machines.hook, hooks, strict=True):
        row["tether"] = tethers[line.name]
        row["damping_phi"], row["damping_roll"], row["damping_spin"] = line.start_damping
    path = {part.name: i for i, part in enumerate(robots)}
    for row, part in zip(machines.flown, flyers, strict=True):
        row["body"], row["path"], row["yaw"] = bodies[part.name], path[part.name], part.yaw
        row["armed"] = int(not part.stands)
    for row, part in zip(machines.driven, rovers, strict=True):
        row["body"], row["path"], row["yaw"] = bodies[part.name], path[part.name], part.yaw
        row["origin_B"] = -part.center_of_mass
    for robot, part in zip(machines.thrusters, hung, strict=True):
        robot["motor"], robot["fails_at"] = 0.5 * part.thrust, part.fails_at
    for row, hanging, part in zip(machines.hung, machines.hanging, hung, strict=True):
        own = [line for line in scene.tethers.values() if line.start.owner == part.name]
        row["body"], row["thrust"] = bodies[part.name], part.thrust
        row["tether"] = tethers[own[0].name] if own else -1
        row["winch"] = winches.index(own[0]) if own and own[0] in winches else -1
        if own:
            # The last corner of its shape is where the robot hangs from, until contacts are known.
            hanging["point_W"] = scene.at(own[0].end) if own[0].shape is None else own[0].shape[1]
            hanging["object"] = -1
    for row, line in zip(machines.reeled, winches, strict=True):
        row["tether"], row["path"] = tethers[line.name], path.get(line.end.owner, -1)
        row["mode"] = HOLD
    return machines


def _spec(part: Robot) -> Any:
    return part.spec


def _records(rows: list[NDArray[Any]], kind: np.dtype[Any]) -> NDArray[Any]:
    return np.concatenate(rows) if rows else make_records(0, kind)


def _winch_row(line: Line) -> NDArray[Any]:
    assert line.winch is not None
    return make_winch(
        line.winch,
        tether_diameter=line.spec.diameter,
        tether_density=line.spec.linear_density,
        length=line.length_total,
        length_min=2.0 * LENGTH_MIN,
        paid_out=line.length,
    )


def _chosen(
    scene: Scene,
    controllers: Mapping[str, Any],
    flyers: list[Robot],
    rovers: list[Robot],
    hung: list[Robot],
    winches: list[Line],
) -> dict[str, Any]:
    """The controller of each machine: the user's, by object or name, or the packaged default."""
    machines: list[Any] = [*flyers, *rovers, *hung, *winches]
    names = [part.name for part in machines]
    wrong = [name for name in controllers if name not in names]
    if wrong:
        said = [
            f"controllers: the scene has no robot or winch {name!r}.{check.did_you_mean(str(name), names)}"
            for name in wrong
        ]
        raise InputError("\n".join(said))
    gravity, found = float(scene.world.gravity), {}
    for part in flyers:
        default = PositionController(mass=part.spec.mass, gravity=gravity)
        found[part.name] = _named(part.name, controllers.get(part.name, default), {"position": default})
    for part in rovers:
        assert isinstance(part.spec, RoverSpec)
        drive = DriveController(holonomic=part.spec.steers)
        found[part.name] = _named(part.name, controllers.get(part.name, drive), {"drive": drive})
    for part in hung:
        found[part.name] = _piloted(part.name, controllers.get(part.name))
    for line in winches:
        packaged = {"follow_distance": FollowDistance(), "constant_tension": ConstantTension(tension=5.0)}
        found[line.name] = _named(line.name, controllers.get(line.name, line.rule), packaged)
    return found


def _piloted(owner: str, controller: Any) -> Any:
    """A controller of a hanging robot; one that is called with time and state becomes one of a scene."""
    if controller is None or hasattr(controller, "init"):
        return _named(owner, controller, {})
    if isinstance(controller, AvocadoCommand) or not callable(controller):
        raise InputError(
            f"controllers: {owner!r} needs an object that is called with time [s] and AvocadoState for an "
            f"AvocadoCommand, got {check.shown(controller)}"
        )
    return _Pilot(controller)


@dataclass(frozen=True)
class _Pilot:
    """A controller of the paper's kind: of time and state."""

    called: Callable[[float, AvocadoState], AvocadoCommand]
    rate_hz: float = 100.0  # as in the paper

    def init(self) -> None:
        """It keeps its memory itself."""

    def __call__(self, memory: None, seen: HangingObservation, wanted: None) -> tuple[None, AvocadoCommand]:
        return memory, self.called(seen.time, seen.state)


def _named(owner: str, controller: Any, packaged: Mapping[str, Any]) -> Any:
    """A controller by object or packaged name."""
    if isinstance(controller, str):
        if controller not in packaged:
            raise InputError(
                f"controllers: {owner!r} has no controller {controller!r}."
                f"{check.did_you_mean(controller, packaged)}"
            )
        return packaged[controller]
    if controller is not None and not (callable(controller) and hasattr(controller, "init")):
        raise InputError(
            f"controllers: {owner!r} needs a name or an object with rate_hz, init() and "
            f"(memory, observation, reference), got {check.shown(controller)}"
        )
    return controller


def _law(controller: Any, kind: str) -> NDArray[Any] | None:
    """The compiled law of a controller, if it has one."""
    law = getattr(controller, "law", None) if "law" in vars(type(controller)) else None
    return law if isinstance(law, np.ndarray) and law.dtype == KINDS.get(kind) else None


def _steps(name: str, controller: Any, dt: float) -> int:
    """Steps from one decision of a controller to the next."""
    rate = check.positive(f"rate_hz of the controller of {name!r}", getattr(controller, "rate_hz", None))
    steps = 1.0 / (rate * dt)
    if steps < 1.0 - 1e-9 or abs(steps - round(steps)) > 1e-6:
        raise InputError(
            f"controllers: the {rate:g} Hz of {name!r} must divide the {1.0 / dt:g} steps per second evenly"
        )
    return round(steps)


def _vector(name: str, value: Any, height: float, flies: bool) -> Vector:
    """A place or velocity; a ground robot takes x and y."""
    if not flies and np.shape(value) == (2,):
        value = (*value, height)
    return check.vector(name, value)


def _reference(point: MovingPoint, yaw: float) -> Reference:
    position, velocity, acceleration, target = (array.copy() for array in point[:4])
    return Reference(position, velocity, acceleration, yaw, target, math.nan)


def _write_reel(row: Any, said: WinchCommand) -> None:
    """Put what a rule says into the record of its winch."""
    if said.tension is not None:
        row["mode"], row["wanted"] = TENSION, check.non_negative("tension", said.tension)
    elif said.length is not None:
        row["mode"], row["wanted"] = LENGTH, check.non_negative("length", said.length)
    elif said.speed is not None:
        row["mode"], row["wanted"] = SPEED, check.number("speed", said.speed)
    else:
        raise InputError("a WinchCommand needs a length, a speed or a tension")
    row["rate"] = 0.0 if said.speed is None or row["mode"] == SPEED else check.number("speed", said.speed)


def _copied(memory: Any) -> Any:
    """Memory of a controller, independent of it."""
    return copy.deepcopy(memory)


def _told(value: Any) -> str:
    return np.array2string(np.asarray(value), precision=3, separator=", ")
