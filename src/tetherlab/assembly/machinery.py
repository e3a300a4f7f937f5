"""The actuators of a scene: built from its robots and winches, commanded by name, decided by controllers."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.assembly.robots import Robot
from tetherlab.assembly.scene import Scene
from tetherlab.assembly.scene_plant import Cast
from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.messages import Reference, UavCommand, UgvCommand, VehicleState, WinchCommand
from tetherlab.control.drive import DriveController
from tetherlab.control.position import PositionController
from tetherlab.control.winch_rules import ConstantTension, FollowDistance
from tetherlab.math.kernel import entry_point
from tetherlab.plant.command import Command, make_command
from tetherlab.plant.graph_build import open_tether
from tetherlab.plant.hanging_robot import look_at_hanging
from tetherlab.plant.hanging_state import NOW
from tetherlab.plant.laws import DRIVE, FLIGHT, REEL
from tetherlab.plant.model import Plant
from tetherlab.plant.state_rules import FIXED, FLAG, POSSIBLY, STATE
from tetherlab.sim.checkpoint import command_arrays, kind_of
from tetherlab.sim.decisions import Laws, make_laws
from tetherlab.sim.reference import MovingPoint, Paths
from tetherlab.sim.scene_steps import STEPS_AT_ONCE
from tetherlab.tether.model import COUNT
from tetherlab.vehicles.avocado.state import AvocadoCommand, AvocadoState
from tetherlab.vehicles.spec import RoverSpec
from tetherlab.vehicles.winch import HOLD, LENGTH, SPEED, TENSION

Vector = NDArray[np.float64]
# Of reference points: speed [m/s], distance of slowing down [m], acceleration [m/s^2].
AIR_LIMITS, GROUND_LIMITS = (1.0, 0.0, 1.0), (0.5, 0.0, 0.5)
TAKE_OFF_HEIGHT = 1.0  # [m]
LANDING_SPEED = 0.3  # [m/s]
KINDS = {"rotorcraft": FLIGHT, "rover": DRIVE, "winch": REEL}  # machines that laws can command
DECIDES = {
    "rotorcraft": UavCommand, "rover": UgvCommand, "hanging": AvocadoCommand, "winch": WinchCommand
}  # fmt: skip
ORDERS = {"rotorcraft": "flight", "rover": "drive", "hanging": "thrust", "winch": "reel"}  # in `Command`
ALLOWED = {
    "rotorcraft": ("position", "velocity", "yaw", "take_off", "land", "hold"),
    "rover": ("position", "velocity", "yaw", "hold"),
    "hanging": ("thrust", "torque"),
    "winch": ("length", "speed", "tension"),
}
COMMAND_UNITS = {
    "position": "m", "velocity": "m/s", "yaw": "rad", "thrust": "N", "torque": "N m",
    "length": "m", "speed": "m/s", "tension": "N",
}  # fmt: skip


LAW_RULES = {"by_law": FLAG, "every": FIXED, "path": FIXED, "slack": FIXED}  # of all other fields: STATE
PATH_RULES = (STATE, STATE, STATE, STATE, POSSIBLY, FIXED)  # in the order of `Paths`
# Commands, laws and paths; of each machine the memory of its controller, whether it is commanded by hand, and
# whether it lands.
MachineryState = tuple[Command, Laws, Paths, dict[str, tuple[Any, bool, bool]]]


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

    @property
    def speaks(self) -> list[Any]:
        """The name of the type of its controller, and whether it is somebody's own, for a checkpoint."""
        if isinstance(self.controller, _Pilot):
            raise InputError(
                f"a checkpoint cannot hold what the controller of {self.name!r} remembers by itself: give "
                "one with init() and (memory, observation, reference)"
            )
        return ["None", False] if self.controller is None else kind_of(self.controller)

    @property
    def settings(self) -> list[Any]:
        """What a checkpoint must find again: calls per second, and the law byte by byte."""
        law = None if self.controller is None else _law(self.controller, self.kind)
        rate = 0.0 if self.controller is None else float(self.controller.rate_hz)
        return [rate, "" if law is None else law.tobytes().hex()]


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
        return _vehicle_state(self.body, *np.full((2, 3), math.nan))


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
    """All machines of a scene, by name: their commands, and the laws and controllers that give these."""

    def __init__(self, scene: Scene, cast: Cast, controllers: Mapping[str, Any], dt: float) -> None:
        """controllers: by the name of a robot or tether, an object or the name of a packaged one."""
        flyers, rovers, hung, winches = cast
        counts = len(flyers), len(rovers), len(winches)
        self.commands, self.laws = make_command(*counts, len(hung)), make_laws(*counts)
        self.paths = _paths(flyers, rovers)
        self._own_winch = [  # of each hanging robot
            next((i for i, line in enumerate(winches) if line.start.owner == part.name), None)
            for part in hung
        ]
        self._looks: Callable[..., Any] | None = None
        chosen = _chosen(scene, controllers, cast)
        self._known: dict[str, _Machine] = {}
        kinds: dict[str, list[Any]] = dict(zip(DECIDES, cast, strict=True))
        for kind, parts in kinds.items():
            for i, part in enumerate(parts):
                controller = chosen[part.name]
                every = 1 if controller is None else _steps(part.name, controller, dt)
                machine = _Machine(part.name, kind, i, controller, every)
                machine.memory = None if controller is None else controller.init()
                self._known[part.name] = machine
                self._let_law_decide(machine)
        path = {part.name: i for i, part in enumerate((*flyers, *rovers))}
        for turns, robots in ((self.laws.flying, flyers), (self.laws.driving, rovers)):
            turns["path"] = [path[part.name] for part in robots]
            turns["yaw"] = [part.yaw for part in robots]
        self.laws.reeling["path"] = [path.get(line.end.owner, -1) for line in winches]
        self.laws.reeling["slack"] = math.nan
        self.commands.flight["yaw"] = self.laws.flying["yaw"]
        self.commands.flight["armed"] = [not part.stands for part in flyers]
        self.commands.thrust["thrust"] = [part.thrust for part in hung]

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[_Machine]:
        return iter(self._known.values())

    def records(self) -> Iterator[tuple[str, NDArray[Any]]]:
        """Commands, and what laws go by and remember, by name."""
        yield from command_arrays(self.commands)
        yield from ((name, getattr(self.laws, name)) for name in ("flying", "driving", "reeling"))

    def arrays(self) -> Iterator[tuple[str, NDArray[Any]]]:
        """All arrays that change and last, by name."""
        yield from self.records()
        yield "paths", self.paths.together

    def copy_state(self) -> MachineryState:
        """All that changes, independent of what happens next."""
        told = {m.name: (_copied(m.memory), m.by_hand, m.landing) for m in self._known.values()}
        return *self._copies(self.commands, self.laws, self.paths), told

    def set_state(self, state: MachineryState) -> None:
        """Go back to such a state."""
        self.commands, self.laws, self.paths = self._copies(*state[:3])
        for name, (memory, by_hand, landing) in state[3].items():
            machine = self._known[name]
            machine.memory, machine.by_hand, machine.landing = _copied(memory), by_hand, landing

    def _copies(self, commands: Command, laws: Laws, paths: Paths) -> tuple[Command, Laws, Paths]:
        return (
            Command(*[array.copy() for array in commands]),
            Laws(*[array.copy() for array in laws]),
            Paths(*paths.together.copy()),
        )

    def ask(self, plant: Plant) -> int:
        """Ask the controllers in Python whose turn it is; how many steps may follow until then."""
        free = STEPS_AT_ONCE
        steps = int(plant.clock["steps"][0])
        for machine in self._known.values():
            if machine.landing:
                self._stop_on_ground(machine, plant)
                free = 1
            if machine.by_hand or not machine.asked:
                continue
            if steps % machine.every == 0:
                self._ask(machine, plant)
            if not machine.by_hand:
                free = min(free, machine.every - steps % machine.every)
        return free

    def hanging_state(self, name: str, plant: Plant) -> AvocadoState:
        """How a robot hangs on its tether, in the paper's words."""
        i = self._known[name].index
        if self._looks is None:
            look_at_hanging(plant, i)
            self._looks = entry_point(look_at_hanging, (plant, i))
        else:
            self._looks(plant, i)
        return _told_state(plant, i)

    def armed(self, name: str) -> bool:
        """Whether the rotors of a drone turn."""
        return bool(self._order(self._known[name])["armed"])

    def thrusts(self, name: str, plant: Plant) -> Vector:
        """Of the left and the right propeller of a hanging robot in the last step [N], (2,)."""
        return np.array(plant.thrusters["thrust"][self._known[name].index])

    def target(self, name: str) -> Vector | None:
        """Where a robot is to go [m], (3,); None: it is no robot that is sent to places."""
        machine = self._known.get(name)
        if machine is None or machine.kind not in ("rotorcraft", "rover"):
            return None
        return self._point(machine).target.copy()

    def command(self, name: str, given: Mapping[str, Any], plant: Plant) -> str:
        """Tell a robot or winch something; what was said, for the record."""
        machine = self._known[name]
        allowed = ALLOWED[machine.kind]
        wrong = [key for key in given if key not in allowed]
        if wrong or not given:
            raise InputError(f"{name!r} takes {', '.join(allowed)}, got {', '.join(wrong) or 'nothing'}")
        for key in ("take_off", "land", "hold"):
            if key in given and given[key] is not True:
                raise InputError(f"{name!r}: {key} must be True, got {check.shown(given[key])}")
        if machine.kind == "winch":
            self._command_winch(machine, given, float(plant.winch["length_total"][machine.index]))
        elif machine.kind == "hanging":
            for key, value in {key: check.number(key, value) for key, value in given.items()}.items():
                self._order(machine)[key] = value
            machine.by_hand = True
        else:
            self._command_robot(machine, given)
        return ", ".join(_told(key, value) for key, value in given.items())

    def _order(self, machine: _Machine) -> Any:
        """What it is commanded."""
        return getattr(self.commands, ORDERS[machine.kind])[machine.index]

    def stop_winch(self, name: str) -> None:
        """The winch of a tether, if it has one, holds."""
        if name in self._known:
            order = self._order(self._known[name])
            order["mode"], order["wanted"], order["rate"] = HOLD, 0.0, 0.0

    def _turn(self, machine: _Machine) -> Any:
        """What its law goes by."""
        turns = {"rotorcraft": self.laws.flying, "rover": self.laws.driving, "winch": self.laws.reeling}
        return turns[machine.kind][machine.index]

    def _point(self, machine: _Machine) -> MovingPoint:
        return self.paths.point(int(self._turn(machine)["path"]))

    def _let_law_decide(self, machine: _Machine) -> None:
        """Hand the machine to the compiled law of its controller, if that has one."""
        if machine.kind == "winch":
            self._order(machine)["mode"] = HOLD
        law = None if machine.controller is None else _law(machine.controller, machine.kind)
        if law is not None:
            settings = {"rotorcraft": self.laws.flight, "rover": self.laws.drive, "winch": self.laws.reel}
            settings[machine.kind][machine.index] = law[0]
            self._turn(machine)["by_law"], self._turn(machine)["every"] = 1, machine.every

    def _command_robot(self, machine: _Machine, given: Mapping[str, Any]) -> None:
        """All is checked before anything is done."""
        order, point = self._order(machine), self._point(machine)
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
        if flies and not order["armed"] and moves and "take_off" not in given:
            raise InputError(f"{machine.name!r} stands with its rotors off: command take_off=True first")
        machine.landing = bool(given.get("land"))
        if given.get("take_off"):
            order["armed"] = 1
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
            self._turn(machine)["yaw"] = yaw

    def _command_winch(self, machine: _Machine, given: Mapping[str, Any], total: float) -> None:
        if len(given) > 1:
            raise InputError(f"{machine.name!r}: give one of {', '.join(given)}")
        (key, value), order = next(iter(given.items())), self._order(machine)
        wanted = check.number(key, value) if key == "speed" else check.non_negative(key, value)
        if key == "length" and not wanted <= total:
            raise InputError(f"{machine.name!r} has {total:g} m of tether, got length {wanted:g} m")
        order["mode"] = {"length": LENGTH, "speed": SPEED, "tension": TENSION}[key]
        order["wanted"], order["rate"], self._turn(machine)["by_law"] = wanted, 0.0, 0
        machine.by_hand = True

    def _stop_on_ground(self, machine: _Machine, plant: Plant) -> None:
        """A drone that lands stops its rotors when a foot touches."""
        if plant.graph.body_contact[plant.rotorcraft["body"][machine.index]]["touching"].any():
            self._order(machine)["armed"], machine.landing = 0, False
            self._point(machine).keep(np.zeros(3))

    def _ask(self, machine: _Machine, plant: Plant) -> None:
        order, reference = self._order(machine), None
        seen: Any
        if machine.kind == "winch":
            seen = self._winch_seen(machine, plant)
        elif machine.kind == "hanging":
            if plant.clock["steps"][0] == 0:
                self.hanging_state(machine.name, plant)
            body = plant.graph.body[plant.hanging["body"][machine.index]]
            now = float(plant.clock["time"][0])
            seen = HangingObservation(now, _told_state(plant, machine.index), body)
        else:
            rows = plant.rotorcraft if machine.kind == "rotorcraft" else plant.rover
            b = int(rows["body"][machine.index])
            part = plant.part[b]
            state = _vehicle_state(plant.graph.body[b], part["pull_W"].copy(), part["acceleration_W"].copy())
            seen = RobotObservation(float(plant.clock["time"][0]), state)
            reference = _reference(self._point(machine), float(self._turn(machine)["yaw"]))
        answer = machine.controller(machine.memory, seen, reference)
        kind = DECIDES[machine.kind]
        if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[1], kind):
            raise InputError(
                f"the controller of {machine.name!r} must return (memory, {kind.__name__}), got "
                f"{check.shown(answer)}"
            )
        machine.memory, said = answer
        if isinstance(said, UavCommand):
            order["force_W"], order["yaw"] = check.vector("force", said.force), check.number("yaw", said.yaw)
        elif isinstance(said, UgvCommand):
            order["forward"], order["left"], order["turn"] = (check.number("velocity", v) for v in said)
        elif isinstance(said, AvocadoCommand):
            order["thrust"], order["torque"] = said.thrust, said.torque
            own = self._own_winch[machine.index]
            if own is not None:
                reel = self.commands.reel[own]
                reel["mode"], reel["wanted"] = SPEED, said.reel_speed
                self.laws.reeling[own]["by_law"] = 0
        else:
            _write_reel(order, said)

    def _winch_seen(self, machine: _Machine, plant: Plant) -> WinchObservation:
        winch = plant.winch[machine.index]
        state = open_tether(plant.graph, int(winch["tether"]))
        count = int(state.number[COUNT])
        return WinchObservation(
            time=float(plant.clock["time"][0]),
            exit=state.x[0].copy(),
            exit_velocity=state.v[0].copy(),
            attachment=state.x[count].copy(),
            attachment_velocity=state.v[count].copy(),
            length=float(winch["length"]),
            length_total=float(winch["length_total"]),
            tension=float(winch["tension_seen"]),
        )


