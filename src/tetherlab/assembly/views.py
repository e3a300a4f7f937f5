"""The parts of a running scene as they are now, read only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.plant.graph_build import open_tether
from tetherlab.plant.joint_build import FREE_AXES, KINDS, joint_rates
from tetherlab.tether import model as M
from tetherlab.tether.readout import Contact, contacts_of
from tetherlab.vehicles.avocado.state import AvocadoState

if TYPE_CHECKING:
    from tetherlab.assembly.scene_simulation import SceneSimulation

Vector = NDArray[np.float64]


class BodyView:
    """A rigid body now, world frame."""

    def __init__(self, sim: SceneSimulation, index: int) -> None:
        self._sim, self._index = sim, index

    @property
    def position(self) -> Vector:
        """Place of the centre of mass [m], (3,)."""
        return np.array(self._sim.graph.body[self._index]["p_W"])

    @property
    def velocity(self) -> Vector:
        """Velocity of the centre of mass [m/s], (3,)."""
        return np.array(self._sim.graph.body[self._index]["v_W"])

    @property
    def rotation(self) -> Vector:
        """Attitude, body to world, quaternion wxyz, (4,)."""
        return quaternion_from_matrix(self._sim.graph.body[self._index]["R_WB"])

    @property
    def angular_velocity(self) -> Vector:
        """World frame [rad/s], (3,)."""
        row = self._sim.graph.body[self._index]
        R_WB = row["R_WB"]
        turning: Vector = R_WB @ np.linalg.solve(row["inertia_B"], R_WB.T @ row["L_W"])
        return turning

    @property
    def wrench(self) -> Vector:
        """Force and torque of all tethers and joints about the centre of mass, mean of the last internal
        step, (6,)."""
        return np.array(self._sim.graph.load[self._index])


class RobotView(BodyView):
    """A robot now: position and velocity of the origin of its frame."""

    def __init__(self, sim: SceneSimulation, index: int, center_of_mass: Vector) -> None:
        super().__init__(sim, index)
        self._center_of_mass = center_of_mass

    @property
    def position(self) -> Vector:
        """Place of the origin of its frame [m], (3,)."""
        return super().position - self._arm

    @property
    def velocity(self) -> Vector:
        """Velocity of the origin of its frame [m/s], (3,)."""
        return super().velocity - np.cross(self.angular_velocity, self._arm)

    @property
    def _arm(self) -> Vector:
        """From the origin to the centre of mass, world frame [m], (3,)."""
        arm: Vector = self._sim.graph.body[self._index]["R_WB"] @ self._center_of_mass
        return arm


class DroneView(RobotView):
    """A drone now."""

    def __init__(self, sim: SceneSimulation, index: int, center_of_mass: Vector, name: str) -> None:
        super().__init__(sim, index, center_of_mass)
        self._name = name

    @property
    def armed(self) -> bool:
        """Whether its rotors turn."""
        return self._sim.armed(self._name)


class HangingView(RobotView):
    """A robot that hangs on its tether now."""

    def __init__(self, sim: SceneSimulation, index: int, center_of_mass: Vector, name: str) -> None:
        super().__init__(sim, index, center_of_mass)
        self._name = name

    @property
    def state(self) -> AvocadoState:
        """In the paper's words: distance, theta and heading are those of the free part of its tether."""
        return self._sim.hanging_state(self._name)

    @property
    def thrusts(self) -> Vector:
        """Of the left and the right propeller in the last step [N], (2,)."""
        return self._sim.thrusts(self._name)


class HandView:
    """A hand now."""

    def __init__(self, sim: SceneSimulation, name: str) -> None:
        self._sim, self._name = sim, name

    @property
    def position(self) -> Vector:
        """[m], (3,)."""
        return self._sim.hands[self._name].position.copy()

    @property
    def velocity(self) -> Vector:
        """[m/s], (3,)."""
        return self._sim.hands[self._name].velocity.copy()

    @property
    def force(self) -> Vector:
        """Pull of all tethers on the hand, mean of the last step [N], (3,)."""
        ends = self._sim.ends_of(self._name)
        return sum((self._sim[name].forces[end] for name, end in ends), np.zeros(3))


class JointView:
    """A joint now."""

    def __init__(self, sim: SceneSimulation, index: int) -> None:
        self._sim, self._index = sim, index

    @property
    def _row(self) -> Any:
        return self._sim.graph.joint[self._index]

    @property
    def angles(self) -> Vector:
        """Angles about the first and the second axis [rad], (2,)."""
        return np.array(self._row["angle"])

    @property
    def rates(self) -> Vector:
        """Their rates [rad/s], (2,)."""
        return joint_rates(self._row, self._sim.graph.body)

    @property
    def angle(self) -> float | Vector:
        """Angle of the child against the parent: of a hinge a number, of a universal joint (2,) [rad]."""
        return self._of_free_axes(self.angles)

    @property
    def rate(self) -> float | Vector:
        """Its rate [rad/s]."""
        return self._of_free_axes(self.rates)

    @property
    def locked(self) -> bool:
        """Whether an axis that could turn is held, or rests at an end stop."""
        return bool(self._row["lock"][: self._count].any())

    @property
    def force(self) -> Vector:
        """Force on the child, mean of the last internal step, world frame [N], (3,)."""
        return np.array(self._row["load"][:3])

    @property
    def torque(self) -> Vector:
        """Torque on the child, of constraints, spring, damper and actuator [N m], (3,)."""
        row = self._row
        total: Vector = row["load"][3:] @ row["row"] - row["pull"] @ row["spring"]
        return total

    @property
    def _count(self) -> int:
        return FREE_AXES[KINDS[self._row["kind"]]]

    def _of_free_axes(self, values: Vector) -> float | Vector:
        return float(values[0]) if self._count == 1 else values[: self._count]


class TetherView:
    """A tether now; nodes run from start to end."""

    def __init__(self, sim: SceneSimulation, index: int) -> None:
        self._sim, self._index = sim, index

    @property
    def _state(self) -> M.TetherState:
        return open_tether(self._sim.graph, self._index)

    @property
    def nodes(self) -> Vector:
        """[m], (n, 3)."""
        state = self._state
        return state.x[: int(state.number[M.COUNT]) + 1].copy()

    @property
    def tensions(self) -> Vector:
        """Tension of each element, mean of the last internal step [N], (n - 1,)."""
        state = self._state
        return state.tension[: int(state.number[M.COUNT])].copy()

    @property
    def length(self) -> float:
        """Paid out, unstretched [m]."""
        state = self._state
        return float(state.rest[: int(state.number[M.COUNT])].sum())

    @property
    def forces(self) -> Vector:
        """On what holds start and end, mean of the last step, world frame [N], (2, 3)."""
        state = self._state
        duration = float(state.total[M.DURATION])
        mean: Vector = state.impulse / duration if duration else 0.0 * state.impulse
        return mean

    @property
    def force_start(self) -> Vector:
        """On what holds the start, mean of the last step, world frame [N], (3,)."""
        return np.array(self.forces[0])

    @property
    def force_end(self) -> Vector:
        """On what holds the end [N], (3,)."""
        return np.array(self.forces[1])

    @property
    def contacts(self) -> list[Contact]:
        """Where it touches something."""
        return contacts_of(self._state, list(self._sim.world.names))
