"""The tether that users hold in their hands."""

from __future__ import annotations

import logging
import math
import time as wall
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.bodies import PointMass, RigidBody
from tetherlab.contracts.errors import InputError, SimulationError
from tetherlab.math.kernel import entry_point, plain
from tetherlab.math.rotation import matrix_from_quaternion, quaternion_from_matrix
from tetherlab.tether import model as M
from tetherlab.tether.advance import advance
from tetherlab.tether.failure import NO_STEP, StepRing
from tetherlab.tether.folding import FOLD_ABOVE
from tetherlab.tether.impedance import end_response
from tetherlab.tether.limits import LENGTH_MIN, check_body, check_count, check_length, check_step
from tetherlab.tether.readout import Contact, Energy, contacts_of, energy_of, sharpness
from tetherlab.tether.shape import initial_shape
from tetherlab.tether.spec import TetherSpec
from tetherlab.tether.touching import contact_stiffness
from tetherlab.world.wind import Wind
from tetherlab.world.world import World

COMPRESSED, STRETCHED = 0.005, 0.01  # strain of a given shape from which on it is worth a warning
LOGGER = logging.getLogger("tetherlab")
HONEY = 5.0  # drag while a tether settles [kg/m^2]
SLOWLY = 3.0  # through honey of that drag a tether comes down from so high in ten seconds [m]
SETTLE_STEP, SETTLE_STEPS = 0.02, 1500  # [s], and how many of them at most
PATIENCE = 2.0  # of the wall clock, before a user is told what takes so long [s]
DERIVED = (
    "_state",
    "_seen",
    "_compiled",
    "_field",
    "_ring",
    "_rows",
)  # attributes that are made anew in a copy
Vector = NDArray[np.float64]
Body = PointMass | RigidBody
ENDS = ("base", "end")
VELOCITIES = ("base_velocity", "end_velocity")
NOWHERE = (0.0,) * 6  # where an end goes that is not prescribed


class Forces:
    """What the tether does to what holds its ends, mean over one call of `step`, world frame."""

    __slots__ = ("_memory", "_wind", "dt", "on_base", "on_end")

    def __init__(self, on_base: Vector, on_end: Vector, dt: float, memory: M.Memory, wind: Any) -> None:
        self.on_base = on_base  # [N], (3,)
        self.on_end = on_end  # [N], (3,)
        self.dt = dt
        self._memory = memory
        self._wind = wind

    @property
    def damping_end(self) -> Vector:
        """-d(force on the end)/d(its mean velocity over dt) [N s/m], (3, 3), of the tether as it is now.

        For users who couple their own integrator, implicitly: see examples/00_start/04_your_own_robot.py.
        Contacts are left out.
        """
        response = np.empty((3, 3))
        end_response(M.copy_memory(self._memory), self._wind, self.dt, response)
        return np.asarray(np.linalg.inv(response) * (2.0 / self.dt), np.float64)

    def __repr__(self) -> str:
        return f"Forces(on_base={self.on_base.round(4)}, on_end={self.on_end.round(4)})"


