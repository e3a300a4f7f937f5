"""From bodies and tethers to the arrays of a graph, and tying and releasing ends while it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.bodies import RigidBody
from tetherlab.math.kernel import plain
from tetherlab.math.record import make_records
from tetherlab.math.rigid_body import BODY, POINTS_MAX, body_rates
from tetherlab.math.rotation import matrix_from_quaternion
from tetherlab.plant.elimination_plan import plan_elimination
from tetherlab.plant.graph import BODY_BOOKS, COMMAND, FEED, RIDE, TIE, Graph, Program
from tetherlab.plant.joint import JOINT
from tetherlab.plant.joint_build import JointStart, fill_joint, settle_velocities
from tetherlab.plant.pair_contact import PAIR, RADIUS_LEAST
from tetherlab.tether import model as M
from tetherlab.tether.condensation import CORNERS
from tetherlab.tether.tether import Tether
from tetherlab.world.contact import CONTACT

Vector = NDArray[np.float64]
FRICTION = 0.3  # of a body that names none, against obstacles that name none
DRUM_SHARE = 0.9  # of the mass of a body that its winches can pay out
TOLERANCE = 1e-3  # of a graph that is given none: what its tethers ask for is always less [m]
STIFFNESS_LEAST, STIFFNESS_PER_MASS = 1e5, 1.5e6  # of a body's spheres [N/m], [N/(m kg)]


@dataclass(frozen=True)
class BodyStart:
    """A body and how it starts."""

    body: RigidBody
    position: Vector  # of its centre of mass [m], (3,)
    velocity: Vector = field(default_factory=lambda: np.zeros(3))  # [m/s], (3,)
    stiffness: float | None = None  # of its spheres; None: by its mass [N/m]


@dataclass(frozen=True)
class Tie:
    """A point of a body."""

    body: int
    r_B: Vector  # from its centre of mass, body frame [m], (3,)


@dataclass(frozen=True)
class TetherStart:
    """A tether as it hangs at the start, and what its base and end are tied to; None: left as they are."""

    tether: Tether
    ties: tuple[Tie | None, Tie | None] = (None, None)


def build_graph(
    gravity: float,
    bodies: Sequence[BodyStart],
    tethers: Sequence[TetherStart],
    objects: int = 0,
    tolerance: float = TOLERANCE,
    riders: Mapping[int, int] | None = None,
    joints: Sequence[JointStart] = (),
) -> Graph:
    """A graph of these bodies, tethers and joints, which live in one world with so many objects.

    tolerance: a step is solved when its last Newton correction moves nothing farther than this [m]. The error
    left is about its square. Stiff tethers and contacts may ask for less.
    riders: which objects ride on which bodies, in the body's frame; they count as moving in the field.
    """
    body = make_records(len(bodies), BODY)
    for row, start in zip(body, bodies, strict=True):
        _fill_body(row, start)
    joint = make_records(len(joints), JOINT)
    for row, jointed in zip(joint, joints, strict=True):
        fill_joint(row, jointed, body)
    settle_velocities(joint, body)
    memories = [start.tether._memory for start in tethers]
    graph = untied_graph(gravity, tolerance, body, memories, objects, joint)
    for who, carrier in (riders or {}).items():
        graph.rider[who] = carrier
    graph = graph._replace(ride=rides_of(graph.rider))
    for t, hanging in enumerate(tethers):
        for end, tie in enumerate(hanging.ties):
            if tie is not None:
                tie_to_body(graph, t, end, tie)
        follow_ends(graph, t)
        hold_here(graph, t)
    return planned(graph)


def untied_graph(
    gravity: float,
    tolerance: float,
    body: NDArray[Any],
    memories: list[M.Memory],
    objects: int,
    joint: NDArray[Any] | None = None,
) -> Graph:
    """A graph of these bodies (records of BODY), joints (of JOINT) and tethers, none of which is tied yet."""
    tethers, room = len(memories), max((len(memory.contact) for memory in memories), default=8)
    joint = make_records(0, JOINT) if joint is None else joint
    graph = Graph(
        memories=M.stack_memories(memories or [_no_tether()], room),
        tie=make_records((tethers, 2), TIE),
        command=make_records(tethers, COMMAND),
        near=np.zeros(tethers, np.int64),
        flow=np.zeros((tethers, 2)),
        feed=make_records(tethers, FEED),
        carry=np.zeros((tethers, room, 18)),
        corner=np.zeros((tethers, CORNERS, 9)),
        body=body,
        body_contact=make_records((len(body), POINTS_MAX), CONTACT),
        pair=make_records(0, PAIR),
        rider=np.full(objects, -1, np.int64),
        ride=make_records(0, RIDE),
        meets=np.zeros((len(body), len(body)), np.int64),
        drapes=np.zeros((tethers, len(body)), np.int64),
        joint=joint,
        held=np.zeros(len(body), np.int64),
        stowed=np.zeros(tethers, np.int64),
        stock=DRUM_SHARE * body["mass"],
        correction=np.zeros((len(body) + len(joint), 6)),
        load=np.zeros((len(body), 6)),
        reaction=np.zeros((objects, 6)),
        books=make_records(1, BODY_BOOKS),
        program=plan_elimination(0, []),
        gravity=float(gravity),
        tolerance=float(tolerance),
    )
    graph.tie["body"] = -1
    return graph


def planned(graph: Graph) -> Graph:
    """The graph with a program for what is tied now."""
    ends = [(int(base), int(end)) for base, end in graph.tie["body"]]
    touching = [(int(one), int(other)) for one, other in graph.pair["body"]]
    joined = [(int(parent), int(child)) for parent, child in graph.joint["body"]]
    meeting = [(int(one), int(other)) for one, other in np.argwhere(graph.meets == 1)]
    drapes = [np.flatnonzero(row == 1).tolist() for row in graph.drapes]
    room = graph.memories.scalars.shape[2]
    return graph._replace(
        program=plan_elimination(
            len(graph.body), ends, touching, joined, meeting, drapes, room, graph.held, graph.stowed
        )
    )


def parted(graph: Graph) -> Program:
    """A program for the graph while nothing can touch what rides on bodies."""
    ends = [(int(base), int(end)) for base, end in graph.tie["body"]]
    return plan_elimination(len(graph.body), ends)


def rides_of(rider: NDArray[np.int64]) -> NDArray[Any]:
    """Records of the objects that ride on bodies, from the carrier of each object or -1."""
    who = np.flatnonzero(rider >= 0)
    rides = make_records(len(who), RIDE)
    rides["object"], rides["body"], rides["R_BO"] = who, rider[who], np.eye(3)
    return rides


def with_pairs(graph: Graph, near: NDArray[np.int64]) -> Graph:
    """The graph with the spheres of those bodies as pairs that may touch, near (bodies, bodies) above its
    diagonal; pairs that it has already go on as they are. Bodies with a common joint do not touch, nor do
    those that are held."""
    joined = {frozenset(pair) for pair in graph.joint["body"].tolist()}
    known = {(*row["body"].tolist(), *row["point"].tolist()): row for row in graph.pair}
    wanted = [
        (int(a), int(b), i, k)
        for a, b in np.argwhere(near == 1).tolist()
        if frozenset((a, b)) not in joined and not graph.held[[a, b]].any()
        for i in _spheres(graph.body[a])
        for k in _spheres(graph.body[b])
    ]
    pairs = make_records(len(wanted), PAIR)
    for n, key in enumerate(wanted):
        if key in known:
            pairs[n] = known[key]
        pairs[n]["body"], pairs[n]["point"] = key[:2], key[2:]
    return planned(graph._replace(pair=pairs))


def near_bodies(graph: Graph) -> NDArray[np.int64]:
    """Which bodies have pairs that may touch, as `with_pairs` takes them."""
    near = np.zeros((len(graph.body), len(graph.body)), np.int64)
    near[graph.pair["body"][:, 0], graph.pair["body"][:, 1]] = 1
    return near


def _spheres(body: Any) -> list[int]:
    """The spheres of a body that touch others."""
    count = int(body["point_count"])
    return [k for k in range(count) if body["point_radius"][k] >= RADIUS_LEAST]


def tie_end(graph: Graph, t: int, end: int, tie: Tie) -> Graph:
    """Tie an end of tether t to a body, where the end is now."""
    tie_to_body(graph, t, end, tie)
    return planned(graph)


def release_end(graph: Graph, t: int, end: int) -> Graph:
    """Let go of an end of tether t: it flies free."""
    graph.tie[t, end]["body"] = -1
    graph.memories.number[t, M.KIND_BASE + end] = M.FREE
    return planned(graph)


def hold_here(graph: Graph, t: int) -> None:
    """Command the prescribed ends of tether t to stay where they are."""
    state = open_tether(graph, t)
    count = int(state.number[M.COUNT])
    graph.command[t]["position_W"] = state.x[[0, count]]
    graph.command[t]["velocity_W"] = 0.0


def open_tether(graph: Graph, t: int) -> M.TetherState:
    """The state of tether t, by name; views."""
    state: M.TetherState = plain(M.open_state)(plain(M.memory_row)(graph.memories, t))
    return state


def _fill_body(row: Any, start: BodyStart) -> None:
    body = start.body
    R_WB = matrix_from_quaternion(body.rotation_wxyz)
    spheres = body.spheres
    row["mass"], row["inertia_B"], row["R_WB"] = body.mass, body.inertia, R_WB
    row["attachment_B"] = body.attachment
    row["p_W"], row["v_W"] = start.position, start.velocity
    row["L_W"] = R_WB @ body.inertia @ R_WB.T @ body.angular_velocity
    row["point_count"] = len(spheres)
    row["point_B"][: len(spheres)] = spheres[:, :3]
    row["point_radius"][: len(spheres)] = spheres[:, 3]
    row["friction"] = FRICTION if body.friction is None else body.friction
    by_mass = max(STIFFNESS_LEAST, STIFFNESS_PER_MASS * body.mass)
    row["stiffness"] = by_mass if start.stiffness is None else start.stiffness


def tie_to_body(graph: Graph, t: int, end: int, tie: Tie) -> None:
    """Tie an end; its node moves with the body from now on, in velocity as well."""
    row = graph.tie[t, end]
    row["body"], row["r_B"] = tie.body, tie.r_B
    state = open_tether(graph, t)
    state.number[M.KIND_BASE + end] = M.CARRIED
    state.v[end * int(state.number[M.COUNT])] = tie_velocity(graph, tie)


def tie_velocity(graph: Graph, tie: Tie) -> Vector:
    """Of a point of a body [m/s], (3,)."""
    row = graph.body[tie.body]
    turning = row["R_WB"] @ np.array(plain(body_rates)(_Fields(row)))
    moving: Vector = row["v_W"] + np.cross(turning, row["R_WB"] @ tie.r_B)
    return moving


class _Fields:
    """A record whose fields are attributes, as kernels see them."""

    def __init__(self, record: Any) -> None:
        self._record = record

    def __getattr__(self, name: str) -> Any:
        return self._record[name]


def follow_ends(graph: Graph, t: int) -> None:
    """Let the nodes between two moving ends move with them at the start."""
    state = open_tether(graph, t)
    count = int(state.number[M.COUNT])
    share = np.linspace(0.0, 1.0, count + 1)[:, None]
    state.v[: count + 1] = (1.0 - share) * state.v[0] + share * state.v[count]


def _no_tether() -> M.Memory:
    """In a graph of bodies alone, for the types of its arrays."""
    return M.make_memory(M.TetherModel(*[1.0] * len(M.TetherModel._fields)), 8, 0)


def with_room(graph: Graph, room: int) -> Graph:
    """The graph with space for so many nodes of each tether; a deep copy of its tethers."""
    tethers = len(graph.tie)
    rows = [M.Memory(*[array[t] for array in graph.memories]) for t in range(len(graph.memories.number))]
    grown = graph._replace(
        memories=M.stack_memories(rows, room), carry=np.zeros((tethers, room, graph.carry.shape[2]))
    )
    return planned(grown) if (graph.drapes == 1).any() else grown


# Beside the memories.
LASTING = (
    "tie", "command", "body", "body_contact", "pair", "joint", "rider", "ride", "meets", "drapes", "held",
    "stowed", "stock", "load", "reaction", "books",
)  # fmt: skip


def copy_graph(graph: Graph) -> Graph:
    """An independent graph in the same state."""
    fresh: dict[str, Any] = {name: getattr(graph, name).copy() for name in LASTING}
    return planned(graph._replace(memories=M.copy_memory(graph.memories), **fresh))
