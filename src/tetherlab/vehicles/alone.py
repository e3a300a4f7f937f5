"""Vehicles and winches without the others: a drone with no tether, a rover with no drone, a winch on a bench.

Each advances its own records with the kernels that a whole team uses.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.math.kernel import kernel, njit
from tetherlab.math.record import make_records
from tetherlab.math.rigid_body import BODY, POINTS_MAX
from tetherlab.vehicles import build
from tetherlab.vehicles.lone import ELIMINATION, advance_lone
from tetherlab.vehicles.platform import load_actuators, move_deck, sense_level
from tetherlab.vehicles.quadrotor import fly
from tetherlab.vehicles.rover import drive
from tetherlab.vehicles.spec import LevellerSpec, QuadrotorSpec, RoverSpec, WinchSpec
from tetherlab.vehicles.step_history import StepHistory
from tetherlab.vehicles.winch import LENGTH, SPEED, TENSION, measured_length, reel, turn_drum
from tetherlab.world import World
from tetherlab.world.contact import CONTACT
from tetherlab.world.wind import Wind
from tetherlab.world.wind_field import WindField, wind_at

Vector = NDArray[np.float64]
STEP_MAX = 0.005  # [s]
SCRATCH = np.dtype([*ELIMINATION, ("wind", np.float64, (3,))])  # wind: at the drone [m/s]


class _LoneBody:
    """What a drone and a rover have in common: a body, its contacts and the world."""

    kind: ClassVar[str]  # that messages and failure files name
    commands: ClassVar[int]  # numbers that a step reads
    _wind: WindField | None = None

    def __init__(self, world: World | None, yaw: float, step_max: float) -> None:
        self.world = World.ground() if world is None else world
        self.step_max = check.positive("step_max", step_max)
        c, s = math.cos(yaw), math.sin(yaw)
        self._R_WB = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        self._make_records()

    def _make_records(self) -> None:
        self.body = make_records(1, BODY)
        self.contacts = make_records(POINTS_MAX, CONTACT)
        self._command = np.zeros(self.commands)
        self._push = np.zeros(6)
        self._scratch = make_records(1, SCRATCH)
        self.time = 0.0  # [s]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_history"}

    @cached_property
    def _history(self) -> StepHistory:
        return StepHistory(self._parts(), self._command, self._push)

    def _parts(self) -> dict[str, NDArray[Any]]:
        """The arrays of its state, by name."""
        return {"body": self.body, "contacts": self.contacts}

    def _advance(self, h: float, count: int) -> bool:
        """Take so many steps of h [s]; False if one did not converge."""
        raise NotImplementedError

    @property
    def position(self) -> Vector:
        """Of the centre of mass [m], (3,)."""
        return self.body["p_W"][0].copy()

    @property
    def rotation(self) -> Vector:
        """R_WB, (3, 3)."""
        return self.body["R_WB"][0].copy()

    @property
    def velocity(self) -> Vector:
        """Of the centre of mass [m/s], (3,)."""
        return self.body["v_W"][0].copy()

    @property
    def angular_velocity(self) -> Vector:
        """World frame [rad/s], (3,)."""
        R = self.body["R_WB"][0]
        return R @ np.linalg.solve(self.body["inertia_B"][0], R.T @ self.body["L_W"][0])

    @property
    def contact_forces(self) -> Vector:
        """Of the world on each foot or wheel [N], (n, 3)."""
        count = int(self.body["point_count"][0])
        return self.contacts["force_W"][:count] * self.contacts["active"][:count, None]

    def _steps(self, dt: float) -> tuple[float, int]:
        count = max(1, math.ceil(check.positive("dt", dt) / self.step_max - 1e-9))
        return dt / count, count

    def _pushed(self, push: ArrayLike, at: ArrayLike) -> None:
        self._push[:3], self._push[3:] = check.vector("push", push), check.vector("at", at)

    def _step(self, dt: float) -> None:
        """Advance by dt [s] as commanded."""
        h, count = self._steps(dt)
        self._history.before(self.time, h, count, self.world.field)
        fine = self._advance(h, count)
        self._history.after()
        if not fine:
            replayed = self._history.write(self.kind, self.time, self.world, self._wind)
            raise SimulationError(
                f"the {self.kind}: after {self.time:g} s the smallest step did not converge. "
                f"This is a bug in tetherlab; please report it; {replayed}."
            )
        self.time += dt


class LoneQuadrotor(_LoneBody):
    """A drone that flies by itself: autopilot, rotors, drag, feet that touch the world."""

    kind, commands = "quadrotor", 5

    def __init__(
        self,
        spec: QuadrotorSpec,
        *,
        position: ArrayLike,
        yaw: float = 0.0,
        world: World | None = None,
        wind: Wind | None = None,
        step_max: float = STEP_MAX,
    ) -> None:
        super().__init__(world, yaw, step_max)
        self.spec = spec
        self._wind = (wind or self.world.wind or Wind.calm()).field
        self.rotors = build.make_quadrotor(spec, self.world.air_density)
        build.fill_quadrotor_body(self.body[0], spec, check.vector("position", position), self._R_WB)

    def _parts(self) -> dict[str, NDArray[Any]]:
        return {"rotors": self.rotors, **super()._parts()}

    def step(
        self,
        dt: float,
        force: ArrayLike,
        yaw: float = 0.0,
        *,
        armed: bool = True,
        push: ArrayLike = (0.0, 0.0, 0.0),
        at: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        """Advance by dt [s] with the force that the rotors shall exert (3,), world frame [N], and a heading.

        push: of something else [N], world frame, at a point of the body [m].
        """
        self._command[:3], self._command[3] = check.vector("force", force), check.number("yaw", yaw)
        self._command[4] = float(bool(armed))
        self._pushed(push, at)
        self._step(dt)

    def _advance(self, h: float, count: int) -> bool:
        return bool(
            _fly_alone(
                self.rotors, self.body, self.contacts, self.world.field, self._wind, self._command,
                self._push, float(self.world.gravity), self.time, h, count, self._scratch,
            )
        )  # fmt: skip


class LoneRover(_LoneBody):
    """A ground robot by itself."""

    kind, commands = "rover", 3

    def __init__(
        self,
        spec: RoverSpec,
        *,
        position: ArrayLike = (0.0, 0.0, 0.0),
        yaw: float = 0.0,
        world: World | None = None,
        step_max: float = STEP_MAX,
    ) -> None:
        """position: of its origin, on the ground."""
        super().__init__(world, yaw, step_max)
        self.spec = spec
        self.wheels = build.make_rover(spec)
        build.fill_rover_body(self.body[0], spec, check.vector("position", position), self._R_WB)

    def _parts(self) -> dict[str, NDArray[Any]]:
        return {"wheels": self.wheels, **super()._parts()}

    @property
    def origin(self) -> Vector:
        """Its origin on the ground [m], (3,)."""
        return self.position - self.rotation @ self.spec.center_of_mass

    def step(
        self,
        dt: float,
        forward: float = 0.0,
        left: float = 0.0,
        turn: float = 0.0,
        *,
        push: ArrayLike = (0.0, 0.0, 0.0),
        at: ArrayLike | None = None,
    ) -> None:
        """Advance by dt [s] with a wanted velocity in its own frame [m/s, rad/s].

        push: of something else [N], world frame, at a point of the rover's frame [m]; the centre by default.
        """
        self._command[:] = forward, left, turn
        centre = self.spec.center_of_mass
        self._pushed(push, np.zeros(3) if at is None else check.vector("at", at) - centre)
        self._step(dt)

    def _advance(self, h: float, count: int) -> bool:
        return bool(
            _drive_alone(
                self.wheels, self.body, self.contacts, self.world.field, self._command, self._push,
                float(self.world.gravity), h, count, self._scratch,
            )
        )  # fmt: skip


class LoneWinch:
    """A winch on a bench: a given tension pulls at its tether."""

    def __init__(
        self,
        spec: WinchSpec,
        *,
        length: float,
        paid_out: float,
        tether_diameter: float,
        tether_density: float = 0.0,
        step_max: float = STEP_MAX,
    ) -> None:
        """length: of the whole tether, paid_out: of that, what is out [m]."""
        self.step_max = check.positive("step_max", step_max)
        self.record = build.make_winch(
            spec,
            tether_diameter=tether_diameter,
            tether_density=tether_density,
            length=length,
            length_min=0.0,
            paid_out=paid_out,
        )

    def __getattr__(self, name: str) -> Any:
        """A quantity of the WINCH record, for example `length`, `speed`, `torque`."""
        if name.startswith("_") or name == "record":
            raise AttributeError(name)
        return self.record[name][0].item()

    @property
    def length_seen(self) -> float:
        """What the encoder says is out [m]."""
        return float(_length_seen(self.record))

    def step(
        self,
        dt: float,
        pull: float,
        *,
        length: float | None = None,
        speed: float | None = None,
        tension: float | None = None,
        stiffness: float = 0.0,
    ) -> None:
        """Advance by dt [s] while `pull` [N] pulls; exactly one of length [m], speed [m/s], tension [N].

        stiffness: with which the tension falls as it pays out within a step [N/m].
        """
        given = [(LENGTH, length), (SPEED, speed), (TENSION, tension)]
        wanted = [(mode, value) for mode, value in given if value is not None]
        if len(wanted) != 1:
            raise InputError("give exactly one of length, speed and tension")
        count = max(1, math.ceil(check.positive("dt", dt) / self.step_max - 1e-9))
        mode, value = wanted[0]
        _reel_alone(self.record, mode, float(value), float(pull), float(stiffness), dt / count, count)


class LonePlatform:
    """A self-levelling platform on a stand that is tilted and pushed about as one likes."""

    def __init__(
        self,
        spec: LevellerSpec,
        *,
        gravity: float = 9.80665,
        seed: int = 0,
        step_max: float = STEP_MAX,
    ) -> None:
        self.spec, self.gravity = spec, check.positive("gravity", gravity)
        self.step_max = check.positive("step_max", step_max)
        self.record = build.make_platform(spec, np.zeros(3), seed)
        self._rotation, self._motion = np.eye(3), np.zeros(9)
        self.velocity = np.zeros(3)  # of the stand, world frame [m/s]
        self.time = 0.0  # [s]

    def __getattr__(self, name: str) -> Any:
        """A quantity of the PLATFORM record, for example `roll`, `pitch`, `stroke`."""
        if name.startswith("_") or name == "record":
            raise AttributeError(name)
        value = self.record[name][0]
        return value.copy() if value.ndim else value.item()

    @property
    def rotation(self) -> Vector:
        """R_WP of the deck, (3, 3)."""
        turned: Vector = self._rotation @ self.R_BP
        return turned

    @property
    def tilt(self) -> float:
        """Of the deck against the horizontal [rad]."""
        return math.acos(min(max(float(self.rotation[2, 2]), -1.0), 1.0))

    def step(
        self,
        dt: float,
        rotation: ArrayLike | None = None,
        *,
        acceleration: ArrayLike = (0.0, 0.0, 0.0),
        torque: ArrayLike = (0.0, 0.0, 0.0),
        powered: bool = True,
    ) -> None:
        """Advance by dt [s]. rotation: R_WB of the stand from now on, (3, 3); as it was, if not given.

        acceleration: of the stand [m/s^2], world frame. torque: of a load about the joint, frame of the stand
        [N m].
        """
        if rotation is not None:
            self._rotation[:] = check.array("rotation", rotation, (3, 3))
        count = max(1, math.ceil(check.positive("dt", dt) / self.step_max - 1e-9))
        self._motion[:3], self._motion[3:6] = self.velocity, check.vector("acceleration", acceleration)
        self._motion[6:] = check.vector("torque", torque)
        self.record["powered"] = int(powered)
        _level_alone(self.record, self._rotation, self._motion, self.gravity, dt / count, count)
        self.velocity = self._motion[:3].copy()
        self.time += dt


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def _level_alone(record, R_WB, motion, gravity, h, count):
    platform = record[0]
    for _ in range(count):
        for k in range(3):
            motion[k] += h * motion[3 + k]
        load_actuators(platform, R_WB, gravity, motion[6], motion[7], motion[8])
        sense_level(platform, R_WB, motion[0], motion[1], motion[2], gravity, h)
        move_deck(platform, h)


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def _fly_alone(rotors, bodies, contacts, field, wind, command, push, gravity, time, h, count, scratch):
    drone, body, air = rotors[0], bodies[0], scratch[0].wind
    drone.armed = int(command[4])
    for i in range(count):
        p = body.p_W
        air[0], air[1], air[2] = wind_at(wind, p[0], p[1], p[2], time + i * h)
        fly(drone, body, air, command[0:3], command[3], h)
        _push(body, push)
        if not advance_lone(body, contacts, field, h, gravity, 0.0, 0.0, 0.0, 0.0, scratch[0]):
            return False
    return True


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def _drive_alone(wheels, bodies, contacts, field, command, push, gravity, h, count, scratch):
    body = bodies[0]
    for _ in range(count):
        drive(wheels[0], body, contacts, command[0], command[1], command[2], h)
        for k in range(3):
            body.force_W[k] = 0.0
            body.torque_W[k] = wheels[0].reaction_W[k]
        _push(body, push)
        if not advance_lone(body, contacts, field, h, gravity, 0.0, 0.0, 0.0, 0.0, scratch[0]):
            return False
    return True


@kernel
def _push(body, push):
    """Add a force at a point of the body to its loads."""
    R, f = body.R_WB, push
    r0 = R[0, 0] * push[3] + R[0, 1] * push[4] + R[0, 2] * push[5]
    r1 = R[1, 0] * push[3] + R[1, 1] * push[4] + R[1, 2] * push[5]
    r2 = R[2, 0] * push[3] + R[2, 1] * push[4] + R[2, 2] * push[5]
    for k in range(3):
        body.force_W[k] += f[k]
    body.torque_W[0] += r1 * f[2] - r2 * f[1]
    body.torque_W[1] += r2 * f[0] - r0 * f[2]
    body.torque_W[2] += r0 * f[1] - r1 * f[0]


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def _reel_alone(record, mode, wanted, pull, stiffness, h, count):
    for _ in range(count):
        record[0].tension = pull
        reel(record[0], mode, wanted, 0.0, stiffness, h)
        turn_drum(record[0], h, pull)


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def _length_seen(record):
    return measured_length(record[0])