@check.known_arguments
class Tether:
    """A tether of variable length between two ends, hanging, swinging, touching; nodes run from base to end.

    `base` is the reel end. Each end is prescribed (the default), or carried by the `base_body` or `end_body`
    given. docs/theory/dynamics.md describes the model.
    """

    _seen: Any  # the field that the last step met
    _compiled: Any  # the kernel for it
    _iterations: int  # of Newton's method, in the last step

    def __init__(
        self,
        spec: TetherSpec,
        *,
        base: ArrayLike,
        end: ArrayLike,
        length: float,
        element_length: float = 0.1,
        shape: ArrayLike | None = None,
        world: World | None = None,
        wind: Wind | None = None,
        base_body: Body | None = None,
        end_body: Body | None = None,
        step_max: float = 0.005,
        name: str = "tether",
    ) -> None:
        """Hang a tether of unstretched `length` [m] between two points [m].

        shape: a polyline (n, 3) from base to end that it follows at the start, node by node where it has as
        many points as the tether; by default it hangs at rest, in balance but for wind and bending.
        element_length: of the discretisation [m]; step_max: longest internal step [s].
        """
        self.spec = check.instance("spec", spec, TetherSpec)
        self.name = name
        self.world = world = World() if world is None else check.instance("world", world, World)
        length = check_length(length)
        element_length = check.positive("element_length", element_length)
        wind = (world.wind or Wind.calm()) if wind is None else check.instance("wind", wind, Wind)
        self._wind = wind.field
        drag = 0.5 * world.air_density * spec.diameter
        self._model = M.TetherModel(
            linear_density=spec.linear_density,
            axial_stiffness=spec.axial_stiffness,
            axial_damping=spec.axial_damping,
            bending_stiffness=spec.bending_stiffness,
            bending_damping=spec.bending_damping,
            radius=0.5 * spec.diameter,
            friction=spec.friction,
            drag_normal=drag * spec.drag_coefficient,
            drag_tangential=drag * spec.drag_coefficient_tangential,
            element_length=element_length,
            gravity=float(world.gravity),
            step_max=check_step(step_max),
        )
        count = max(2, round(length / element_length))
        check_count(f"length = {length:g} m by element_length = {element_length:g} m", count)
        held = base_body is None and end_body is None
        nodes, rest, settle = initial_shape(base, end, length, count, shape, held, spec, world)
        count = len(rest)
        self._open(M.make_memory(self._model, count + 16, len(world.names)))
        state = self._state
        state.number[M.COUNT] = count
        state.x[: count + 1] = nodes
        state.rest[:count] = rest
        state.free_bend[1:count] = np.maximum(FOLD_ABOVE, sharpness(nodes))
        self._command = np.zeros(M.COMMAND_SIZE)
        self._forget_steps()
        if shape is not None:
            self._ease_in(np.linalg.norm(np.diff(nodes, axis=0), axis=1), rest)
        if settle:
            self._settle()
        for end_index, body in enumerate((base_body, end_body)):
            self._hold(end_index, body, f"{ENDS[end_index]}_body")

    def step(
        self,
        dt: float,
        base: ArrayLike | None = None,
        end: ArrayLike | None = None,
        base_velocity: ArrayLike | None = None,
        end_velocity: ArrayLike | None = None,
        reel_speed: float = 0.0,
        *,
        base_force: ArrayLike | None = None,
        end_force: ArrayLike | None = None,
        base_torque: ArrayLike | None = None,
        end_torque: ArrayLike | None = None,
        **unknown: Never,
    ) -> Forces:
        """Advance by dt [s]; returns the mean forces on what holds the ends.

        base, end: where a prescribed end is after dt [m]; it stays if not given. Between calls it moves on a
        cubic through the given positions and velocities [m/s]; a velocity not given is the mean one.
        reel_speed: > 0 pays out [m/s].
        base_force, end_force, base_torque, end_torque: on a body, besides its weight, constant over dt, world
        frame [N], [N m]; none if not given.
        """
        if unknown:
            raise InputError(check.unknown_argument(Tether.step, unknown))
        try:
            self._command = next(self._rows)
        except StopIteration:
            self._command = self._ring.turn(self, dt)
        try:
            dt = self._write_command(
                dt, base, end, base_velocity, end_velocity, reel_speed,
                base_force, base_torque, end_force, end_torque,
            )  # fmt: skip
        except InputError:
            self._command[0] = NO_STEP
            raise
        state = self._state
        self._run()
        if state.number[M.FAILED]:
            state.number[M.FAILED] = 0
            raise SimulationError(self._failure(dt))
        mean = state.impulse / dt
        return Forces(mean[0], mean[1], dt, self._memory, self._wind)

    @property
    def nodes(self) -> Vector:
        """Positions from base to end [m], (n, 3)."""
        return self._state.x[: self._state.number[M.COUNT] + 1].copy()

    @property
    def velocities(self) -> Vector:
        """Velocities of the nodes [m/s], (n, 3)."""
        return self._state.v[: self._state.number[M.COUNT] + 1].copy()

    @property
    def tensions(self) -> Vector:
        """Of the elements from base to end, mean over the last internal step [N], (n - 1,)."""
        return self._state.tension[: self._state.number[M.COUNT]].copy()

    @property
    def tension_peak(self) -> float:
        """Largest of any element at any time within the last call [N]."""
        return float(self._state.total[M.TENSION_PEAK])

    @property
    def length(self) -> float:
        """Paid out, unstretched [m]."""
        return float(self._state.rest[: self._state.number[M.COUNT]].sum())

    @property
    def time(self) -> float:
        """Since the start [s]."""
        return float(self._state.total[M.TIME])

    @property
    def energy(self) -> Energy:
        """Of the tether and the bodies it carries [J]."""
        return energy_of(self._model, self._state)

    @property
    def contacts(self) -> list[Contact]:
        """Where it touches something now, from base to end."""
        return contacts_of(self._state, list(self.world.names))

    @property
    def base_body(self) -> dict[str, Vector] | None:
        """State of the body at the base: position [m], velocity [m/s], both (3,), world frame.

        Of a rigid body these are its centre's, and there are rotation_wxyz and angular_velocity [rad/s], too.
        None at an end without a body.
        """
        return self._body_state(M.BASE)

    @property
    def end_body(self) -> dict[str, Vector] | None:
        """State of the body at the end, as `base_body`."""
        return self._body_state(M.END)

    def reaction_on(self, name: str) -> tuple[Vector, Vector]:
        """Force [N] and torque about the object's origin [N m] on an obstacle, mean over the last call."""
        mean = self._state.reaction[self.world.index(name)] / max(self._state.total[M.DURATION], 1e-300)
        return mean[:3], mean[3:]

    def release(self, which: str) -> None:
        """Let go of an end ("base" or "end"); a body there flies off, the tether's end is free."""
        end = self._end_index(which)
        self._forget_steps()
        self._state.number[M.KIND_BASE + end] = M.FREE
        self._state.end_mass[end] = self._state.end_radius[end] = 0.0
        self._state.end_force[end] = 0.0
        self._state.body_contact[end] = np.zeros((), self._state.body_contact.dtype)
        self._state.body[end]["point_count"] = 0

    def attach(self, which: str, body: Body | None = None) -> None:
        """Take hold of an end where it is: with a body, or (None) to move it by `step`."""
        self._hold(self._end_index(which), body, "body")

    def copy(self) -> Tether:
        """An independent tether in the same state, in the same world."""
        twin = object.__new__(Tether)
        twin.__setstate__(self.__getstate__())
        return twin

    def __copy__(self) -> Tether:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Tether:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in DERIVED}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._command = self._command.copy()
        self._forget_steps()
        self._open(M.copy_memory(self._memory))

    def __repr__(self) -> str:
        count = int(self._state.number[M.COUNT])
        return f"<Tether {self.name!r}: {self.length:.3f} m in {count} elements, t = {self.time:.3f} s>"

    def _run(self) -> None:
        """Call the kernel as commanded.

        Numba takes longer to find out the types of so many arrays than to step a short tether. They are the
        same as long as the arrays are, so from the second call on its finding of the first one is used.
        """
        field = self.world.field
        if field is not self._seen:
            self._seen = field
            self._ring.fields.append((self._command, field))
            self._field = field._replace(pose=field.pose.copy())
            self._compiled = None
            self._iterations = int(advance(self._memory, self._field, field.pose, self._wind, self._command))
            return
        arguments = (self._memory, self._field, field.pose, self._wind, self._command)
        if self._compiled is None:
            self._compiled = entry_point(advance, arguments)
        self._iterations = self._compiled(*arguments)

    def _open(self, memory: M.Memory) -> None:
        self._memory = memory
        self._state = plain(M.open_state)(memory)
        self._seen = self._compiled = None

    def _grow(self, room: int) -> None:
        self._open(M.grow_memory(self._memory, room))

    def _ease_in(self, spans: Vector, rest: Vector) -> None:
        """Take the compression out of a shape that is too short, to come back within 0.1 s; warn of it.

        Compressed elements store energy that the tether then bursts with; it is 2 % of EA at most.
        """
        strain = spans / rest - 1.0
        self._state.offset[: len(rest)] = np.minimum(spans - rest, 0.0)
        if strain.min() < -COMPRESSED:
            warnings.warn(
                f"{self.name}: shape is too short for its length, a strain of {100 * strain.min():.2g} %: it "
                "starts without compression and settles within 0.1 s; give a longer shape",
                stacklevel=3,
            )
        if strain.max() > STRETCHED:
            warnings.warn(
                f"{self.name}: shape is too long for its length, a strain of {100 * strain.max():.2g} %: it "
                f"starts with {strain.max() * self.spec.axial_stiffness:.3g} N; give a longer length",
                stacklevel=3,
            )

    def _settle(self) -> None:
        """Let the tether come down through something like honey until it rests, then start the clock.

        In still air: honey that blows would carry it away. The higher the arch from which it comes down, the
        thinner the honey, so that this takes about as long from any height; thick honey then brings it to
        rest.
        """
        constants, state, wind = self._memory.constants, self._state, self._wind
        self._wind = Wind.calm().field
        x = state.x[: state.number[M.COUNT] + 1]
        height = float(np.ptp(x[:, 2]))
        honey = HONEY * min(1.0, (SLOWLY / max(height, SLOWLY)) ** 2)
        began, said = wall.monotonic(), False
        for thickness in (honey, HONEY) if honey < HONEY else (HONEY,):
            constants[:] = self._model._replace(drag_normal=thickness, drag_tangential=thickness)
            since = self.time
            for _ in range(SETTLE_STEPS if thickness == HONEY else SETTLE_STEPS // 3):
                self.step(SETTLE_STEP)
                if np.abs(self.velocities).max() < 1e-3 and self.time > since + 0.5:
                    break
                if not said and wall.monotonic() - began > PATIENCE:
                    said = True
                    LOGGER.warning(
                        "%s: settling %.4g m on what lies below before the start, which takes a while",
                        self.name,
                        self.length,
                    )
        constants[:], self._wind = self._model, wind
        state.v[:] = 0.0
        state.a[:] = 0.0
        state.total[:] = 0.0
        state.reaction[:] = 0.0
        self._forget_steps()

    def _forget_steps(self) -> None:
        """The state is changed by something else than a step: what came before leads nowhere."""
        self._ring = StepRing()
        self._rows: Iterator[Vector] = iter(())  # where the next steps are written

    def _failure(self, dt: float) -> str:
        """What to say of a step that did not converge; what led to it is written to a file."""
        said = (
            f"{self.name}: the step of {dt:g} s from t = {self.time:.6g} s did not converge, however finely "
            "it was cut. The state is that before it. "
            f"Contacts: {len(self.contacts)}, largest tension {self.tensions.max():.3g} N. "
            "This is a bug in tetherlab; please report it"
        )
        try:
            replayed = self._ring.write(self)
        except Exception as error:  # whatever it is, it must not hide what happened
            replayed = f"no file could be written to replay it: {error}"
        self._forget_steps()
        return f"{said}; {replayed}."

    def _write_command(
        self,
        dt: float,
        base: Any = None,
        end: Any = None,
        base_velocity: Any = None,
        end_velocity: Any = None,
        reel_speed: float = 0.0,
        base_force: Any = None,
        base_torque: Any = None,
        end_force: Any = None,
        end_torque: Any = None,
    ) -> float:
        """Check the arguments of a step and write them where the kernel reads them; returns dt."""
        if type(dt) is not float or not 0.0 < dt < math.inf:
            dt = check.positive("dt", dt)
        if type(reel_speed) is not float or not math.isfinite(reel_speed):
            reel_speed = check.number("reel_speed", reel_speed)
        count, base_kind, end_kind, _, _, _ = self._state.number.tolist()
        at_base = self._aim(M.BASE, base_kind, 0, dt, base, base_velocity)
        at_end = self._aim(M.END, end_kind, count, dt, end, end_velocity)
        self._command[:] = (dt, reel_speed, *at_base, *at_end)
        self._push(M.BASE, base_kind, base_force, base_torque)
        self._push(M.END, end_kind, end_force, end_torque)
        if reel_speed != 0.0:
            self._prepare_reeling(dt, reel_speed, count)
        return dt

    def _end_index(self, which: str) -> int:
        if which not in ENDS:
            raise InputError(f"which must be 'base' or 'end', got {which!r}")
        return ENDS.index(which)

    def _aim(self, end: int, kind: int, node: int, dt: float, target: Any, velocity: Any) -> Sequence[float]:
        """Position and velocity where a prescribed end goes, for the command, 6 numbers."""
        if kind != M.PRESCRIBED:
            if target is not None or velocity is not None:
                raise InputError(
                    f"{ENDS[end]} is not prescribed: move it by {ENDS[end]}_force, "
                    f"or attach('{ENDS[end]}') it first"
                )
            return NOWHERE
        if target is not None:
            there = _numbers(ENDS[end], target)
        if target is None or velocity is None:
            here = self._state.x[node].tolist()
            if target is None:
                there = here
        if velocity is None:
            x, y, z = there
            return (x, y, z, (x - here[0]) / dt, (y - here[1]) / dt, (z - here[2]) / dt)
        return (*there, *_numbers(VELOCITIES[end], velocity))

    def _push(self, end: int, kind: int, force: Any, torque: Any) -> None:
        """Set the external loads of a body or free end."""
        state = self._state
        if kind == M.PRESCRIBED:
            if force is not None or torque is not None:
                given = "torque" if force is None else "force"
                raise InputError(
                    f"{ENDS[end]} is prescribed, so {ENDS[end]}_{given} has nothing to move: "
                    f"give {ENDS[end]}_body or release('{ENDS[end]}')"
                )
            return
        if torque is not None and kind != M.RIGID:
            raise InputError(f"{ENDS[end]}_torque needs a RigidBody at the {ENDS[end]}")
        push = (0.0, 0.0, 0.0) if force is None else _numbers(f"{ENDS[end]}_force", force)
        twist = None if torque is None else _numbers(f"{ENDS[end]}_torque", torque)
        self._ring.loads.append((self._command, end, push, twist))
        if kind == M.RIGID:
            state.body[end]["force_W"] = push
            state.body[end]["torque_W"] = 0.0 if twist is None else twist
        else:
            state.end_force[end] = push

    def _prepare_reeling(self, dt: float, reel_speed: float, count: int) -> None:
        left = self.length + reel_speed * dt
        if left < LENGTH_MIN:
            raise InputError(
                f"reel_speed = {reel_speed:g} m/s for {dt:g} s would leave {left:.4g} m of {self.name}; "
                f"at least {LENGTH_MIN:g} m stay out"
            )
        room = self._state.rest.shape[0]
        needed = count + 8 + math.ceil(abs(reel_speed) * dt / self._model.element_length)
        if needed > room:
            check_count(f"reel_speed = {reel_speed:g} m/s for {dt:g} s", needed)
            self._grow(max(needed, 2 * room))

    def _hold(self, end: int, body: Body | None, name: str) -> None:
        """Put a body, which its user calls by this name, or the user's hand at an end."""
        state = self._state
        node = end * int(state.number[M.COUNT])
        check_body(name, body, state.x[node], self.world)
        self.release(ENDS[end])
        if body is None:
            state.number[M.KIND_BASE + end] = M.PRESCRIBED
        elif isinstance(body, PointMass):
            state.number[M.KIND_BASE + end] = M.FREE
            state.end_mass[end] = body.mass
            state.end_radius[end] = body.radius
        else:
            R_WB = matrix_from_quaternion(body.rotation_wxyz)
            arm = R_WB @ body.attachment
            row = state.body[end]
            row["mass"] = body.mass
            row["inertia_B"] = body.inertia
            row["attachment_B"] = body.attachment
            row["R_WB"] = R_WB
            row["p_W"] = state.x[node] - arm
            row["v_W"] = state.v[node] - np.cross(np.asarray(body.angular_velocity), arm)
            row["L_W"] = R_WB @ body.inertia @ R_WB.T @ body.angular_velocity
            spheres = body.spheres
            row["point_count"] = len(spheres)
            row["point_B"][: len(spheres)] = spheres[:, :3]
            row["point_radius"][: len(spheres)] = spheres[:, 3]
            row["friction"] = self.spec.friction if body.friction is None else body.friction
            row["stiffness"] = plain(contact_stiffness)(self._model, body.mass)
            state.number[M.KIND_BASE + end] = M.RIGID

    def _body_state(self, end: int) -> dict[str, Vector] | None:
        state = self._state
        if state.number[M.KIND_BASE + end] == M.FREE and state.end_mass[end] > 0.0:
            node = end * int(state.number[M.COUNT])
            return {"position": state.x[node].copy(), "velocity": state.v[node].copy()}
        if state.number[M.KIND_BASE + end] != M.RIGID:
            return None
        row = state.body[end]
        R_WB = row["R_WB"].copy()
        return {
            "position": row["p_W"].copy(),
            "rotation_wxyz": quaternion_from_matrix(R_WB),
            "velocity": row["v_W"].copy(),
            "angular_velocity": R_WB @ np.linalg.solve(row["inertia_B"], R_WB.T @ row["L_W"]),
        }


def _numbers(name: str, value: Any) -> list[float]:
    """Three checked numbers; the quick way when they are an array, the explaining one when not."""
    if type(value) is np.ndarray and value.shape == (3,) and value.dtype == np.float64:
        numbers: list[float] = value.tolist()
        if math.isfinite(numbers[0] + numbers[1] + numbers[2]):
            return numbers
    return check.vector(name, value).tolist()
