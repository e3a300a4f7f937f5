"""The tether that users hold in their hands."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.math.body import PointMass, RigidBody
from tetherlab.tether import model as M
from tetherlab.tether.advance import advance
from tetherlab.tether.spec import TetherSpec
from tetherlab.world.wind import Wind
from tetherlab.world.world import World

AIR_DENSITY = 1.225  # [kg/m^3]
Vector = NDArray[np.float64]


class Forces(NamedTuple):
    """What the tether does to what holds its ends, mean over the step, world frame."""

    on_base: Vector  # [N], (3,)
    on_end: Vector  # [N], (3,)


class Tether:
    """A tether of variable length between two ends; see docs/theory/dynamics.md for the model."""

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
        base_body: PointMass | RigidBody | None = None,
        end_body: PointMass | RigidBody | None = None,
        step_max: float = 0.005,
        name: str = "tether",
    ) -> None:
        self.spec = spec
        self.name = name
        self.world = world = world or World()
        self._field = world.field._replace(pose=world.field.pose.copy())
        length = check.positive("length", length)
        element_length = check.positive("element_length", element_length)
        gravity = world.gravity
        wind = wind or world.wind or Wind.uniform((0.0, 0.0, 0.0))
        self._wind = wind.field
        drag = 0.5 * AIR_DENSITY * spec.diameter
        count = max(2, round(length / element_length))
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
            gravity=float(gravity),
            step_max=check.positive("step_max", step_max),
        )
        self._memory = M.make_memory(self._model, count + 16)
        self._state = state = M.open_state.py_func(self._memory)
        self._command = np.zeros(14)
        nodes = check.points("shape", shape)
        state.number[M.COUNT] = count
        state.x[: count + 1] = nodes
        state.rest[:count] = length / count
        state.total[M.LENGTH] = length
        for e, body in enumerate((base_body, end_body)):
            self._hold(e, body)

    def _hold(self, e: int, body: Any) -> None:
        state = self._state
        i = e * int(state.number[M.COUNT])
        if body is None:
            state.number[M.KIND_BASE + e] = M.PRESCRIBED
        elif isinstance(body, PointMass):
            state.number[M.KIND_BASE + e] = M.FREE
            state.end_mass[e] = body.mass
        else:
            state.number[M.KIND_BASE + e] = M.RIGID
            row = state.body[e]
            row["mass"] = body.mass
            row["inertia_B"] = body.inertia_B
            row["attachment_B"] = body.attachment
            row["R_WB"] = body.R_WB
            row["p_W"] = state.x[i] - body.R_WB @ body.attachment
            row["L_W"] = body.R_WB @ body.inertia_B @ body.R_WB.T @ body.angular_velocity
            row["radius"] = body.radius

    def step(
        self, dt, base=None, end=None, base_velocity=None, end_velocity=None, reel_speed=0.0, end_force=None
    ):
        state, command = self._state, self._command
        count = int(state.number[M.COUNT])
        command[0] = dt
        command[1] = reel_speed
        command[2:5] = state.x[0] if base is None else base
        command[8:11] = state.x[count] if end is None else end
        command[5:8] = (command[2:5] - state.x[0]) / dt if base_velocity is None else base_velocity
        command[11:14] = (command[8:11] - state.x[count]) / dt if end_velocity is None else end_velocity
        if end_force is not None:
            state.end_force[1] = end_force
        room = state.rest.shape[0]
        if count + 4 + abs(reel_speed) * dt / self._model.element_length > room:
            self._memory = M.grow_memory(self._memory, 2 * room)
            self._state = state = M.open_state.py_func(self._memory)
        self.iterations = advance(self._memory, self._field, self.world.field.pose, self._wind, command)
        mean = state.impulse / dt
        return Forces(mean[0], mean[1])

    @property
    def nodes(self):
        return self._state.x[: self._state.number[M.COUNT] + 1].copy()

    @property
    def tensions(self):
        return self._state.tension[: self._state.number[M.COUNT]].copy()