def _told_state(plant: Plant, i: int) -> AvocadoState:
    """The state of hanging robot i as it was looked at last: after the last step."""
    state = object.__new__(AvocadoState)  # needs no checks
    now = plant.hanging["state"][i, NOW].tolist()
    state.__dict__.update(zip(AvocadoState.__annotations__, now, strict=True))
    return state


def _paths(flyers: Sequence[Robot], rovers: Sequence[Robot]) -> Paths:
    """Reference points of the robots, at rest where these are."""
    places = [*(part.position for part in flyers), *(part.at(part.site()) for part in rovers)]
    limits = [AIR_LIMITS] * len(flyers) + [GROUND_LIMITS] * len(rovers)
    return Paths.at(places, limits) if places else Paths(*np.zeros((len(Paths._fields), 0, 3)))


def _vehicle_state(body: Any, tether_force: Vector, acceleration: Vector) -> VehicleState:
    """Of the body of a robot."""
    return VehicleState(
        position=body["p_W"].copy(),
        rotation=body["R_WB"].copy(),
        velocity=body["v_W"].copy(),
        angular_momentum=body["L_W"].copy(),
        inertia=body["inertia_B"].copy(),
        acceleration=acceleration,
        tether_force=tether_force,
        mass=float(body["mass"]),
    )


def _chosen(scene: Scene, controllers: Mapping[str, Any], cast: Cast) -> dict[str, Any]:
    """The controller of each machine: the user's, by object or name, or the packaged default."""
    flyers, rovers, hung, winches = cast
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


def _told(key: str, value: Any) -> str:
    """What was asked for, with its unit where it has one."""
    if isinstance(value, bool):
        return key.replace("_", " ")
    numbers = np.atleast_1d(np.asarray(value, float))
    shown = ", ".join(f"{number:.4g}" for number in numbers)
    told = f"({shown})" if len(numbers) > 1 else shown
    return f"{key} {told} {COMMAND_UNITS[key]}"
