"""From what a user describes to the arrays of a hoist, and how its members get hold of each other."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tetherlab.contracts import check
from tetherlab.contracts.errors import InputError
from tetherlab.math.kernel import plain
from tetherlab.math.record import make_records
from tetherlab.plant import hoist_model as H
from tetherlab.plant.canopy_model import FREE_OBJECT, FREE_POINT, NEAREST
from tetherlab.plant.hoist_step import find_hoist_places
from tetherlab.tether import model as M
from tetherlab.tether.limits import LENGTH_MIN
from tetherlab.tether.spec import TetherSpec
from tetherlab.tether.tether import Tether
from tetherlab.vehicles.build import (
    fill_quadrotor_body,
    fill_rover_body,
    make_platform,
    make_quadrotor,
    make_rover,
    make_winch,
)
from tetherlab.vehicles.power.supply import SUPPLY
from tetherlab.vehicles.spec import QuadrotorSpec, RoverSpec, WinchSpec
from tetherlab.world import World
from tetherlab.world.wind import Wind

Vector = NDArray[np.float64]
ELEMENT = 0.2  # of the tether [m]: it is light and bends only where it touches something
SLACK = 1.02  # length over distance of a tether that was latched


def build_hoist(
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
    wind: Wind | None = None,
    element_length: float = ELEMENT,
    step: float = 0.0025,
) -> H.Hoist:
    """Rover and drone at rest, apart. Positions are those of the middles of rover and drone [m].

    length: of the whole tether, on the drum [m]. drone_radius: of the disc that the drone is for planners; it
    stands on the ground where its drone does [m]. perch_force: that the drone holds when perched [N].
    """
    place, above = (
        check.vector("rover_position", rover_position),
        check.vector("drone_position", drone_position),
    )
    origin = np.asarray(winch.exit) - rover.center_of_mass
    lift = np.array([0.0, 0.0, drone_radius - stands(quadrotor)])
    room = math.ceil(length / element_length) + 32
    thread = Tether(
        tether, base=place, end=place + np.array((0.0, 0.0, 1e-3)), length=2.0 * LENGTH_MIN,
        element_length=element_length, wind=wind, step_max=step,
    )  # fmt: skip
    memory = M.make_memory(thread._model, room, len(world.names))
    memory.number[M.KIND_BASE] = M.RIGID
    memory.vectors[M.POSITIONS, :3] = place
    _put_on_drum(memory)
    fill_rover_body(memory.body[H.ROVER], rover, place - np.asarray(winch.exit), np.eye(3))
    memory.body["attachment_B"][H.ROVER] = origin
    fill_quadrotor_body(memory.body[H.DRONE], quadrotor, above - lift, np.eye(3))
    hook = make_records(1, H.HOOK)
    hook["damping_phi"] = hook["damping_roll"] = _hook_damping(rover, origin, world.gravity)
    hook["damping_spin"] = 0.2 * hook["damping_phi"]
    field = world.field._replace(pose=world.field.pose.copy(), twist=world.field.twist.copy())
    plant = H.Hoist(
        memory=memory,
        body=memory.body,
        field=field,
        pose=field.pose.copy(),
        wind=thread._wind,
        drone=make_quadrotor(quadrotor, world.air_density),
        rover=make_rover(rover),
        winch=make_winch(
            winch, tether_diameter=tether.diameter, tether_density=tether.linear_density,
            length=length, length_min=2.0 * LENGTH_MIN, paid_out=2.0 * LENGTH_MIN,
        ),
        platform=make_platform(None, np.zeros(3)),
        hook=hook,
        rover_origin=origin,
        drone_origin=lift,
        place=np.zeros((4, 3)),
        perch=np.zeros(3),
        free=np.zeros(12),
        pull=np.zeros((2, 3)),
        acceleration=np.zeros((2, 3)),
        rover_hull=_hull(rover.hull, rover.center_of_mass),
        drone_hull=_hull(quadrotor.hull, np.zeros(3)),
        limits=np.array([tether.strength, 2.0 * tether.diameter, perch_force]),
        seen=np.zeros(7),
        clock=np.zeros(2),
        flag=np.zeros(4, np.int64),
        scratch=make_records(1, H.SCRATCH),
        supply=make_records(0, SUPPLY),
    )  # fmt: skip
    plain(find_hoist_places)(plant)
    return plant


def stands(quadrotor: QuadrotorSpec) -> float:
    """How high its centre is above the ground that it stands on [m]."""
    feet = np.asarray(quadrotor.feet)
    return float((feet[:, 3] - feet[:, 2]).max())


def latch(
    hoist: H.Hoist, world: World, tether: TetherSpec, *, via: ArrayLike = (), slack: float = SLACK
) -> None:
    """Tie the end of the rover's tether to the drone, straight, or `via` points on the way there [m].

    Both must be at rest. slack: length over that of the way.
    """
    if hoist.flag[H.LINK] != H.APART:
        raise InputError("the tether is latched already")
    base, end = _attachment(hoist, H.ROVER), _attachment(hoist, H.DRONE)
    points = check.points("via", via) if np.size(via) else np.zeros((0, 3))
    way = np.vstack([base, points, end])
    length = slack * float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
    if length > hoist.winch["length_total"][0]:
        raise InputError(
            f"{length:.2f} m would have to be out, the tether has {hoist.winch['length_total'][0]:g} m"
        )
    model = plain(M.open_model)(hoist.memory)
    thread = Tether(
        tether, base=base, end=end, length=length, element_length=model.element_length,
        shape=way if len(points) else None, world=world, step_max=model.step_max,
    )  # fmt: skip
    fresh, state = thread._state, plain(M.open_state)(hoist.memory)
    count = int(fresh.number[M.COUNT])
    state.number[M.COUNT] = count
    for name in ("x", "v", "a", "rest", "offset", "tension", "drift", "shared", "free_bend"):
        getattr(state, name)[: count + 1] = getattr(fresh, name)[: count + 1]
    hoist.winch["length"] = thread.length
    hoist.flag[H.LINK] = H.LATCHED
    hoist.free[FREE_OBJECT] = NEAREST if len(points) else -1
    hoist.free[FREE_POINT : FREE_POINT + 3] = way[1]


def perch(hoist: H.Hoist) -> None:
    """The drone takes hold of what is there: from now on the tether ends where it is."""
    if hoist.flag[H.LINK] != H.LATCHED:
        raise InputError("only a drone that the tether is latched to can be its anchor")
    hoist.perch[:] = _attachment(hoist, H.DRONE)
    hoist.body["v_W"][H.DRONE] = hoist.body["L_W"][H.DRONE] = 0.0
    hoist.memory.number[M.KIND_END] = M.PRESCRIBED
    hoist.drone["speed"] = hoist.drone["thrust"] = 0.0
    hoist.drone["armed"] = 0
    hoist.flag[H.LINK] = H.PERCHED


def unhook(hoist: H.Hoist) -> None:
    """The tether is on the drum again, and the drone is a body of its own, at rest where it is."""
    if hoist.flag[H.LINK] == H.APART:
        raise InputError("there is nothing to unhook: the tether is on its drum")
    hoist.body["v_W"][H.DRONE] = hoist.body["L_W"][H.DRONE] = 0.0
    _put_on_drum(hoist.memory)
    hoist.winch["length"] = 2.0 * LENGTH_MIN
    hoist.winch["speed"] = hoist.winch["tension"] = 0.0
    hoist.pull[:] = 0.0
    hoist.flag[H.LINK] = H.APART


def _put_on_drum(memory: M.Memory) -> None:
    """All but two elements of no length, which touch nothing."""
    memory.number[M.COUNT] = 2
    memory.number[M.KIND_END] = M.RIGID
    memory.scalars[0, :2] = LENGTH_MIN
    for records in (memory.contact, memory.wrap):
        records[:] = np.zeros((), records.dtype)


def middle(hoist: H.Hoist, who: int) -> Vector:
    """Of rover or drone, where planners have it [m], (3,)."""
    origin = hoist.rover_origin if who == H.ROVER else hoist.drone_origin
    return np.asarray(hoist.body["p_W"][who] + hoist.body["R_WB"][who] @ origin)


def _attachment(hoist: H.Hoist, who: int) -> Vector:
    body = hoist.body[who]
    return np.asarray(body["p_W"] + body["R_WB"] @ body["attachment_B"])


def _hook_damping(rover: RoverSpec, arm: Vector, gravity: float) -> float:
    """A fifth of what would just not let the hull rock on a tether that hangs still [N m s]."""
    stiffness = rover.mass * gravity * float(arm[2])
    inertia = float(rover.inertia[1])
    return 0.2 * 2.0 * math.sqrt(stiffness * inertia)


def _hull(spheres: Vector, origin: Vector) -> Vector:
    """Spheres of a hull from the centre of mass, (n, 4)."""
    hull = np.array(spheres, float).reshape(-1, 4)
    hull[:, :3] -= origin
    return hull
