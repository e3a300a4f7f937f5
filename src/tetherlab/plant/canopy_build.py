"""From what a user describes to the arrays of a canopy."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.bodies import RigidBody
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import plain
from tetherlab.math.record import make_records
from tetherlab.math.rotation import quaternion_from_matrix
from tetherlab.plant.branch import BRANCH, Branch, fill_pose
from tetherlab.plant.canopy_model import FREE_OBJECT, FREE_POINT, NEAREST, SCRATCH, Canopy, windows
from tetherlab.plant.hanging import ELEMENT, make_tether_spec, motion_of
from tetherlab.tether import model as M
from tetherlab.tether.limits import LENGTH_MIN
from tetherlab.tether.tether import Tether
from tetherlab.vehicles.avocado.robot_spec import AvocadoRobotSpec
from tetherlab.vehicles.avocado.state import AvocadoState
from tetherlab.vehicles.avocado.thrusters import make_robot
from tetherlab.vehicles.build import make_winch
from tetherlab.world import World
from tetherlab.world.wind import Wind

Vector = NDArray[np.float64]
SIDES = ("left", "right")


def build_canopy(
    spec: AvocadoRobotSpec,
    world: World,
    start: AvocadoState,
    *,
    anchor: ArrayLike = (0.0, 0.0, 0.0),
    via: ArrayLike = (),
    branches: Sequence[Branch] = (),
    failures: Mapping[str, float] | None = None,
    thrust: float = 0.0,
    wind: Wind | None = None,
    element_length: float = ELEMENT,
    step: float = 0.002,
) -> Canopy:
    """A robot in a state, in a world whose bending branches come besides.

    via: points over which the tether runs, from the one next to the robot to the one next to the anchor; the
    angles and the distance of `start` are those of the free part, from the first of them. failures: when the
    "left" and the "right" propeller fail [s]. thrust: that both together give at the start [N].
    """
    anchor = check.vector("anchor", anchor)
    corners = np.vstack([_corners(via), anchor])
    grown = _grow(world, branches)
    n_W, R_WB, w_W, v_W = motion_of(start)
    base = corners[0] + start.distance * n_W
    tether_spec = make_tether_spec(spec)
    tether = Tether(
        tether_spec,
        base=base,
        end=anchor,
        length=start.tether_length,
        element_length=element_length,
        shape=np.vstack([base, corners]) if len(corners) > 1 else None,
        world=grown,
        wind=wind,
        base_body=RigidBody(
            mass=spec.mass,
            inertia=spec.inertia_B,
            attachment=(0.0, 0.0, spec.mass_arm),
            rotation_wxyz=quaternion_from_matrix(R_WB),
            angular_velocity=w_W,
            feet=spec.shell,
            friction=spec.shell_friction,
        ),
        step_max=step,
    )
    room = math.ceil(spec.tether_total / element_length) + 32
    memory = M.grow_memory(tether._memory, room)
    _set_off(memory, start.distance, v_W, w_W, spec.mass_arm * R_WB[:, 2])
    memory.body["stiffness"][M.BASE] = spec.shell_stiffness
    field = grown.field._replace(pose=grown.field.pose.copy(), twist=grown.field.twist.copy())
    rows = make_records(len(branches), BRANCH)
    for row, branch in zip(rows, branches, strict=True):
        branch.fill(row, grown.index(branch.name))
    live = windows(memory)
    return Canopy(
        memory=memory,
        live=live,
        kept=tuple(part.copy() for part in live),
        field=field,
        pose=field.pose.copy(),
        wind=tether._wind,
        robot=_robot(spec, failures, thrust),
        spool=make_winch(
            spec.spool,
            tether_diameter=spec.tether_diameter,
            tether_density=spec.tether_density,
            length=spec.tether_total,
            length_min=2.0 * LENGTH_MIN,
            paid_out=start.tether_length,
        ),
        branch=rows,
        anchor=anchor,
        free=_free_part(corners),
        truth=np.tile(astuple(start), (2, 1)),
        seen=np.zeros(4),
        limits=np.array([spec.tether_strength, max(-float(grown.distance(anchor)), 0.0) + 0.005]),
        clock=np.array([0.0, 0.5]),
        flag=np.zeros(4, np.int64),
        scratch=make_records(1, SCRATCH),
        tether_command=np.zeros(M.COMMAND_SIZE),
    )


def _corners(via: Any) -> Vector:
    return check.points("via", via) if np.size(via) else np.zeros((0, 3))


def _free_part(corners: Vector) -> Vector:
    """Where the robot hangs from at the start: the object next to the first corner, or the anchor."""
    free = np.zeros(12)
    free[FREE_OBJECT] = NEAREST if len(corners) > 1 else -1
    free[FREE_POINT : FREE_POINT + 3] = corners[0]
    return free


def _grow(world: World, branches: Sequence[Branch]) -> World:
    """The world with the branches that bend, where they are at the start."""
    grown = world.with_objects([branch.shape for branch in branches])
    rows = make_records(1, BRANCH)
    for branch in branches:
        branch.fill(rows[0], 0)
        R = np.empty(9)
        plain(fill_pose)(rows.view(np.recarray)[0], branch.bent, R)
        grown.place(branch.name, position=branch.root, rotation_wxyz=quaternion_from_matrix(R.reshape(3, 3)))
    return grown


def _set_off(memory: M.Memory, distance: float, v_W: Vector, w_W: Vector, arm_W: Vector) -> None:
    """Give robot and free part the velocities of the start: v_W of P, ever less towards the contact."""
    count = int(memory.number[M.COUNT])
    nodes = memory.vectors[M.POSITIONS, : count + 1]
    way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(nodes, axis=0), axis=1))])
    memory.vectors[1, : count + 1] = np.maximum(1.0 - way / distance, 0.0)[:, None] * v_W
    memory.body["v_W"][M.BASE] = v_W - np.cross(w_W, arm_W)


def _robot(spec: AvocadoRobotSpec, failures: Mapping[str, float] | None, thrust: float) -> NDArray[np.void]:
    robot = make_robot(spec)
    robot["motor"] = 0.5 * check.number("thrust", thrust)
    for side, time in (failures or {}).items():
        if side not in SIDES:
            raise InputError(f"failures has no propeller {side!r}.{check.did_you_mean(side, SIDES)}")
        robot["fails_at"][0, SIDES.index(side)] = check.non_negative(f"failures[{side!r}]", time)
    return robot
